"""Link the rows of one import: their ids become ids of items, and supersession becomes links.

A row names the one that replaced it; an item names the one that it replaces. A row that calls itself superseded becomes
an item that another one supersedes; where the other one is not in the import, or does not hold, it is archived. So a
superseded row never becomes active.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.item_values import Item, Link, Relation, Status
from verifflowcc.base.records import dataclass, replace
from verifflowcc.items.rules.item_older import SUPERSEDED, OlderItem, snake_case
from verifflowcc.memory.rules.superseded import superseded, supersession_circles
from verifflowcc.memory.store.placing import stored_item


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """A row of an older store with its place in the file, and the scope and path that its item will have."""

    where: str
    older: OlderItem
    scope: str
    path: str


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The rows with their links, the paths of those that others supersede, and sentences on rows in a circle."""

    rows: tuple[ImportedRow, ...]
    superseded: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


def link_rows(rows: Sequence[ImportedRow]) -> LinkedRows:
    """Return the rows with links that name items; rows that supersede each other in a circle are left out."""
    ids = {row.older.name: row.older.item.id for row in rows}
    linked = [_with_links(row, _renamed(row.older.item.links, ids)) for row in rows]
    by_name = {(row.scope, row.older.name): number for number, row in enumerate(linked)}
    for row in tuple(linked):
        newer = by_name.get((row.scope, row.older.newer or ""))
        if newer is not None:
            link = Link(row.older.item.id, Relation.SUPERSEDES)
            linked[newer] = _with_links(linked[newer], (*linked[newer].older.item.links, link))
    circles = supersession_circles(row.older.item for row in linked)
    sound = [row for row in linked if row.older.item.id not in circles]
    problems = [
        f"{row.where}: {row.older.name} and {circles[row.older.item.id]} supersede each other"
        for row in linked
        if row.older.item.id in circles
    ]
    if not any(row.older.superseded or row.older.newer for row in sound):
        return LinkedRows(tuple(sound), problems=tuple(problems))
    found = frozenset(superseded([_item(row) for row in sound]).found)
    return LinkedRows(tuple(_out_of_force(sound, found)), found, tuple(problems))


def _renamed(links: Sequence[Link], ids: Mapping[str, str]) -> tuple[Link, ...]:
    return tuple(replace(link, to=ids.get(link.to, link.to)) for link in links)


def _with_links(row: ImportedRow, links: Sequence[Link]) -> ImportedRow:
    item = replace(row.older.item, links=tuple(dict.fromkeys(links)))
    return replace(row, older=replace(row.older, item=item))


def _out_of_force(rows: Sequence[ImportedRow], found: frozenset[str]) -> Iterator[ImportedRow]:
    """Yield the rows, those that are superseded as active items with a newer one, else as archived items."""
    for row in rows:
        older, replaced = row.older, row.path in found
        item, kept = older.item, dict(older.imported)
        if older.newer is not None and not replaced:
            kept["supersededById"] = older.newer
        if older.superseded:
            kept = {name: value for name, value in kept.items() if snake_case(name) != "status"}
            kept |= {} if replaced else {"status": SUPERSEDED}
            item = replace(item, status=Status.ACTIVE if replaced else Status.ARCHIVED)
        yield replace(row, older=replace(older, item=item, imported=kept))


def _item(row: ImportedRow) -> Item:
    return stored_item(row.path, row.older.text().encode("utf-8", "replace")).item
