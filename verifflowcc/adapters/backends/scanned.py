"""A store in which nothing is kept before a scanner has looked at it; in all else the store that it stands before."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    Filters,
    Known,
    MemoryBackend,
    StoredItem,
)

Look = Callable[[StoredItem, MemoryBackend], None]
"""Looks at an item that is about to be kept in a store; raises where it must not be."""


class ScannedBackend:
    """A `MemoryBackend` whose `add`, `create` and `create_all` look at each item first."""

    def __init__(self, store: MemoryBackend, look: Look) -> None:
        self.scope = store.scope
        self._store = store
        self._look = look

    def add(self, item: StoredItem) -> None:
        """Keep an item that was looked at."""
        self._look(item, self._store)
        self._store.add(item)

    def create(self, item: StoredItem) -> bool:
        """Keep a new item that was looked at."""
        self._look(item, self._store)
        return self._store.create(item)

    def create_all(self, items: Sequence[StoredItem]) -> tuple[str, ...]:
        """Keep new items, once all of them were looked at."""
        for each in items:
            self._look(each, self._store)
        return self._store.create_all(items)

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return what matches."""
        return self._store.query(filters, limit, order_by)

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id."""
        return self._store.get(item_id)

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id."""
        return self._store.delete(item_id)

    def list_all(self) -> list[StoredItem]:
        """Return all items."""
        return self._store.list_all()

    def items(self) -> list[Item]:
        """Return all items without their texts."""
        return self._store.items()

    def linked(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items around these names."""
        return self._store.linked(names)

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what changed."""
        return self._store.changes(mark, known)

    def clear(self) -> None:
        """Remove all items."""
        self._store.clear()

    def count(self) -> int:
        """Return the number of items."""
        return self._store.count()

    def writing(self) -> AbstractContextManager[None]:
        """Keep other writers out."""
        return self._store.writing()

    def close(self) -> None:
        """Let go of files and connections."""
        self._store.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read."""
        return self._store.problems
