"""The database file of items: made, opened and checked, and its errors as sentences."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from verifflowcc import __version__
from verifflowcc.adapters.backends.sqlite_log import LOG, add_log
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.files.private import private_if_own
from verifflowcc.adapters.files.stored import stored_item
from verifflowcc.adapters.index.facts import item_to_text
from verifflowcc.adapters.index.store import COLUMNS, LINKING, column_values, definitions
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import BackendError, ConflictError, FormatError, VfccError, WorkspaceError

T = TypeVar("T")

LAYOUT = 1
OURS = 0x76666363
"""The application's mark in the file, so that no other program's database is taken for ours."""

BUSY_S = 60.0
_FIRST = ("id", "path", "text", "facts")
_KEEP = f"INSERT OR REPLACE INTO items VALUES ({','.join('?' * (len(_FIRST) + len(COLUMNS)))})"
_TRUTH = "id TEXT NOT NULL, path TEXT NOT NULL, text BLOB NOT NULL"
_TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    f"CREATE TABLE items ({_TRUTH}, facts TEXT NOT NULL, {definitions()}, PRIMARY KEY (scope, id))",
    'CREATE INDEX items_by_key ON items (scope, "key") WHERE "key" IS NOT NULL',
    f"CREATE INDEX items_linking ON items (scope) WHERE {LINKING}",
    f"PRAGMA application_id = {OURS}",
    f"PRAGMA user_version = {LAYOUT}",
)


def open_database(file: Path) -> sqlite3.Connection:
    """Open the database, made where there is none.

    Raises BackendError where it cannot be made or read, is damaged, of a newer vfcc or of another program, and
    ConflictError where others write to it for too long.
    """
    with told(file):
        try:
            with private_if_own(file):
                file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BackendError(f"{file} cannot be opened: {error.strerror or error}") from error
        with private_if_own(file):
            connection = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, file)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def in_turn(file: Path) -> Iterator[None]:
    """Let the writers of a database go one after the other, as they came; SQLite itself lets them sleep and try again.

    It keeps writers apart in any case: where the lock cannot be made they just go as SQLite lets them. Raises
    ConflictError where others write for too long.
    """
    with ExitStack() as held:
        try:
            held.enter_context(locked(file.with_name(f"{file.name}-turn"), BUSY_S))
        except WorkspaceError:
            held.pop_all()
        except ConflictError as error:
            raise _busy(file) from error
        yield


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Raise what SQLite says of a file in one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise _error(file, error) from error


def keep(connection: sqlite3.Connection, item: StoredItem) -> None:
    """Write an item's row, in the place of the one that its id had. Raises sqlite3.Error."""
    own = (item.item.id, item.item.path, item.text.encode("utf-8"), item_to_text(item.item))
    connection.execute(_KEEP, (*own, *column_values(item.item)))


def stored(file: Path, path: str, text: bytes) -> StoredItem:
    """Return the item of a row. Raises BackendError where the row is damaged."""
    try:
        return stored_item(path, text)
    except FormatError as error:
        raise BackendError(f"{file} is damaged: {error.message}", hint="put a copy of it in its place") from error


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    if not _in_one(connection, lambda: _layout(connection, file), "BEGIN"):
        _write_ahead(connection, file)
        _in_one(connection, lambda: _create(connection, file))
    if _read_by(connection) != __version__:
        _in_one(connection, lambda: _read_again(connection, file))
    add_log(connection)


def _write_ahead(connection: sqlite3.Connection, file: Path) -> None:
    """Let readers and a writer go side by side. SQLite itself does not wait here for those who look into the file."""
    until = monotonic() + BUSY_S
    while not _tried(connection):
        if monotonic() > until:
            raise _busy(file)
        sleep(0.005)


def _tried(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def _layout(connection: sqlite3.Connection, file: Path) -> int:
    """Return the layout of the file, 0 where it is empty."""
    ((layout,),) = connection.execute("PRAGMA user_version").fetchall()
    ((mark,),) = connection.execute("PRAGMA application_id").fetchall()
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    if mark != OURS and (mark or layout or tables):
        raise BackendError(f"{file} is a database of another program", hint="name another file, or move this one away")
    if layout > LAYOUT:
        raise BackendError(f"{file} has layout {layout}, which is newer than this vfcc", hint="install a newer vfcc")
    return int(layout)


def _create(connection: sqlite3.Connection, file: Path) -> None:
    """Make the tables, unless another process has made them by now."""
    if _layout(connection, file):
        return
    for statement in (*_TABLES, *LOG):
        connection.execute(statement)
    connection.execute("INSERT INTO about VALUES ('read by', ?)", (__version__,))


def _read_by(connection: sqlite3.Connection) -> str:
    """Return the version that read the texts into the columns."""
    rows = connection.execute("SELECT value FROM about WHERE name = 'read by'").fetchall()
    return str(rows[0][0]) if rows else ""


def _read_again(connection: sqlite3.Connection, file: Path) -> None:
    """Make all columns anew: another version may read texts otherwise."""
    for item_id, path, text in connection.execute("SELECT id, path, text FROM items").fetchall():
        item = stored(file, path, text)
        if item.item.id == item_id:
            keep(connection, item)
    connection.execute("INSERT OR REPLACE INTO about VALUES ('read by', ?)", (__version__,))


def _error(file: Path, error: sqlite3.Error) -> VfccError:
    if isinstance(error, sqlite3.ProgrammingError):
        return BackendError(f"{file} cannot be used: {error}")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return _busy(file)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or not hasattr(error, "sqlite_errorcode"):
        return BackendError(f"{file} is damaged: {error}", hint="put a copy of it in its place")
    what = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_READONLY: "it may not be written",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
        sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
    }.get(code)
    return BackendError(f"{file} cannot be used: {what + f' ({error})' if what else error}")


def _busy(file: Path) -> ConflictError:
    return ConflictError(f"{file} is being written by others", hint="wait until they are done, then run it again")


def _in_one(connection: sqlite3.Connection, work: Callable[[], T], begin: str = "BEGIN IMMEDIATE") -> T:
    """Run what reads one state, or changes it, as one transaction."""
    connection.execute(begin)
    try:
        done = work()
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")
    return done
