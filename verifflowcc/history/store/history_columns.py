"""The history in DuckDB, for SQL and for columnar files: tables in memory, under the names of the decision record.

The files of JSON lines are read again each time; nothing is kept. Once they are read, the database reaches no file and
no network, and its settings are locked: SQL that somebody pastes does no harm.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from verifflowcc.base.errors import ConfigError, UsageError, WorkspaceError
from verifflowcc.base.records import dataclass
from verifflowcc.history.rules.agent_history import LearnedPattern, TaskEpisode

TABLES = (
    "tool_executions", "file_interactions", "task_history", "context_snapshots", "learned_patterns",
    "session_learnings",
)  # fmt: skip
EXTRA = 'pip install "verifflowcc[analytics]"'
_COLUMNS = {
    "v": "INTEGER",
    "id": "VARCHAR",
    "kind": "VARCHAR",
    "time": "TIMESTAMP",
    "gen_ai.conversation.id": "VARCHAR",
    "task": "VARCHAR",
    "gen_ai.tool.name": "VARCHAR",
    "gen_ai.tool.call.id": "VARCHAR",
    "gen_ai.tool.call.arguments": "JSON",
    "gen_ai.tool.call.result": "JSON",
    "success": "BOOLEAN",
    "error.message": "VARCHAR",
    "duration_ms": "BIGINT",
    "context_tokens": "BIGINT",
    "client": "VARCHAR",
    "role": "VARCHAR",
    "sprint": "VARCHAR",
    "stage": "VARCHAR",
    "unplaced": "BOOLEAN",
    "worktree": "VARCHAR",
    "since": "TIMESTAMP",
    "gen_ai.agent.name": "VARCHAR",
    "files": "JSON",
    "path": "VARCHAR",
    "operation": "VARCHAR",
    "lines": "JSON",
    "context": "VARCHAR",
    "items": "JSON",
    "total_tokens": "BIGINT",
    "pruned": "JSON",
    "reason": "VARCHAR",
    "type": "VARCHAR",
    "subject": "VARCHAR",
    "sentence": "VARCHAR",
    "confidence": "BIGINT",
}
_AT_ONCE = 250
_HEAD = 'id, time AS "timestamp", "gen_ai.conversation.id" AS session_id, task AS task_id'
_RANGE = "CASE WHEN {0} IS NOT NULL THEN json_object('start', {0}->0, 'end', {0}->1) END AS line_range"
_VIEWS = f"""
UPDATE events SET role = COALESCE(events.role, found.role), sprint = found.sprint, stage = found.stage FROM (
    SELECT event.id, place.role, place.sprint, place.stage, place.since, event.time
    FROM (SELECT id, time, COALESCE(worktree, '') AS tree FROM events WHERE unplaced) AS event
    ASOF JOIN (SELECT *, COALESCE(worktree, '') AS tree FROM events WHERE kind = 'place') AS place
        ON event.tree = place.tree AND event.time <= place.time
) AS found WHERE events.id = found.id AND found.since <= found.time;
CREATE TABLE tool_executions AS SELECT {_HEAD}, "gen_ai.tool.name" AS tool_name,
    "gen_ai.tool.call.arguments" AS parameters, "gen_ai.tool.call.result" AS result, success,
    "error.message" AS error_message, duration_ms, context_tokens, "gen_ai.tool.call.id" AS call_id,
    "gen_ai.agent.name" AS agent, client, role, sprint, stage
FROM events WHERE kind = 'tool_execution';
CREATE TABLE file_interactions AS
SELECT {_HEAD}, file->>'path' AS file_path, file->>'operation' AS operation, {_RANGE.format("(file->'lines')")},
    COALESCE(success, true) AS success, COALESCE(file->>'context', '') AS context,
    COALESCE(file->>'changes', '') AS changes_summary, client, role
FROM (SELECT *, UNNEST(CAST(files AS JSON[])) AS file FROM events WHERE kind = 'tool_execution' AND files IS NOT NULL)
UNION ALL BY NAME
SELECT {_HEAD}, path AS file_path, operation, {_RANGE.format("lines")}, COALESCE(success, true) AS success,
    COALESCE(context, '') AS context, '' AS changes_summary, client, role
FROM events WHERE kind = 'file_interaction';
CREATE TABLE context_snapshots AS SELECT {_HEAD}, items AS context_items, total_tokens, pruned AS pruned_items, reason
FROM events WHERE kind = 'window_snapshot';
CREATE TABLE session_learnings AS SELECT id, "gen_ai.conversation.id" AS session_id, type AS learning_type,
    json_object('subject', subject, 'sentence', sentence) AS data, confidence / 1000.0 AS confidence
FROM events WHERE kind = 'learning';
CREATE TABLE task_history (
    id INTEGER, task_id VARCHAR, session_id VARCHAR, description VARCHAR, intent VARCHAR, status VARCHAR,
    started_at TIMESTAMP, completed_at TIMESTAMP, files_touched JSON, tools_used JSON, outcome VARCHAR
);
CREATE TABLE learned_patterns (
    id INTEGER, pattern_type VARCHAR, pattern_data JSON, confidence DOUBLE, observed_count INTEGER,
    first_seen TIMESTAMP, last_seen TIMESTAMP
);
DROP TABLE events;
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer to a query: the names of its columns, and its rows as JSON values."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]


class Analytics:
    """The history's tables in DuckDB. Use it as a context manager."""

    def __init__(
        self, files: Sequence[Path], tasks: Iterable[TaskEpisode] = (), patterns: Iterable[LearnedPattern] = ()
    ) -> None:
        """Raises ConfigError where the extra is not installed, WorkspaceError where a file cannot be read."""
        try:
            import duckdb
        except ImportError as error:
            raise ConfigError(("SQL over the history needs DuckDB, which is not installed",), hint=EXTRA) from error
        self._error: type[Exception] = duckdb.Error
        self._database: Any = duckdb.connect(":memory:")
        try:
            self._database.execute("SET TimeZone = 'UTC'")
            self._load([str(path) for path in files if path.stat().st_size])
            self._fill(tasks, patterns)
            self._closed = False
        except (duckdb.Error, OSError) as error:
            self._database.close()
            raise WorkspaceError(f"the history cannot be read: {str(error).splitlines()[0]}") from error

    def __enter__(self) -> "Analytics":
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def ask(self, query: str) -> Rows:
        """Return the answer to one query. Raises UsageError for what is none."""
        if not self._closed:
            self._database.execute("SET enable_external_access = false; SET lock_configuration = true")
            self._closed = True
        plain = query.strip().rstrip(";")
        try:
            found = self._database.execute(f"SELECT to_json(answer) FROM (\n{plain}\n) AS answer").fetchall()
            names = [row[0] for row in self._database.execute(f"DESCRIBE SELECT * FROM (\n{plain}\n)").fetchall()]
        except self._error as error:
            problem = str(error).splitlines()[0]
            raise UsageError(f"no such query: {problem}", hint=f"the tables are {', '.join(TABLES)}") from error
        return Rows(tuple(names), tuple(json.loads(row[0]) for row in found))

    def export(self, folder: Path, form: str) -> tuple[Path, ...]:
        """Write each table to a file in `folder`, as `parquet` or `arrow`; return the files. Raises WorkspaceError."""
        written = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for table in TABLES:
                path = folder / f"{table}.{form}"
                if form == "parquet":
                    place = str(path).replace("'", "''")
                    self._database.execute(f"COPY {table} TO '{place}' (FORMAT parquet)")
                else:
                    self._write_arrow(table, path)
                written.append(path)
        except (self._error, OSError) as error:
            raise WorkspaceError(f"cannot write {folder}: {str(error).splitlines()[0]}") from error
        return tuple(written)

    def _write_arrow(self, table: str, path: Path) -> None:
        try:
            from pyarrow import ipc  # type: ignore[import-untyped]
        except ImportError as error:
            raise ConfigError(("Arrow files need pyarrow, which is not installed",), hint=EXTRA) from error
        found = self._database.sql(f"SELECT * FROM {table}").to_arrow_table()
        with ipc.new_file(str(path), found.schema) as file:
            file.write_table(found)

    def _load(self, files: list[str]) -> None:
        columns = ", ".join(f"'{name}': '{sort}'" for name, sort in _COLUMNS.items())
        made = ", ".join(f'"{name}" {sort}' for name, sort in _COLUMNS.items())
        self._database.execute(f"CREATE TABLE events ({made})")
        if files:
            self._database.execute(
                "INSERT INTO events SELECT * EXCLUDE (nth) FROM ("
                "SELECT *, ROW_NUMBER() OVER (PARTITION BY id) AS nth FROM read_json("
                f"?, format = 'newline_delimited', ignore_errors = true, columns = {{{columns}}})"
                "WHERE v = 1 AND id IS NOT NULL AND time IS NOT NULL) WHERE nth = 1",
                [files],
            )
        for statement in _VIEWS.split(";"):
            if statement.strip():
                self._database.execute(statement)

    def _fill(self, tasks: Iterable[TaskEpisode], patterns: Iterable[LearnedPattern]) -> None:
        self._insert("task_history", [
            (
                number, each.id, each.session, each.description, str(each.intent), str(each.status), each.started[:23],
                each.ended[:23] if each.ended else None, json.dumps(each.files), json.dumps(dict(each.tools)),
                each.outcome,
            )
            for number, each in enumerate(tasks, 1)
        ])  # fmt: skip
        self._insert("learned_patterns", [
            (
                number, str(one.type), json.dumps({"files": one.files, "sentence": one.sentence, **dict(one.details)}),
                one.confidence / 1000, one.count, one.first_seen[:23], one.last_seen[:23],
            )
            for number, one in enumerate(patterns, 1)
        ])  # fmt: skip

    def _insert(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        """Add rows, many by one statement: each statement takes a millisecond."""
        for place in range(0, len(rows), _AT_ONCE):
            some = rows[place : place + _AT_ONCE]
            marks = f"({', '.join('?' * len(some[0]))})"
            values = [value for row in some for value in row]
            self._database.execute(f"INSERT INTO {table} VALUES {', '.join([marks] * len(some))}", values)
