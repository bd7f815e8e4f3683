"""What is known of source files by their content: a text that was read once is not read again, wherever it lies."""

import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from zlib import crc32

from verifflowcc.adapters.index.store import Store

_FEW = 200
_SPARE = 1_000

Key = tuple[str, str]
"""The digest of a file's content, and the kind of reading."""


class CodeIndex:
    """The table `code` of the index; where it cannot be kept, `notices` says so and everything works without."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        self._notices: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be kept or read."""
        return tuple(dict.fromkeys(filter(None, [self._store.notice, *self._notices])))

    def known(self, keys: Collection[Key]) -> dict[Key, str]:
        """Return the facts that are kept under these keys; what was damaged counts as not there."""
        statement, values = "SELECT digest, kind, facts FROM code", tuple({digest for digest, _ in keys})
        if len(values) <= _FEW:
            statement += f" WHERE digest IN ({','.join('?' * len(values))})"
        try:
            rows = self._store.rows(statement, values if len(values) <= _FEW else ())
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return {}
        wanted = set(keys)
        return {
            (digest, kind): facts[8:]
            for digest, kind, facts in rows
            if (digest, kind) in wanted and isinstance(facts, str) and facts[:8] == _sum(facts[8:])
        }

    def learn(self, new: Mapping[Key, str], present: Collection[Key]) -> None:
        """Keep what was just read; forget what is not `present` once there is more of that than of the rest."""
        if not new:
            return
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                values = [(digest, kind, _sum(facts) + facts) for (digest, kind), facts in new.items()]
                self._store.write_all("INSERT OR REPLACE INTO code VALUES (?, ?, ?)", values)
                ((count,),) = self._store.rows("SELECT count(*) FROM code")
                if count > 2 * len(present) + _SPARE:
                    known = self._store.rows("SELECT digest, kind FROM code")
                    gone = [(digest, kind) for digest, kind in known if (digest, kind) not in present]
                    self._store.write_all("DELETE FROM code WHERE digest = ? AND kind = ?", gone)
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._notices.append(f"the index was not updated: {error}")

    def __enter__(self) -> "CodeIndex":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()


def _sum(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"
