"""One item file of a scope, read whole: its item, or why it holds none."""

import os
from pathlib import Path

from verifflowcc.adapters.files import layout as stamps
from verifflowcc.adapters.files.item_walk import Seen, look_at
from verifflowcc.adapters.files.layout import as_on_disk
from verifflowcc.adapters.files.stored import stored_item
from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import FormatError
from verifflowcc.text.markdown import conflict_line


def read_stored(root: Path, folder: str, path: str) -> tuple[StoredItem | str | None, Seen]:
    """Return the item at a path below `root`/`folder`, or a problem that begins with the path; None for no file.

    The stamp beside it was taken before the file was read.
    """
    nothing = Seen("", 0)
    try:
        problem = look_at(root, folder, path)
        if problem:
            return f"{path}: {problem}", nothing
        with (root / as_on_disk(path)).open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None, nothing
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}", nothing
    return _parsed(path, data), Seen(stamps.stamp_of(status), max(status.st_mtime_ns, status.st_ctime_ns))


def read_unchanged(root: Path, item: Item, stamp: str) -> StoredItem | None:
    """Return an item with the text of its file, if that has this very stamp; None where it cannot be told or read."""
    if not stamp:
        return None
    try:
        with open(f"{root}/{as_on_disk(item.path)}", "rb") as file:  # noqa: PTH123 - a Path per file is too slow
            if stamps.stamp_of(os.fstat(file.fileno())) != stamp:
                return None
            text = file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    from verifflowcc.formats.front_matter import split

    return StoredItem(item, text, split(text.replace("\r\n", "\n")).body)


def read_known(root: Path, folder: str, item: Item, stamp: str) -> StoredItem | None:
    """Return an item as `read_unchanged` does, where `root`/`folder` was not listed just now; None also for a link.

    A folder that was moved away and linked to has the same files with the same stamps.
    """
    try:
        return None if look_at(root, folder, item.path) else read_unchanged(root, item, stamp)
    except OSError:
        return None


def _parsed(path: str, data: bytes) -> StoredItem | str:
    line = conflict_line(data)
    if line is not None:
        return f"{path}:{line}: contains merge conflict markers"
    try:
        return stored_item(path, data)
    except FormatError as error:
        return error.message
