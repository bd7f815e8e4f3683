"""The items of a store while they are maintained: what is written there, or in a dry run only would be.

A step decides on what the steps before it left, so that a dry run, in which nothing is written, tells the same steps.
"""

from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import MemoryBackend, StoredItem


class Shelf:
    """The items of one scope as they are by now; with `dry_run`, changes stay here. For one thread alone.

    Each item is read once: whoever writes holds the store.
    """

    def __init__(self, store: MemoryBackend, *, dry_run: bool) -> None:
        self.scope = store.scope
        self._store, self._dry_run = store, dry_run
        self._items = {item.id: item for item in store.items()}
        self._known: dict[str, StoredItem | None] = {}
        self.problems = store.problems

    def items(self) -> list[Item]:
        """Return all items without their texts, by id."""
        return [self._items[item_id] for item_id in sorted(self._items)]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        if item_id not in self._known:
            self._known[item_id] = self._store.get(item_id) if item_id in self._items else None
        return self._known[item_id]

    def add(self, stored: StoredItem) -> None:
        """Keep an item under its id. Raises as the store does."""
        if not self._dry_run:
            self._store.add(stored)
        self._known[stored.item.id] = stored
        self._items[stored.item.id] = stored.item

    def delete(self, item_id: str) -> None:
        """Remove an item, if it is there. Raises as the store does."""
        if not self._dry_run:
            self._store.delete(item_id)
        self._known[item_id] = None
        self._items.pop(item_id, None)
