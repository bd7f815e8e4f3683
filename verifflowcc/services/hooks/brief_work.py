"""What was done, in a brief: the last tasks with their files, and a compacted session."""

from collections.abc import Iterator, Sequence

from verifflowcc.adapters.git.shared import Repository, repository_around
from verifflowcc.adapters.index.history import History, TaskRow, files_by_use, newest_tasks, task_rows
from verifflowcc.domain.tasks import TaskStatus
from verifflowcc.episodes.shape import moment
from verifflowcc.services.history.questions import status_of
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.hooks.brief_request import BriefRequest
from verifflowcc.services.hooks.brief_text import BriefPart, entries, shown
from verifflowcc.text.secrets import withhold

_DONE, _EDITED, _READ = 3, 5, 3
_COMPACTED = "What this session did before its context was compacted."


def done_last(request: BriefRequest) -> BriefPart:
    """Return what sessions did here last, for one that begins, or that goes on and was not there."""
    if not request.starts or request.compacted:
        return BriefPart()
    now_ms = int(request.workspace.clock.now().timestamp() * 1000)
    own = request.session if request.resumed else ""
    with open_history(request.workspace) as history:
        rows = task_rows(history, newest_tasks(history, _DONE * 4))
        rows = tuple(row for row in rows if row.description and row.session != own)
        around = repository_around(str(request.workspace.root))
        lines = [_task_line(history, row, now_ms, around) for row in _left_open_first(rows, now_ms)]
    return BriefPart("Done here last", entries(lines), name="tasks", command="vfcc history show --by task --all")


def before_compaction(request: BriefRequest) -> BriefPart:
    """Return what this session did before its client compacted it."""
    if not request.compacted or not request.session:
        return BriefPart()
    from verifflowcc.services.window.showing import brief_after_compaction

    half = request.budget_tokens // 2
    lines = brief_after_compaction(request.workspace, request.session, half, request.count)
    return BriefPart(entries=entries([_COMPACTED, *map(withhold, lines)] if lines else []))


def _task_line(history: History, row: TaskRow, now_ms: int, around: Repository | None) -> str:
    """Return a task with how it ended; the files that it edited, the last one first, before those that it only read."""
    where = _worktree(row, around)
    edited, read = files_by_use(history, row.id)
    files = [f" Edited: {_few(edited, _EDITED)}." if edited else "", f" Read: {_few(read, _READ)}." if read else ""]
    outcome = f" It ended with: “{shown(row.outcome)}”." if row.outcome else ""
    return f"{row.began[:10]}, {_ending(row, now_ms)}{where}: “{shown(row.description, 100)}”.{''.join(files)}{outcome}"


def _worktree(row: TaskRow, around: Repository | None) -> str:
    """Return a clause that names the worktree of a task, where it is another one: its files may differ from those here.

    Empty where the task is of this worktree.
    """
    other = row.worktree or ""
    if around is None or other == around.worktree:
        return ""
    return f", in worktree {shown(other)}" if other else ", in the main worktree"


def _ending(row: TaskRow, now_ms: int) -> str:
    """Return how a task ended, as far as it is recorded: a client that is killed reports no end."""
    status = status_of(row, now_ms)
    if row.last_ms is None or status.final:
        return str(status)
    last = minute(moment(row.last_ms))
    return f"interrupted, last event {last}" if status is TaskStatus.PAUSED else f"no end recorded, last event {last}"


def _few(paths: Sequence[str], most: int) -> str:
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return f"{', '.join(map(shown, paths[:most]))}{more}"


def minute(time: str) -> str:
    """Return a recorded time to the minute."""
    return f"{time[:16].replace('T', ' ')} UTC"


def _left_open_first(rows: Sequence[TaskRow], now_ms: int) -> Iterator[TaskRow]:
    """Yield what was left open first, then the newest, no more than a few."""
    open_ = [row for row in rows if status_of(row, now_ms) is TaskStatus.PAUSED]
    others = [row for row in rows if row not in open_]
    yield from (open_[:1] + others + open_[1:])[:_DONE]
