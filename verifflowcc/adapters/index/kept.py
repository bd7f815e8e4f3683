"""Tables of the index whose loss is a notice and never an error: all that they hold can be made again."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zlib import crc32

from verifflowcc.adapters.index.store import Store

_SUM_LENGTH = 8


class KeptTables:
    """Some tables of the index, as one thing to open and close; where they cannot be kept, `notices` says so."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        self._notices: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be kept or read."""
        return tuple(dict.fromkeys(filter(None, [self._store.notice, *self._notices])))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def _read(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a statement; none, and a notice, where they cannot be read."""
        try:
            return self._store.rows(statement, values)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return []

    @contextmanager
    def _writing(self) -> Iterator[Store]:
        """Write what is inside as one transaction; a notice where that is not kept."""
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                yield self._store
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._notices.append(f"the index was not updated: {error}")


def summed(text: str) -> str:
    """Return a text with its checksum before it."""
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}{text}"


def unsummed(kept: object) -> str | None:
    """Return the text that `summed` wrote; None for what is damaged."""
    if not isinstance(kept, str):
        return None
    text = kept[_SUM_LENGTH:]
    return text if kept == summed(text) else None
