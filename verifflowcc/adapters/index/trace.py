"""What is known of trace items and of the last reports: a file that did not change is neither read nor parsed again.

Everything here can be made again. Each text is kept with its checksum, so that what was damaged counts as not there.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import NamedTuple
from zlib import crc32

from verifflowcc.adapters.index.store import Store

_ITEMS = "SELECT path, stamp, digest, facts FROM trace_items WHERE policy = ?"


class ItemRow(NamedTuple):
    """A file as it was parsed: its stamp ("" where that could not be trusted), the digest of its bytes, its facts."""

    path: str
    stamp: str
    digest: str
    facts: str


class TraceIndex:
    """The trace's tables in the index; where they cannot be kept, `notices` says so and everything works without."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        self._notices: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be kept or read."""
        return tuple(dict.fromkeys(filter(None, [self._store.notice, *self._notices])))

    def items(self, policy: str) -> dict[str, ItemRow]:
        """Return path → row of every file that was parsed under this policy."""
        found = {}
        for path, stamp, digest, text in self._read(_ITEMS, (policy,)):
            if isinstance(text, str) and text[:8] == _sum(text[8:]):
                found[path] = ItemRow(path, stamp, digest, text[8:])
        return found

    def learn(self, policy: str, rows: Iterable[ItemRow], gone: Iterable[str]) -> None:
        """Keep what was just parsed, forget files that are gone; all in one transaction."""
        new = [(row.path, row.stamp, policy, row.digest, _sum(row.facts) + row.facts) for row in rows]
        old = [(path,) for path in gone]
        if new or old:
            self._write(
                ("DELETE FROM trace_items WHERE path = ?", old),
                ("INSERT OR REPLACE INTO trace_items VALUES (?, ?, ?, ?, ?)", new),
            )

    def recall(self, name: str, key: str) -> str | None:
        """Return what was kept under a name, if it is for this very key."""
        rows = self._read("SELECT body FROM trace_reports WHERE name = ? AND key = ?", (name, key))
        text = rows[0][0] if rows else None
        if not isinstance(text, str) or text[:64] != _digest(name, key, text[64:]):
            return None
        return text[64:]

    def keep(self, name: str, key: str, body: str) -> None:
        """Keep a text under a name, in place of what was there."""
        values = (name, key, _digest(name, key, body) + body)
        self._write(("INSERT OR REPLACE INTO trace_reports VALUES (?, ?, ?)", [values]))

    def __enter__(self) -> "TraceIndex":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def _read(self, statement: str, values: tuple[str, ...]) -> list[tuple[str, ...]]:
        try:
            return self._store.rows(statement, values)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return []

    def _write(self, *statements: tuple[str, Sequence[tuple[str, ...]]]) -> None:
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                for statement, values in statements:
                    self._store.write_all(statement, values)
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._notices.append(f"the index was not updated: {error}")


def _sum(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _digest(name: str, key: str, body: str) -> str:
    return sha256("\0".join((name, key, body)).encode("utf-8", "surrogatepass")).hexdigest()
