"""The local lock: one writer at a time in one working tree."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.adapters.files.private import private_if_own
from verifflowcc.errors import ConflictError, WorkspaceError


@contextmanager
def locked(path: Path, wait_s: float, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; the system frees it when the process ends, however it ends.

    Many may hold a `shared` lock at a time, and none while somebody holds it for themselves.

    Raises ConflictError where another process holds it for longer than `wait_s` seconds, and WorkspaceError where it
    cannot be made.
    """
    handle = _open(path)
    try:
        _acquire(handle, path, wait_s, shared=shared)
        if not shared:
            _note(handle, path)
        yield
    finally:
        os.close(handle)


def holder(path: Path) -> str | None:
    """Return the process that holds the lock file, `unknown` where it does not say, or None where nobody does.

    Nothing is made or written. Raises WorkspaceError where that cannot be asked.
    """
    import fcntl  # not on Windows, where vfcc is untested

    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _said(handle)
    except OSError as error:
        raise WorkspaceError(f"cannot ask for {path}: {error.strerror or error}") from error
    finally:
        os.close(handle)
    return None


def _note(handle: int, path: Path) -> None:
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def _said(handle: int) -> str:
    return os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"


def _open(path: Path) -> int:
    try:
        with private_if_own(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def _acquire(handle: int, path: Path, wait_s: float, *, shared: bool) -> None:
    import fcntl  # not on Windows, where vfcc is untested

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if not _waited(handle, kind, wait_s):
                raise ConflictError(
                    f"{path} is held by another vfcc (process {_said(handle)})",
                    hint="wait until it is done, then run the command again",
                ) from error
    except OSError as error:
        raise WorkspaceError(f"cannot lock {path}: {error.strerror or error}") from error


def _waited(handle: int, kind: int, wait_s: float) -> bool:
    """Wait in the system's own queue, where nobody is passed over; return whether the lock is held now.

    The system cannot be told how long to wait, so a thread waits. It has the file open for itself: where nobody wants
    the lock any more when it comes, closing that gives it back.
    """
    import fcntl  # not on Windows, where vfcc is untested
    from threading import Thread

    if wait_s <= 0:
        return False
    own = os.dup(handle)
    failed: list[OSError] = []

    def wait() -> None:
        try:
            fcntl.flock(own, kind)
        except OSError as error:
            failed.append(error)
        finally:
            os.close(own)

    waiting = Thread(target=wait, daemon=True)
    try:
        waiting.start()
    except RuntimeError:
        os.close(own)
        raise
    waiting.join(wait_s)
    if failed:
        raise failed[0]
    return not waiting.is_alive()
