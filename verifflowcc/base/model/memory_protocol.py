"""What keeps items: the protocol that every backend offers, and an item as a backend keeps it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from verifflowcc.base.model.item_values import Item
from verifflowcc.base.records import dataclass

DEFAULT_LIMIT = 100
DEFAULT_ORDER = "created"

Plain = str | int | float | None
Filters = Mapping[str, Plain | Sequence[Plain] | Mapping[str, Plain]]
"""Field → a value (equal), a list (any of them; for a list field: holds any of them), or operators with their values:
`$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, all of which must hold. `domain.query` reads them."""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item with all that its file says.

    `text` is the whole file, front matter and all, with the newlines that it has: it is what a backend keeps, byte for
    byte, wherever it keeps it. `item` and `body` (LF newlines, no front matter) are what it was read as.
    `item.path` is where its file is, or would be: below the project's root, or below the user's folder as `user/…`.
    """

    item: Item
    text: str
    body: str


class ItemKind(NamedTuple):
    """What a list distinguishes without a look at each item; `plain` says that an item's file says no id."""

    status: str
    type: str
    plain: bool


class ItemPage(NamedTuple):
    """The first items of a list, how many there are of each kind, and the items that replace others, with those.

    Of `linked` there may be more.
    """

    items: Sequence[Item]
    kinds: Mapping[ItemKind, int]
    linked: Sequence[Item]


class ChosenItem(NamedTuple):
    """An item without its text, and what reads it; that gives None where it is not there any more."""

    item: Item
    read: Callable[[], StoredItem | None]


Known = Callable[[], Mapping[str, str]]
"""Tells what a copy of a store holds: an item's path → the digest of its text."""


class Changes(NamedTuple):
    """What brings a copy of a store up to it: take out what is at the paths `gone`, then put in what `changed`.

    With `complete`, the copy begins again: `changed` is all that there is. It may be read once. `mark` is handed in the
    next time.
    """

    mark: str
    changed: Iterable[StoredItem]
    gone: tuple[str, ...] = ()
    complete: bool = False


class MemoryBackend(Protocol):
    """A store of the items of one scope.

    Each call is whole or without effect, also beside other writers.

    Every method raises BackendError (WorkspaceError where files are concerned, ConflictError where a lock is held too
    long) in one sentence where it cannot do it. Ids are unique in a store.
    """

    scope: str

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id, in the place of the one that had this id."""
        ...

    def create(self, item: StoredItem) -> bool:
        """Keep an item whose id is new; return False, with nothing changed, where an item has this id.

        Of several that create one id at once, one at most succeeds. It takes no longer where there are many items.
        """
        ...

    def create_all(self, items: Sequence[StoredItem]) -> tuple[str, ...]:
        """Keep items whose ids are new, and return the ids that were there, whose items are left alone.

        Where it raises, some of them may be there. A store of files overrides it: there `create` for each is slow.
        """
        with self.writing():
            return tuple(each.item.id for each in items if not self.create(each))

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return at most `limit` items that match all filters, newest first by the field `order_by`.

        A leading `-` returns the oldest first. Ties are by id; what lacks the field comes last. Raises UsageError
        for an unknown field or operator, a value that does not fit its field, and a limit below 0.
        """
        ...

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        ...

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id; return whether there was one."""
        ...

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id."""
        ...

    def items(self) -> list[Item]:
        """Return all items without their texts, by id; cheaper than `list_all` where an index knows them."""
        return [each.item for each in self.list_all()]

    def linked(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that have links, those that these name, and those with one of these ids, paths or keys.

        Whatever a link can mean is there: by its number, and by the name of its file, too. There may be more, and all
        are without their texts; cheaper than `items` where few have links.
        """
        return self.items()

    def replacing(self, names: Iterable[str] = ()) -> list[Item]:
        """Return of `linked` the items that may say what takes the place of what, those that they mean, and the named.

        There may be more; cheaper than `linked` where most links are those of a trace.
        """
        return self.linked(names)

    def referring(self) -> list[Item]:
        """Return the items that speak of code and those that were put into another, by id, and there may be more.

        All are without their texts.
        """
        return self.items()

    def chosen(self, any_of: Sequence[Filters]) -> list[ChosenItem]:
        """Return the items that match all of any filters, by id; their texts are read when they are asked for."""
        ...

    def page(self, all_of: Sequence[Filters], shown: Callable[[ItemKind], bool], order_by: str, limit: int) -> ItemPage:
        """Return the first items of the kinds that are `shown` and match all filters, in the order of `query`.

        `limit` and as many more as `linked` are returned, where there are so many; `kinds` counts all that match.
        """
        ...

    def ids(self) -> list[tuple[str, str]]:
        """Return the id and the path of each item, by id; cheaper than `items` where an index knows them."""
        return [(item.id, item.path) for item in self.items()]

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what changed since a mark that `changes` gave; None: since `known`, or everything.

        Items may be told that did not change, and an item whose path changed has its old path among `gone`. It costs
        what changed, where a store can tell, or what there is to compare.
        """
        ...

    def clear(self) -> None:
        """Remove all items of this scope, and none of another."""
        ...

    def count(self) -> int:
        """Return the number of items."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Keep other writers of this scope out until the end, for what is read, decided and then written.

        May be entered again by whoever holds it. `add`, `delete` and `clear` outside of it need no lock of the caller.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read as items in the last answer, each `path:line: why` or `path: why`."""
        ...
