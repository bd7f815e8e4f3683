"""Everything that is committed below `.memory/`, each file with its stamp: one stat a file, one listing a folder.

What a check says depends on nothing else there, so these stamps are its key; the trace items are among them.
"""

import os
import time
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from verifflowcc.adapters.files import layout as stamps
from verifflowcc.adapters.files.write import LARGEST_FILE_BYTES, shown_name
from verifflowcc.records import dataclass, field

MEMORY = ".memory"
ITEMS = f"{MEMORY}/project/items/"
ENDING = ".md"


@dataclass(slots=True)
class MemoryWalk:
    """Paths below the project's root (with `/`), and what was found at them.

    `stamps` are those of all files, `fresh` the files that were touched a moment ago, whose stamp says nothing yet.
    `items` are the files below `project/items/` that can be items, sorted; `problems` says of the others there why not.
    `linked` says that a folder is a link: what lies behind it was not looked at.
    """

    stamps: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    items: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    linked: bool = False


def walk_memory(root: Path) -> MemoryWalk:
    """Look at all that lies below `.memory/` of the project in `root`, but for `.memory/local/`."""
    found, now_ns = MemoryWalk(), time.time_ns()
    pending = [MEMORY]
    while pending:
        folder = pending.pop()
        pending += _look_into(root, folder, found, now_ns)
    found.items.sort()
    return found


def any_item_file(root: Path) -> bool:
    """Say whether there is anything below `.memory/project/items/` that means to be an item."""
    found = MemoryWalk()
    pending = [ITEMS[:-1]]
    while pending and not (found.items or found.problems):
        pending += _look_into(root, pending.pop(), found, 0)
    return bool(found.items or found.problems)


def _look_into(root: Path, folder: str, found: MemoryWalk, now_ns: int) -> list[str]:
    """Note the files of a folder; return the folders in it."""
    below, in_items = [], folder.startswith(ITEMS[:-1])
    unsettled = now_ns - stamps.SETTLED_AFTER_NS
    try:
        with os.scandir(os.fsencode(f"{root}/{folder}")) as entries:
            for entry in entries:
                name = shown_name(entry.name)
                path = f"{folder}/{name}"
                if path == f"{MEMORY}/local" or name.endswith(".tmp"):
                    continue
                if entry.is_symlink():
                    _note_link(root, path, entry.path, found, in_items)
                    continue
                try:
                    stat = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if S_ISDIR(stat.st_mode):
                    below.append(path)
                    if in_items and name.endswith(ENDING):
                        found.problems[path] = "1: is a folder; an item is a file"
                    continue
                found.stamps[path] = stamps.stamp_of(stat)
                if stat.st_mtime_ns > unsettled or stat.st_ctime_ns > unsettled:
                    found.fresh.add(path)
                if in_items:
                    _note_item(path, name, entry.name, stat, found)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        found.problems[folder] = f"1: cannot be read: {error.strerror}"
        found.stamps[folder] = "closed"
    return below


def _note_item(path: str, name: str, raw: bytes, stat: os.stat_result, found: MemoryWalk) -> None:
    if not name.lower().endswith(ENDING) or name.startswith("."):
        return
    if not S_ISREG(stat.st_mode):
        found.problems[path] = "1: is not an ordinary file"
    elif name.encode() != raw:
        found.problems[path] = "1: has a name that is not UTF-8"
    elif stat.st_size > LARGEST_FILE_BYTES:
        size = f"{stat.st_size / 1_048_576:,.1f} MiB"
        found.problems[path] = f"1: has {size}; an item may have {LARGEST_FILE_BYTES // 1_048_576} MiB"
    else:
        found.items.append(path)


def _note_link(root: Path, path: str, full: bytes, found: MemoryWalk, in_items: bool) -> None:
    """A link to a file counts as that file while it stays in the project; one to a folder is not followed."""
    found.stamps[path] = f"link:{shown_name(os.readlink(full))}"  # noqa: PTH115 - names are bytes here
    name = path.rpartition("/")[2]
    try:
        stat = os.stat(full)  # noqa: PTH116
    except OSError as error:
        if in_items and name.endswith(ENDING):
            found.problems[path] = f"1: is a link that leads nowhere ({error.strerror})"
        return
    found.stamps[path] += " " + stamps.stamp_of(stat)
    if not stamps.settled(max(stat.st_mtime_ns, stat.st_ctime_ns, os.lstat(full).st_ctime_ns)):
        found.fresh.add(path)
    if S_ISDIR(stat.st_mode):
        found.linked = True
        if in_items:
            found.problems[path] = "1: is a link to a folder, and those are not followed"
    elif in_items and name.endswith(ENDING) and not _inside(root, full):
        found.problems[path] = "1: is a link that leaves the project"
    elif in_items:
        _note_item(path, name, os.path.basename(full), stat, found)  # noqa: PTH119


def _inside(root: Path, full: bytes) -> bool:
    top = os.path.realpath(os.fsencode(root)).rstrip(b"/") + b"/"
    return os.path.realpath(full).startswith(top)
