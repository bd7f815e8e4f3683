"""A store in which nothing is kept before a scanner has looked at it; in all else the store that it stands before."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from verifflowcc.domain.memory import MemoryBackend, StoredItem

Look = Callable[[StoredItem, MemoryBackend], None]
"""Looks at an item that is about to be kept in a store; raises where it must not be."""


def scanned_store(store: MemoryBackend, look: Look) -> MemoryBackend:
    """Return a store that looks at each item before it is kept."""
    return cast(MemoryBackend, _Scanned(store, look))


class _Scanned:
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

    def __getattr__(self, name: str) -> Any:
        """Return what the store itself has: only what is written is looked at."""
        return getattr(self._store, name)
