"""Free SQL over the history, and its tables as files of columns; with the extra `analytics`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.adapters.index.history_asked import task_rows, telling_calls
from verifflowcc.domain.episodes import LearnedPattern, TaskEpisode
from verifflowcc.episodes.learning import patterns
from verifflowcc.services.history.questions import episode, milliseconds_now, pairs_in
from verifflowcc.services.history.reading import history_files, open_history
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.adapters.index.history_duckdb import Analytics, Rows


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
    from verifflowcc.adapters.index.history_duckdb import Analytics

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
