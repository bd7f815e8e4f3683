"""`EpisodicMemory`: the questions to the history of what agents did, for programs."""

from collections.abc import Sequence
from pathlib import Path

from verifflowcc.domain.episodes import FileInteraction, TaskEpisode
from verifflowcc.episodes.coedits import CoEdit
from verifflowcc.services.history.questions import ToolUse, edited_together, file_history, tool_use
from verifflowcc.services.history.similar import similar_tasks
from verifflowcc.services.workspace import open_workspace


class EpisodicMemory:
    """What agents did in a project: tool executions, file interactions and tasks. Nothing here records."""

    def __init__(self, project_root: Path) -> None:
        self._workspace = open_workspace(project_root)

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
