"""The history as tables, brought up from its files: each file is read from where it was read to the last time.

Derived and deletable; a file that was changed otherwise than by adding to it is read again.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verifflowcc.base.errors import BackendError
from verifflowcc.base.index.index_file import DerivedTables, IndexFormat, among
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.stems import stems
from verifflowcc.history.rules.agent_history import FileInteraction, Operation
from verifflowcc.history.rules.history_rows import COLUMNS, HistoryEvent, Row, event_in, rows_of
from verifflowcc.history.rules.learnt_calls import ToolCall
from verifflowcc.history.store.partitions import ENDING

FILE = "history.db"
LAYOUT = 5
_TAIL = 64
_INDEXES = """
CREATE INDEX tool_executions_by_task ON tool_executions (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX tool_executions_by_time ON tool_executions (at_ms);
CREATE INDEX tool_executions_failed ON tool_executions (signature, at_ms) WHERE success = 0;
CREATE INDEX tool_executions_by_session ON tool_executions (session_id, at_ms);
CREATE INDEX tool_executions_of_no_task ON tool_executions (session_id) WHERE task_id IS NULL;
CREATE INDEX file_interactions_by_file ON file_interactions (file_path, at_ms);
CREATE INDEX file_interactions_by_time ON file_interactions (at_ms);
CREATE INDEX file_interactions_by_task ON file_interactions (task_id, at_ms) WHERE task_id IS NOT NULL;
CREATE INDEX file_interactions_edited ON file_interactions (
    task_id, at_ms, event, file_path, timestamp, session_id, operation, success
) WHERE operation IN ('edit', 'write') AND success IS NOT 0;
CREATE INDEX file_interactions_by_event ON file_interactions (event);
CREATE INDEX file_interactions_of_no_task ON file_interactions (session_id) WHERE task_id IS NULL;
CREATE INDEX places_by_time ON places (at_ms);
CREATE INDEX prompts_by_session ON prompts (session_id, at_ms);
CREATE INDEX prompts_by_task ON prompts (task_id);
CREATE INDEX turn_ends_by_session ON turn_ends (session_id, at_ms);
CREATE INDEX session_events_by_session ON session_events (session_id, at_ms);
CREATE INDEX session_learnings_by_session ON session_learnings (session_id, subject);
CREATE INDEX tasks_by_task ON tasks (task_id, at_ms);
CREATE TABLE task_terms (term TEXT, id TEXT, count INTEGER, PRIMARY KEY (term, id)) WITHOUT ROWID;
CREATE INDEX task_terms_by_id ON task_terms (id);
CREATE TABLE task_lengths (id TEXT PRIMARY KEY, terms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, time INTEGER NOT NULL, tail BLOB NOT NULL, bad INTEGER NOT NULL
);
CREATE TABLE seen (id TEXT PRIMARY KEY, file TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX seen_by_file ON seen (file);
CREATE TABLE again (file TEXT, first TEXT, PRIMARY KEY (file, first)) WITHOUT ROWID;
"""
_OF_FILE = "(SELECT id FROM seen WHERE file = ?)"
_OF_TERMS = ("prompts", "tasks")
_LENGTHEN = "INSERT INTO task_lengths VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET terms = terms + excluded.terms"
_PROMPTS = 4
"""For so many prompts, one task at least has mostly begun."""
AT_ONCE = 500
"""So many ids are looked up by one query: SQLite takes no more than 999 values in some builds."""


def _schema() -> str:
    tables = "".join(f"CREATE TABLE {name} ({', '.join(columns)});" for name, columns in COLUMNS.items())
    return "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;" + tables + _INDEXES


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of the history: its name in the index, and where it lies."""

    name: str
    path: Path


class HistoryTables(DerivedTables):
    """The tables, as of the moment at which they were opened. Use it as a context manager."""

    def __init__(self, index: Path, partitions: Sequence[Partition]) -> None:
        super().__init__(index, IndexFormat(_schema(), LAYOUT))
        self._partitions = partitions
        self._places = {each.name: place for place, each in enumerate(partitions)}
        self._reads_again = False
        self.bad_lines = 0

    def __enter__(self) -> "HistoryTables":
        """Bring the tables up. Raises BackendError where they are held by others for too long."""
        self._soundly(self._bring_up, "the history")
        return self

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a query. Raises BackendError."""
        try:
            return self._store.rows(statement, values)
        except sqlite3.DatabaseError as error:
            raise BackendError(f"the history cannot be read: {error}", hint="run the command again") from error

    def _bring_up(self) -> None:
        known = {row[0]: row[1:] for row in self._store.rows("SELECT path, size, time FROM files")}
        changed = [each for each in self._partitions if _stamp(each.path) != known.get(each.name, (0, 0))]
        gone = [name for name in known if name not in self._places]
        for name in gone:
            with self._reading():
                self._forget(name)
        for partition in observed(
            "reading the history", changed
        ):  # each by itself, so that a process which is ended leaves what it has read
            with self._reading():  # what another process has read in the meantime is not read again
                row = self._store.rows("SELECT size, time, tail FROM files WHERE path = ?", (partition.name,))
                self._read_file(partition, *(row[0] if row else (0, 0, b"")))
        self.bad_lines = sum(bad for (bad,) in self._store.rows("SELECT bad FROM files"))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._store.transaction("BEGIN IMMEDIATE"):
            self._reads_again = False
            yield
            if self._reads_again:
                self._read_all_again()

    def _read_all_again(self) -> None:
        """Read all files in their order: of what several tell, the first one's telling counts, whichever came later."""
        for (name,) in self._store.rows("SELECT path FROM files"):
            self._forget(name)
        self._store.rows("DELETE FROM again")
        for partition in self._partitions:
            self._read_file(partition, 0, 0, b"")

    def _read_file(self, partition: Partition, size: int, time: int, tail: bytes) -> None:
        try:
            with partition.path.open("rb") as file:
                now, there = _stamp(partition.path)
                start = max(size - _TAIL, 0)
                file.seek(start)
                data = file.read()
        except FileNotFoundError:
            self._forget(partition.name)
            return
        before = size - start
        if data[:before] != tail or len(data) < before or (now == size and there != time):
            self._forget(partition.name)
            size, before, data = 0, 0, partition.path.read_bytes()
        end = max(data.rfind(b"\n") + 1, before)
        bad = self._add(partition.name, data[before:end])
        size += end - before
        statement = (
            "INSERT INTO files VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET"
            " size = excluded.size, time = excluded.time, tail = excluded.tail, bad = bad + excluded.bad"
        )
        self._store.rows(statement, (partition.name, size, there, data[max(end - _TAIL, 0) : end], bad))

    def _add(self, name: str, lines: bytes) -> int:
        """Add the rows of lines, and return how many lines were no event."""
        values = list(_values(lines))
        events = [event for value in values if (event := event_in(value)) is not None]
        rows: dict[str, list[Row]] = {table: [] for table in COLUMNS}
        terms: list[tuple[str, str, int]] = []
        for event in self._new(events, name):
            for table, row in rows_of(event):
                rows[table].append(row)
                if table in _OF_TERMS:
                    text = f"{event.typed} {event.text('outcome') or ''}"
                    terms += ((term, event.id, count) for term, count in _counted(text).items())
        for table, found in rows.items():
            marks = ", ".join("?" * len(COLUMNS[table]))
            self._store.write_all(f"INSERT INTO {table} VALUES ({marks})", found)
        self._store.write_all("INSERT OR IGNORE INTO task_terms VALUES (?, ?, ?)", terms)
        self._store.write_all(_LENGTHEN, ((event, count) for _, event, count in terms))
        return len(values) - len(events)

    def _new(self, events: Iterable[HistoryEvent], file: str) -> list[HistoryEvent]:
        """Note events, and return those that were not there before: what two files tell counts once."""
        by_id: dict[str, HistoryEvent] = {}
        for event in events:
            by_id.setdefault(event.id, event)
        for condition, some in among("id", list(by_id), AT_ONCE):
            for known, first in self._store.rows(f"SELECT id, file FROM seen WHERE {condition}", some):
                del by_id[known]
                if first != file:
                    self._store.rows("INSERT OR IGNORE INTO again VALUES (?, ?)", (file, first))
                    self._reads_again = self._reads_again or self._places.get(first, 0) > self._places[file]
        self._store.write_all("INSERT INTO seen VALUES (?, ?)", ((each, file) for each in by_id))
        return list(by_id.values())

    def _forget(self, name: str) -> None:
        """Remove the rows of a file; read all again where another file had some of them."""
        read_elsewhere = self._store.rows("SELECT 1 FROM again WHERE first = ? LIMIT 1", (name,))
        self._reads_again = self._reads_again or bool(read_elsewhere)
        for table, columns in COLUMNS.items():
            self._store.rows(f"DELETE FROM {table} WHERE {columns[0]} IN {_OF_FILE}", (name,))
        for table in ("task_terms", "task_lengths"):
            self._store.rows(f"DELETE FROM {table} WHERE id IN {_OF_FILE}", (name,))
        self._store.rows("DELETE FROM seen WHERE file = ?", (name,))
        self._store.rows("DELETE FROM files WHERE path = ?", (name,))


def sizes_read(index: Path) -> dict[str, int]:
    """Return how many bytes of each file the tables hold; nothing where there are none, or none that can be read."""
    if not index.exists():
        return {}
    try:
        connection = sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)
        try:
            if not IndexFormat(_schema(), LAYOUT).made(connection):
                return {}  # of another version: it is emptied when it is opened
            return dict(connection.execute("SELECT path, size FROM files").fetchall())
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return {}


def partitions_in(folder: Path, prefix: str = "") -> Iterator[Partition]:
    """Yield the files of a history in order of their names; none where there is no such folder."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from (Partition(prefix + name, folder / name) for name in names if name.endswith(ENDING))


def _counted(text: str) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for term in stems(text):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _stamp(path: Path) -> tuple[int, int]:
    """Return a file's size and when it was changed."""
    try:
        found = path.stat()
    except OSError:
        return -1, 0
    return found.st_size, found.st_mtime_ns


def _values(lines: bytes) -> Iterator[object]:
    """Yield the JSON of each line that is not blank; None for what is none. All ASCII is decoded once."""
    for line in lines.decode("ascii").split("\n") if lines.isascii() else lines.split(b"\n"):
        if line and not line.isspace():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                yield None


# The questions of the decision record, as queries on the history's tables; rows come back as values.

TASK_OF = """COALESCE({0}.task_id, (
    SELECT p.task_id FROM prompts AS p WHERE p.session_id = {0}.session_id AND p.at_ms <= {0}.at_ms
    ORDER BY p.at_ms DESC, p.id DESC LIMIT 1
))"""
"""The task of a row; where the client names none, that of the last prompt of its session before it."""
ROLE_OF = """COALESCE({0}.role, CASE WHEN {0}.unplaced THEN (
    SELECT CASE WHEN following.since_ms <= {0}.at_ms THEN following.role END
    FROM places AS following WHERE following.at_ms >= {0}.at_ms AND following.worktree IS {0}.worktree
    ORDER BY following.at_ms, following.id LIMIT 1
) END)"""
"""The role of a row; of an unplaced one that of its worktree's next place, if the stage had been entered by then."""
_TOUCH = f"""
SELECT f.timestamp, f.session_id, f.file_path, f.operation, {TASK_OF.format("f")}, f.line_first, f.line_last, f.success,
    f.context, f.changes_summary
FROM file_interactions AS f
"""
_OF_TASK = f"""({{0}}.task_id = ?1 OR ({{0}}.task_id IS NULL
    AND {{0}}.session_id IN (SELECT session_id FROM prompts WHERE task_id = ?1) AND {TASK_OF} = ?1))"""
"""The rows of a task; of those without one, only what its sessions did is looked at."""
_LAST = """(SELECT MAX(l.at_ms) FROM (
    SELECT MAX(at_ms) AS at_ms FROM tool_executions WHERE session_id = b.session_id
    UNION ALL SELECT MAX(at_ms) FROM prompts WHERE session_id = b.session_id
    UNION ALL SELECT MAX(at_ms) FROM session_events WHERE session_id = b.session_id
) AS l)"""
"""The last event of a session."""
_OPERATIONS = frozenset(Operation)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as the tables have it: when it began, was ended by its agent, and was followed by another one.

    `last_ms` is the last event of its session, where nothing ended the task. `worktree` is None for the main one.
    """

    id: str
    session: str
    description: str
    began: str
    at_ms: int
    ended: str | None
    outcome: str
    following_ms: int | None
    session_ended: bool
    status: str | None
    role: str | None
    last_ms: int | None = None
    worktree: str | None = None


def touches(history: HistoryTables, where: str, values: Sequence[object], limit: int) -> tuple[FileInteraction, ...]:
    """Return the latest touches of files that a condition on `f` fits, newest first."""
    order = " ORDER BY f.at_ms DESC, f.event DESC, f.rowid DESC LIMIT ?"
    return tuple(map(_touch, history.rows(f"{_TOUCH} WHERE {where}{order}", (*values, limit))))


def tool_counts(history: HistoryTables, since_ms: int) -> list[Any]:
    """Return tool, executions, successes, executions of which it is known, and the sum and number of durations."""
    return history.rows(
        """
        SELECT tool_name, COUNT(*), COALESCE(SUM(success), 0), COUNT(success), SUM(duration_ms), COUNT(duration_ms)
        FROM tool_executions WHERE at_ms >= ? GROUP BY tool_name ORDER BY COUNT(*) DESC, tool_name
        """,
        (since_ms,),
    )


def edits(history: HistoryTables, path: str | None = None, newest: int = -1) -> list[Any]:
    """Return task, path, time in milliseconds and time of every edit and write of a task, in order of tasks and time.

    With `path` only those of tasks in which that file was edited; without it, no more than the `newest`.
    """
    task = TASK_OF.format("f")
    select = f"SELECT {task} AS task, f.file_path, f.at_ms, f.timestamp, f.event FROM"
    edited = "f.operation IN ('edit', 'write') AND f.success IS NOT 0"
    order = "ORDER BY task, at_ms, event, file_path"
    if path is None:
        found = f"{select} file_interactions AS f WHERE {edited} ORDER BY f.at_ms DESC, f.event DESC LIMIT ?"
        return history.rows(f"SELECT task, file_path, at_ms, timestamp FROM ({found}) {order}", (newest,))
    return history.rows(
        f"""
        WITH touched AS (SELECT DISTINCT {task} AS task FROM file_interactions AS f WHERE f.file_path = ?),
        found AS (
            {select} touched AS t CROSS JOIN file_interactions AS f ON f.task_id = t.task WHERE {edited}
            UNION ALL {select} file_interactions AS f WHERE f.task_id IS NULL AND {edited} AND f.session_id IN (
                SELECT p.session_id FROM touched AS t CROSS JOIN prompts AS p ON p.task_id = t.task
            )
        )
        SELECT task, file_path, at_ms, timestamp FROM found WHERE task IN (SELECT task FROM touched) {order}
        """,
        (path,),
    )


def task_rows(history: HistoryTables, ids: Iterable[str] | None = None) -> tuple[TaskRow, ...]:
    """Return tasks, newest first; all, or those of the given ids."""
    names = None if ids is None else list(ids)
    marks = "" if names is None else f" AND task_id IN ({', '.join('?' * len(names))})"
    prompts = history.rows(
        f"""
        WITH begun AS (SELECT task_id, session_id, description, timestamp, at_ms, {ROLE_OF.format("p")} AS role,
            worktree,
            (SELECT MIN(n.at_ms) FROM prompts AS n
             WHERE n.session_id = p.session_id AND n.at_ms > p.at_ms AND n.task_id <> p.task_id) AS following,
            EXISTS (SELECT 1 FROM session_events AS s WHERE s.session_id = p.session_id AND s.kind = 'session_end'
                AND s.at_ms >= p.at_ms) AS over
        FROM prompts AS p WHERE id = (
            SELECT q.id FROM prompts AS q WHERE q.task_id = p.task_id ORDER BY q.at_ms, q.id LIMIT 1
        ){marks})
        SELECT b.task_id, b.session_id, b.description, b.timestamp, b.at_ms, t.timestamp, COALESCE(t.outcome, ''),
            b.following, b.over, b.role, CASE WHEN t.timestamp IS NULL AND b.following IS NULL AND NOT b.over
                THEN {_LAST} END, b.worktree
        FROM begun AS b LEFT JOIN turn_ends AS t ON t.rowid = (
            SELECT e.rowid FROM turn_ends AS e WHERE e.session_id = b.session_id AND e.at_ms >= b.at_ms
                AND (e.task_id = b.task_id OR (e.task_id IS NULL AND (b.following IS NULL OR e.at_ms < b.following)))
            ORDER BY e.at_ms DESC, e.id DESC LIMIT 1
        )
        """,
        names or (),
    )
    found = [
        TaskRow(task, session, description, began, at_ms, ended, outcome, following, bool(over), None, role, last, tree)
        for task, session, description, began, at_ms, ended, outcome, following, over, role, last, tree in prompts
    ] + [
        TaskRow(task, session, description, began, at_ms, ended, outcome, None, False, status, role, None, tree)
        for task, session, description, began, at_ms, ended, outcome, status, role, tree in _explicit(
            history, marks, names or ()
        )
    ]
    return tuple(sorted(found, key=lambda each: (-each.at_ms, each.id)))


def _explicit(history: HistoryTables, marks: str, names: Sequence[str]) -> list[Any]:
    """Return the tasks that somebody started by name, with their last recorded status."""
    return history.rows(
        f"""
        SELECT t.task_id, t.session_id, b.description, b.timestamp, b.at_ms,
            CASE WHEN t.status IN ('completed', 'failed') THEN t.timestamp END, t.outcome, t.status, b.role, b.worktree
        FROM tasks AS t JOIN tasks AS b ON b.id = (
            SELECT id FROM tasks WHERE task_id = t.task_id ORDER BY at_ms, id LIMIT 1
        )
        WHERE t.id = (SELECT id FROM tasks WHERE task_id = t.task_id ORDER BY at_ms DESC, id DESC LIMIT 1)
        {marks.replace("task_id", "t.task_id")}
        """,
        names,
    )


def newest_task_rows(history: HistoryTables, limit: int) -> tuple[TaskRow, ...]:
    """Return the first `limit` of all `task_rows`, without asking of the others."""
    # A prompt and a person may have begun a task of the same id: its older row may come behind rows not asked for.
    return task_rows(history, newest_tasks(history, limit))[:limit]


def newest_tasks(history: HistoryTables, limit: int) -> tuple[str, ...]:
    """Return the ids of the tasks that began last, so that not all need be looked at."""
    begun = "SELECT task_id, MIN(at_ms) AS at_ms FROM {0} GROUP BY task_id"
    lately = """
    SELECT task_id, MIN(at_ms) AS at_ms FROM {0} WHERE task_id IN (SELECT task_id FROM {0} WHERE at_ms >= ?2)
    GROUP BY task_id HAVING MIN(at_ms) >= ?2
    """

    def newest(begun: str, *values: int) -> list[Any]:
        both = " UNION ALL ".join(begun.format(table) for table in ("prompts", "tasks"))
        return history.rows(f"SELECT task_id FROM ({both}) ORDER BY at_ms DESC, task_id LIMIT ?1", values)

    # When each task began takes long to find out; mostly the last prompts show enough of them.
    far = "SELECT at_ms FROM prompts ORDER BY at_ms DESC LIMIT 1 OFFSET ?"
    rows = [row for (since_ms,) in history.rows(far, (limit * _PROMPTS,)) for row in newest(lately, limit, since_ms)]
    rows = rows if len(rows) == limit else newest(begun, limit)
    return tuple(task for (task,) in rows if task)


def files_by_use(history: HistoryTables, task: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that a task edited, and those that it only read, each the last one first."""
    rows = history.rows(
        f"""
        SELECT file_path, MAX(CASE WHEN operation IN ('edit', 'write') AND success IS NOT 0 THEN at_ms END) AS edited,
            MAX(operation = 'read') AS was_read
        FROM file_interactions AS f WHERE {_OF_TASK.format("f")}
        GROUP BY file_path ORDER BY edited DESC, MAX(at_ms) DESC, file_path
        """,
        (task,),
    )
    edited = tuple(path for path, at_ms, _ in rows if at_ms is not None)
    return edited, tuple(path for path, at_ms, was_read in rows if at_ms is None and was_read)


def files_of(history: HistoryTables, task: str) -> tuple[tuple[str, str], ...]:
    """Return the files of a task in the order of their first touch, each with what was done with it, by letters."""
    rows = history.rows(
        f"""
        SELECT file_path, GROUP_CONCAT(DISTINCT operation) FROM file_interactions AS f
        WHERE {_OF_TASK.format("f")} GROUP BY file_path ORDER BY MIN(at_ms), file_path
        """,
        (task,),
    )
    return tuple((path, operations) for path, operations in rows)


def tools_of(history: HistoryTables, task: str) -> tuple[tuple[str, int], ...]:
    """Return the tools that a task used, with how often, the most used first."""
    rows = history.rows(
        f"""
        SELECT tool_name, COUNT(*) FROM tool_executions AS e
        WHERE {_OF_TASK.format("e")} GROUP BY tool_name ORDER BY COUNT(*) DESC, tool_name
        """,
        (task,),
    )
    return tuple((tool, count) for tool, count in rows)


def _touch(row: Sequence[Any]) -> FileInteraction:
    time, session, path, operation, task, first, last, success, context, changes = row
    known = Operation(operation) if operation in _OPERATIONS else Operation.ANALYZE
    lines = (first, last) if first is not None and last is not None else None
    return FileInteraction(time, session, path, known, task, lines, success != 0, context, changes)


def telling_calls(history: HistoryTables) -> tuple[ToolCall, ...]:
    """Return the calls from which a pattern may follow: what failed, might have failed there, or changed a file."""
    changed = "SELECT event FROM file_interactions AS f WHERE f.operation IN ('edit', 'write') AND f.success IS NOT 0"
    failed = "SELECT session_id, tool_name FROM tool_executions WHERE success = 0"
    return _calls(history, f" WHERE e.id IN ({changed}) OR (e.session_id, e.tool_name) IN ({failed})", ())


def calls(history: HistoryTables, session: str | None = None) -> tuple[ToolCall, ...]:
    """Return the calls of tools, of all sessions or one, in order of time."""
    return _calls(history, "", ()) if session is None else _calls(history, " WHERE e.session_id = ?", (session,))


def _calls(history: HistoryTables, only: str, values: Sequence[object]) -> tuple[ToolCall, ...]:
    rows = history.rows(
        f"""
        SELECT e.session_id, {TASK_OF.format("e")}, e.at_ms, e.timestamp, e.tool_name, e.parameters, e.success,
            COALESCE(e.signature, ''), COALESCE(e.error_message, ''), (
                SELECT GROUP_CONCAT(f.file_path, CHAR(10)) FROM file_interactions AS f
                WHERE f.event = e.id AND f.operation IN ('edit', 'write') AND f.success IS NOT 0
            )
        FROM tool_executions AS e{only} ORDER BY e.at_ms, e.id
        """,
        values,
    )
    return tuple(
        ToolCall(whose, task, at_ms, time, tool, given, None if success is None else bool(success), signature, error,
             tuple(changed.split("\n")) if changed else ())
        for whose, task, at_ms, time, tool, given, success, signature, error, changed in rows
    )  # fmt: skip


# What sessions asked for and looked at, out of the history's tables: prompts, and calls with files they touched.


def prompts(history: HistoryTables, session: str | None = None) -> dict[str, str]:
    """Return the words of each task, by its id: those of its first prompt."""
    only = "" if session is None else " AND session_id = ?"
    rows = history.rows(
        f"SELECT task_id, description FROM prompts WHERE description <> ''{only} ORDER BY at_ms DESC, id DESC",
        () if session is None else (session,),
    )
    return dict(rows)


def looking_calls(history: HistoryTables, session: str | None = None) -> tuple[ToolCall, ...]:
    """Return all calls of tools, of all sessions or one, in order of time, with the files that they touched."""
    only = "" if session is None else " WHERE e.session_id = ?"
    touched = "SELECT GROUP_CONCAT(f.file_path, CHAR(10)) FROM file_interactions AS f WHERE f.event = e.id"
    rows = history.rows(
        f"""
        SELECT e.session_id, {TASK_OF.format("e")}, e.at_ms, e.timestamp, e.tool_name, e.parameters, e.success,
            ({touched} AND f.operation IN ('edit', 'write') AND f.success IS NOT 0), ({touched})
        FROM tool_executions AS e{only} ORDER BY e.at_ms, e.id
        """,
        () if session is None else (session,),
    )
    return tuple(
        ToolCall(whose, task, at_ms, time, tool, given, None if success is None else bool(success), "", "",
             _paths(changed), _paths(all_))
        for whose, task, at_ms, time, tool, given, success, changed, all_ in rows
    )  # fmt: skip


def _paths(joined: str | None) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
