"""Who writes to the files of a scope: many at a time, each one item; or one alone, for what it reads and writes."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock, RLock, get_ident

from verifflowcc.adapters.files.lock import locked
from verifflowcc.errors import ConflictError
from verifflowcc.records import dataclass, field

WAIT_S = 60.0


@dataclass(slots=True)
class _Held:
    """What this process holds of one lock file."""

    threads: RLock = field(default_factory=RLock)
    owner: int | None = None


_held: dict[str, _Held] = {}
_held_lock = Lock()


class ScopeLock:
    """The lock of one scope, in a folder of lock files.

    Who waits to be alone closes a gate first, so that those who write one item each do not keep it waiting forever.
    All tasks share one lock: they come and go, and a lock file stays.
    """

    def __init__(self, folder: Path, scope: str) -> None:
        kind = scope.partition("/")[0]
        self._path = folder / (kind if kind == "task" else scope.replace("/", "+"))
        self._gate = folder / f"{self._path.name}.gate"
        with _held_lock:
            self._here = _held.setdefault(str(self._path.absolute()), _Held())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep all others out; may be entered again by the same thread. Raises ConflictError, WorkspaceError."""
        if not self._here.threads.acquire(timeout=WAIT_S):
            raise ConflictError(f"{self._path} is held by another thread", hint="wait until it is done")
        try:
            if self._here.owner == get_ident():
                yield
                return
            with locked(self._gate, WAIT_S), locked(self._path, WAIT_S):
                self._here.owner = get_ident()
                try:
                    yield
                finally:
                    self._here.owner = None
        finally:
            self._here.threads.release()

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Keep those out who want to be alone, unless it is this thread. Raises ConflictError, WorkspaceError."""
        if self._here.owner == get_ident():
            yield
            return
        with ExitStack() as held:
            with locked(self._gate, WAIT_S, shared=True):
                held.enter_context(locked(self._path, WAIT_S, shared=True))
            yield
