"""The items of a scope that links connect: all that says what is superseded, and what leads to an item."""

from collections.abc import Iterable

from verifflowcc.context.standing import named_by_id
from verifflowcc.domain.items import Item, Relation
from verifflowcc.domain.memory import MemoryBackend
from verifflowcc.errors import UsageError
from verifflowcc.lifecycle.supersession import supersession_circles


def items_around(store: MemoryBackend, names: Iterable[str] = ()) -> list[Item]:
    """Return what is superseded and by what, all items with links, those they lead to, and those of these names, by id.

    Names are ids, paths and keys. There may be more. Raises as the store does.
    """
    items = store.linked(names)
    return sorted(items, key=lambda item: item.id) if named_by_id(items) else store.items()


def refuse_circle(store: MemoryBackend, changed: Item) -> None:
    """Raise UsageError where an item, as it is to be written, would supersede itself through others of its scope."""
    older = [link.to for link in changed.links if link.relation == Relation.SUPERSEDES]
    others = [each for each in items_around(store, older) if each.id != changed.id]
    by = supersession_circles([*others, changed]).get(changed.id)
    if by is not None:
        raise UsageError(
            f"{changed.id} cannot supersede {by}: {by} supersedes {changed.id}, directly or through others",
            hint=f"vfcc memory show {by}",
        )
