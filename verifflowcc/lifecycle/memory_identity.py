"""Checks of names: an id, a key and a file's name each mean one item."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from verifflowcc.domain.items import TURN, Item, Status
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources
from verifflowcc.text.article import folded


def check_identity(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of ids, keys and names that mean more than one item. Two trace items of one id are told by `check trace`."""
    items = sorted(sources.items, key=lambda each: each.item.path)
    tell.ask(len(items), "duplicate-id", "alike-names")
    for same in _groups((each, each.item.id) for each in items):
        for first, other in _pairs(same):
            if not (first.item.type in sources.trace_types and other.item.type in sources.trace_types):
                message = f"{other.item.id} is the id of {first.item.path} too"
                step = f"give {other.item.path} an id of its own"
                tell.item("duplicate-id", other.item, other.line("id"), message, step, "", [first.item.path])
    held = [each for each in items if each.item.path not in sources.superseded]
    _check_keys(held, tell)
    _check_alike_texts(held, sources.trace_types, tell)
    _check_alike(items, tell)


def _check_keys(items: Sequence[Looked], tell: MemoryFindings) -> None:
    keyed = [each for each in items if each.item.key and each.item.status is Status.ACTIVE]
    tell.ask(len(keyed), "duplicate-key")
    for same in _groups((each, f"{each.item.scope}\0{each.item.type}\0{each.item.key}") for each in keyed):
        for first, other in _pairs(same):
            item = other.item
            message = f"{item.id} and {first.item.id} are both active with the key {item.key}"
            step = f"vfcc memory forget {item.id}"
            tell.item("duplicate-key", item, other.line("key"), message, step, item.key or "", [first.item.path])


def _check_alike_texts(items: Sequence[Looked], traced: Collection[str], tell: MemoryFindings) -> None:
    """Tell of items with ids of their own that say the same; pages without an id are as a person arranged them."""
    holding = (Status.ACTIVE, Status.PENDING)
    made = [each for each in items if "id" in each.lines and each.item.status in holding and each.item.type != TURN]
    tell.ask(len(made), "duplicate-item")
    made.sort(key=lambda each: (each.item.status is not Status.ACTIVE, each.item.created or "", each.item.path))
    for same in _groups((each, _says(each)) for each in made):
        for first, other in _pairs(same):
            item, kept = other.item, first.item
            if item.id == kept.id or (item.key and item.status is kept.status is Status.ACTIVE):
                continue  # reported as one id, or one key, of two items
            merging = f"vfcc memory link {kept.id} supersedes {item.id}"
            if item.type in traced:
                merging = f"vfcc memory forget {item.id}"
            step = f"vfcc memory reject {item.id}" if item.status is Status.PENDING else merging
            message = f"{item.id} says the same as {kept.id}"
            tell.item("duplicate-item", item, other.line("title"), message, step, "", [kept.path])


def _says(each: Looked) -> str:
    return "\0".join((each.item.scope, each.item.type, each.item.key or "", each.says))


def _check_alike(items: Sequence[Looked], tell: MemoryFindings) -> None:
    for what, name in (("path", _path), ("id", _id)):
        for same in _groups((each, folded(name(each.item))) for each in items):
            told = {name(same[0].item)}
            for each in same[1:]:
                own = name(each.item)
                if own not in told and not (what == "id" and _follows_path(each.item)):
                    first = same[0].item
                    message = f"the {what} {own} differs from {name(first)} in case or Unicode form alone"
                    line = each.line("id") if what == "id" else 1
                    tell.item("alike-names", each.item, line, message, f"rename {own}", what, [first.path])
                told.add(own)


def _path(item: Item) -> str:
    return item.path


def _id(item: Item) -> str:
    return item.id


def _follows_path(item: Item) -> bool:
    """Whether the id was made from the path, which is told already."""
    return item.path.startswith(item.id)


def _groups(pairs: Iterable[tuple[Looked, str]]) -> list[list[Looked]]:
    found: dict[str, list[Looked]] = defaultdict(list)
    for each, name in pairs:
        found[name].append(each)
    return [same for same in found.values() if len(same) > 1]


def _pairs(same: Sequence[Looked]) -> list[tuple[Looked, Looked]]:
    return [(same[0], other) for other in same[1:]]
