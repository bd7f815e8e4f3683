"""Items in the process's memory: for tests, and for what need not outlive its process."""

from _thread import RLock, allocate_lock  # what threading is made of, without it
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from verifflowcc.base.model.item_query import checked_limit, conditions, matches, order_of, ordered_by, page_of
from verifflowcc.base.model.memory_protocol import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    ChosenItem,
    Filters,
    ItemKind,
    ItemPage,
    Known,
    MemoryBackend,
    StoredItem,
)
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.memory.store.placing import folder_of, path_in, placed

# What changed since a copy of a store was made, where the store itself cannot tell: told by the digests of texts.


class ItemDifference(NamedTuple):
    """Paths whose item is new or has another text, and those where there is none any more, both as they came.

    `complete` says that the copy holds nothing, so that what changed is all that there is.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    complete: bool


def compared(digests: Mapping[str, str], known: Mapping[str, str]) -> ItemDifference:
    """Compare what there is (path → digest, by `text.digest.digest_text` of the whole text) with what a copy holds.

    >>> compared({"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"})
    ItemDifference(changed=('a', 'c'), gone=('d',), complete=False)
    """
    changed = tuple(path for path, digest in digests.items() if known.get(path) != digest)
    return ItemDifference(changed, tuple(path for path in known if path not in digests), not known)


class WholeStore(MemoryBackend):
    """A store that looks at all of its items to choose some."""

    def chosen(self, any_of: Sequence[Filters]) -> list[ChosenItem]:
        """Return the items that match all of any filters, by id."""
        asked = [conditions(each) for each in any_of]
        found = (each for each in self.list_all() if any(matches(each.item, every) for every in asked))
        return [ChosenItem(each.item, partial(_given, each)) for each in found]

    def page(self, all_of: Sequence[Filters], shown: Callable[[ItemKind], bool], order_by: str, limit: int) -> ItemPage:
        """Return the first items of a list."""
        return page_of(self.items(), all_of, shown, order_by, limit)


def _given(stored: StoredItem) -> StoredItem:
    return stored


class InMemoryBackend(WholeStore):
    """A store that keeps the items of one scope as long as this object lives; threads may share it."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self._items: dict[str, StoredItem] = {}
        self._writers = RLock()
        self._items_lock = allocate_lock()

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id, in the place of the one that had this id. Raises BackendError."""
        with self._writers:
            known = self.get(item.item.id)
            kept = placed(item, known.item.path if known else path_in(folder_of(self.scope), item))
            with self._items_lock:
                self._items[kept.item.id] = kept

    def create(self, item: StoredItem) -> bool:
        """Keep an item whose id is new; return False where an item has this id. Raises BackendError."""
        with self._writers:
            if self.get(item.item.id) is not None:
                return False
            self.add(item)
            return True

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return the items that match; see `MemoryBackend`. Raises UsageError."""
        asked, most = conditions(filters), checked_limit(limit)
        order_of(order_by)
        found = [each for each in self._all() if matches(each.item, asked)]
        return ordered_by(found, order_by, lambda each: each.item)[:most]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        with self._items_lock:
            return self._items.get(item_id)

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id; return whether there was one."""
        with self._writers, self._items_lock:
            return self._items.pop(item_id, None) is not None

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id."""
        return sorted(self._all(), key=lambda each: each.item.id)

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what differs from `known`; of items with one path, the first by id."""
        there = {each.item.path: each for each in reversed(self.list_all())}
        found = compared({path: digest_text(each.text) for path, each in sorted(there.items())}, known())
        return Changes("", [there[path] for path in found.changed], found.gone, found.complete)

    def clear(self) -> None:
        """Remove all items."""
        with self._writers, self._items_lock:
            self._items.clear()

    def count(self) -> int:
        """Return the number of items."""
        with self._items_lock:
            return len(self._items)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other threads from writing until the end; may be entered again."""
        with self._writers:
            yield

    def close(self) -> None:
        """Do nothing: what is here lives as long as this object."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Nothing: what is here was read when it was added."""
        return ()

    def _all(self) -> list[StoredItem]:
        with self._items_lock:
            return list(self._items.values())
