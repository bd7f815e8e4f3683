"""Find the item that a person means, by its id or the beginning of one, in the scopes that are in play."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.errors import ConflictError, FormatError, UsageError
from verifflowcc.base.model.item_values import Item, Relation
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest_start
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.lifetimes import NO_LIFETIMES, Lifetimes
from verifflowcc.memory.rules.superseded import Replacement, as_of, superseded, supersession_circles
from verifflowcc.memory.use.stores import memory_settings, open_store

# The items of a scope that links connect: all that says what is superseded, and what leads to an item.


def items_around(store: MemoryBackend, names: Iterable[str] = ()) -> list[Item]:
    """Return what is superseded and by what, all items with links, those they lead to, and those of these names, by id.

    Names are ids, paths and keys. There may be more. Raises as the store does.
    """
    return sorted(store.linked(names), key=lambda item: item.id)


def replaced_among(store: MemoryBackend, names: Iterable[str] = ()) -> Mapping[str, Replacement]:
    """Return path → by what it is superseded, of the items that others replace or that have one of these names."""
    return superseded(store.replacing(names)).found


def refuse_circle(store: MemoryBackend, changed: Item) -> None:
    """Raise UsageError where an item, as it is to be written, would supersede itself through others of its scope."""
    older = [link.to for link in changed.links if link.relation == Relation.SUPERSEDES]
    others = [each for each in store.replacing(older) if each.id != changed.id]
    by = supersession_circles([*others, changed]).get(changed.id)
    if by is not None:
        raise UsageError(
            f"{changed.id} cannot supersede {by}: {by} supersedes {changed.id}, directly or through others",
            hint=f"vfcc memory show {by}",
        )


# A scope's items as they were on a day, with what was newer then.


def read_as_of(text: str | None) -> str | None:
    """Return the ISO day that `--as-of` means; None where it was left out. Raises UsageError where it is none."""
    if text is None:
        return None
    from verifflowcc.base.text.dates import read_moment

    moment = read_moment(text.strip())
    if moment is None:
        raise UsageError(f"{text!r} is no day; write it as 2026-11-21", hint="--as-of 2026-11-21")
    return moment[:10]


def items_as_of(items: Sequence[Item], day: str | None, ttl_days: Lifetimes = NO_LIFETIMES) -> list[Item]:
    """Return items as they were on a day; as they are where none is asked for."""
    if day is None:
        return list(items)

    newer = {path: each.newer for path, each in superseded(items).found.items()}
    return list(as_of(items, day, ttl_days=ttl_days, newer=newer))


def lifetimes_here(workspace: Workspace | None, scope: str) -> Lifetimes:
    """Return the days that the settings give to types in a scope; what is known of a person does not run out."""
    return memory_settings(workspace).ttl_days if workspace is not None and scope != "user" else NO_LIFETIMES


LISTED = 6


@dataclass(frozen=True, slots=True)
class ScopedItem:
    """An item, and the scope in which it is."""

    scope: str
    stored: StoredItem

    @property
    def item(self) -> Item:
        """The item without its text."""
        return self.stored.item


def find_item(workspace: Workspace | None, name: str, scopes: Sequence[str]) -> ScopedItem:
    """Return the item of that id, or the only one whose id begins with it; capitals do not matter.

    An item with no id of its own is also found by its file's name. Raises UsageError where there is none (with the
    nearest) or there are several, with their scopes; FormatError where the file of that name cannot be read.
    """
    given = name.strip().removesuffix(".md")
    if not given:
        raise UsageError("the id says nothing", hint="vfcc memory list")
    wanted = given.casefold()
    exactly = [each for scope in scopes if (each := _with_id(workspace, scope, given))]
    if len(exactly) == 1:
        return exactly[0]
    if exactly:
        raise _several(name, [(each.scope, each.item.id) for each in exactly])
    seen: dict[str, str] = {}
    same: list[tuple[str, str]] = []
    begun: list[tuple[str, str]] = []
    problems: list[str] = []
    for scope in scopes:
        with open_store(workspace, scope) as store:
            for item_id, path in store.ids():
                names = [each.casefold() for each in _names(item_id, path)]
                seen |= dict.fromkeys(names, item_id)
                if wanted in names:
                    same.append((scope, item_id))
                elif any(each.startswith(wanted) for each in names):
                    begun.append((scope, item_id))
            problems += store.problems
    found = same or begun
    if len(found) == 1:
        return get_item(workspace, *found[0])
    if found:
        raise _several(name, found)
    raise _unknown(name, wanted, seen, problems, scopes)


def get_item(workspace: Workspace | None, scope: str, item_id: str) -> ScopedItem:
    """Return an item of a scope by its whole id. Raises ConflictError where it is not there any more."""
    found = _with_id(workspace, scope, item_id)
    if found is None:
        raise removed_error(item_id)
    return found


def removed_error(item_id: str) -> ConflictError:
    """Return the error for an item that somebody else removed since it was found."""
    return ConflictError(f"{item_id} was removed since it was read; nothing was written", hint="vfcc memory list")


def _with_id(workspace: Workspace | None, scope: str, item_id: str) -> ScopedItem | None:
    with open_store(workspace, scope) as store:
        stored = store.get(item_id)
    return ScopedItem(scope, stored) if stored else None


def names_of(item: Item) -> Iterator[str]:
    """Yield the names by which an item can be meant: its id; where that is its path, the file's name as well."""
    yield from _names(item.id, item.path)


def _names(item_id: str, path: str) -> Iterator[str]:
    yield item_id
    if _is_of_path(item_id, path):
        yield item_id.rpartition("/")[2]


def has_no_id(item: Item) -> bool:
    """Say whether an item's file says no id, so that its path is one."""
    return _is_of_path(item.id, item.path)


def _is_of_path(item_id: str, path: str) -> bool:
    return item_id == path.rpartition(".")[0]


def _several(name: str, found: Sequence[tuple[str, str]]) -> UsageError:
    ids = sorted({item_id for _, item_id in found})
    if len(ids) == 1:
        places = " and in ".join(scope for scope, _ in found)
        return UsageError(
            f"{ids[0]} is in {places}; say in which scope", hint=f"vfcc memory show {ids[0]} --scope {found[0][0]}"
        )
    names = [f"{item_id} ({scope})" for scope, item_id in found]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return UsageError(
        f"{name} can be any of {len(found)} items: {', '.join(names[:LISTED])}{more}",
        hint=f"vfcc memory show {ids[0]}",
    )


def _unknown(
    name: str, wanted: str, seen: dict[str, str], problems: Sequence[str], scopes: Sequence[str]
) -> UsageError | FormatError:
    for problem in problems:
        path = problem.partition(":")[0]
        if path.rpartition("/")[2].removesuffix(".md").casefold() == wanted:
            return FormatError(problem, hint=f"edit {path} by hand")
    where = f" in {scopes[0]} memory" if len(scopes) == 1 else ""
    if not seen:
        return UsageError(f"there is no item {name}{where}: there is none at all", hint='vfcc memory add fact "Text"')
    near = nearest_start(wanted, seen)
    more = f"; did you mean {seen[near]}?" if near else ""
    return UsageError(
        f"there is no item {name}{where}{more}", hint=f"vfcc memory show {seen[near]}" if near else "vfcc memory list"
    )
