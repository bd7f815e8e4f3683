"""The one way a file is written: a new file, fsync, rename, fsync the folder. Whole or absent after any crash."""

import os
import tempfile
from pathlib import Path

from verifflowcc.errors import WorkspaceError


def write_atomic(path: Path, data: bytes | str) -> None:
    """Put `data` at `path`, creating folders as needed; text is written as UTF-8 with the newlines it has.

    Raises WorkspaceError where the place cannot be written; the old content, if any, is then untouched.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, raw)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def _replace(path: Path, raw: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".vfcc-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
