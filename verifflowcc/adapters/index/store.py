"""The index file: SQLite, opened for one command, rebuilt whenever it is missing, old or damaged."""

import sqlite3
from pathlib import Path

from verifflowcc import __version__

LAYOUT = 2
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, signature TEXT NOT NULL, settled INTEGER NOT NULL,
    digest TEXT NOT NULL, facts TEXT NOT NULL, notices TEXT NOT NULL, length INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE postings (term TEXT, number INTEGER, count INTEGER, PRIMARY KEY (term, number)) WITHOUT ROWID;
CREATE INDEX postings_by_number ON postings (number);
CREATE TABLE counts (key TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID;
"""


def open_store(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """Open the index at `path`, or one in memory where that folder cannot be written.

    Returns the connection and a notice for the person where the index is not kept.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _open_file(path), None
    except sqlite3.DatabaseError as error:
        if not _damaged(error):
            return _in_memory(), f"nothing is cached: {path} cannot be used ({error})"
    except OSError as error:
        return _in_memory(), f"nothing is cached: {path.parent} cannot be written ({error.strerror})"
    try:
        remove(path)
        return _open_file(path), None
    except (OSError, sqlite3.DatabaseError) as error:
        return _in_memory(), f"nothing is cached: {path} is damaged and cannot be replaced ({error})"


def remove(path: Path) -> None:
    """Delete the index and what SQLite keeps beside it."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)


def _damaged(error: sqlite3.DatabaseError) -> bool:
    return not isinstance(error, sqlite3.OperationalError)


def _open_file(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5, isolation_level=None)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _create(connection)
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    if _made_by_this(connection):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    if not _made_by_this(connection):
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'DROP TABLE "{name}"')
        _create(connection)
    connection.execute("COMMIT")


def _made_by_this(connection: sqlite3.Connection) -> bool:
    if connection.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
        return False
    row = connection.execute("SELECT value FROM about WHERE name = 'version'").fetchone()
    return bool(row == (__version__,))


def _create(connection: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO about VALUES ('version', ?)", (__version__,))
    connection.execute(f"PRAGMA user_version = {LAYOUT}")
