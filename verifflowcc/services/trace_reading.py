"""All trace items of a project: unchanged files from the index, the others read and parsed."""

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.files.item_walk import MemoryWalk, walk_memory
from verifflowcc.adapters.files.layout import as_on_disk
from verifflowcc.adapters.index.trace import ItemRow, TraceIndex
from verifflowcc.adapters.index.trace_facts import trace_item_from_text, trace_item_to_text
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.errors import FormatError
from verifflowcc.records import dataclass, field
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_bytes, digest_text
from verifflowcc.text.markdown import conflict_line

INDEX = "index.db"
_RULES = "heard items are none"
"""By which rules files count as trace items: what an index has by other rules is not used."""
_NO_ITEM = ""
"""The facts of a file that is another kind of item."""


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Leave garbage where it is meanwhile: to look again and again through items that all stay takes too long."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclass(frozen=True, slots=True)
class ItemsRead:
    """The trace items below `.memory/project/items/`, by path.

    `unreadable` maps a path to why it is no item, its line first. `parsed` counts the files that were read and parsed
    because they are new or changed. `others` are the paths of items that are memory, and no part of the trace.
    """

    items: tuple[TraceItem, ...]
    unreadable: dict[str, str] = field(default_factory=dict)
    parsed: int = 0
    notices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def read_items(workspace: Workspace, policy: TracePolicy) -> ItemsRead:
    """Return all trace items; which types there are is the policy's matter. Nothing is written but the index."""
    with nothing_collected(), TraceIndex(workspace.local / INDEX) as index:
        read = read_walked(workspace, walk_memory(workspace.root), policy, index)
        return ItemsRead(read.items, read.unreadable, read.parsed, index.notices, read.others)


def read_walked(workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex) -> ItemsRead:
    """Return the trace items of a walk, with what the index knows of them."""
    key = digest_text("\n".join([_RULES, *sorted(policy.types)]))
    known = index.items(key)
    items: dict[str, TraceItem | None] = {}
    unreadable, learned, parsed = dict(walk.problems), list[ItemRow](), 0
    for path in observed("reading trace items", walk.items):
        row, stamp = known.get(path), "" if path in walk.fresh else walk.stamps[path]
        if row is not None and row.stamp == stamp != "":
            items[path] = _item(row.facts)
            continue
        try:
            data = _read(f"{workspace.root}/{as_on_disk(path)}")
            digest = digest_bytes(data)
            if row is None or row.digest != digest:
                items[path], parsed = _parsed(path, data, policy.types), parsed + 1
                row = ItemRow(path, stamp, digest, _facts(items[path]))
            else:
                items[path] = _item(row.facts)
        except FileNotFoundError:
            continue
        except OSError as error:
            unreadable[path] = f"1: cannot be read: {error.strerror or error}"
            continue
        except FormatError as error:
            unreadable[path] = error.message.removeprefix(f"{path}:").lstrip()
            continue
        if known.get(path) != (kept := ItemRow(path, stamp, row.digest, row.facts)):
            learned.append(kept)
    index.learn(key, learned, known.keys() - set(walk.items))
    found = tuple([each for path in sorted(items) if (each := items[path])])
    others = tuple([path for path in sorted(items) if items[path] is None])
    return ItemsRead(found, unreadable, parsed, others=others)


def _read(full: str) -> bytes:
    with open(full, "rb") as file:  # noqa: PTH123 - a Path per file is too slow at 10,000
        return file.read()


def _parsed(path: str, data: bytes, types: Collection[str]) -> TraceItem | None:
    line = conflict_line(data)
    if line is not None:
        raise FormatError(f"{path}:{line}: contains merge conflict markers")
    from verifflowcc.adapters.files.trace_items import parse_trace_item  # the index knows the files that did not change

    return parse_trace_item(path, data, types)


def _facts(item: TraceItem | None) -> str:
    return trace_item_to_text(item) if item is not None else _NO_ITEM


def _item(facts: str) -> TraceItem | None:
    return trace_item_from_text(facts) if facts != _NO_ITEM else None
