"""Read a memory for its checks: unchanged files from the index, the others read and parsed."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.files.item_walk import ItemWalk, walk_items
from verifflowcc.adapters.files.items import parse_item
from verifflowcc.adapters.files.layout import as_on_disk, settled
from verifflowcc.adapters.index.memory_items import MemoryChecked
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import key_lines
from verifflowcc.lifecycle.memory_findings import Looked, Unread
from verifflowcc.records import dataclass
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.markdown import conflict_line
from verifflowcc.text.record_codec import RecordCodec
from verifflowcc.text.secrets import find_secrets, place_of

_Read = tuple[Looked | None, Unread | None]
_READ: RecordCodec[_Read] = RecordCodec(_Read)


@dataclass(frozen=True, slots=True)
class FilesRead:
    """The items of some folders, by path, what could not be read, and how many files had to be read for it."""

    items: tuple[Looked, ...]
    unread: tuple[Unread, ...]
    parsed: int = 0


def read_folders(root: Path, folders: Iterable[str], index: MemoryChecked, apart: frozenset[str]) -> FilesRead:
    """Return all items below `root` in these folders, but for the folders `apart`. Nothing is written but the index."""
    walk = ItemWalk()
    for folder in folders:
        found = walk_items(root, folder, apart)
        walk.files.update(found.files)
        walk.problems.update(found.problems)
    known = index.facts()
    items: list[Looked] = []
    unread = [_problem(path, why) for path, why in walk.problems.items()]
    learned, parsed = [], 0
    for path in observed("reading items", sorted(walk.files)):
        seen = walk.files[path]
        stamp = seen.stamp if settled(seen.touched_ns) else ""
        kept = known.get(path)
        if kept is not None and stamp and kept[0] == stamp:
            looked, problem = _READ.value(kept[1])
            read = looked or problem
        else:
            parsed += 1
            read = _read(root, path)
            if read is not None and stamp:
                learned.append((path, stamp, _READ.text((read, None) if isinstance(read, Looked) else (None, read))))
        if isinstance(read, Looked):
            items.append(read)
        elif read is not None:
            unread.append(read)
    index.learn(learned, known.keys() - walk.files.keys())
    return FilesRead(tuple(items), tuple(sorted(unread, key=lambda each: each.path)), parsed)


def look_into(path: str, data: bytes) -> Looked | Unread:
    """Return what the bytes of an item's file say."""
    line = conflict_line(data)
    if line is not None:
        return Unread("conflict-markers", path, line, "contains merge conflict markers")
    try:
        parsed = parse_item(path, data)
    except FormatError as error:
        place, _, why = error.message.removeprefix(f"{path}:").partition(": ")
        return Unread("not-utf8", path, int(place) if place.isdecimal() else 1, why)
    text = data.decode("utf-8")
    unknown = tuple(key for key, _ in parsed.unknown)
    says = digest_text(f"{parsed.item.title}\0{parsed.body.strip()}")
    return Looked(parsed.item, key_lines(text), parsed.notices, unknown, tuple(_secrets(text)), says)


def _secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind, line and column of each thing that looks like a secret."""
    for each in find_secrets(text):
        line, _, column = place_of(text, each.start).partition(":")
        yield each.kind, int(line), int(column)


def _read(root: Path, path: str) -> Looked | Unread | None:
    """Return what a file says; None where it is gone meanwhile."""
    try:
        with open(f"{root}/{as_on_disk(path)}", "rb") as file:  # noqa: PTH123 - a Path per file is too slow at 10,000
            return look_into(path, file.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unread("unreadable-file", path, 1, f"cannot be read: {error.strerror or error}")


def _problem(path: str, why: str) -> Unread:
    if why.startswith("is a link") and "nowhere" not in why:
        return Unread("link-outside", path, 1, why)
    return Unread("too-large" if " MiB" in why else "unreadable-file", path, 1, why)
