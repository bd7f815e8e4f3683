"""`EpisodicMemory`: the history of what agents did, for programs that ask it or add to it."""

from collections.abc import Sequence
from pathlib import Path

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.events import Json
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.history.rules.agent_history import CoEdit, FileInteraction, Operation, TaskEpisode, WindowSnapshot
from verifflowcc.history.rules.touches import placed
from verifflowcc.history.rules.window_prepare import FILE_INTERACTION, SNAPSHOT, beginning, snapshot_event
from verifflowcc.history.use.context_window import checked_session
from verifflowcc.history.use.history_offers import similar_tasks
from verifflowcc.history.use.history_reading import record
from verifflowcc.history.use.questions import ToolUse, edited_together, file_history, tool_use


class EpisodicMemory:
    """What agents did in a project: tool executions, file interactions, tasks and snapshots of windows."""

    def __init__(self, project_root: Path) -> None:
        self._workspace = open_workspace(project_root)

    def record_file_interaction(
        self,
        session: str,
        task: str | None,
        file_path: str,
        operation: Operation | str,
        context: str = "",
        *,
        success: bool = True,
        lines: tuple[int, int] | None = None,
    ) -> None:
        """Add that a session read, changed or searched a file; secrets are withheld from `context`, a short reason.

        `file_path` is taken from the project's root. Raises UsageError for an unknown operation, WorkspaceError where
        the history cannot be written.
        """
        if operation not in set(Operation):
            raise UsageError(f"{operation!r} is no operation on a file", hint=f"one of {', '.join(Operation)}")
        root = str(self._workspace.root)
        event: dict[str, Json] = {
            "gen_ai.conversation.id": checked_session(session),
            "path": placed(file_path, root, root),
            "operation": str(operation),
            "success": success,
        }
        more: dict[str, Json] = {"task": task, "lines": list(lines or ()), "context": beginning(context)}
        record(self._workspace, FILE_INTERACTION, [event | {name: value for name, value in more.items() if value}])

    def store_snapshot(self, snapshot: WindowSnapshot) -> None:
        """Add the state of a window, and what was just taken out of it. Raises as `record_file_interaction`.

        `ContextWindow.snapshot` does so by itself, and keeps the contents for `restore`.
        """
        checked_session(snapshot.session)
        record(self._workspace, SNAPSHOT, [snapshot_event(snapshot)])

    def find_similar_tasks(self, text: str, limit: int = 3) -> Sequence[TaskEpisode]:
        """Return the past tasks that are most like a text, best first. Raises BackendError."""
        return similar_tasks(self._workspace, text, limit)

    def file_interactions(self, file_path: str, limit: int = 5) -> Sequence[FileInteraction]:
        """Return what was last done with a file, newest first. Raises BackendError."""
        return file_history(self._workspace, file_path, limit)

    def edited_together(self, file_path: str | None = None) -> Sequence[CoEdit]:
        """Return the files that are often edited together. Raises BackendError."""
        return edited_together(self._workspace, file_path)

    def tool_success(self, days: int = 7) -> Sequence[ToolUse]:
        """Return how often each tool was used and succeeded in the last days. Raises BackendError."""
        return tool_use(self._workspace, days)
