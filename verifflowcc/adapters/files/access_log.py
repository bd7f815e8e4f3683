"""The log of uses: lines added by whoever reads items, taken away whole by the one who merges them.

Beside the log lie what is being merged: the lines that were taken, and the plan of what the items will then say. All of
it is local, ignored by git, and may be deleted; the uses that were not merged yet are lost with it.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.errors import ConflictError, WorkspaceError

LOG = "access.jsonl"
TAKEN = "access.taken.jsonl"
PLAN = "access.plan.json"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_WAIT_S, _PAUSE_S = 1.0, 0.005


def append_lines(folder: Path, root: Path, lines: bytes) -> None:
    """Add whole lines to the log in `folder`, in one write, whoever else adds to it or takes it away meanwhile.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / LOG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_inside(path, root)
        with _held(path, alone=False) as handle:
            _append(path, handle, lines)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def take_lines(folder: Path) -> bytes:
    """Return the lines that are to be merged, which stand apart from the log from now on; nothing where there are none.

    What was taken before, by somebody who did not come to the end, is returned again until `drop_taken`. Raises
    WorkspaceError, ConflictError.
    """
    taken, path = folder / TAKEN, folder / LOG
    try:
        if not taken.exists() and path.exists():
            with _held(path, alone=True):
                path.rename(taken)
        return _read(taken)
    except OSError as error:
        raise WorkspaceError(f"cannot take {path}: {error.strerror or error}") from error


def waiting_lines(folder: Path, *, taken: bool = True) -> bytes:
    """Return the lines that are not merged yet, and take none; those that were taken before too, where `taken`.

    Raises WorkspaceError.
    """
    try:
        return (_read(folder / TAKEN) if taken else b"") + b"\n" + _read(folder / LOG)
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / LOG}: {error.strerror or error}") from error


def drop_taken(folder: Path) -> None:
    """Remove the lines that were taken, then the plan. Raises WorkspaceError."""
    for name in (TAKEN, PLAN):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot remove {folder / name}: {error.strerror or error}") from error


def read_plan(folder: Path) -> bytes | None:
    """Return the plan that somebody did not carry out to the end; None where there is none. Raises WorkspaceError."""
    try:
        return _read(folder / PLAN) or None
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / PLAN}: {error.strerror or error}") from error


def _append(path: Path, handle: int, lines: bytes) -> None:
    """A line that a full disk cut short is ended first, so that it costs no other line."""
    size = os.fstat(handle).st_size
    before = b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""
    if os.write(handle, before + lines) != len(before + lines):
        raise WorkspaceError(f"cannot write {path}: there is no space for all of it")


@contextmanager
def _held(path: Path, *, alone: bool) -> Iterator[int]:
    """Open the log and lock it, and again where it was taken away in between."""
    until = time.monotonic() + _WAIT_S
    while True:
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


def _read(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return b""
    with os.fdopen(handle, "rb") as file:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise WorkspaceError(f"{path} is not an ordinary file")
        return file.read()
