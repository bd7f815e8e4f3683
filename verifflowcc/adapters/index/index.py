"""The index of one workspace, as one thing to open and close."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from verifflowcc.adapters.files.tree import Found
from verifflowcc.adapters.index.counts import CountCache
from verifflowcc.adapters.index.files import FileIndex, Known, Learned, Matches
from verifflowcc.adapters.index.store import Store


class Index:
    """Facts by file and token counts by chunk.

    Everything in it can be made again: where it cannot be kept (a read-only folder, a lock held too long) the command
    works without, and `notices` says so.
    """

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        self._notices: list[str] = []
        self._writable = True
        self._files = FileIndex(self._store)
        self.counts = CountCache(self._store)

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be kept."""
        return tuple(dict.fromkeys(filter(None, [self._store.notice, *self._notices])))

    def known(self, files: Sequence[Found], terms: Sequence[str]) -> tuple[dict[str, Known], Matches]:
        """Return what is known of unchanged files, by path, and what is searched of files with any of `terms`."""
        try:
            return self._files.known(files, terms)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return {}, {}

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
        self._store.close()

    def _keep(self, write: Callable[[], None]) -> None:
        """Write, or tell why not; a lock is waited for once in a command."""
        if not self._writable:
            return
        try:
            write()
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._writable = False
                self._notices.append(f"the index was not updated: {error}")
