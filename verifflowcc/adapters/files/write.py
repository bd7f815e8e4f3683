"""The one way a file is written: a new file, fsync, rename, fsync the folder. Whole or absent after any crash."""

import os
import tempfile
from pathlib import Path

from verifflowcc.errors import WorkspaceError

PREFIX, SUFFIX = ".vfcc-", ".tmp"
"""Around the name of a file that is being written; the process's number comes first."""


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
