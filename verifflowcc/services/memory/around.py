"""The items of a scope that links connect: all that says what is superseded, and what leads to an item."""

from collections.abc import Iterable

from verifflowcc.context.standing import named_by_id
from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import MemoryBackend


def items_around(store: MemoryBackend, names: Iterable[str] = ()) -> list[Item]:
    """Return what is superseded and by what, all items with links, those they lead to, and those of these names, by id.

    Names are ids, paths and keys. There may be more. Raises as the store does.
    """
    items = store.linked(names)
    return sorted(items, key=lambda item: item.id) if named_by_id(items) else store.items()
