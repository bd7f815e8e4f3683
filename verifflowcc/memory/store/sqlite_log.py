"""The log of what changed in a database of items, one row for each path and change, oldest first, kept by triggers.

So nobody can change an item without a trace here, not an older vfcc either. A mark is a row of the log: it is good as
long as that very row is there, which it is in no older copy of the file that went on otherwise. A database without the
log is as good a store; what changed there is told by comparing.
"""

import sqlite3
from collections.abc import Sequence

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
"""Makes the log anew, with a first row, so that there always is a newest one."""


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
