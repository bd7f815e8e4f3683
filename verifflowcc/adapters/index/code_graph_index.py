"""The index of the code graph as one file that is opened when it is first asked, and tried again until it is sound."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from verifflowcc.adapters.index.code_graph_tables import form
from verifflowcc.adapters.index.store import Store
from verifflowcc.errors import BackendError

_T = TypeVar("_T")
_TRIES = 20
"""Another process may write meanwhile; each of its steps takes less than a second."""


class CodeIndex:
    """The index at `path`, of what `readers` read."""

    def __init__(self, path: Path, readers: str) -> None:
        self._path, self._readers = path, readers
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        """The index, which is opened when it is first asked."""
        if self._store is None:
            self._store = Store(self._path, form(self._readers))
        return self._store

    def soundly(self, once: Callable[[], _T | None]) -> _T:
        """Ask `once` until it has an answer, and the index was sound all the way; in the end with an index in memory.

        Raises BackendError where there is no answer even so.
        """
        why = "it is being written by others"
        for _ in range(_TRIES):
            before = self.store.replaced
            try:
                self.store.let_go()
                answer = once()
            except sqlite3.DatabaseError as error:
                why = str(error)
                locked = isinstance(error, sqlite3.OperationalError) and "locked" in why
                if not locked and not self.store.start_over_if_damaged(error):
                    self.store.keep_nothing(f"the code graph is not kept: {error}")
                continue
            if answer is not None and self.store.replaced == before:
                return answer
        self.store.keep_nothing(f"the code graph is not kept: {why}")
        answer = once()
        if answer is None:
            raise BackendError("the code cannot be indexed", hint="run the command again")
        return answer

    def close(self) -> None:
        """Close the index."""
        if self._store is not None:
            self._store.close()
