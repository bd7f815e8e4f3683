"""Tables of the index whose answers are right whatever becomes of its file: damage costs time, and changes nothing."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import RLock
from typing import TypeVar

from verifflowcc.adapters.index.store import Store
from verifflowcc.errors import BackendError

_T = TypeVar("_T")
_TRIES = 4


class SoundTables:
    """Some tables of the index, which is opened when it is first asked; threads may share it.

    What is asked makes good what it misses: after damage it goes on with an empty index, in the end one in memory.
    """

    def __init__(self, index: Path) -> None:
        self._path = index
        self._opened: Store | None = None
        self._lock = RLock()

    @property
    def notices(self) -> tuple[str, ...]:
        """Why the index could not be used or kept."""
        notice = self._opened.notice if self._opened else None
        return (notice,) if notice else ()

    def close(self) -> None:
        """Close the index; it is opened again when it is asked again."""
        with self._lock:
            if self._opened:
                self._opened.close()
                self._opened = None

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = Store(self._path)
        return self._opened

    def _soundly(self, ask: Callable[[], _T], what: str, others: Sequence["SoundTables"] = ()) -> _T:
        """Ask until the index was sound all the way. Raises BackendError, which tells `what`, where it never is.

        `others` are asked in it too: an error may be of any of them, so that all go on anew.
        """
        every = (self, *others)
        with ExitStack() as locks:
            for each in every:
                locks.enter_context(each._lock)
            for _ in range(_TRIES):
                before = [each._store.replaced for each in every]
                try:
                    answer = ask()
                except sqlite3.DatabaseError as error:
                    for each in every:
                        each._go_on_after(error)
                else:
                    if [each._store.replaced for each in every] == before:
                        return answer
            raise BackendError(f"{what} cannot be indexed", hint="run the command again")

    def _go_on_after(self, error: sqlite3.DatabaseError) -> None:
        if not self._store.start_over_if_damaged(error):
            self._store.keep_nothing(f"the index was not used: {error}")
