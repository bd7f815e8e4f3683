"""Tables of derived data in SQLite: how they are opened, read, written and made good after damage."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import RLock
from typing import Any, Self, TypeVar, cast
from zlib import crc32

from verifflowcc.adapters.index.store import Form, Store
from verifflowcc.errors import BackendError

_T = TypeVar("_T")
_TRIES, _PATIENT_TRIES = 4, 20
_SUM_LENGTH = 8


class DerivedTables:
    """Some tables of one file, opened when it is first asked; threads may share it.

    The policies of all of them: the form of the file has its number, and a file of another form or version is emptied.
    Damage costs time and changes no answer: the file is begun again, in the end in memory. Writers wait for each other
    for a second at most; then a notice says what was not kept. Each text in a row has its checksum. What nothing has
    any more is deleted by whoever writes next, so that the file grows with the project alone.
    """

    unused = "the index was not used"

    def __init__(self, path: Path, form: Form | None = None) -> None:
        self._path, self._form = path, form
        self._opened: Store | None = None
        self._lock = RLock()
        self._notices: list[str] = []
        self._refused = False

    @property
    def notices(self) -> tuple[str, ...]:
        """Why something could not be used or kept."""
        notice = self._opened.notice if self._opened else None
        return tuple(dict.fromkeys(filter(None, [notice, *self._notices])))

    def close(self) -> None:
        """Close the file; it is opened again when it is asked again."""
        with self._lock:
            if self._opened:
                self._opened.close()
                self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = Store(self._path, self._form)
        return self._opened

    def _read(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a statement; none, and a notice, where they cannot be read."""
        try:
            return self._store.rows(statement, values)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return []

    def _write(self, write: Callable[[Store], None]) -> None:
        """Write as one transaction; a notice where that is not kept. A lock is waited for once in a command."""
        if self._refused:
            return
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                write(self._store)
        except sqlite3.DatabaseError as error:
            if not self._store.start_over_if_damaged(error):
                self._refused = True
                self._notices.append(f"the index was not updated: {error}")

    def _write_rows(self, *statements: tuple[str, Sequence[Sequence[object]]]) -> None:
        """Run each statement for each of its rows, as `_write` does."""

        def write(store: Store) -> None:
            for statement, rows in statements:
                store.write_all(statement, rows)

        self._write(write)

    def _soundly(
        self, ask: Callable[[], _T | None], what: str, others: "Sequence[DerivedTables]" = (), *, patient: bool = False
    ) -> _T:
        """Ask until the file was sound all the way. Raises BackendError on `what` where it never is.

        `others` are asked in it too: an error may be of any of them, so that all begin again. A `patient` one waits for
        other writers, also where its answer is None, and then works in memory.
        """
        every = (self, *others)
        why = "it is being written by others"
        with ExitStack() as locks:
            for each in every:
                locks.enter_context(each._lock)
            for _ in range(_PATIENT_TRIES if patient else _TRIES):
                before = [each._store.replaced for each in every]
                try:
                    answer = ask()
                except sqlite3.DatabaseError as error:
                    why = str(error)
                    for each in every:
                        each._recover(error, patient=patient)
                else:
                    if [each._store.replaced for each in every] == before and (answer is not None or not patient):
                        return cast("_T", answer)
            if patient:
                self._store.keep_nothing(f"{self.unused}: {why}")
                answer = ask()
                if answer is not None:
                    return answer
            raise BackendError(f"{what} cannot be indexed", hint="run the command again")

    def _recover(self, error: sqlite3.DatabaseError, *, patient: bool) -> None:
        locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        if not (patient and locked) and not self._store.start_over_if_damaged(error):
            self._store.keep_nothing(f"{self.unused}: {error}")


def summed(text: str) -> str:
    """Return a text with its checksum before it."""
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}{text}"


def unsummed(kept: object) -> str | None:
    """Return the text that `summed` wrote; None for what is damaged."""
    if not isinstance(kept, str):
        return None
    text = kept[_SUM_LENGTH:]
    return text if kept == summed(text) else None
