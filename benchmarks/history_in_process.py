"""Ask the history of a project in one process, and say what each question took; `history_questions.py` starts it.

    python -m benchmarks.history_in_process ROOT MODE RUNS

MODE is `build` (the tables are made from nothing), `ask` (each question on tables that are there, the median of RUNS),
`after` (an event is added, and a question brings the tables up), `duckdb` (our tables in DuckDB: loaded, then each of
the record's queries), `plain` (DuckDB's own reader on the same files) or `agree` (what both say). One line of JSON is
printed.
"""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.history_agree import disagreements
from verifflowcc.base.process.short_process import collect_rarely
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.history_columns import Analytics
from verifflowcc.history.store.history_tables import task_rows
from verifflowcc.history.use.history_offers import recent_actions, similar_tasks
from verifflowcc.history.use.history_reading import history_files, open_history, record
from verifflowcc.history.use.history_sharing import learned_patterns
from verifflowcc.history.use.questions import (
    edited_together,
    episode,
    file_history,
    files_like,
    tasks_by_status,
    tool_use,
)

QUERIES = {
    "last 5 touches of a file": "SELECT * FROM file_interactions WHERE file_path = '{path}' "
    "ORDER BY timestamp DESC LIMIT 5",
    "last 10 of a part of a path": "SELECT * FROM file_interactions WHERE file_path LIKE '%{part}%' "
    "ORDER BY timestamp DESC LIMIT 10",
    "edited together": "SELECT f1.file_path AS file1, f2.file_path AS file2, COUNT(*) AS co_edit_count "
    "FROM file_interactions f1 JOIN file_interactions f2 ON f1.task_id = f2.task_id AND f1.file_path < f2.file_path "
    "AND f2.timestamp - f1.timestamp < INTERVAL '5 minutes' WHERE f1.operation = 'edit' AND f2.operation = 'edit' "
    "GROUP BY f1.file_path, f2.file_path HAVING COUNT(*) >= 3 ORDER BY co_edit_count DESC",
    "tools over 7 days": "SELECT tool_name, COUNT(*) AS total, SUM(CASE WHEN success THEN 1 ELSE 0 END) AS successes, "
    "AVG(duration_ms) AS avg_duration FROM tool_executions WHERE timestamp > TIMESTAMP '{since}' GROUP BY tool_name",
    "open tasks": "SELECT * FROM task_history WHERE status = 'paused' OR status = 'active' ORDER BY started_at DESC",
}
"""The record's own five, with a moment in place of `NOW() - INTERVAL '7 days'`, so that both are asked for the same."""
PLAIN = (
    'SELECT "gen_ai.tool.name", COUNT(*), SUM(CASE WHEN success THEN 1 ELSE 0 END), AVG(duration_ms) FROM read_json(?, '
    "format = 'newline_delimited', ignore_errors = true) WHERE kind = 'tool_execution' GROUP BY ALL"
)
PLAIN_LOAD = "CREATE TABLE events AS SELECT * FROM read_json(?, format = 'newline_delimited', ignore_errors = true)"


@dataclass
class Measured:
    """Milliseconds by what was done; what is not the same in both, where that was asked; the peak in KiB."""

    ms: dict[str, float] = field(default_factory=dict)
    differ: list[str] = field(default_factory=list)
    agreed: dict[str, int] = field(default_factory=dict)
    peak_kib: int = 0


def main() -> None:
    """Do what the mode says; Python collects its garbage as seldom as in the program."""
    collect_rarely()
    workspace, mode, runs = Workspace(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
    measured = Measured()
    modes: dict[str, Callable[[Workspace, Measured, int], None]] = {
        "build": _build,
        "ask": _ask,
        "after": _after,
        "duckdb": _duckdb,
        "plain": _plain,
        "agree": _agree,
    }
    modes[mode](workspace, measured, runs)
    measured.peak_kib = _peak_kib()
    sys.stdout.write(json.dumps(asdict(measured)) + "\n")


def asked_for(workspace: Workspace) -> tuple[str, str]:
    """Return the file that was changed most, and the words of a task in the middle."""
    with open_history(workspace) as history:
        ((path, _),) = history.rows(
            "SELECT file_path, COUNT(*) FROM file_interactions WHERE operation IN ('edit', 'write') "
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
        )
        rows = history.rows("SELECT description FROM prompts WHERE description <> '' ORDER BY id")
    return str(path), str(rows[len(rows) // 2][0]) if rows else "fix the tests"


def _questions(workspace: Workspace) -> dict[str, Callable[[], object]]:
    path, words = asked_for(workspace)
    part = path.rpartition("/")[0].rpartition("/")[2] or path
    return {
        "last 5 touches of a file": lambda: file_history(workspace, path),
        "last 10 of a part of a path": lambda: files_like(workspace, part),
        "edited together": lambda: edited_together(workspace),
        "edited together with a file": lambda: edited_together(workspace, path),
        "tools over 7 days": lambda: tool_use(workspace),
        "open tasks": lambda: tasks_by_status(workspace),
        "tasks like a text": lambda: similar_tasks(workspace, words),
        "patterns": lambda: learned_patterns(workspace),
        "latest actions": lambda: recent_actions(workspace),
    }


def _build(workspace: Workspace, measured: Measured, _: int) -> None:
    measured.ms["made from nothing"] = _timed(lambda: tool_use(workspace))


def _ask(workspace: Workspace, measured: Measured, runs: int) -> None:
    for name, question in _questions(workspace).items():
        question()
        measured.ms[name] = _median(question, runs)


def _after(workspace: Workspace, measured: Measured, runs: int) -> None:
    path, _ = asked_for(workspace)
    times = []
    for number in range(runs):
        event = {"path": path, "operation": "read", "gen_ai.conversation.id": "added", "task": f"added-{number}"}
        record(workspace, "file_interaction", [event])
        times.append(_timed(lambda: file_history(workspace, path)))
    measured.ms["last 5 touches, one event later"] = round(statistics.median(times), 2)


def _duckdb(workspace: Workspace, measured: Measured, runs: int) -> None:
    path, _ = asked_for(workspace)
    part = path.rpartition("/")[0].rpartition("/")[2] or path
    since = datetime.fromtimestamp(time.time() - 7 * 86_400, UTC).strftime("%Y-%m-%d %H:%M:%S")
    with open_history(workspace) as history:
        tasks = [episode(history, row, None) for row in task_rows(history)]
    files = history_files(workspace)
    begin = time.perf_counter()
    with Analytics(files) as analytics:
        measured.ms["read into tables"] = _since(begin)
    begin = time.perf_counter()
    with Analytics(files, tasks) as analytics:
        measured.ms["read into tables, with tasks"] = _since(begin)
        for name, query in QUERIES.items():
            ask = partial(analytics.ask, query.format(path=path, part=part, since=since))
            measured.ms[name] = _median(ask, runs)


def _plain(workspace: Workspace, measured: Measured, runs: int) -> None:
    import duckdb

    files = [str(path) for path in history_files(workspace)]

    def asked(statement: str) -> Any:
        with duckdb.connect(":memory:") as database:
            return database.execute(statement, [files]).fetchall()

    measured.ms["read into a table"] = _median(partial(asked, PLAIN_LOAD), runs)
    measured.ms["tools, straight from the files"] = _median(partial(asked, PLAIN), runs)


def _agree(workspace: Workspace, measured: Measured, _: int) -> None:
    path, _words = asked_for(workspace)
    measured.differ, measured.agreed = disagreements(workspace, path)


def _median(question: Callable[[], object], runs: int) -> float:
    return round(statistics.median(_timed(question) for _ in range(runs)), 2)


def _peak_kib() -> int:
    """Return the peak of this program's own memory: the kernel's other figure begins with that of the parent."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _timed(question: Callable[[], object]) -> float:
    begin = time.perf_counter()
    question()
    return _since(begin)


def _since(begin: float) -> float:
    return round((time.perf_counter() - begin) * 1000, 2)


if __name__ == "__main__":
    main()
