"""The history as tables, brought up from its files: each file is read from where it was read to the last time.

Derived and deletable; a file that was changed otherwise than by adding to it is read anew.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verifflowcc.adapters.files.partitions import ENDING
from verifflowcc.adapters.index.store import DerivedTables, Form
from verifflowcc.errors import BackendError
from verifflowcc.formats.history_rows import COLUMNS, Event, Row, event_in, rows_of
from verifflowcc.records import dataclass
from verifflowcc.text.stems import stems

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
_AT_ONCE = 500
"""So many ids are looked up by one query: SQLite takes no more than 999 values in some builds."""


def _schema() -> str:
    tables = "".join(f"CREATE TABLE {name} ({', '.join(columns)});" for name, columns in COLUMNS.items())
    return "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;" + tables + _INDEXES


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of the history: its name in the index, and where it lies."""

    name: str
    path: Path


class History(DerivedTables):
    """The tables, as of the moment at which they were opened. Use it as a context manager."""

    def __init__(self, index: Path, partitions: Sequence[Partition]) -> None:
        super().__init__(index, Form(_schema(), LAYOUT))
        self._partitions = partitions
        self._places = {each.name: place for place, each in enumerate(partitions)}
        self._anew = False
        self.bad_lines = 0

    def __enter__(self) -> "History":
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
        for partition in changed:  # each by itself, so that a process which is ended leaves what it has read
            with self._reading():  # what another process has read meanwhile is not read again
                row = self._store.rows("SELECT size, time, tail FROM files WHERE path = ?", (partition.name,))
                self._read_file(partition, *(row[0] if row else (0, 0, b"")))
        self.bad_lines = sum(bad for (bad,) in self._store.rows("SELECT bad FROM files"))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._store.transaction("BEGIN IMMEDIATE"):
            self._anew = False
            yield
            if self._anew:
                self._start_anew()

    def _start_anew(self) -> None:
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
                    said = f"{event.typed} {event.text('outcome') or ''}"
                    terms += ((term, event.id, count) for term, count in _counted(said).items())
        for table, found in rows.items():
            marks = ", ".join("?" * len(COLUMNS[table]))
            self._store.write_all(f"INSERT INTO {table} VALUES ({marks})", found)
        self._store.write_all("INSERT OR IGNORE INTO task_terms VALUES (?, ?, ?)", terms)
        self._store.write_all(_LENGTHEN, ((event, count) for _, event, count in terms))
        return len(values) - len(events)

    def _new(self, events: Iterable[Event], file: str) -> list[Event]:
        """Note events, and return those that were not there before: what two files tell counts once."""
        by_id: dict[str, Event] = {}
        for event in events:
            by_id.setdefault(event.id, event)
        ids = list(by_id)
        for place in range(0, len(ids), _AT_ONCE):
            some = ids[place : place + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            for known, first in self._store.rows(f"SELECT id, file FROM seen WHERE id IN ({marks})", some):
                del by_id[known]
                if first != file:
                    self._store.rows("INSERT OR IGNORE INTO again VALUES (?, ?)", (file, first))
                    self._anew = self._anew or self._places.get(first, 0) > self._places[file]
        self._store.write_all("INSERT INTO seen VALUES (?, ?)", ((each, file) for each in by_id))
        return list(by_id.values())

    def _forget(self, name: str) -> None:
        """Take out what a file told; where another one told some of that, too, everything is read anew."""
        self._anew = self._anew or bool(self._store.rows("SELECT 1 FROM again WHERE first = ? LIMIT 1", (name,)))
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
