"""SQL over the history, with the record's own queries as they stand there, and its tables as files of columns."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from pyarrow import ipc  # type: ignore[import-untyped]

from tests.history_world import edit, project, prompt, read, run, stop, tell
from verifflowcc.base.errors import UsageError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.analysing import ask_sql, export_history
from verifflowcc.history.use.questions import edited_together, file_history, files_like, tasks_by_status, tool_use

FILE = """
SELECT * FROM file_interactions
WHERE file_path = 'src/auth/a.py'
ORDER BY timestamp DESC
LIMIT 5;
"""
TOGETHER = """
SELECT
    f1.file_path as file1,
    f2.file_path as file2,
    COUNT(*) as co_edit_count
FROM file_interactions f1
JOIN file_interactions f2
    ON f1.task_id = f2.task_id
    AND f1.file_path < f2.file_path
    AND f2.timestamp - f1.timestamp < INTERVAL '5 minutes'
WHERE f1.operation = 'edit' AND f2.operation = 'edit'
GROUP BY f1.file_path, f2.file_path
HAVING COUNT(*) >= 3
ORDER BY co_edit_count DESC;
"""
LIKE = """
SELECT * FROM file_interactions
WHERE file_path LIKE '%auth%'
ORDER BY timestamp DESC
LIMIT 10;
"""
TOOLS = """
SELECT
    tool_name,
    COUNT(*) as total,
    SUM(CASE WHEN success THEN 1 ELSE 0 END) as successes,
    AVG(duration_ms) as avg_duration
FROM tool_executions
WHERE timestamp > NOW() - INTERVAL '7 days'
GROUP BY tool_name;
"""
OPEN = """
SELECT * FROM task_history
WHERE status = 'paused' OR status = 'active'
ORDER BY started_at DESC;
"""
TABLES = {
    "tool_executions", "file_interactions", "task_history", "context_snapshots", "learned_patterns",
    "session_learnings",
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    """A project in which something was done today: the record's queries ask the machine's clock."""
    made = Workspace(project(tmp_path).root)
    since = (datetime.now(UTC) - timedelta(hours=20) - datetime(2026, 11, 21, 12, tzinfo=UTC)).total_seconds()
    tell(made, prompt(since, "Fix the login", task="p1"), read(since + 1, "src/auth/a.py", duration_ms=3))
    for number in range(3):
        at = since + 10 + number * 3600
        tell(made, edit(at, "src/auth/a.py", duration_ms=4), edit(at + 60, "src/auth/b.py", duration_ms=6))
    tell(made, run(since + 20_000, "make", error="KeyError: 'x'", duration_ms=100))
    tell(
        made,
        prompt(since + 30_000, "Add a page", task="p2", session="s2"),
        stop(since + 30_001, "Done.", task="p2", session="s2"),
    )
    tell(
        made, prompt(since + 40_000, "Look around", task="p3", session="s3"), run(since - 9 * 86_400, "make", task=None)
    )
    return made


def rows(here: Workspace, query: str) -> list[dict[str, object]]:
    return [dict(each) for each in ask_sql(here, query).rows]


@pytest.mark.vfcc("REQ-EPISODE-SQL", "REQ-ASK-FILE", "REQ-ASK-PATH")
def test_the_records_queries_on_files_run_as_they_stand_and_say_what_ours_say(here: Workspace) -> None:
    for query, ours in ((FILE, file_history(here, "src/auth/a.py")), (LIKE, files_like(here, "auth"))):
        theirs = rows(here, query)

        assert [(each["file_path"], each["operation"], each["session_id"], each["task_id"]) for each in theirs] == [
            (each.path, each.operation, each.session, each.task) for each in ours
        ]
        assert [str(each["timestamp"]).replace(" ", "T")[:19] for each in theirs] == [each.time[:19] for each in ours]
    assert len(ours) == 7


@pytest.mark.vfcc("REQ-EPISODE-SQL", "REQ-PATTERN-CO-EDIT")
def test_the_records_query_on_pairs_runs_as_it_stands_and_says_what_ours_says(here: Workspace) -> None:
    (theirs,), (ours,) = rows(here, TOGETHER), edited_together(here)

    assert (theirs["file1"], theirs["file2"]) == ours.files
    assert ours.count == 3 <= theirs["co_edit_count"], "it counts an edit with each of another file's"  # type: ignore[operator]


@pytest.mark.vfcc("REQ-EPISODE-SQL", "REQ-ASK-TOOLS")
def test_the_records_query_on_tools_runs_as_it_stands_and_says_what_ours_says(here: Workspace) -> None:
    theirs = {each["tool_name"]: (each["total"], each["successes"], each["avg_duration"]) for each in rows(here, TOOLS)}

    assert theirs == {each.tool: (each.executions, each.successes, each.mean_ms) for each in tool_use(here)}
    assert theirs["Bash"] == (1, 0, 100)


@pytest.mark.vfcc("REQ-EPISODE-SQL", "REQ-ASK-OPEN-TASKS")
def test_the_records_query_on_tasks_runs_as_it_stands_and_says_what_ours_says(here: Workspace) -> None:
    theirs = [
        (each["task_id"], each["description"], each["status"], each["files_touched"]) for each in rows(here, OPEN)
    ]

    ours = [(each.id, each.description, each.status.value, list(each.files)) for each in tasks_by_status(here)]
    assert [(name, said, status) for name, said, status, _ in theirs] == [each[:3] for each in ours]
    assert [each[0] for each in theirs] == ["p3", "p1"]


@pytest.mark.vfcc("REQ-EPISODE-SQL")
def test_every_table_of_the_record_is_there(here: Workspace) -> None:
    assert {str(each["name"]) for each in rows(here, "SHOW TABLES")} == TABLES
    (pattern,) = rows(here, "SELECT * FROM learned_patterns WHERE pattern_type = 'co_edit'")
    assert (pattern["observed_count"], pattern["confidence"]) == (3, 0.75)
    (found,) = rows(here, "SELECT parameters, success, error_message FROM tool_executions WHERE success = false")
    assert found["error_message"] == "KeyError: 'x'"


@pytest.mark.points(9)
@pytest.mark.vfcc("REQ-EPISODE-SQL")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('{outside}')",
        "SELECT * FROM read_csv('{outside}')",
        "SELECT * FROM '{outside}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT 1) AS x; COPY tool_executions TO '{folder}/stolen.csv'; SELECT * FROM (SELECT 1",
        "SELECT 1) AS x; ATTACH '{folder}/stolen.db' AS y; SELECT * FROM (SELECT 1",
        "SELECT 1) AS x; SET enable_external_access = true; SELECT * FROM (SELECT 1",
        "SELECT 1) AS x; INSTALL httpfs; SELECT * FROM (SELECT 1",
        "COPY tool_executions TO '{folder}/stolen.csv'",
        "",
        "nonsense",
        "SELECT * FROM nowhere",
    ],
)
def test_sql_reaches_no_file_and_what_is_no_query_is_refused(here: Workspace, tmp_path: Path, query: str) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("secret\n1\n", encoding="utf-8")

    with pytest.raises(UsageError, match="no such query"):
        ask_sql(here, query.format(outside=outside, folder=tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"outside.csv", "project"}


def test_a_history_with_bad_lines_or_none_is_asked_all_the_same(here: Workspace, tmp_path: Path) -> None:
    path = sorted((here.local / "history").iterdir())[-1]
    before = rows(here, "SELECT COUNT(*) AS n FROM tool_executions")
    with path.open("ab") as file:
        file.write(b'{"v":1,"id":"torn\n[]\nnull\n\xff\n')

    assert rows(here, "SELECT COUNT(*) AS n FROM tool_executions") == before
    empty = project(tmp_path / "empty")
    assert rows(empty, "SELECT * FROM tool_executions") == rows(empty, "SELECT * FROM task_history") == []


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-EXPORT")
def test_exported_parquet_can_be_read_back(here: Workspace, tmp_path: Path) -> None:
    written = export_history(here, tmp_path / "it's out", "parquet")

    assert {path.stem for path in written} == TABLES
    for path in written:
        place = str(path).replace("'", "''")
        (counted,) = duckdb.execute(f"SELECT COUNT(*) FROM '{place}'").fetchall()
        ((ours,),) = (tuple(each.values()) for each in rows(here, f"SELECT COUNT(*) AS n FROM {path.stem}"))
        assert counted == (ours,)


@pytest.mark.vfcc("REQ-EPISODE-EXPORT")
def test_exported_arrow_can_be_read_back(here: Workspace, tmp_path: Path) -> None:
    written = export_history(here, tmp_path / "out", "arrow")

    assert {path.stem for path in written} == TABLES
    for path in written:
        with ipc.open_file(str(path)) as file:
            ((ours,),) = (tuple(each.values()) for each in rows(here, f"SELECT COUNT(*) AS n FROM {path.stem}"))
            assert file.read_all().num_rows == ours
