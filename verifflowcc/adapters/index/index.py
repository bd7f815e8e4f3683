"""The index of one workspace, as one thing to open and close."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from verifflowcc.adapters.files.tree import Found
from verifflowcc.adapters.index.counts import CountCache
from verifflowcc.adapters.index.files import FileIndex, Known, Learned
from verifflowcc.adapters.index.store import open_store


class Index:
    """Facts by file and token counts by chunk.

    Everything in it can be made again: where it cannot be kept (a read-only folder, a lock held too long) the command
    works without, and `notices` says so.
    """

    def __init__(self, path: Path) -> None:
        self._connection, notice = open_store(path)
        self._notices = [] if notice is None else [notice]
        self._files = FileIndex(self._connection)
        self.counts = CountCache(self._connection)

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be kept."""
        return tuple(dict.fromkeys(self._notices))

    def known(self, files: Sequence[Found]) -> dict[str, Known]:
        """Return what is known of unchanged files, by path."""
        return self._files.known(files)

    def matches(self, terms: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return path → term → count for files that have any of `terms`."""
        return self._files.matches(terms)

    def learn(self, files: Sequence[Learned]) -> None:
        """Keep what was just read."""
        if files:
            self._keep(lambda: self._files.learn(files))

    def save(self) -> None:
        """Keep the counts that are new."""
        self._keep(self.counts.save)

    def __enter__(self) -> "Index":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _keep(self, write: Callable[[], None]) -> None:
        try:
            write()
        except sqlite3.OperationalError as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._notices.append(f"the index was not updated: {error}")
