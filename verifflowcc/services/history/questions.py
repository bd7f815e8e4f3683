"""What was done: the questions of the decision record to the history, answered as values."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import (
    TaskRow,
    edits,
    files_of,
    task_rows,
    tool_counts,
    tools_of,
    touches,
)
from verifflowcc.domain.episodes import FileInteraction, TaskEpisode
from verifflowcc.domain.tasks import TaskStatus
from verifflowcc.episodes.coedits import CoEdit, Edit, co_edits
from verifflowcc.episodes.intent import intent_of
from verifflowcc.episodes.shape import moment
from verifflowcc.records import dataclass
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.workspace import Workspace

TOUCHES, NEAR_TOUCHES = 5, 10
TOOL_DAYS = 7
DAY_MS = 86_400_000
_WRITING = frozenset(("edit", "write"))


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How a tool fared: `known` of its executions say whether they were a success; `mean_ms` is their mean duration."""

    tool: str
    executions: int
    successes: int
    known: int
    mean_ms: int | None


def file_history(workspace: Workspace, path: str, limit: int = TOUCHES) -> tuple[FileInteraction, ...]:
    """Return the latest touches of a file, newest first. Raises BackendError."""
    plain = str(PurePosixPath(path))
    with open_history(workspace) as history:
        return touches(history, "f.file_path = ?", (plain,), limit)


def files_like(workspace: Workspace, fragment: str, limit: int = NEAR_TOUCHES) -> tuple[FileInteraction, ...]:
    """Return the latest touches of files in whose path a text is, newest first; A to Z in any case.

    Raises BackendError.
    """
    with open_history(workspace) as history:
        return touches(history, "INSTR(LOWER(f.file_path), LOWER(?)) > 0", (fragment,), limit)


def tool_use(workspace: Workspace, days: int = TOOL_DAYS) -> tuple[ToolUse, ...]:
    """Return how each tool fared in the last days, the most used first. Raises BackendError."""
    since = int(workspace.clock.now().timestamp() * 1000) - days * DAY_MS
    with open_history(workspace) as history:
        rows = tool_counts(history, since)
    return tuple(
        ToolUse(tool, count, successes, known, (total + timed // 2) // timed if timed else None)
        for tool, count, successes, known, total, timed in rows
    )


def tasks_told(
    workspace: Workspace, statuses: Sequence[TaskStatus] = (TaskStatus.ACTIVE, TaskStatus.PAUSED), limit: int = 20
) -> tuple[TaskEpisode, ...]:
    """Return the newest tasks of some statuses, newest first. Raises BackendError."""
    with open_history(workspace) as history:
        found = [row for row in task_rows(history) if status_of(row) in statuses][:limit]
        return tuple(episode(history, row) for row in found)


def edited_together(workspace: Workspace, path: str | None = None) -> tuple[CoEdit, ...]:
    """Return the pairs of files that are edited together, the most frequent first. Raises BackendError.

    With `path` only those with that file.
    """
    with open_history(workspace) as history:
        return pairs_in(history, path)


def pairs_in(history: History, path: str | None = None) -> tuple[CoEdit, ...]:
    """Return the same from a history that is open."""
    plain = None if path is None else str(PurePosixPath(path))
    found = co_edits(Edit(*row) for row in edits(history, plain))
    return tuple(each for each in found if plain is None or plain in each.files)


def status_of(row: TaskRow) -> TaskStatus:
    """Return where a task is: what was said of it, else whether its agent came to an end or went on to something else.

    A task that its agent ended is completed; one that another one followed, or whose session ended, is paused.
    """
    if row.status in set(TaskStatus):
        return TaskStatus(row.status)
    if row.ended is not None:
        return TaskStatus.COMPLETED
    return TaskStatus.PAUSED if row.following_ms is not None or row.session_ended else TaskStatus.ACTIVE


def episode(history: History, row: TaskRow) -> TaskEpisode:
    """Return a task with its files and tools."""
    files = files_of(history, row.id)
    edited = any(_WRITING & set(operations.split(",")) for _, operations in files)
    status = status_of(row)
    ended = row.ended
    if ended is None and status is TaskStatus.PAUSED and row.following_ms is not None:
        ended = moment(row.following_ms)
    return TaskEpisode(
        id=row.id,
        session=row.session,
        description=row.description,
        intent=intent_of(row.description, edited=edited),
        status=status,
        started=row.began,
        ended=ended,
        files=tuple(path for path, _ in files),
        tools=tools_of(history, row.id),
        outcome=row.outcome,
    )
