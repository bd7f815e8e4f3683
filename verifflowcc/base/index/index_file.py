"""The index file: SQLite, opened for one command, rebuilt whenever it is missing, old or damaged."""

import sqlite3
from _thread import RLock  # threading costs a command more than the lock does
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar, cast
from zlib import crc32

from verifflowcc import __version__
from verifflowcc.base.errors import BackendError
from verifflowcc.base.files.private_files import private_if_own
from verifflowcc.base.records import dataclass

# Which rows of a table of items have links, and which are meant by them: few, so that the others need not be read.

_DECIDED = "instr(facts, '\"decision\":') > 0 AND instr(facts, '\"decision\":[null,null,null,null,[],[],[],[]]') = 0"
LINKING = f"(instr(facts, '\"links\":') > 0 OR ({_DECIDED}))"
"""The condition of all rows whose item leads to another, and of some more. A quote within a fact is never bare."""
REPLACING = f"{LINKING} AND ({_DECIDED} OR instr(facts, ',\"supersedes\"') > 0)"
"""The condition of all rows that may say what takes the place of what: among links of a trace they are few."""

_T = TypeVar("_T")
_LINKED_MOST_VALUES = 200


def among(column: str, values: Sequence[_T], most: int) -> Iterator[tuple[str, Sequence[_T]]]:
    """Yield conditions with at most so many values each: together they are those of all rows with one of `values`."""
    for begin in range(0, len(values), most):
        part = values[begin : begin + most]
        yield f"{column} IN ({','.join('?' * len(part))})", part


def having(names: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield conditions with their values: together they are those of all rows with one of these ids, paths or keys.

    One column each, so that its index is used.
    """
    wanted = sorted(names)
    paths = [name for name in wanted if "/" in name]
    for column, values in (("id", wanted), ('"key"', wanted), ("path", paths)):
        yield from among(column, values, _LINKED_MOST_VALUES)


FILE_NAME = "replace(path, rtrim(path, replace(path, '/', '')), '')"
"""The last part of a row's path, as SQL says it: an index has this very text."""


def files_named(names: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield conditions, as `having` does, of all rows whose file one of these names may mean by its place or its name.

    A name of a file has its ending or none. One that ends in dots may mean a folder, and so any row.
    """
    ends = {name.rpartition("/")[2] for name in names}
    if not ends.isdisjoint(("", ".", "..")):
        yield "1", ()
        return
    yield from among(FILE_NAME, sorted(ends | {f"{end}.md" for end in ends}), _LINKED_MOST_VALUES)


class ItemRow(NamedTuple):
    """An item file that was parsed: stamp, digest of its bytes, and facts; the stamp is "" where it proves nothing."""

    path: str
    stamp: str
    digest: str
    facts: str


LAYOUT = 19
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
CREATE TABLE file_traits (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL, signature TEXT NOT NULL, kind INTEGER NOT NULL,
    importance INTEGER NOT NULL, confidence INTEGER NOT NULL, recency, units INTEGER NOT NULL, length INTEGER NOT NULL,
    name TEXT NOT NULL, subject TEXT, decided INTEGER, day TEXT NOT NULL, timed INTEGER NOT NULL
);
CREATE TABLE postings (term TEXT, number INTEGER, count INTEGER NOT NULL, PRIMARY KEY (term, number)) WITHOUT ROWID;
CREATE INDEX postings_by_number ON postings (number);
CREATE TABLE counts (key TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE code (digest TEXT, kind TEXT, facts TEXT, PRIMARY KEY (digest, kind)) WITHOUT ROWID;
CREATE TABLE trace_items (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, policy TEXT NOT NULL, digest TEXT NOT NULL, facts TEXT NOT NULL,
    name TEXT
) WITHOUT ROWID;
CREATE INDEX trace_items_by_name ON trace_items (name) WHERE name IS NOT NULL;
CREATE TABLE trace_links (target TEXT, path TEXT, PRIMARY KEY (target, path)) WITHOUT ROWID;
CREATE TABLE trace_reports (name TEXT PRIMARY KEY, key TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory_items (
    path TEXT, stamp TEXT, problem TEXT, id TEXT, first TEXT, {columns}, facts TEXT, digest TEXT
);
CREATE INDEX memory_items_by_path ON memory_items (path, stamp);
CREATE INDEX memory_items_not_read ON memory_items (path) WHERE problem IS NOT NULL OR path <> first;
CREATE INDEX memory_items_by_id ON memory_items (id, path);
CREATE INDEX memory_items_by_key ON memory_items ("key") WHERE "key" IS NOT NULL;
CREATE INDEX memory_items_linking ON memory_items (path) WHERE {linking};
CREATE INDEX memory_items_by_file ON memory_items ({file_name});
CREATE INDEX memory_items_kinds ON memory_items (path, first, id, status, type);
CREATE INDEX memory_items_newest ON memory_items ("created" IS NULL, "created" DESC, id);
CREATE TABLE memory_folders (folder TEXT PRIMARY KEY, listings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory_changes (number INTEGER PRIMARY KEY, path TEXT NOT NULL, token TEXT NOT NULL);
CREATE TABLE recall_scopes (
    scope TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, mark TEXT, units INTEGER NOT NULL, lengths TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory_checked (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, facts TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class IndexFormat:
    """What an index file holds: its tables, the number of their layout, and the version of what fills them beside ours.

    `filled` completes the tables where a file is made.
    A file of another form, or of another version of vfcc, is emptied when it is opened.
    """

    schema: str
    layout: int
    readers: str = ""
    filled: Callable[[str], str] = str

    def create(self, connection: sqlite3.Connection) -> None:
        """Make the tables in an empty file."""
        for statement in self.filled(self.schema).split(";"):
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


def index_form() -> IndexFormat:
    """Return the form of the index itself."""
    return IndexFormat(_SCHEMA, LAYOUT, filled=_with_item_columns)


def _with_item_columns(schema: str) -> str:
    """Return the tables with the columns of items, which take long to import and are needed for a new file alone."""
    from verifflowcc.base.model.item_query import column_definitions

    return schema.format(columns=column_definitions(), linking=LINKING, file_name=FILE_NAME)


class Store:
    """A connection to the index; a damaged file is replaced by an empty one.

    `replaced` counts how often that happened, and `notice` says why nothing is kept, where nothing is.
    """

    def __init__(self, path: Path, form: IndexFormat | None = None) -> None:
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
        """Continue with an empty index if `error` shows damage; return whether it did."""
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


def open_store(path: Path, form: IndexFormat) -> tuple[sqlite3.Connection, str | None]:
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


def _replace(path: Path, form: IndexFormat) -> tuple[sqlite3.Connection, str | None]:
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


def _open_file(path: Path, form: IndexFormat) -> sqlite3.Connection:
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
    """Return all rows; an error of Python's over damaged data is raised as SQLite's."""
    try:
        return connection.execute(statement, values).fetchall()
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(_NO_TEXT) from error


def _in_memory(form: IndexFormat) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    form.create(connection)
    return connection


def _prepare(connection: sqlite3.Connection, form: IndexFormat) -> None:
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


# Tables of derived data in SQLite: how they are opened, read, written and made good after damage.

_TRIES, _PATIENT_TRIES = 4, 20
_SUM_LENGTH = 8


class DerivedTables:
    """Some tables of one file, opened when it is first asked; threads may share it.

    The policies of all of them: the form of the file has its number, and a file of another form or version is emptied.
    Damage costs time and changes no answer: the file is begun again, in the end in memory. Writers wait for each other
    for a second at most; then a notice says what was not kept. Each text in a row has its checksum. What nothing has
    any more is deleted by whoever writes next, so that the file grows with the project alone.
    """

    unused = "the index was not used"

    def __init__(self, path: Path, form: IndexFormat | None = None) -> None:
        self._path, self._form = path, form
        self._opened: Store | None = None
        self._lock = RLock()
        self._notices: list[str] = []
        self._refused = False

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be used or kept."""
        notice = self._opened.notice if self._opened else None
        return tuple(dict.fromkeys(filter(None, [notice, *self._notices])))

    def close(self) -> None:
        """Close the file; it is opened again when it is asked again."""
        with self._lock:
            if self._opened:
                self._opened.close()
                self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = Store(self._path, self._form)
        return self._opened

    def _read(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a statement; none, and a notice, where they cannot be read."""
        try:
            return self._store.rows(statement, values)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return []

    def _write(self, write: Callable[[Store], None]) -> None:
        """Write as one transaction; a notice where that is not kept. A lock is waited for once in a command."""
        if self._refused:
            return
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                write(self._store)
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._refused = True
                self._notices.append(f"the index was not updated: {error}")

    def _write_rows(self, *statements: tuple[str, Iterable[Sequence[object]]]) -> None:
        """Run each statement for each of its rows, as `_write` does."""

        def write(store: Store) -> None:
            for statement, rows in statements:
                store.write_all(statement, rows)

        self._write(write)

    def _soundly(
        self, ask: Callable[[], _T | None], what: str, others: "Sequence[DerivedTables]" = (), *, patient: bool = False
    ) -> _T:
        """Ask until the file was sound all the way. Raises BackendError on `what` where it never is.

        `others` are asked in it too: an error may be of any of them, so that all begin again. A `patient` one waits for
        other writers, also where its answer is None, and then works in memory.
        """
        every = (self, *others)
        why = "it is being written by others"
        with ExitStack() as locks:
            for each in every:
                locks.enter_context(each._lock)
            for _ in range(_PATIENT_TRIES if patient else _TRIES):
                before = [each._store.replaced for each in every]
                try:
                    answer = ask()
                except sqlite3.DatabaseError as error:
                    why = str(error)
                    for each in every:
                        each._recover(error, patient=patient)
                else:
                    if [each._store.replaced for each in every] == before and (answer is not None or not patient):
                        return cast("_T", answer)
            if patient:
                self._store.keep_nothing(f"{self.unused}: {why}")
                answer = ask()
                if answer is not None:
                    return answer
            raise BackendError(f"{what} cannot be indexed", hint="run the command again")

    def _recover(self, error: sqlite3.DatabaseError, *, patient: bool) -> None:
        locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        if not (patient and locked) and not self._store.start_over_if_damaged(error):
            self._store.keep_nothing(f"{self.unused}: {error}")


def summed(text: str) -> str:
    """Return a text with its checksum before it."""
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}{text}"


def unsummed(kept: object) -> str | None:
    """Return the text that `summed` wrote; None for what is damaged."""
    if not isinstance(kept, str):
        return None
    text = kept[_SUM_LENGTH:]
    return text if kept == summed(text) else None
