"""Folders of scratch trees: each belongs to the process that holds its lock; what a killed process left is removed.

The system gives a lock up when a process ends, however it ends. A folder gets its name when it is locked already, so
one of that name without a lock belongs to no process; before that, its name has the number of the process.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL

PREFIX = "vfcc-prove-"
ORDERS = "orders.json"
VARIABLE = "VFCC_PROVE"
"""Names the file with a run's orders to each of its processes."""

_MAKING = "vfcc-making-"
_LOCK = "lock"


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Give an empty folder for temporary files that no other process removes; it is removed at the end.

    Raises OSError where it cannot be made.
    """
    making = Path(tempfile.mkdtemp(prefix=f"{_MAKING}{os.getpid()}-")).resolve()
    folder = making.with_name(PREFIX + making.name.rpartition("-")[2])
    lock = os.open(making / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        making.rename(folder)
        yield folder
    finally:
        remove(folder if folder.exists() else making)
        os.close(lock)


def sweep() -> None:
    """Remove the folders of this user that no process holds, and end what still runs the tests of one."""
    for prefix in (PREFIX, _MAKING):
        for folder in Path(tempfile.gettempdir()).resolve().glob(f"{prefix}*"):
            with suppress(OSError):
                found = folder.lstat()
                if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and _is_orphan(folder):
                    _end_runs(folder)
                    remove(folder)


def _is_orphan(folder: Path) -> bool:
    if folder.name.startswith(_MAKING):
        return not _runs(folder.name.split("-")[2])
    try:
        handle = os.open(folder / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def _runs(number: str) -> bool:
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _end_runs(folder: Path) -> None:
    """End the processes that run tests in an orphan, where the system shows their variables: they would write there."""
    sought = f"{VARIABLE}={folder / 'private' / ORDERS}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if sought in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), SIGKILL)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, also what tests made read-only."""

    def permit(_: object, path: str, __: object) -> None:
        with suppress(OSError):
            if folder in Path(path).parents:  # never what the folder is in
                Path(path).parent.chmod(0o700)
            if Path(path).is_dir() and not Path(path).is_symlink():
                Path(path).chmod(0o700)
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink()

    shutil.rmtree(folder, onerror=permit)
