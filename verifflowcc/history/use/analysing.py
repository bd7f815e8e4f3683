"""Free SQL over the history, and its tables as files of columns; with the extra `analytics`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FileErrors, UsageError
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import LearnedPattern, TaskEpisode
from verifflowcc.history.rules.learning import patterns
from verifflowcc.history.store.history_tables import task_rows, telling_calls
from verifflowcc.history.store.partitions import ENDING
from verifflowcc.history.use.history_reading import history_files, open_history, own_partitions
from verifflowcc.history.use.questions import episode, milliseconds_now, pairs_in

if TYPE_CHECKING:
    from verifflowcc.history.store.history_columns import Analytics, Rows


# Let go of what is older than so many days: whole files of days, and nothing of the present one.

_UNITS = {"d": 1, "w": 7, "y": 365}
_MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Pruning:
    """The days that go, in order, and the events and bytes in them; `before` is the first day that stays."""

    before: str
    """The first day that stays."""
    days: tuple[str, ...]
    events: int
    size_bytes: int


def days_in(text: str) -> int:
    """Return the days of a time such as `90d`, `12w` or `1y`. Raises UsageError for what is none.

    >>> days_in("12w")
    84
    """
    number, unit = text[:-1], text[-1:]
    is_short = number.isascii() and number.isdecimal() and len(number) <= len(str(_MOST_DAYS))
    if not (is_short and unit in _UNITS) or int(number) * _UNITS[unit] > _MOST_DAYS:
        raise UsageError(f"{text[:40]!r} is no time: say 90d, 12w or 1y", hint="vfcc history prune --older-than 90d")
    return int(number) * _UNITS[unit]


def plan_pruning(workspace: Workspace, days: int) -> Pruning:
    """Return what would go. Raises WorkspaceError where it cannot be read."""
    before = f"{workspace.clock.now() - timedelta(days=days):%Y-%m-%d}"
    found = _files(workspace, before)
    with FileErrors("read"):
        texts = [path.read_bytes() for path in found]
    events, size = sum(text.count(b"\n") for text in texts), sum(map(len, texts))
    gone = tuple(sorted({path.name.removesuffix(ENDING) for path in found}))
    return Pruning(before, gone, events, size)


def prune_history(workspace: Workspace, days: int) -> Pruning:
    """Remove what is older; what is committed in `.memory/history/` is git's business. Raises WorkspaceError."""
    plan = plan_pruning(workspace, days)
    for path in _files(workspace, plan.before):
        with FileErrors("remove", path):
            path.unlink(missing_ok=True)
    return plan


def _files(workspace: Workspace, before: str) -> list[Path]:
    return [path for path in own_partitions(workspace) if path.name.removesuffix(ENDING) < before]


def ask_sql(workspace: Workspace, query: str) -> "Rows":
    """Return the answer to a query. Raises UsageError for what is none, ConfigError without the extra."""
    with _analytics(workspace, query) as analytics:
        return analytics.ask(query)


def export_history(workspace: Workspace, folder: Path, form: str) -> tuple[Path, ...]:
    """Write each table to a file, as `parquet` or `arrow`. Raises ConfigError without the extra, WorkspaceError."""
    with _analytics(workspace, "task_history learned_patterns") as analytics:
        return analytics.export(folder, form)


@contextmanager
def _analytics(workspace: Workspace, wanted: str) -> "Iterator[Analytics]":
    """Open the tables; tasks and patterns, which follow from the others by rule, where they are asked for."""
    from verifflowcc.history.store.history_columns import Analytics

    asked = wanted.casefold()
    tasks: list[TaskEpisode] = []
    learned: tuple[LearnedPattern, ...] = ()
    if "task_history" in asked or "learned_patterns" in asked:
        with open_history(workspace) as history:
            if "task_history" in asked:
                tasks = [episode(history, row, milliseconds_now(workspace)) for row in task_rows(history)]
            if "learned_patterns" in asked:
                learned = patterns(telling_calls(history), pairs_in(history))
    with Analytics(history_files(workspace), tasks, learned) as analytics:
        yield analytics
