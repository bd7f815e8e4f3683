"""SQLite and DuckDB read the same files of a history; where both are asked the same, they say the same."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.history_agree import disagreements
from benchmarks.history_events import write_history
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.learning import patterns
from verifflowcc.history.store.history_tables import calls, telling_calls
from verifflowcc.history.use.history_reading import open_history

EVENTS = 2_000


@pytest.fixture
def recorded(tmp_path: Path) -> Workspace:
    """A project with the history of some weeks."""
    write_history(tmp_path / ".memory" / "local" / "history", EVENTS, int(datetime.now(UTC).timestamp() * 1000))
    return Workspace(tmp_path)


@pytest.mark.sweep
def test_both_databases_give_the_same_answers(recorded: Workspace) -> None:
    pytest.importorskip("duckdb")
    with open_history(recorded) as history:
        ((path,),) = history.rows("SELECT file_path FROM file_interactions WHERE operation = 'edit' LIMIT 1")

    differ, compared = disagreements(recorded, path)

    assert differ == []
    assert compared["pairs of files"] > 5


def test_the_calls_that_tell_nothing_add_no_pattern(recorded: Workspace) -> None:
    with open_history(recorded) as history:
        every, telling = calls(history), telling_calls(history)

    assert 0 < len(telling) < len(every)
    assert patterns(telling, ()) == patterns(every, ())


def test_what_two_files_tell_counts_once(recorded: Workspace) -> None:
    def counts() -> list[object]:
        with open_history(recorded) as history:
            tables = ("tool_executions", "file_interactions", "prompts", "task_terms", "seen")
            return [history.rows(f"SELECT COUNT(*) FROM {table}")[0][0] for table in tables]

    before = counts()
    shared = recorded.memory / "history"
    shared.mkdir()
    for path in (recorded.local / "history").glob("*.jsonl"):
        (shared / path.name).write_bytes(path.read_bytes() * 2)

    assert counts() == before


def test_the_history_has_as_many_events_as_were_asked_for(recorded: Workspace) -> None:
    with open_history(recorded) as history:
        ((events,),) = history.rows("SELECT COUNT(*) FROM seen")

    assert events == EVENTS
