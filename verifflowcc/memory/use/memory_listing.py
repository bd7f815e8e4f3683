"""List items, and show one with all that is around it."""

import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.item_query import Condition, conditions, kind_of_item, matches, order_of, ordered
from verifflowcc.base.model.item_values import TYPES, Item, Status
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.memory_protocol import Filters, ItemKind, MemoryBackend, Plain
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.store.item_walk import one_look
from verifflowcc.memory.rules.superseded import stale_summaries, superseded
from verifflowcc.memory.use.item_search import (
    ScopedItem,
    find_item,
    items_around,
    items_as_of,
    lifetimes_here,
    read_as_of,
    removed_error,
)
from verifflowcc.memory.use.stores import open_store

STATUSES = ("active", "pending", "superseded", "archived")
BY_IMPORTANCE, NEWEST = "importance", "created"
_WHERE = lazy_pattern(r"\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*", re.DOTALL)
_OPERATOR = {">=": "$gte", "<=": "$lte", "!=": "$ne", "=": "$eq", ">": "$gt", "<": "$lt"}
SUPERSEDED, ARCHIVED, TRACE, PAGES = "superseded", "archived", "trace items", "plain pages"


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item in a list; `status` is as people say it, and `superseded_by` the newer item's id.

    `stale` says what became of the code that it speaks of; None where that is as it was.
    """

    item: Item
    scope: str
    status: str
    """`active`, `pending`, `superseded` or `archived`."""
    superseded_by: str | None
    """The newer item's id, or null."""
    stale: str | None = None
    """How the code that it cites changed, or null."""


@dataclass(frozen=True, slots=True)
class ItemListing:
    """Rows in order; `hidden` is why → how many that fit were left out, `more` how many were beyond the limits.

    `notices` tell of files that cannot be read.
    """

    rows: tuple[ItemLine, ...]
    hidden: Mapping[str, int]
    """Why other matches were left out, with counts."""
    more: int
    """How many were beyond the limit."""
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What is to be listed: any of the types, with any of the tags; `where` are texts as `importance>=0.7`.

    At most `limit` rows, and at most `of_each` of a scope. `as_of` is the day on which the items are looked at, as
    somebody wrote it; None: as they are now.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: str | None = None
    everything: bool = False
    where: tuple[str, ...] = ()
    order: str | None = None
    limit: int | None = None
    of_each: int | None = None
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class ItemLinkEnd:
    """The other end of a link; its title, scope and status are None where it is not in view."""

    id: str
    relation: str
    title: str | None
    """Null if there is no such item here."""
    scope: str | None
    status: str | None


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item with its text, links in both directions, replacement and code changes."""

    item: Item
    scope: str
    status: str
    """`active`, `pending`, `superseded` or `archived`."""
    text: str
    superseded_by: str | None
    """The newer item's id, or null."""
    links: tuple[ItemLinkEnd, ...]
    linked_by: tuple[ItemLinkEnd, ...]
    stale: str | None = None
    """How the code that it cites changed, or null."""


def list_items(workspace: Workspace | None, scopes: Sequence[str], asked: ListQuery) -> ItemListing:
    """Return the items of scopes that fit: a person's by importance, others newest first, unless an order is asked for.

    What is superseded or archived, what stands in the trace, and pages without any field are left out unless they are
    asked for. Raises UsageError for an unknown word, with the nearest.
    """
    filters = _filters(asked)
    if asked.order is not None:
        order_of(asked.order)
    if asked.limit is not None and asked.limit < 1:
        raise UsageError(f"a limit is a whole number from 1, not {asked.limit}", hint="--limit 20")
    day = read_as_of(asked.as_of)
    rows: list[ItemLine] = []
    hidden: Counter[str] = Counter()
    notices: list[str] = []
    known: set[str] = set()
    fit = 0
    with closing(_in_turn(workspace, scopes, opened=_is_short(asked, day))) as each_scope:
        for scope, store in each_scope:
            if store is None:
                part = _all_rows(workspace, scope, filters, asked, day)
            else:
                part = _first_rows(store, scope, filters, asked)
            known |= part.types
            notices += part.notices
            hidden.update(part.hidden)
            fit += part.fit
            rows += part.rows
    demand_types(asked.types, known)
    if asked.order is not None:
        rows = _in_order(rows, asked.order)
    stale = {} if day else _stale(workspace, [row.item for row in rows[: asked.limit]])
    shown = [replace(_withheld(row), stale=stale.get(row.item.path)) for row in rows[: asked.limit]]
    return ItemListing(tuple(shown), dict(sorted(hidden.items())), fit - len(shown), tuple(notices))


@dataclass(frozen=True, slots=True)
class _ScopeRows:
    """Of one scope: the rows to show, how many fit and were left out, and the types that there are."""

    rows: Sequence[ItemLine]
    hidden: Mapping[str, int]
    fit: int
    types: frozenset[str]
    notices: Sequence[str]


def _all_rows(
    workspace: Workspace | None, scope: str, filters: Sequence[Filters], asked: ListQuery, day: str | None
) -> _ScopeRows:
    found, problems = rows_of(workspace, scope, day)
    wanted, hidden = _conditions(filters), Counter[str]()
    fitting = [row for row in found if matches(row.item, wanted) and _has_status(row.status, asked)]
    kept = [row for row in fitting if (why := _hidden(_kind(row), asked)) is None or hidden.update([why])]
    rows = _in_order(kept, _order(scope, asked))[: asked.of_each]
    return _ScopeRows(rows, hidden, len(kept), frozenset(row.item.type for row in found), problems)


def _is_short(asked: ListQuery, day: str | None) -> bool:
    """Say whether the first rows of each scope, and how many there are of each kind, are all that a list needs."""
    bounded = asked.limit is not None or asked.of_each is not None
    usual = day is None and not asked.everything and asked.status != SUPERSEDED
    return bounded and usual and TYPES.keys() >= {*map(type_meant, asked.types)}


def _in_turn(
    workspace: Workspace | None, scopes: Sequence[str], *, opened: bool
) -> Generator[tuple[str, MemoryBackend | None], None, None]:
    """Yield each scope, with its store where they are to be opened.

    One is closed when the next was asked: whoever closes an index last puts it away, and that takes longer than to ask.
    """
    with ExitStack() as before:
        for scope in scopes:
            with ExitStack() as own:
                yield scope, own.enter_context(open_store(workspace, scope)) if opened else None
                before.close()
                before.push(own.pop_all())


def _first_rows(store: MemoryBackend, scope: str, filters: Sequence[Filters], asked: ListQuery) -> _ScopeRows:
    """Return the first rows of a scope without the others."""

    def is_shown(kind: ItemKind) -> bool:
        return _has_status(kind.status, asked) and _hidden(kind, asked) is None

    most = min(each for each in (asked.limit, asked.of_each) if each is not None)
    page, problems = store.page(filters, is_shown, _order(scope, asked), most), store.problems
    gone = superseded(page.linked).found
    counts = Counter(page.kinds)
    wanted, ids = _conditions(filters), {item.path: item.id for item in page.linked}
    for item in page.linked:
        if item.path in gone and item.status is Status.ACTIVE and matches(item, wanted):
            kind = kind_of_item(item)
            counts[kind] -= 1
            counts[kind._replace(status=SUPERSEDED)] += 1
    hidden, fit = Counter[str](), 0
    for kind, count in counts.items():
        if count and _has_status(kind.status, asked):
            why = _hidden(kind, asked)
            fit += 0 if why else count
            hidden.update({why: count} if why else {})
    every = (
        _row(each, scope, gone[each.path].by if each.path in gone else None, ids, each.path in gone)
        for each in page.items
    )
    rows = [row for row in every if row.status != SUPERSEDED][:most]
    stale = tuple(each.notice for each in stale_summaries(page.linked, gone))
    return _ScopeRows(rows, hidden, fit, frozenset(), (*problems, *stale))


def _order(scope: str, asked: ListQuery) -> str:
    return asked.order or (BY_IMPORTANCE if scope == USER else NEWEST)


def _kind(row: ItemLine) -> ItemKind:
    return kind_of_item(row.item)._replace(status=row.status)


def rows_of(workspace: Workspace | None, scope: str, day: str | None = None) -> tuple[list[ItemLine], tuple[str, ...]]:
    """Return all items of a scope, as they were on an ISO day or are, with what is newer, and what is wrong."""
    with open_store(workspace, scope) as store:
        items, problems = store.items(), store.problems
    then = items_as_of(items, day, lifetimes_here(workspace, scope))
    stale = stale_summaries(then, superseded(then).found)
    return rows_among(then, scope), (*problems, *(each.notice for each in stale))


def rows_among(items: Sequence[Item], scope: str) -> list[ItemLine]:
    """Return items of a scope with what is newer among them."""
    gone = superseded(items).found
    ids = {item.path: item.id for item in items}
    return [
        _row(item, scope, gone[item.path].by if item.path in gone else None, ids, item.path in gone) for item in items
    ]


def find_and_show(
    workspace: Workspace | None, name: str, scopes: Sequence[str], around: Sequence[str], *, as_of: str | None = None
) -> tuple[ScopedItem, ItemView]:
    """Return the item that a name means in `scopes`, and all that is around it. Raises as both searches do."""
    with one_look():
        found = find_item(workspace, name, scopes)
        return found, show_item(workspace, found, around, as_of=as_of)


def show_item(
    workspace: Workspace | None, found: ScopedItem, scopes: Sequence[str], *, as_of: str | None = None
) -> ItemView:
    """Return one item with its text; its links' other ends are looked for in `scopes`.

    `as_of` is a day, as somebody wrote it: what stood around the item then. Raises UsageError for what is no day, and
    where the item was made later; ConflictError where it is not there any more.
    """
    from verifflowcc.base.use.guarding import withheld_item

    day = read_as_of(as_of)
    names = {found.item.id, *([found.item.key] if found.item.key else ()), *(link.to for link in found.item.links)}
    rows = {}
    for scope in dict.fromkeys((found.scope, *scopes)):
        with open_store(workspace, scope) as store:
            around = items_as_of(items_around(store, names), day, lifetimes_here(workspace, scope))
        rows[scope] = rows_among(around, scope)
    mine = next((row for row in rows[found.scope] if row.item.id == found.item.id), None)
    if mine is None and day and (found.item.created or "")[:10] > day:
        raise UsageError(
            f"{found.item.id} was made on {(found.item.created or '')[:10]}, after {day}",
            hint=f"vfcc memory show {found.item.id}",
        )
    if mine is None:
        raise removed_error(found.item.id)
    everywhere = [row for each in rows.values() for row in each]
    links = tuple(_end(link.to, str(link.relation), _target(link.to, rows, found.scope)) for link in found.item.links)
    mine_too = (found.item.id, found.item.path, found.item.key)
    back = tuple(
        _end(row.item.id, str(link.relation), row)
        for row in everywhere
        for link in row.item.links
        if link.to in mine_too and row is not mine and _target(link.to, rows, row.scope) in (mine, None)
    )
    item, text = withheld_item(mine.item), withhold(found.stored.body.strip("\n"))
    stale = None if day else _stale(workspace, [mine.item]).get(mine.item.path)
    return ItemView(item, found.scope, mine.status, text, mine.superseded_by, links, back, stale)


def _stale(workspace: Workspace | None, items: Sequence[Item]) -> dict[str, str]:
    """Return item path → why its code is stale; archived items are left out.

    Outside of a project there is none.
    """
    if workspace is None or not any(item.refs for item in items):
        return {}
    from verifflowcc.memory.use.code_refs import stale_items

    found = stale_items(workspace, (item for item in items if item.status is not Status.ARCHIVED))
    return {path: withhold(why) for path, why in found.items()}


def where_of(texts: Sequence[str]) -> dict[str, dict[str, Plain]]:
    """Return `field>=value` texts as filters. Raises UsageError where one is not that.

    >>> where_of(["importance>=0.7", "importance<0.9"])
    {'importance': {'$gte': '0.7', '$lt': '0.9'}}
    """
    filters: dict[str, dict[str, Plain]] = {}
    for text in texts:
        parts = _WHERE.fullmatch(text)
        if parts is None:
            raise UsageError(
                f"{text!r} is no condition; write a field, one of = != > >= < <=, and a value",
                hint="--where 'importance>=0.7'",
            )
        operators = filters.setdefault(parts[1], {})
        if _OPERATOR[parts[2]] in operators:
            raise UsageError(f"{parts[1]} {parts[2]} is asked for twice", hint="--where 'importance>=0.7'")
        operators[_OPERATOR[parts[2]]] = parts[3] or None
    return filters


def _conditions(filters: Sequence[Filters]) -> tuple[Condition, ...]:
    return tuple(condition for each in filters for condition in conditions(each))


def _filters(asked: ListQuery) -> tuple[Filters, ...]:
    found: list[Filters] = [where_of(asked.where)]
    if asked.types:
        found.append({"type": [*map(type_meant, asked.types)]})
    if asked.tags:
        found.append({"tags": list(asked.tags)})
    _conditions(found)  # refuses unknown fields before a store is opened
    if asked.status is not None and asked.status not in STATUSES:
        near = nearest(asked.status, STATUSES)
        choice = f"did you mean {near}?" if near else f"there is {', '.join(STATUSES)}"
        raise UsageError(f"there is no status {asked.status}; {choice}", hint=f"--status {near or STATUSES[0]}")
    return tuple(found)


def type_meant(word: str) -> str:
    """Return the type that a word names, however it is written.

    >>> type_meant(" Business-Fact")
    'business_fact'
    """
    return word.strip().casefold().replace("-", "_")


def demand_types(types: Sequence[str], known: set[str]) -> None:
    """Raise UsageError, with the nearest, for a type that no item has and the table does not know."""
    for each in types:
        name = type_meant(each)
        if name not in TYPES and name not in known:
            near = nearest(name, {*TYPES, *known})
            meant = f"; did you mean {near}?" if near else ""
            raise UsageError(f"there is no type {each}{meant}", hint=f"--type {near or 'fact'}")


def _has_status(status: str, asked: ListQuery) -> bool:
    return asked.status in (None, status)


def _hidden(kind: ItemKind, asked: ListQuery) -> str | None:
    """Return why items of a kind are not shown; None where they are."""
    if asked.everything:
        return None
    if asked.status is None and kind.status in (SUPERSEDED, ARCHIVED):
        return kind.status
    if asked.types:
        return None
    if kind.type in TYPES and TYPES[kind.type].trace:
        return TRACE
    return PAGES if kind.plain and kind.type == "note" else None


def _in_order(rows: Sequence[ItemLine], order: str) -> list[ItemLine]:
    by_item = {id(row.item): row for row in rows}
    return [by_item[id(item)] for item in ordered([row.item for row in rows], order)]


def _withheld(row: ItemLine) -> ItemLine:
    from verifflowcc.base.use.guarding import withheld_item

    item = withheld_item(row.item)
    return row if item is row.item else replace(row, item=item)


def _row(item: Item, scope: str, by: str | None, ids: Mapping[str, str], gone: bool) -> ItemLine:
    newer = ids.get(by, by) if by else None
    status = SUPERSEDED if gone and item.status is Status.ACTIVE else str(item.status)
    return ItemLine(item, scope, status, newer)


def _target(to: str, rows: Mapping[str, Sequence[ItemLine]], scope: str) -> ItemLine | None:
    """The item that a link from a scope leads to: one of that scope before another."""
    for each in (scope, *rows):
        found = next((row for row in rows.get(each, ()) if to in _names(row.item)), None)
        if found is not None:
            return found
    return None


def _names(item: Item) -> Iterator[str]:
    yield item.id
    yield item.path
    if item.key:
        yield item.key


def _end(name: str, relation: str, row: ItemLine | None) -> ItemLinkEnd:
    if row is None:
        return ItemLinkEnd(name, relation, None, None, None)
    return ItemLinkEnd(row.item.id, relation, withhold(row.item.title), row.scope, row.status)
