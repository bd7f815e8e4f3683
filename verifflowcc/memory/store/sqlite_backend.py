"""Items in one SQLite database: their texts are the truth, and the columns beside them what they were read as.

The file is never replaced: what is damaged or of a newer vfcc is reported, and stays as it is.

A log has one row for each path and change, oldest first, kept by triggers, so that no program changes an item without a
trace, not an older vfcc either. A mark is a row of the log: it is good as long as that very row is there, which it is
in no older copy of the file that went on otherwise. A database without the log is as good a store; its changes are
found by comparing.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Any, TypeVar

from verifflowcc import __version__
from verifflowcc.base.errors import BackendError, ConflictError, FormatError, VfccError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.private_files import private_if_own
from verifflowcc.base.index.index_file import (
    LINKING,
    REPLACING,
    files_named,
    having,
)
from verifflowcc.base.model.item_query import (
    COLUMNS,
    asked_in_sql,
    checked_limit,
    column_definitions,
    column_values,
    conditions,
    matches,
    order_in_sql,
    ordered_by,
)
from verifflowcc.base.model.item_values import Item, names_meant
from verifflowcc.base.model.memory_protocol import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    Filters,
    Known,
    StoredItem,
)
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.memory.store.in_memory import ItemDifference, WholeStore, compared
from verifflowcc.memory.store.placing import (
    folder_of,
    is_unicode,
    item_from_text,
    item_to_text,
    path_in,
    placed,
    stored_item,
)

# The database file of items: made, opened and checked, and its errors as sentences.

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
    f"CREATE TABLE items ({_TRUTH}, facts TEXT NOT NULL, {column_definitions()}, PRIMARY KEY (scope, id))",
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
    with database_errors(file):
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
def database_errors(file: Path) -> Iterator[None]:
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
    """Compute all columns again: another version may have read texts differently."""
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


_ROWS = "SELECT path, text FROM items WHERE scope = ?"


class SqliteBackend(WholeStore):
    """The items of one scope in a database file, which other scopes, threads and processes may share."""

    def __init__(self, file: Path, scope: str) -> None:
        self.scope = scope
        self._file = file
        self._lock = RLock()
        self._depth = 0
        self._connection = open_database(file)

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id, in the place of the one that had this id. Raises BackendError, ConflictError."""
        with self.writing():
            self._keep(item, self._path_of(item.item.id))

    def create(self, item: StoredItem) -> bool:
        """Keep an item whose id is new; return False where an item has this id. Raises BackendError, ConflictError."""
        with self.writing():
            if self._path_of(item.item.id) is not None:
                return False
            self._keep(item, None)
            return True

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return the items that match; see `MemoryBackend`. Raises UsageError, BackendError, ConflictError."""
        asked, most, order = asked_in_sql(conditions(filters)), checked_limit(limit), order_in_sql(order_by)
        statement = f"{_ROWS} AND {asked.where} ORDER BY {order or 'id'}"
        whole = not asked.rest and order is not None
        rows = self._rows(statement + (" LIMIT ?" if whole else ""), (self.scope, *asked.values, *([most] * whole)))
        found = [stored(self._file, *row) for row in rows]
        if whole:
            return found
        kept = [each for each in found if matches(each.item, asked.rest)]
        return ordered_by(kept, order_by, lambda each: each.item)[:most]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none. Raises BackendError, ConflictError."""
        rows = self._rows(f"{_ROWS} AND id = ?", (self.scope, item_id)) if is_unicode(item_id) else []
        return stored(self._file, *rows[0]) if rows else None

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id; return whether there was one. Raises BackendError, ConflictError."""
        if not is_unicode(item_id):
            return False
        with self.writing():
            statement = "DELETE FROM items WHERE scope = ? AND id = ? RETURNING id"
            return bool(self._rows(statement, (self.scope, item_id)))

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id. Raises BackendError, ConflictError."""
        return [stored(self._file, *row) for row in self._rows(f"{_ROWS} ORDER BY id", (self.scope,))]

    def items(self) -> list[Item]:
        """Return all items without their texts, by id. Raises BackendError, ConflictError."""
        return self._facts("1 ORDER BY id")

    def linked(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that links connect, and those of these names; see `MemoryBackend`. Raises as `items`."""
        return self._leading(LINKING, names)

    def replacing(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that say what is superseded, and those of these names; see `MemoryBackend`."""
        return self._leading(REPLACING, names)

    def _leading(self, which: str, names: Iterable[str]) -> list[Item]:
        found = self._facts(which)
        meant = {*names, *names_meant(found)}
        for condition, values in having(meant):
            found += self._facts(condition, values)
        for condition, values in files_named(meant - {item.id for item in found}):
            found += self._facts(condition, values)
        return list({item.id: item for item in found}.values())

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what changed since a mark of the database's log, else what differs from `known`.

        Of several items with one path, the first by id is told. The texts are of the state that the new mark stands
        for. Raises BackendError, ConflictError.
        """
        with self._one_state() as logs:
            paths = paths_since(self._connection, mark, self.scope) if logs else None
            if paths is not None:
                texts = self._texts_at(paths)
                gone = tuple(path for path in paths if path not in texts)
                return Changes(newest_mark(self._connection), self._read(texts), gone)
        held = known()
        with self._one_state() as logs:
            texts, found = self._differing(held)
            now = newest_mark(self._connection) if logs else ""
            return Changes(now, self._read(texts), found.gone, found.complete)

    def clear(self) -> None:
        """Remove all items of this scope, and none of another. Raises BackendError, ConflictError."""
        with self.writing():
            self._rows("DELETE FROM items WHERE scope = ?", (self.scope,))

    def count(self) -> int:
        """Return the number of items. Raises BackendError, ConflictError."""
        ((number,),) = self._rows("SELECT count(*) FROM items WHERE scope = ?", (self.scope,))
        return int(number)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run what is inside as one transaction, with other writers kept out; may be entered again.

        Nothing of it is kept where it raises. Raises BackendError, and ConflictError where others write for too long.
        """
        with self._lock, nullcontext() if self._depth else in_turn(self._file):
            if not self._depth:
                self._rows("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._shorten_log()
            except BaseException:
                self._depth -= 1
                self._end("ROLLBACK")
                raise
            self._depth -= 1
            self._end("COMMIT")

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """Nothing: what is here was read when it was added."""
        return ()

    def _facts(self, condition: str, values: Sequence[str] = ()) -> list[Item]:
        rows = self._rows(f"SELECT facts FROM items WHERE scope = ? AND {condition}", (self.scope, *values))
        return [item_from_text(facts) for (facts,) in rows]

    def _path_of(self, item_id: str) -> str | None:
        rows = self._rows("SELECT path FROM items WHERE scope = ? AND id = ?", (self.scope, item_id))
        return str(rows[0][0]) if rows else None

    def _keep(self, item: StoredItem, path: str | None) -> None:
        kept = placed(item, path or path_in(folder_of(self.scope), item))
        with database_errors(self._file):
            keep(self._connection, kept)

    @contextmanager
    def _one_state(self) -> Iterator[bool]:
        """Read one state of the database inside, or go on in the one being written; say whether changes are logged."""
        with self._lock, database_errors(self._file):
            if self._connection.in_transaction:
                yield is_logged(self._connection)
                return
            self._connection.execute("BEGIN")
            try:
                yield is_logged(self._connection)
            finally:
                self._connection.rollback()

    def _texts_at(self, paths: Iterable[str]) -> dict[str, bytes]:
        statement = f"{_ROWS} AND path = ? ORDER BY id LIMIT 1"
        return {path: text for each in paths for path, text in self._rows(statement, (self.scope, each))}

    def _differing(self, held: Mapping[str, str]) -> tuple[dict[str, bytes], ItemDifference]:
        """Return path → text of what is new or differs, and how all compares with what a copy holds."""
        digests, texts = dict[str, str](), dict[str, bytes]()
        for path, text in self._connection.execute(f"{_ROWS} ORDER BY id", (self.scope,)):
            if path not in digests:
                digests[path] = digest_text(text)
                if held.get(path) != digests[path]:
                    texts[path] = text
        return texts, compared(digests, held)

    def _read(self, texts: Mapping[str, bytes]) -> Iterator[StoredItem]:
        return (stored(self._file, path, text) for path, text in texts.items())

    def _shorten_log(self) -> None:
        with database_errors(self._file):
            if self._connection.in_transaction and is_logged(self._connection):
                shorten(self._connection)

    def _end(self, statement: str) -> None:
        """End the outermost transaction; one that could not be committed is undone."""
        if self._depth or not self._connection.in_transaction:
            return
        try:
            self._rows(statement)
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock, database_errors(self._file):
            return self._connection.execute(statement, values).fetchall()


SHORT = 1_000
"""So many rows are kept however few the items are."""

_DIGITS = 18
_LIMIT = "longest log"
_NAMES = ("changes", "items_by_path", "items_moved", "items_put", "items_removed", "items_changed")
_TOKEN = "lower(hex(randomblob(8)))"
_MOVED = "SELECT scope, path FROM items WHERE scope = NEW.scope AND id = NEW.id AND path <> NEW.path"

_LOG_MOVED = f"INSERT INTO changes (scope, path, token) SELECT scope, path, {_TOKEN} FROM ({_MOVED});"


def _row(which: str) -> str:
    return f"INSERT INTO changes (scope, path, token) VALUES ({which}.scope, {which}.path, {_TOKEN});"


LOG = (
    "DROP TABLE IF EXISTS changes",
    *(f"DROP TRIGGER IF EXISTS {name}" for name in _NAMES[2:]),
    "CREATE TABLE changes (number INTEGER PRIMARY KEY, scope TEXT NOT NULL, path TEXT NOT NULL, token TEXT NOT NULL)",
    f"INSERT INTO changes (scope, path, token) VALUES ('', '', {_TOKEN})",
    "CREATE INDEX IF NOT EXISTS items_by_path ON items (scope, path, id)",
    # What REPLACE takes away fires no trigger of its own.
    f"CREATE TRIGGER items_moved BEFORE INSERT ON items WHEN EXISTS ({_MOVED}) BEGIN {_LOG_MOVED} END",
    f"CREATE TRIGGER items_put AFTER INSERT ON items BEGIN {_row('NEW')} END",
    f"CREATE TRIGGER items_removed AFTER DELETE ON items BEGIN {_row('OLD')} END",
    f"CREATE TRIGGER items_changed AFTER UPDATE ON items BEGIN {_row('OLD')} {_row('NEW')} END",
)
"""Makes the log again, with a first row, so that there always is a newest one."""


def is_logged(connection: sqlite3.Connection) -> bool:
    """Say whether every change is logged. Raises sqlite3.Error."""
    marks = ",".join("?" * len(_NAMES))
    statement = f"SELECT count(*) FROM sqlite_master WHERE name IN ({marks})"
    return bool(connection.execute(statement, _NAMES).fetchone() == (len(_NAMES),))


def add_log(connection: sqlite3.Connection) -> None:
    """Begin the log of a database that has none; where it cannot be written now, it goes without.

    Raises sqlite3.Error where it cannot be read.
    """
    if is_logged(connection):
        return
    ((waits,),) = connection.execute("PRAGMA busy_timeout").fetchall()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
        if not is_logged(connection):
            for statement in LOG:
                connection.execute(statement)
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        if connection.in_transaction:
            connection.rollback()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {waits}")


def newest_mark(connection: sqlite3.Connection) -> str:
    """Return the mark of now. Raises sqlite3.Error."""
    row = connection.execute("SELECT number, token FROM changes ORDER BY number DESC LIMIT 1").fetchone()
    return f"{row[0]}:{row[1]}" if row else ""


def paths_since(connection: sqlite3.Connection, mark: str | None, scope: str) -> Sequence[str] | None:
    """Return the paths of a scope that were logged after a mark; None where it is no mark of this log.

    Raises sqlite3.Error.
    """
    number, _, token = (mark or "").partition(":")
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        return None
    if connection.execute("SELECT token FROM changes WHERE number = ?", (int(number),)).fetchone() != (token,):
        return None
    statement = "SELECT DISTINCT path FROM changes WHERE number > ? AND scope = ?"
    return [path for (path,) in connection.execute(statement, (int(number), scope))]


def shorten(connection: sqlite3.Connection) -> None:
    """Take out the oldest rows where there are far more than items, in a transaction that writes.

    Items are counted only where the log outgrew what they were worth at the last count: a write takes no longer where
    there are many. Raises sqlite3.Error.
    """
    ends = "SELECT (SELECT min(number) FROM changes), (SELECT max(number) FROM changes)"
    oldest, newest = connection.execute(ends).fetchone()
    if newest is None or newest - oldest <= SHORT:
        return
    limit = connection.execute("SELECT value FROM about WHERE name = ?", (_LIMIT,)).fetchone()
    if limit is not None and newest - oldest <= int(limit[0]):
        return
    ((items,),) = connection.execute("SELECT count(*) FROM items").fetchall()
    longest = 2 * items + SHORT
    connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (_LIMIT, str(longest)))
    if newest - oldest > longest:
        connection.execute("DELETE FROM changes WHERE number <= ?", (newest - items - SHORT // 2,))
