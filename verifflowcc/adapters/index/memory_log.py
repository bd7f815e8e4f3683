"""Which item files changed, one row each time, oldest first: what a copy of a scope has to look at again.

A mark is a row of this log. It is good as long as that very row is there, which no other index has: not one that was
made anew, nor an older copy that went on otherwise. A longer log than the files are worth loses its oldest rows.
"""

import os
import sqlite3
from collections.abc import Iterable

from verifflowcc.adapters.index.store import Store, summed

SHORT = 1_000
"""So many rows are kept however few the files are."""

_DIGITS = 18
_SUM = 8


def log_changes(store: Store, paths: Iterable[str]) -> None:
    """Add rows for paths at which what counts may have changed; within the transaction that changes it."""
    token = os.urandom(8).hex()
    rows = [(path, f"{_sum_of(path)}{token}") for path in paths]
    store.write_all("INSERT INTO memory_changes (path, token) VALUES (?, ?)", rows)
    _shorten(store)


def newest_mark(store: Store) -> str:
    """Return the mark of now; empty, which is never good, where nothing was ever logged."""
    rows = store.rows("SELECT number, token FROM memory_changes ORDER BY number DESC LIMIT 1")
    return f"{rows[0][0]}:{rows[0][1]}" if rows else ""


def paths_since(store: Store, mark: str | None, between: tuple[str, str]) -> list[str] | None:
    """Return the paths logged after a mark that stand between two; None where the mark is not of this log.

    Raises sqlite3.DatabaseError where a row is damaged.
    """
    number, _, token = (mark or "").partition(":")
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        return None
    if store.rows("SELECT token FROM memory_changes WHERE number = ?", (int(number),)) != [(token,)]:
        return None
    statement = "SELECT path, token FROM memory_changes WHERE number > ? AND path > ? AND path < ?"
    found = {}
    for path, said in store.rows(statement, (int(number), *between)):
        if not str(said).startswith(_sum_of(str(path))):
            raise sqlite3.DatabaseError("a row of the index is damaged")
        found[str(path)] = True
    return list(found)


def _sum_of(path: str) -> str:
    return summed(path)[:_SUM]


def _shorten(store: Store) -> None:
    """Take out the oldest rows where there are far more than files; the newest ones stay."""
    oldest, newest = (
        store.rows(f"SELECT coalesce({end}(number), 0) FROM memory_changes")[0][0] for end in ("min", "max")
    )
    if newest - oldest <= SHORT:
        return
    ((files,),) = store.rows("SELECT count(*) FROM memory_items")
    if newest - oldest > 2 * files + SHORT:
        store.rows("DELETE FROM memory_changes WHERE number <= ?", (newest - files - SHORT // 2,))
