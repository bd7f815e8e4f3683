"""The one way a file is written: a new file, fsync, rename, fsync the folder. Whole or absent after any crash."""

import errno
import os
import secrets
import tempfile
from pathlib import Path

from verifflowcc.errors import WorkspaceError

PREFIX, SUFFIX = ".vfcc-", ".tmp"
"""Around the name of a file that is being written; the process's number comes first."""

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


def write_atomic(path: Path, data: bytes | str, *, mode: int | None = None) -> None:
    """Put `data` at `path`, creating folders as needed; text is written as UTF-8 with the newlines it has.

    The file gets the permissions `mode`, else those of any new file.

    Raises WorkspaceError where the place cannot be written; the old content, if any, is then untouched.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, raw, mode=mode)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def create_atomic(path: Path, data: bytes) -> bool:
    """Put `data` at `path` where nothing is yet, creating folders as needed; return whether nothing was.

    Of several that do so at once one succeeds. Raises WorkspaceError where the place cannot be written.
    """
    try:
        _make_folders(path.parent)
        return _create(path, data)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def write_derived(path: Path, data: bytes) -> None:
    """Put `data` at `path` as `write_atomic` does, but without waiting for the disk: for what its reader can check.

    After the machine, and not just the process, went down the file may hold anything. Raises WorkspaceError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data, durable=False)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def is_temporary(name: str) -> bool:
    """Say whether a file of that name is one that a writer makes and renames, or leaves behind where it is killed."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def _replace(path: Path, raw: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    handle, name = tempfile.mkstemp(prefix=f"{PREFIX}{os.getpid()}-", suffix=SUFFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask() if mode is None else mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def _create(path: Path, raw: bytes) -> bool:
    name = path.with_name(f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}{SUFFIX}")
    try:
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        _put(name, path)
    except FileExistsError:
        return False
    finally:
        name.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def _put(name: Path, path: Path) -> None:
    """Give a file its name where nothing has it; raises FileExistsError."""
    try:
        path.hardlink_to(name)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links: an empty file takes the name first, so that of two only one goes on.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        name.replace(path)


def _make_folders(folder: Path) -> None:
    """Make a folder that outlives a loss of power, with those above it."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder outlive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
