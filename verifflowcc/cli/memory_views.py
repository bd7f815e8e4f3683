"""How remembered items are shown to a person: as a table, as a page, before a question, and in numbers."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.cli.output import folded, part
from verifflowcc.cli.table import GAP, table, width_of
from verifflowcc.domain.candidates import QUOTE
from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import StoredItem

if TYPE_CHECKING:
    from verifflowcc.services.memory.listing import End, Listing, Row, Shown
    from verifflowcc.services.memory.statistics import Numbers

MOST_LINES = 12
TITLE_ROOM = 24
"""Columns below which a title beside its id would be a narrow pillar."""
_HEADINGS = ("item", "scope", "type", "status", "title")
_HIDDEN = {
    "superseded": "superseded",
    "archived": "archived",
    "trace items": "of the trace (vfcc trace list)",
    "plain pages": "plain pages without fields",
}


def place(scope: str, path: str) -> str:
    """Return where an item is, as a person reads it."""
    return f"in {scope} memory" if scope == "user" else f"in {path}"


def items_table(listing: "Listing", scopes: Sequence[str], *, by_scope: bool) -> list[str]:
    """Return a list's rows, and what is left out of it and why; with `by_scope` each scope under a heading."""
    lines: list[str] = []
    if listing.rows:
        groups: list[tuple[str | None, list[Row]]] = [(None, [*listing.rows])]
        if by_scope:
            named = dict.fromkeys(row.scope for row in listing.rows)
            groups = [(name, [row for row in listing.rows if row.scope == name]) for name in named]
        for name, rows in groups:
            lines += ([""] if lines else []) + ([name] if name else [])
            lines.append(_rows(rows))
    else:
        lines.append(f"there is no item {'here ' if len(scopes) > 1 else f'in {scopes[0]} memory '}that fits")
    hidden = [f"{number:,} {_HIDDEN[why]}" for why, number in listing.hidden.items()]
    if hidden:
        lines += ["", folded(f"not shown: {', '.join(hidden)}; --all shows them", 2)]
    elif not listing.rows:
        what = "preference" if scopes == ("user",) else "fact"
        lines.append(f'next: vfcc memory add {what} "What it says"')
    return lines


def _rows(rows: "Sequence[Row]") -> str:
    """Return rows as a table; where titles have no room beside the ids, in two lines each."""
    cells = [_cells(row) for row in rows]
    usual = {"status": {"active"}, "scope": {rows[0].scope}}
    every = zip(_HEADINGS, zip(*cells, strict=True), strict=True)
    columns = [(name, column) for name, column in every if set(column) != usual.get(name)]
    headings = [name for name, _ in columns]
    shown = list(zip(*(column for _, column in columns), strict=True))
    taken = sum(max(map(len, column)) + GAP for _, column in columns[:-1])
    if width_of(sys.stdout) >= taken + TITLE_ROOM:
        return table(headings, shown)
    lines = []
    for first, *middle, last in shown:
        lines += [folded(f"{first}  {', '.join(middle)}", 2), folded(f"  {last}", 2)]
    return "\n".join(lines)


def _cells(row: "Row") -> tuple[str, ...]:
    by = "" if row.item.trust == "human" else f" ({row.item.trust})"
    stale = ", stale" if row.stale else ""
    return row.item.id, row.scope, row.item.type, f"{row.status}{stale}{by}", row.item.title


def page(shown: "Shown", *, explain: bool) -> list[str]:
    """Return an item's page: text, links, what is newer; with `explain` every field."""
    return list(_page(shown, explain=explain))


def _page(shown: "Shown", *, explain: bool) -> Iterator[str]:
    item = shown.item
    yield folded(f"{item.id}: {item.title}", 2)
    by = f" by {shown.superseded_by}" if shown.superseded_by else ""
    yield f"  {item.type}, {shown.status}{by}, trust {item.trust}"
    yield f"  {place(shown.scope, item.path)}"
    if shown.stale:
        yield folded(f"  stale: {shown.stale}", 4)
    if shown.text:
        yield ""
        yield from (folded(f"  {line}", 2).rstrip() for line in shown.text.splitlines())
    if original := dict(item.details).get(QUOTE):
        yield ""
        yield folded(f"original: {original}", 2)
    yield from part("links", [_end(each, f"{each.relation} {each.id}") for each in shown.links])
    yield from part("linked by", [_end(each, f"{each.id} {each.relation}") for each in shown.linked_by])
    if explain:
        yield from part("fields", [f"{name}: {value}" for name, value in _fields(item)])
    if item.archived is not None:
        from verifflowcc.services.memory.putting_away import WORDS

        yield ""
        why = WORDS.get(item.archived.why, item.archived.why) or "nothing says why"
        into = f" ({item.archived.into})" if item.archived.into else ""
        yield folded(f"archived on {item.archived.on}: {why}{into}", 2)
        yield f"next: vfcc memory restore {item.archived.into or item.id}"
    if shown.stale:
        yield ""
        yield f"next: vfcc memory edit {item.id} --holds (if it is still right)"
    if item.status == "pending":
        yield ""
        yield f"next: vfcc memory promote {item.id}"


def _end(end: "End", words: str) -> str:
    if end.title is None:
        return f"{words}  [there is no such item here]"
    return f"{words} ({end.scope}, {end.status}): {end.title}"


def _fields(item: Item) -> Iterator[tuple[str, str]]:
    from verifflowcc.domain.items import MEMORY_KEYS
    from verifflowcc.formats.front_matter_read import show_thousandths

    yield "importance", show_thousandths(item.importance)
    yield "confidence", show_thousandths(item.confidence)
    source = item.source
    where = f", in {source.project}" if source.project else ""
    yield "source", f"{source.kind}, {source.actor}{where}{f', session {source.session}' if source.session else ''}"
    if source.origin:
        said = f", spoken by {source.speaker}" if source.speaker else ""
        yield "read from", f"{source.origin}{f', turn {source.turn}' if source.turn else ''}{said}"
    for row in MEMORY_KEYS:
        if row.kind and row.explained and (value := getattr(item, row.name)):
            yield row.name, str(value)
    if item.tags:
        yield "tags", ", ".join(item.tags)
    for name, value in item.details:
        yield name, value
    for ref in item.refs:
        yield "speaks of", f"{ref.path}{f', {ref.symbol}' if ref.symbol else ''}"
    yield "uses", f"{item.uses.count}{f', last on {item.uses.last}' if item.uses.last else ''}"
    yield "file", item.path


def before_and_after(before: StoredItem | None, after: StoredItem) -> list[str]:
    """Return what a person sees before a question: what is remembered now, and what would be; no secret in it."""
    from verifflowcc.text.secrets import withhold

    return [withhold(line) for line in _before_and_after(before, after)]


def _before_and_after(before: StoredItem | None, after: StoredItem) -> list[str]:
    if before is None:
        return [f"{after.item.type}: {after.item.title}", *_short(after)]
    lines = [f"{after.item.id}, {after.item.type}"]
    if before.body != after.body or before.item.title != after.item.title:
        lines += [f"now: {before.item.title}", *_short(before), f"then: {after.item.title}", *_short(after)]
    else:
        lines += [after.item.title, *_short(after)]
    names = ("key", "importance", "confidence", "status", "trust", "expires", "deadline", "tags")
    return lines + [
        f"{name}: {_said(before.item, name)} → {_said(after.item, name)}"
        for name in names
        if getattr(before.item, name) != getattr(after.item, name)
    ]


def _said(item: Item, name: str) -> str:
    value = getattr(item, name)
    if isinstance(value, int):
        from verifflowcc.formats.front_matter_read import show_thousandths

        return show_thousandths(value)
    return (", ".join(value) if isinstance(value, tuple) else str(value or "")) or "none"


def _short(stored: StoredItem) -> list[str]:
    """Return an item's text in short; nothing where it says what the title says."""
    lines = stored.body.strip("\n").splitlines()
    if lines == [stored.item.title]:
        return []
    more = [f"  and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return [f"  {line}" for line in lines[:MOST_LINES]] + more


def numbers(found: "Numbers") -> list[str]:
    """Return what is remembered in numbers."""
    lines = [f"project: {found.identity}", ""] if found.identity else []
    headings = ("scope", "kept in", "items", "tokens", "bytes", "uses", "made")
    rows = [
        (
            each.scope,
            each.backend,
            f"{each.count:,}",
            f"{each.tokens:,}",
            f"{each.size:,}",
            f"{each.uses:,}",
            _days(each.oldest, each.newest),
        )
        for each in found.scopes
    ]
    lines.append(table(headings, rows, right=(2, 3, 4, 5)))
    for each in found.scopes:
        told = [", ".join(f"{number:,} {name}" for name, number in of.items()) for of in (each.types, each.statuses)]
        if set(each.types) - {"note"}:
            lines.append(folded(f"{each.scope}: {told[0]}; {told[1]}", 2))
    return lines


def _days(first: str | None, last: str | None) -> str:
    return "–" if first is None else first if first == last else f"{first} to {last}"
