"""The index file: SQLite, opened for one command, rebuilt whenever it is missing, old or damaged."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verifflowcc import __version__
from verifflowcc.adapters.files.private import private_if_own
from verifflowcc.records import dataclass

LAYOUT = 14
_OLD_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'
"""
"""Virtual tables first: those in which they keep their contents go with them."""
_NO_TEXT = "a name in the file is no text"
LOCK_WAIT_S = 1.0
"""Nothing in the index is worth a longer wait: it can be made again."""

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, signature TEXT NOT NULL, settled INTEGER NOT NULL,
    digest TEXT NOT NULL, facts TEXT NOT NULL, notices TEXT NOT NULL, extent TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE file_units (number INTEGER PRIMARY KEY, units TEXT NOT NULL);
CREATE TABLE postings (term TEXT, number INTEGER, PRIMARY KEY (term, number)) WITHOUT ROWID;
CREATE INDEX postings_by_number ON postings (number);
CREATE TABLE counts (key TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE code (digest TEXT, kind TEXT, facts TEXT, PRIMARY KEY (digest, kind)) WITHOUT ROWID;
CREATE TABLE trace_items (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, policy TEXT NOT NULL, digest TEXT NOT NULL, facts TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE trace_reports (name TEXT PRIMARY KEY, key TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory_items (
    path TEXT, stamp TEXT, problem TEXT, id TEXT, first TEXT, {columns}, facts TEXT, digest TEXT
);
CREATE INDEX memory_items_by_path ON memory_items (path, stamp);
CREATE INDEX memory_items_not_read ON memory_items (path) WHERE problem IS NOT NULL OR path <> first;
CREATE INDEX memory_items_by_id ON memory_items (id, path);
CREATE INDEX memory_items_by_key ON memory_items ("key") WHERE "key" IS NOT NULL;
CREATE INDEX memory_items_linking ON memory_items (path) WHERE {linking};
CREATE TABLE memory_folders (folder TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE memory_changes (number INTEGER PRIMARY KEY, path TEXT NOT NULL, token TEXT NOT NULL);
CREATE TABLE recall_scopes (
    scope TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, mark TEXT, units INTEGER NOT NULL, lengths TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory_checked (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, facts TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Form:
    """What an index file holds: its tables, the number of their layout, and the version of what fills them beside ours.

    A file of another form, or of another version of vfcc, is emptied when it is opened.
    """

    schema: str
    layout: int
    readers: str = ""

    def create(self, connection: sqlite3.Connection) -> None:
        """Make the tables in an empty file."""
        for statement in self.schema.split(";"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("INSERT INTO about VALUES ('version', ?)", (__version__ + self.readers,))
        connection.execute(f"PRAGMA user_version = {self.layout}")

    def made(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is of this form, and made by this version."""
        if connection.execute("PRAGMA user_version").fetchone() != (self.layout,):
            return False
        row = connection.execute("SELECT value FROM about WHERE name = 'version'").fetchone()
        return bool(row == (__version__ + self.readers,))


def index_form() -> Form:
    """Return the form of the index itself; what its columns are of takes long to import, and other files do without."""
    from verifflowcc.adapters.index.item_columns import definitions
    from verifflowcc.adapters.index.linked import LINKING

    return Form(_SCHEMA.format(columns=definitions(), linking=LINKING), LAYOUT)


class Store:
    """A connection to the index that outlives damage to its file: it goes on with an empty one.

    `replaced` counts how often that happened, and `notice` says why nothing is kept, where nothing is.
    """

    def __init__(self, path: Path, form: Form | None = None) -> None:
        self._path, self._form = path, form or index_form()
        self._connection, self.notice = open_store(path, self._form)
        self.replaced = 0

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Run one statement and return its rows, read to the end. Raises sqlite3.OperationalError."""
        try:
            return _rows(self._connection, statement, values)
        except sqlite3.DatabaseError as error:
            if not _damaged(error):
                raise
            self._start_over()
            return _rows(self._connection, statement, values)

    def write_all(self, statement: str, values: Iterable[Sequence[object]]) -> None:
        """Run one statement for each of `values`. Raises sqlite3.DatabaseError."""
        self._connection.executemany(statement, values)

    @contextmanager
    def transaction(self, begin: str) -> Iterator[None]:
        """Run what is inside as one, after `BEGIN` (to read one state) or `BEGIN IMMEDIATE` (to write)."""
        self.rows(begin)
        try:
            yield
        except BaseException:
            self._end("ROLLBACK")
            raise
        self._end("COMMIT")

    def hold(self) -> None:
        """Read one state from now on, whatever others write, until `let_go`."""
        self.let_go()
        self.rows("BEGIN")

    def let_go(self) -> None:
        """End what `hold` began, if it did."""
        self._end("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def start_over_if_damaged(self, error: sqlite3.DatabaseError) -> bool:
        """Go on with an empty index where `error` tells of damage; return whether it does."""
        if _damaged(error):
            self._start_over()
        return _damaged(error)

    def keep_nothing(self, why: str) -> None:
        """Go on with an empty index in the process's memory."""
        self._connection.close()
        self.replaced += 1
        self._connection, self.notice = _in_memory(self._form), why

    def _end(self, statement: str) -> None:
        if self._connection.in_transaction:
            self.rows(statement)

    def _start_over(self) -> None:
        self._connection.close()
        self.replaced += 1
        self._connection, self.notice = _replace(self._path, self._form)


def open_store(path: Path, form: Form) -> tuple[sqlite3.Connection, str | None]:
    """Open the index at `path`, or one in memory where that folder cannot be written.

    Returns the connection and a notice for the person where the index is not kept.
    """
    try:
        with private_if_own(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        return _open_file(path, form), None
    except sqlite3.DatabaseError as error:
        if not _damaged(error):
            return _in_memory(form), f"nothing is cached: {path} cannot be used ({error})"
    except OSError as error:
        return _in_memory(form), f"nothing is cached: {path.parent} cannot be written ({error.strerror})"
    return _replace(path, form)


def _replace(path: Path, form: Form) -> tuple[sqlite3.Connection, str | None]:
    try:
        remove(path)
        return _open_file(path, form), None
    except (OSError, sqlite3.DatabaseError) as error:
        return _in_memory(form), f"nothing is cached: {path} is damaged and cannot be replaced ({error})"


def remove(path: Path) -> None:
    """Delete the index and what SQLite keeps beside it."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)


def _damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is no sound index. Python gives no code where a text in it is not UTF-8."""
    return not isinstance(error, sqlite3.OperationalError) or not hasattr(error, "sqlite_errorcode")


def _open_file(path: Path, form: Form) -> sqlite3.Connection:
    with private_if_own(path):
        connection = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, form)
    except UnicodeDecodeError as error:
        connection.close()
        raise sqlite3.DatabaseError(_NO_TEXT) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _rows(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> list[Any]:
    """Return all rows. Python's own error for what it cannot read of a damaged file is told as SQLite's are."""
    try:
        return connection.execute(statement, values).fetchall()
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(_NO_TEXT) from error


def _in_memory(form: Form) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    form.create(connection)
    return connection


def _prepare(connection: sqlite3.Connection, form: Form) -> None:
    if form.made(connection):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    if not form.made(connection):
        for (name,) in connection.execute(_OLD_TABLES).fetchall():
            connection.execute(f'DROP TABLE IF EXISTS "{name}"')
        form.create(connection)
    connection.execute("COMMIT")
