"""What was done: the questions of the decision record to the history, answered as values."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import CoEdit, FileEdit, FileInteraction, TaskEpisode, co_edits
from verifflowcc.history.rules.event_shape import moment
from verifflowcc.history.store.history_tables import (
    HistoryTables,
    TaskRow,
    edits,
    files_of,
    task_rows,
    tool_counts,
    tools_of,
    touches,
)
from verifflowcc.history.use.history_reading import open_history
from verifflowcc.memory.rules.tasks import TaskStatus

TOUCHES, NEAR_TOUCHES = 5, 10
TOOL_DAYS = 7
DAY_MS = 86_400_000
SILENT_MS = 3_600_000
"""A session that has recorded nothing for so long is taken for ended."""
_WRITING = frozenset(("edit", "write"))


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How a tool fared: `known` of its executions say whether they were a success; `mean_ms` is their mean duration."""

    tool: str
    executions: int
    successes: int
    known: int
    """Calls with a known result."""
    mean_ms: int | None
    """Null if unknown."""


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
    since = milliseconds_now(workspace) - days * DAY_MS
    with open_history(workspace) as history:
        rows = tool_counts(history, since)
    return tuple(
        ToolUse(tool, count, successes, known, (total + timed // 2) // timed if timed else None)
        for tool, count, successes, known, total, timed in rows
    )


def tasks_by_status(
    workspace: Workspace, statuses: Sequence[TaskStatus] = (TaskStatus.ACTIVE, TaskStatus.PAUSED), limit: int = 20
) -> tuple[TaskEpisode, ...]:
    """Return the newest tasks of some statuses, newest first. Raises BackendError."""
    with open_history(workspace) as history:
        now_ms = milliseconds_now(workspace)
        found = [row for row in task_rows(history) if status_of(row, now_ms) in statuses][:limit]
        return tuple(episode(history, row, now_ms) for row in found)


def edited_together(workspace: Workspace, path: str | None = None) -> tuple[CoEdit, ...]:
    """Return the pairs of files that are edited together, the most frequent first. Raises BackendError.

    With `path` only those with that file.
    """
    with open_history(workspace) as history:
        return pairs_in(history, path)


def pairs_in(history: HistoryTables, path: str | None = None) -> tuple[CoEdit, ...]:
    """Return the same from a history that is open."""
    plain = None if path is None else str(PurePosixPath(path))
    found = co_edits(FileEdit(*row) for row in edits(history, plain))
    return tuple(each for each in found if plain is None or plain in each.files)


def status_of(row: TaskRow, now_ms: int | None) -> TaskStatus:
    """Return a task's recorded status, else the one that its session shows.

    A task that its agent ended is completed. One that another one followed, whose session ended, or whose session has
    recorded nothing for an hour is paused: a client that is killed reports no end. Without `now_ms` the time that has
    passed ends nothing, since no clock moves a prompt.
    """
    if row.status in set(TaskStatus):
        return TaskStatus(row.status)
    if row.ended is not None:
        return TaskStatus.COMPLETED
    silent = row.last_ms is not None and now_ms is not None and now_ms - row.last_ms >= SILENT_MS
    return TaskStatus.PAUSED if row.following_ms is not None or row.session_ended or silent else TaskStatus.ACTIVE


def milliseconds_now(workspace: Workspace) -> int:
    """Return the time in milliseconds since 1970, as `status_of` takes it."""
    return int(workspace.clock.now().timestamp() * 1000)


def episode(history: HistoryTables, row: TaskRow, now_ms: int | None) -> TaskEpisode:
    """Return a task with its files and tools."""
    from verifflowcc.history.rules.learning import intent_of  # a prompt asks of histories that hold no task

    files = files_of(history, row.id)
    edited = any(_WRITING & set(operations.split(",")) for _, operations in files)
    status = status_of(row, now_ms)
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
