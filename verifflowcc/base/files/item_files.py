"""Item files on the disk: read them, create them, replace them if unchanged."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE, S_ISREG

from verifflowcc.base.errors import ConflictError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.write import LARGEST_FILE_BYTES, create_all_atomic, sweep, write_atomic
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS
from verifflowcc.base.text.markdown import conflict_line

WAIT_S = 10.0


def draw_letters() -> str:
    """Return four letters for the id of a new item, drawn at random."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))


@contextmanager
def writing_items(memory: Path) -> Iterator[None]:
    """Hold the local lock, so that one writer at a time changes items. Raises ConflictError, WorkspaceError."""
    with locked(memory / "local" / "lock", WAIT_S):
        yield


def read_item_file(root: Path, path: str) -> bytes:
    """Return the bytes of the file at `path` below `root`.

    Raises WorkspaceError where it cannot be read, is no ordinary file, is too large or lies outside of `.memory/`, and
    ConflictError where a merge has left its marks in it.
    """
    full = root / path
    check_inside(full, root / ".memory")
    try:
        status = full.stat()
        if not S_ISREG(status.st_mode):
            raise WorkspaceError(f"{path} is not an ordinary file")
        if status.st_size > LARGEST_FILE_BYTES:
            raise WorkspaceError(f"{path} is larger than {LARGEST_FILE_BYTES // 1_048_576} MiB")
        data = full.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    line = conflict_line(data)
    if line is not None:
        raise ConflictError(
            f"{path}:{line}: contains merge conflict markers",
            hint=f"edit {path}, and keep what is right",
        )
    return data


def create_item_file(root: Path, path: str, text: str) -> None:
    """Make a new file, whole or not at all. Raises ConflictError where there is one already, WorkspaceError."""
    full = root / path
    check_inside(full.parent, root / ".memory")
    if full.exists() or full.is_symlink():
        raise ConflictError(f"{path} is there already; nothing was written", hint="run the command again")
    sweep([full.parent])
    write_atomic(full, text)


def create_item_files(root: Path, files: Sequence[tuple[str, str]]) -> None:
    """Make new files (path, text), each whole or not at all, in far less time than one after the other.

    Raises ConflictError where there is one already, and WorkspaceError; some of the others are there then.
    """
    folders = {(root / path).parent for path, _ in files}
    for folder in sorted(folders):
        check_inside(folder, root / ".memory")
        sweep([folder])
    made = create_all_atomic([(root / path, text.encode("utf-8")) for path, text in files])
    for (path, _), new in zip(files, made, strict=True):
        if not new:
            raise ConflictError(f"{path} is there already", hint="run the command again")


def replace_item_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Put `after` in the place of `before`, with the permissions that the file has; a link inside is followed.

    Raises ConflictError, with nothing written, where the file is not as it was read.
    """
    if read_item_file(root, path) != before:
        raise ConflictError(f"{path} changed since it was read; nothing was written", hint="run the command again")
    full = (root / path).resolve()
    try:
        mode = S_IMODE(full.stat().st_mode)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error
    write_atomic(full, after, mode=mode)
