"""What a promotion changes, line by line, before a person says yes: against the item that it takes the place of."""

from collections.abc import Iterator

from verifflowcc.domain.items import Item, Relation
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.formats.front_matter_read import show_thousandths
from verifflowcc.records import dataclass
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.text.secrets import withhold

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Change:
    """The id of the item that is replaced, None where there is none, and the lines of a unified diff without heads."""

    against: str | None
    """The id of the replaced item, or null."""
    lines: tuple[str, ...]
    """Lines of a diff: `+`, `-` or a space, then the text."""


NOTHING = Change(None, ())


def change_of(store: MemoryBackend, after: StoredItem) -> Change:
    """Return what changes in a store when this item comes to hold; against nothing, each line is a new one."""
    before = _replaced(store, after.item)
    old = [] if before is None else list(_said(before))
    return Change(before.item.id if before else None, tuple(_differing(old, list(_said(after)))))


def _replaced(store: MemoryBackend, item: Item) -> StoredItem | None:
    for link in item.links:
        if link.relation == Relation.SUPERSEDES:
            found = store.get(link.to)
            if found is not None and found.item.id != item.id:
                return found
    other = standing_of_key(store, item.type, item.key)
    return other if other is not None and other.item.id != item.id else None


def _said(stored: StoredItem) -> Iterator[str]:
    """Yield what an item says, a line each: its fields that matter to a reader, then its text."""
    item = stored.item
    yield f"title: {withhold(item.title)}"
    yield f"type: {item.type}"
    if item.key:
        yield f"key: {withhold(item.key)}"
    yield f"importance: {show_thousandths(item.importance)}"
    yield f"confidence: {show_thousandths(item.confidence)}"
    yield f"trust: {item.trust}"
    yield from (f"tag: {withhold(tag)}" for tag in item.tags)
    yield ""
    yield from withhold(stored.body.strip("\n")).split("\n")


def _differing(old: list[str], new: list[str]) -> Iterator[str]:
    from difflib import unified_diff

    if not old:
        yield from (f"+{line}" for line in new)
        return
    for line in list(unified_diff(old, new, lineterm="", n=CONTEXT_LINES))[2:]:
        if not line.startswith("@@"):
            yield line
