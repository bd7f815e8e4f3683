"""The one way a file is written: a new file, fsync, rename, fsync the folder. Whole or absent after any crash."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.adapters.files.private import private_if_own
from verifflowcc.errors import WorkspaceError

PREFIX, SUFFIX = ".vfcc-", ".tmp"
"""Around the name of a file that is being written; the process's number comes first."""

_AT_ONCE, _IN_A_BATCH = 8, 64
"""Files that wait for the disk at a time, and files whose temporary ones are there at a time."""

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


def write_atomic(path: Path, data: bytes | str, *, mode: int | None = None) -> None:
    """Put `data` at `path`, creating folders as needed; text is written as UTF-8 with the newlines it has.

    The file gets the permissions `mode`, else those of any new file.

    Raises WorkspaceError where the place cannot be written; the old content, if any, is then untouched.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    try:
        with private_if_own(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, raw, mode=mode)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def create_atomic(path: Path, data: bytes) -> bool:
    """Put `data` at `path` where nothing is yet, creating folders as needed; return whether nothing was.

    Of several that do so at once one succeeds. Raises WorkspaceError where the place cannot be written.
    """
    try:
        with private_if_own(path):
            _make_folders(path.parent)
            return _create(path, data)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def create_all_atomic(files: Sequence[tuple[Path, bytes]]) -> list[bool]:
    """Put bytes at each path as `create_atomic` does, in order; return of each whether nothing was there.

    It takes far less than one after the other, since the disk is waited for once for several. Raises WorkspaceError at
    the first that cannot be written; some of the others are there then.
    """
    made: list[bool] = []
    for start in range(0, len(files), _IN_A_BATCH):
        batch = files[start : start + _IN_A_BATCH]
        try:
            with private_if_own(batch[0][0]):
                for folder in dict.fromkeys(path.parent for path, _ in batch):
                    _make_folders(folder)
                made += _create_batch(batch)
        except OSError as error:
            place = error.filename or batch[0][0].parent
            raise WorkspaceError(f"cannot write {place}: {error.strerror or error}") from error
    return made


def write_derived(path: Path, data: bytes) -> None:
    """Put `data` at `path` as `write_atomic` does, but without waiting for the disk: for what its reader can check.

    After the machine, and not just the process, went down the file may hold anything. Raises WorkspaceError.
    """
    try:
        with private_if_own(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, data, durable=False)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def is_temporary(name: str) -> bool:
    """Say whether a file of that name is one that a writer makes and renames, or leaves behind where it is killed."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def _replace(path: Path, raw: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    import tempfile  # takes long to import, and most commands write nothing

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
    name = _temporary(path)
    try:
        _write_new(name, raw)
        made = _is_put(name, path)
    finally:
        name.unlink(missing_ok=True)
    if made:
        sync_folder(path.parent)
    return made


def _create_batch(files: Sequence[tuple[Path, bytes]]) -> list[bool]:
    from concurrent.futures import ThreadPoolExecutor

    names = [_temporary(path) for path, _ in files]
    try:
        with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as threads:
            list(threads.map(_write_new, names, [raw for _, raw in files]))
        made = [_is_put(name, path) for name, (path, _) in zip(names, files, strict=True)]
    finally:
        for name in names:
            name.unlink(missing_ok=True)
    for folder in dict.fromkeys(path.parent for path, _ in files):
        sync_folder(folder)
    return made


def _temporary(path: Path) -> Path:
    return path.with_name(f"{PREFIX}{os.getpid()}-{os.urandom(8).hex()}{SUFFIX}")


def _write_new(name: Path, raw: bytes) -> None:
    with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())


def _is_put(name: Path, path: Path) -> bool:
    try:
        _put(name, path)
    except FileExistsError:
        return False
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
