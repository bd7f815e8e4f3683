"""The item files of one scope: one listing a folder, one stat a file, and what there cannot be an item, told.

Links to folders are not followed, links to files only while they stay in the scope's folder.
"""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from verifflowcc.adapters.files.layout import as_in_git, as_on_disk, stamp_of
from verifflowcc.adapters.files.write import LARGEST_FILE_BYTES
from verifflowcc.records import dataclass, field

ENDING = ".md"


class Seen(NamedTuple):
    """A file's stamp, and the later of its times."""

    stamp: str
    touched_ns: int


@dataclass(slots=True)
class ItemWalk:
    """What lies below a scope's folder: path (as an item's) → what was seen; and path → why it is no item."""

    files: dict[str, Seen] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def walk_items(root: Path, folder: str, apart: frozenset[str] = frozenset()) -> ItemWalk:
    """Look at all Markdown files below `root`/`folder`, but for hidden names and the folders `apart`."""
    found, pending = ItemWalk(), [folder]
    top = os.path.realpath(root / as_on_disk(folder)).rstrip("/") + "/"
    while pending:
        here = pending.pop()
        try:
            with os.scandir(f"{root}/{as_on_disk(here)}") as entries:
                for entry in entries:
                    name = entry.name
                    if not name.startswith("."):
                        _look(entry, f"{here}/{as_in_git(name)}", top, found, pending)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found.problems[here] = f"cannot be read: {error.strerror}"
        pending = [each for each in pending if each not in apart]
    return found


def look_at(root: Path, folder: str, path: str) -> str | None:
    """Return why the file at a path cannot be an item's; None where it can. Raises FileNotFoundError."""
    full = f"{root}/{as_on_disk(path)}"
    top = os.path.realpath(root / as_on_disk(folder)).rstrip("/") + "/"
    if not os.path.realpath(full).startswith(top):
        os.lstat(full)
        return "is a link that leaves its folder"
    return _problem(os.stat(full))  # noqa: PTH116


def _look(entry: os.DirEntry[str], path: str, top: str, found: ItemWalk, pending: list[str]) -> None:
    ours, linked = path.endswith(ENDING), entry.is_symlink()
    try:
        if entry.is_dir(follow_symlinks=False):
            pending.append(path)
            return
        if not ours and not linked:
            return
        stat = entry.stat()
    except FileNotFoundError:
        if linked and ours:
            found.problems[path] = "is a link that leads nowhere"
        return
    except OSError as error:
        if ours:
            found.problems[path] = f"cannot be read: {error.strerror}"
        return
    problem = _of_link(entry, stat, top, ours=ours) if linked else None
    problem = problem or (_problem(stat) or _of_name(path) if ours else None)
    if problem:
        found.problems[path] = problem
    elif ours:
        found.files[path] = Seen(stamp_of(stat), max(stat.st_mtime_ns, stat.st_ctime_ns))


def _of_link(entry: os.DirEntry[str], stat: os.stat_result, top: str, *, ours: bool) -> str | None:
    if S_ISDIR(stat.st_mode):
        return "is a link to a folder, and those are not followed"
    return "is a link that leaves its folder" if ours and not os.path.realpath(entry.path).startswith(top) else None


def _problem(stat: os.stat_result) -> str | None:
    if not S_ISREG(stat.st_mode):
        return "is not an ordinary file"
    if stat.st_size > LARGEST_FILE_BYTES:
        size = f"{stat.st_size / 1_048_576:,.1f} MiB"
        return f"has {size}; an item may have {LARGEST_FILE_BYTES // 1_048_576} MiB"
    return None


def _of_name(path: str) -> str | None:
    if path.isascii():
        return None
    try:
        path.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    return None
