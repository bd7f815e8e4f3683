"""The local lock: one writer at a time in one working tree."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

from verifflowcc.base.errors import ConflictError, FileErrors, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.private_files import private_if_own

# A log of whole lines in a local file, to which several processes may add, and which one may take away.

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_WAIT_S, _PAUSE_S = 1.0, 0.005


def append_whole(path: Path, handle: int, lines: bytes) -> None:
    """Add whole lines in one write. A line that a full disk cut short is ended first, so that it costs no other line.

    Raises WorkspaceError where not all of it fits on the disk.
    """
    size = os.fstat(handle).st_size
    before = b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""
    if os.write(handle, before + lines) != len(before + lines):
        raise WorkspaceError(f"cannot write {path}: there is no space for all of it")


def has_passed(path: Path, handle: int, lines: bytes, step_bytes: int) -> bool:
    """Add whole lines as `append_whole` does; return whether the log has passed a multiple of `step_bytes` by them."""
    append_whole(path, handle, lines)
    ends = os.lseek(handle, 0, os.SEEK_CUR)
    return ends // step_bytes > (ends - len(lines)) // step_bytes


def make_smaller(path: Path, smaller: Callable[[bytes], bytes]) -> None:
    """Put what `smaller` makes of the log in its place, where that is shorter, with all who add kept out.

    They open the log again when they find another file in its place, so that no line of theirs is lost with this one.
    Where it cannot be done (others hold it for too long, no space) the log stays as it is.
    """
    from verifflowcc.base.files.write import write_atomic

    try:
        with held(path, alone=True):
            data = read_log(path)
            shorter = smaller(data)
            if len(shorter) < len(data):
                write_atomic(path, shorter)
    except (OSError, WorkspaceError, ConflictError):
        return


@contextmanager
def adding_to(path: Path, root: Path, *, alone: bool) -> Iterator[int]:
    """Open the log to add to it, in a folder that is made where there is none; `path` must not leave `root` by a link.

    Raises WorkspaceError where it cannot be written, what is done under it included, ConflictError where it is held
    for too long.
    """
    with FileErrors("write", path):
        with private_if_own(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        check_inside(path, root)
        with held(path, alone=alone) as handle:
            yield handle


@contextmanager
def held(path: Path, *, alone: bool) -> Iterator[int]:
    """Open the log and lock it, and again where it was taken away in between; `alone`, or with others who add to it.

    Raises OSError, WorkspaceError where it is no ordinary file, ConflictError where it is held for too long.
    """
    until = time.monotonic() + _WAIT_S
    while True:
        with private_if_own(path):
            handle = os.open(path, _FLAGS, 0o666)
        try:
            found = os.fstat(handle)
            if not S_ISREG(found.st_mode):
                raise WorkspaceError(f"{path} is not an ordinary file")
            if _locked(handle, alone=alone) and _is_at(path, found):
                yield handle
                return
        finally:
            os.close(handle)
        if time.monotonic() >= until:
            raise ConflictError(f"{path} is held by somebody else", hint="run the command again")
        time.sleep(_PAUSE_S)


def _locked(handle: int, *, alone: bool) -> bool:
    import fcntl  # not on Windows, where vfcc is untested

    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, found: os.stat_result) -> bool:
    try:
        now = path.lstat()
    except FileNotFoundError:
        return False
    return (now.st_ino, now.st_dev) == (found.st_ino, found.st_dev)


def log_bytes(path: Path) -> bytes:
    """Return all of the log; nothing where there is none. Raises WorkspaceError where it cannot be read."""
    with FileErrors("read", path):
        return read_log(path)


def read_log(path: Path) -> bytes:
    """Return all of the log; nothing where there is none. Raises OSError, WorkspaceError for no ordinary file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return b""
    with os.fdopen(handle, "rb") as file:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise WorkspaceError(f"{path} is not an ordinary file")
        return file.read()


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
    """Return the process that holds the lock file; None where it is free.

    It is `unknown` where the file does not name it.

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
        return _holder_text(handle)
    except OSError as error:
        raise WorkspaceError(f"cannot ask for {path}: {error.strerror or error}") from error
    finally:
        os.close(handle)
    return None


def _note(handle: int, path: Path) -> None:
    with FileErrors("write", path):
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)


def _holder_text(handle: int) -> str:
    return os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"


def _open(path: Path) -> int:
    with FileErrors("write", path), private_if_own(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)


def _acquire(handle: int, path: Path, wait_s: float, *, shared: bool) -> None:
    import fcntl  # not on Windows, where vfcc is untested

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with FileErrors("lock", path):
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if not _wait_for_lock(handle, kind, wait_s):
                raise ConflictError(
                    f"{path} is held by another vfcc (process {_holder_text(handle)})",
                    hint="wait until it is done, then run the command again",
                ) from error


def _wait_for_lock(handle: int, kind: int, wait_s: float) -> bool:
    """Wait in the system's own queue, which is fair; return whether the lock is held.

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
