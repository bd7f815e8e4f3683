"""Token counts by content digest, kept between commands and written in one go."""

import sqlite3
from collections.abc import Iterator, MutableMapping


class CountCache(MutableMapping[str, int]):
    """A mapping that reads from the index when asked and writes what is new at `save`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._here: dict[str, int] = {}
        self._new: dict[str, int] = {}

    def __getitem__(self, key: str) -> int:
        if key not in self._here:
            row = self._connection.execute("SELECT tokens FROM counts WHERE key = ?", (key,)).fetchone()
            if row is None:
                raise KeyError(key)
            self._here[key] = row[0]
        return self._here[key]

    def __setitem__(self, key: str, tokens: int) -> None:
        self._here[key] = self._new[key] = tokens

    def __delitem__(self, key: str) -> None:
        raise TypeError("a count by content digest never becomes wrong")

    def __iter__(self) -> Iterator[str]:
        return iter(self._here)

    def __len__(self) -> int:
        return len(self._here)

    def prefetch(self, prefix: str) -> None:
        """Read every count whose key begins with `prefix`, in one go."""
        rows = self._connection.execute(
            "SELECT key, tokens FROM counts WHERE key >= ? AND key < ?", (prefix, prefix + "\U0010ffff")
        )
        self._here.update(rows.fetchall())

    def save(self) -> None:
        """Write the new counts in one transaction."""
        if not self._new:
            return
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?)", self._new.items())
        self._connection.execute("COMMIT")
        self._new.clear()
