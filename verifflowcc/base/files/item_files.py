"""Item files on the disk: read them, create them, replace them if unchanged."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG

from verifflowcc.base.errors import ConflictError, FileErrors, WorkspaceError
from verifflowcc.base.files.layout import JOURNAL, check_inside
from verifflowcc.base.files.write import LARGEST_FILE_BYTES, create_all_atomic, sweep, sync_folder, write_atomic
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import conflict_line, digest_bytes
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS

WAIT_S = 10.0


def draw_letters() -> str:
    """Return four letters for the id of a new item, drawn at random."""
    return "".join(draw_letter() for _ in range(LETTERS))


def draw_letter() -> str:
    """Return a letter drawn at random; `secrets` draws as well, and takes longer to import than this command to run."""
    return ALPHABET[os.urandom(1)[0] % len(ALPHABET)]


@contextmanager
def writing_items(memory: Path) -> Iterator[None]:
    """Hold the local lock, so that one writer at a time changes items; finish what a killed one began.

    Raises ConflictError, WorkspaceError.
    """
    from verifflowcc.base.files.lock import locked

    with locked(memory / "local" / "lock", WAIT_S):
        finish_item_files(memory.parent)
        yield


def read_item_file(root: Path, path: str) -> bytes:
    """Return the bytes of the file at `path` below `root`.

    Raises WorkspaceError where it cannot be read, is no ordinary file, is too large or lies outside of `.memory/`, and
    ConflictError where a merge has left its marks in it.
    """
    full = root / path
    check_inside(full, root / ".memory")
    with FileErrors("read", path):
        status = full.stat()
        if not S_ISREG(status.st_mode):
            raise WorkspaceError(f"{path} is not an ordinary file")
        if status.st_size > LARGEST_FILE_BYTES:
            raise WorkspaceError(f"{path} is larger than {LARGEST_FILE_BYTES // 1_048_576} MiB")
        data = full.read_bytes()
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


# Many files as one: a journal below `local/` holds all of them before the first is written, and goes after the last.
#
# No file system renames files of several folders in one step. A writer that is killed before the journal has its name
# wrote nothing; after that the next writer finishes the work, and until then readers of the trace refuse.

_PLACE = ".memory/project/items/"


@dataclass(frozen=True, slots=True)
class ItemFileWrite:
    """A file to write: its path, what it holds now (None where it is new), and what it will hold."""

    path: str
    before: bytes | None
    after: bytes


def write_item_files(root: Path, files: Sequence[ItemFileWrite]) -> None:
    """Write files whole or not at all, however this process ends; `writing_items` is held.

    Raises WorkspaceError where one cannot be written: then those before it are as they were.
    """
    if not files:
        return
    journal = root / ".memory" / JOURNAL
    entries = [[each.path, None if each.before is None else digest_bytes(each.before)] for each in files]
    texts = [each.after.decode("utf-8") for each in files]
    document = {"format": 1, "files": [[*each, text] for each, text in zip(entries, texts, strict=True)]}
    write_atomic(journal, json.dumps(document, ensure_ascii=False))
    try:
        finish_item_files(root)
    except BaseException:
        _undo(root, files)
        raise


def finish_item_files(root: Path) -> None:
    """Write the files of a journal that are not written yet; one that changed since stays as it is."""
    journal = root / ".memory" / JOURNAL
    try:
        text = journal.read_text("utf-8")
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"cannot read {journal}: {error}") from error
    try:
        found = [(str(path), before, str(after).encode()) for path, before, after in json.loads(text)["files"]]
    except (ValueError, LookupError, TypeError) as error:
        raise WorkspaceError(f"{journal} is no journal of an import", hint=f"rm {journal}") from error
    for path, _, _ in found:
        check_inside((root / path).parent, root / ".memory")
        if not path.startswith(_PLACE) or not path.endswith(".md") or ".." in path:
            raise WorkspaceError(f"{journal} names {path}, which is no item", hint=f"rm {journal}")
    for folder in sorted({(root / path).parent for path, _, _ in found}):
        sweep([folder])
    create_all_atomic([(root / path, after) for path, before, after in found if before is None])
    for path, before, after in found:
        if before is not None and (root / path).exists() and digest_bytes(now := read_item_file(root, path)) == before:
            replace_item_file(root, path, now, after)
    _remove(journal)


def _undo(root: Path, files: Sequence[ItemFileWrite]) -> None:
    """Put back what was there; where that fails the journal stays, and the next writer tries again."""
    with suppress(OSError, WorkspaceError, ConflictError):
        for each in reversed(files):
            full = root / each.path
            if not full.exists() or full.read_bytes() != each.after:
                continue
            if each.before is None:
                full.unlink()
            else:
                replace_item_file(root, each.path, each.after, each.before)
        _remove(root / ".memory" / JOURNAL)


def _remove(journal: Path) -> None:
    journal.unlink()
    sync_folder(journal.parent)


def replace_item_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Put `after` in the place of `before`, with the permissions that the file has; a link inside is followed.

    Raises ConflictError, with nothing written, where the file is not as it was read.
    """
    if read_item_file(root, path) != before:
        raise ConflictError(f"{path} changed since it was read; nothing was written", hint="run the command again")
    full = (root / path).resolve()
    with FileErrors("write", path):
        mode = S_IMODE(full.stat().st_mode)
    write_atomic(full, after, mode=mode)
