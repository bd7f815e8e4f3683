"""Compiled prompts by a digest of everything that went in: the same question about the same files is answered at once.

Compiling is a pure function of its inputs, so a kept answer is the answer. Only the latest few are kept.
"""

import sqlite3
import zlib

KEPT = 32


class PackageCache:
    """Compiled packages as bytes, by key."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._new: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """Return what was kept under `key`."""
        row = self._connection.execute("SELECT body FROM packages WHERE key = ?", (key,)).fetchone()
        return None if row is None else zlib.decompress(row[0])

    def put(self, key: str, body: bytes) -> None:
        """Keep `body` under `key` at the next `save`."""
        self._new[key] = zlib.compress(body, 1)

    def save(self) -> None:
        """Write what is new and forget all but the latest."""
        if not self._new:
            return
        self._connection.execute("BEGIN IMMEDIATE")
        (stamp,) = self._connection.execute("SELECT coalesce(max(stamp), 0) FROM packages").fetchone()
        for number, (key, body) in enumerate(self._new.items(), stamp + 1):
            self._connection.execute("INSERT OR REPLACE INTO packages VALUES (?, ?, ?)", (key, number, body))
        self._connection.execute("DELETE FROM packages WHERE stamp <= (SELECT max(stamp) FROM packages) - ?", (KEPT,))
        self._connection.execute("COMMIT")
        self._new.clear()
