"""The item files of one scope: one listing a folder, one stat a file.

Files that cannot be items are reported with the reason.

Links to folders are not followed, links to files only while they stay in the scope's folder.
"""

import marshal
import os
import time
from _blake2 import blake2b  # hashlib takes longer to import
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_IFDIR, S_IFLNK, S_IFREG, S_ISDIR, S_ISREG
from typing import NamedTuple

from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.layout import as_in_git, as_on_disk, stamp_of
from verifflowcc.base.files.write import LARGEST_FILE_BYTES, shown_name
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_bytes

# Everything that is committed below `.memory/`, each file with its stamp: one stat a file, one listing a folder.
#
# What a check says depends on nothing else there, so these stamps are its key; the trace items are among them.

MEMORY = ".memory"
ITEMS = f"{MEMORY}/project/items/"
MEMORY_WALK_ENDING = ".md"
_OWN, _KIND = f"{MEMORY}/local", 0o170000


@dataclass(slots=True)
class ListedItems:
    """The files of one folder that are plainly items, as the system lists them: names, and four numbers of each.

    These are what a stamp is made of. Most commands on one item need no more of the others than a digest of all, and a
    stamp of each takes as long to write as a file to look at.
    """

    names: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def digest(self, but: Iterable[str] = ()) -> str:
        """Return what is another where a file or their order is; those in `but` count as if they were never seen."""
        numbers = self.numbers
        if but:
            left_out = set(but)
            numbers = [each if self.names[at // 4] not in left_out else 0 for at, each in enumerate(numbers)]
        data = "\0".join(self.names).encode() + marshal.dumps(numbers, 2)  # this version writes no references
        return blake2b(data, digest_size=16).hexdigest()

    def stamps(self) -> Mapping[str, str]:
        """Return name → stamp, as `stamp_of` has it."""
        each = iter(self.numbers)
        rows = zip(self.names, each, each, each, each, strict=True)
        return {name: f"{changed}.{moved}.{size}.{file}" for name, changed, moved, size, file in rows}

    def stamp(self, name: str) -> str:
        """Return the stamp of one file; empty where it is not among these."""
        if not self._places:
            self._places = dict(zip(self.names, range(len(self.names)), strict=True))
        at = self._places.get(name)
        return "" if at is None else ".".join(map(str, self.numbers[4 * at : 4 * at + 4]))


@dataclass(slots=True)
class MemoryWalk:
    """Paths below the project's root (with `/`), and what was found at them.

    `fresh` are the files that were touched a moment ago, whose stamp says nothing yet. `problems` says of files below
    `project/items/` why they are no items. `linked` says that a folder is a link: what lies behind it was not looked
    at. `listed` are the plain items by folder, `rest` the stamps of all other files, and `rest_items` the items among
    these.
    """

    fresh: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)
    linked: bool = False
    listed: dict[str, ListedItems] = field(default_factory=dict)
    rest: dict[str, str] = field(default_factory=dict)
    rest_items: list[str] = field(default_factory=list)

    def stamps(self) -> dict[str, str]:
        """Return path → stamp of all files."""
        found = dict(self.rest)
        for folder, listed in self.listed.items():
            found |= {f"{folder}/{name}": stamp for name, stamp in listed.stamps().items()}
        return found

    def items(self) -> list[str]:
        """Return the paths of the files below `project/items/` that can be items, sorted."""
        plain = (f"{folder}/{name}" for folder, listed in self.listed.items() for name in listed.names)
        return sorted([*plain, *self.rest_items])

    def stamp(self, path: str) -> str:
        """Return the stamp of a file that can be an item; empty where there is none."""
        folder, _, name = path.rpartition("/")
        listed = self.listed.get(folder)
        stamp = listed.stamp(name) if listed else ""
        return stamp or (self.rest[path] if path in self.rest_items else "")


def walk_memory(root: Path) -> MemoryWalk:
    """Look at all files below `.memory/`, but for `.memory/local/`."""
    found, now_ns = MemoryWalk(), time.time_ns()
    pending = [MEMORY]
    while pending:
        folder = pending.pop()
        pending += _look_into(root, folder, found, now_ns)
    return found


def any_item_file(root: Path) -> bool:
    """Say whether any file below `.memory/project/items/` is meant as an item."""
    found = MemoryWalk()
    pending = [ITEMS[:-1]]
    while pending and not (found.listed or found.rest_items or found.problems):
        pending += _look_into(root, pending.pop(), found, 0)
    return bool(found.listed or found.rest_items or found.problems)


def _look_into(root: Path, folder: str, found: MemoryWalk, now_ns: int) -> list[str]:
    """Note the files of a folder; return the folders in it."""
    below: list[str] = []
    try:
        # Of an open folder, the system looks up the last name of each path alone.
        opened = os.open(os.fsencode(f"{root}/{folder}"), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _note_all(root, folder, opened, found, now_ns - stamps.SETTLED_AFTER_NS, below)
        finally:
            os.close(opened)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        found.problems[folder] = f"1: cannot be read: {error.strerror}"
        # Reports are kept by these stamps: without one, the report would stay when the folder can be read again.
        found.rest[folder] = "closed"
    return below


def _note_all(root: Path, folder: str, opened: int, found: MemoryWalk, unsettled: int, below: list[str]) -> None:
    in_items, noted = folder.startswith(ITEMS[:-1]), found.rest
    with os.scandir(opened) as entries:
        for entry in _not_plain(folder, entries, found, unsettled) if in_items else entries:
            name = entry.name
            plain = name.isascii() and "\n" not in name
            if not plain:
                name = shown_name(os.fsencode(name))
            path = f"{folder}/{name}"
            if path == _OWN or name.endswith(".tmp"):
                continue
            try:
                stat = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # removed since the folder was listed
            kind, changed, moved = stat.st_mode & _KIND, stat.st_mtime_ns, stat.st_ctime_ns
            if kind == S_IFLNK:
                _note_link(root, path, os.fsencode(f"{root}/{folder}/{entry.name}"), found, in_items)
                continue
            if kind == S_IFDIR:
                below.append(path)
                if in_items and name.endswith(MEMORY_WALK_ENDING):
                    found.problems[path] = "1: is a folder; an item is a file"
                continue
            noted[path] = f"{changed}.{moved}.{stat.st_size}.{stat.st_ino}"  # as `stamp_of`, without a call for each
            if changed > unsettled or moved > unsettled:
                found.fresh.add(path)
            if not in_items:
                continue
            if kind == S_IFREG and stat.st_size <= LARGEST_FILE_BYTES and plain and _is_named(name):
                found.rest_items.append(path)
            else:
                _note_item(path, name, os.fsencode(entry.name), stat, found)


def _not_plain(
    folder: str, entries: Iterable[os.DirEntry[str]], found: MemoryWalk, unsettled: int
) -> list[os.DirEntry[str]]:
    """Note the plain items of a folder, nearly all that are in it, with as little as can be done for each.

    Returns the other entries.
    """
    names, numbers, left = list[str](), list[int](), list[os.DirEntry[str]]()
    for entry in entries:
        name = entry.name
        if not name.endswith(MEMORY_WALK_ENDING) or name[0] == "." or not name.isascii() or "\n" in name:
            left.append(entry)
            continue
        try:
            stat = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue  # removed since the folder was listed
        if stat.st_mode & _KIND != S_IFREG or stat.st_size > LARGEST_FILE_BYTES:
            left.append(entry)
            continue
        names.append(name)
        numbers += (changed := stat.st_mtime_ns, moved := stat.st_ctime_ns, stat.st_size, stat.st_ino)
        if changed > unsettled or moved > unsettled:
            found.fresh.add(f"{folder}/{name}")
    if names:
        found.listed[folder] = ListedItems(names, numbers)
    return left


def _is_named(name: str) -> bool:
    return name.lower().endswith(MEMORY_WALK_ENDING) and name[0] != "."


def _note_item(path: str, name: str, raw: bytes, stat: os.stat_result, found: MemoryWalk) -> None:
    if not _is_named(name):
        return
    if not S_ISREG(stat.st_mode):
        found.problems[path] = "1: is not an ordinary file"
    elif name.encode() != raw:
        found.problems[path] = "1: has a name that is not UTF-8"
    elif stat.st_size > LARGEST_FILE_BYTES:
        size = f"{stat.st_size / 1_048_576:,.1f} MiB"
        found.problems[path] = f"1: has {size}; an item may have {LARGEST_FILE_BYTES // 1_048_576} MiB"
    else:
        found.rest_items.append(path)


def _note_link(root: Path, path: str, full: bytes, found: MemoryWalk, in_items: bool) -> None:
    """Record a link to a file in the project as that file; follow none to a folder."""
    found.rest[path] = f"link:{shown_name(os.readlink(full))}"  # noqa: PTH115 - names are bytes here
    name = path.rpartition("/")[2]
    try:
        stat = os.stat(full)  # noqa: PTH116
    except OSError as error:
        if in_items and name.endswith(MEMORY_WALK_ENDING):
            found.problems[path] = f"1: is a link that leads nowhere ({error.strerror})"
        return
    found.rest[path] += " " + stamps.stamp_of(stat)
    if not stamps.settled(max(stat.st_mtime_ns, stat.st_ctime_ns, os.lstat(full).st_ctime_ns)):
        found.fresh.add(path)
    if S_ISDIR(stat.st_mode):
        found.linked = True
        if in_items:
            found.problems[path] = "1: is a link to a folder, and those are not followed"
    elif in_items and name.endswith(MEMORY_WALK_ENDING) and not _inside(root, full):
        found.problems[path] = "1: is a link that leaves the project"
    elif in_items:
        _note_item(path, name, os.path.basename(full), stat, found)  # noqa: PTH119


def _inside(root: Path, full: bytes) -> bool:
    top = os.path.realpath(os.fsencode(root)).rstrip(b"/") + b"/"
    return os.path.realpath(full).startswith(top)


ENDING = ".md"


class FileStamp(NamedTuple):
    """A file's stamp, and the later of its times."""

    stamp: str
    touched_ns: int


@dataclass(slots=True)
class FolderListing:
    """The files of one folder that can be items, as one text, and its digest, which is another where one changed."""

    digest: str
    text: str

    def stamps(self, folder: str) -> dict[str, str]:
        """Return path → stamp."""
        parts = (each.partition("/") for each in self.text.split("\0") if each)
        return {f"{folder}/{as_in_git(name)}": stamp for stamp, _, name in parts}


@dataclass(slots=True)
class ItemWalk:
    """The files below a scope's folder: items, as one listing a folder, and problems.

    Both are by path, as an item has it; a problem is why the file is no item.
    """

    listings: dict[str, FolderListing] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, FileStamp]:
        """Path → its stamp, made from the listings."""
        every = (pair for folder, each in self.listings.items() for pair in each.stamps(folder).items())
        return {path: FileStamp(stamp, _touched(stamp)) for path, stamp in every}


def _touched(stamp: str) -> int:
    modified, changed, _ = stamp.split(".", 2)
    return max(int(modified), int(changed))


_LOOKS: list[dict[tuple[Path, str, frozenset[str]], ItemWalk]] = []


@contextmanager
def one_look() -> Iterator[None]:
    """Look at each folder of items once inside: for a command that only reads, and so answers by one state."""
    _LOOKS.append({})
    try:
        yield
    finally:
        _LOOKS.pop()


def walk_items(root: Path, folder: str, apart: frozenset[str] = frozenset()) -> ItemWalk:
    """Look at all Markdown files below a folder, without hidden names: one listing a folder, one stat a file.

    Folders in `apart` are left out.
    """
    seen, key = _LOOKS[-1] if _LOOKS else {}, (root, folder, apart)
    if key not in seen:
        seen[key] = _walked(root, folder, apart)
    return seen[key]


def _walked(root: Path, folder: str, apart: frozenset[str]) -> ItemWalk:
    found, pending = ItemWalk(), [folder]
    top = os.path.realpath(root / as_on_disk(folder)).rstrip("/") + "/"
    while pending:
        here = pending.pop()
        if here in apart:
            continue
        try:
            opened = os.open(f"{root}/{as_on_disk(here)}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                rows = _rows_of(root, here, top, opened, found, pending)
            finally:
                os.close(opened)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found.problems[here] = f"cannot be read: {error.strerror}"
            continue
        if rows:
            text = "\0".join(rows)
            found.listings[here] = FolderListing(digest_bytes(text.encode("utf-8", "surrogatepass")), text)
    return found


def _rows_of(root: Path, here: str, top: str, opened: int, found: ItemWalk, pending: list[str]) -> list[str]:
    """Return `stamp/name` of each file of a folder that can be an item, as the system lists them."""
    rows: list[str] = []
    with os.scandir(opened) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith("."):
                continue
            if name.endswith(ENDING) and name.isascii():
                try:
                    stat = entry.stat(follow_symlinks=False)  # in the open folder: no path is followed again
                except OSError:
                    stat = None
                if stat and stat.st_mode & _KIND == S_IFREG and stat.st_size <= LARGEST_FILE_BYTES:
                    # as `stamp_of`, without a call for each
                    rows.append(f"{stat.st_mtime_ns}.{stat.st_ctime_ns}.{stat.st_size}.{stat.st_ino}/{name}")
                    continue
            if stamp := _look(root, entry, f"{here}/{as_in_git(name)}", top, found, pending):
                rows.append(f"{stamp}/{name}")
    return rows


def look_at(root: Path, folder: str, path: str, real: dict[str, str] | None = None) -> str | None:
    """Return why the file at a path cannot be an item's, None where it can.

    `real` has where folders lead, and gets more: thousands of files of a folder are then resolved as one. Raises
    FileNotFoundError.
    """
    full = f"{root}/{as_on_disk(path)}"
    if real is not None and S_ISREG((found := os.lstat(full)).st_mode):
        inside = f"{_real(full.rpartition('/')[0], real)}/".startswith(
            _real(f"{root}/{as_on_disk(folder)}", real) + "/"
        )
        return _problem(found) if inside else "is a link that leaves its folder"
    top = os.path.realpath(root / as_on_disk(folder)).rstrip("/") + "/"
    if not os.path.realpath(full).startswith(top):
        os.lstat(full)
        return "is a link that leaves its folder"
    return _problem(os.stat(full))  # noqa: PTH116


def _real(folder: str, real: dict[str, str]) -> str:
    if folder not in real:
        real[folder] = os.path.realpath(folder).rstrip("/")
    return real[folder]


def _look(root: Path, entry: os.DirEntry[str], path: str, top: str, found: ItemWalk, pending: list[str]) -> str:
    """Return the stamp of an entry that can be an item; note what else it is."""
    ours, linked = path.endswith(ENDING), entry.is_symlink()
    try:
        if entry.is_dir(follow_symlinks=False):
            pending.append(path)
            return ""
        if not ours and not linked:
            return ""
        stat = entry.stat()
    except FileNotFoundError:
        if linked and ours:
            found.problems[path] = "is a link that leads nowhere"
        return ""
    except OSError as error:
        if ours:
            found.problems[path] = f"cannot be read: {error.strerror}"
        return ""
    problem = _of_link(f"{root}/{as_on_disk(path)}", stat, top, ours=ours) if linked else None
    problem = problem or (_problem(stat) or _of_name(path) if ours else None)
    if problem:
        found.problems[path] = problem
    return stamp_of(stat) if ours and not problem else ""


def _of_link(full: str, stat: os.stat_result, top: str, *, ours: bool) -> str | None:
    if S_ISDIR(stat.st_mode):
        return "is a link to a folder, and those are not followed"
    return "is a link that leaves its folder" if ours and not os.path.realpath(full).startswith(top) else None


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
