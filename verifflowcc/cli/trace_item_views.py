"""How single items are shown to a person: as a table, as a page, and before a question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.cli.output import folded, part
from verifflowcc.cli.terminal import wants_color
from verifflowcc.domain.trace import TraceItem
from verifflowcc.text.invisible import printable
from verifflowcc.text.secrets import withhold

if TYPE_CHECKING:
    from verifflowcc.services.trace_clearing import ToClear
    from verifflowcc.services.trace_listing import End, ItemPage
    from verifflowcc.services.trace_reviewing import ToReview
    from verifflowcc.services.trace_verifying import ToVerify
    from verifflowcc.trace.answers import CodePlace
    from verifflowcc.trace.stamps import LinkState

MOST_LINES = 12


def to_review(what: "ToReview") -> list[str]:
    """Return what a reviewer sees before the question: what the items say, in short, and their links."""
    lines: list[str] = []
    for item in what.items:
        mine = "  (your own work)" if item.id in what.own else ""
        lines.append(f"{item.id}: {item.title}{mine}")
        if len(what.items) == 1:
            lines += _text(item)
        for link in item.links:
            other = what.view.by_id.get(link.to)
            lines.append(f"  {link.relation} {link.to}: {other.title if other else 'there is no such item'}")
    return lines


def to_clear(what: "ToClear") -> list[str]:
    """Return both ends of a link as they are now."""
    relation = " and ".join(link.relation for link in what.links)
    stamp = what.links[0].stamp
    since = f" since {stamp.by or 'somebody'} looked on {stamp.on or 'an unknown day'}" if stamp else ""
    return [
        f"{what.item.id}: {what.item.title}",
        *_text(what.item),
        f"{relation} {what.other.id}: {what.other.title}",
        *_text(what.other),
        f"{changed(what.state, what.other.id, what.item.id)}{since}",
        f"reason: {what.reason}",
    ]


def to_verify(what: "ToVerify") -> list[str]:
    """Return what the item asks, its code, and what is about to be said."""
    code = [f"  code: {each.path}{f', {each.symbol}' if each.symbol else ''}" for each in what.code]
    return [
        f"{what.item.id}: {what.item.title}",
        *_text(what.item),
        *code[:MOST_LINES],
        f"by {what.word.method}, you saw: {what.word.saw}",
    ]


def _text(item: TraceItem) -> Iterator[str]:
    lines = withhold(item.text).splitlines()
    yield from (f"  {line}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"  and {len(lines) - MOST_LINES} more lines in {item.path}"


def page(shown: "ItemPage") -> str:
    """Return an item's page: text, fields, links, code, tests, review."""
    if wants_color():
        return _tree(shown)
    return printable("\n".join(_page(shown)))


def _tree(shown: "ItemPage") -> str:
    from verifflowcc.cli.trace_trees import item_tree

    item = shown.item
    parts = [("rationale", item.rationale.splitlines())] if item.rationale else []
    parts += [(heading, lines) for heading, lines in _parts(shown) if lines]
    parts += [("review", [line.removeprefix("review: ") for line in _people(shown)])]
    return item_tree(f"{item.id}: {item.title}", (", ".join(_facts(shown)), item.path), item.text.strip("\n"), parts)


def _page(shown: "ItemPage") -> Iterator[str]:
    item = shown.item
    yield f"{item.id}: {item.title}"
    yield folded(f"  {', '.join(_facts(shown))}", 2)
    yield f"  {item.path}"
    yield from _indented(item.text)
    if item.rationale:
        yield ""
        yield "rationale"
        yield from _indented(item.rationale, gap=False)
    for heading, lines in _parts(shown):
        yield from part(heading, lines)
    yield ""
    yield from (folded(line, 2) for line in _people(shown))


def _parts(shown: "ItemPage") -> Iterator[tuple[str, list[str]]]:
    item = shown.item
    yield "traces to", [_end(each, each.id, item.id) for each in shown.links]
    yield "linked by", [_end(each, item.id, each.id) for each in shown.linked_by]
    yield "code", [_place(each) for each in shown.code]
    yield "tests", [f"{each.test}: {each.word}" for each in shown.tests]
    yield "evidence", list(item.evidence)


def _people(shown: "ItemPage") -> Iterator[str]:
    yield f"review: {_review(shown)}"
    if seen := shown.item.verified:
        yield f"verified: by {seen.method}, {seen.by} on {seen.on}: {seen.saw}"


def _facts(shown: "ItemPage") -> Iterator[str]:
    item = shown.item
    yield f"{item.type}, {shown.status}"
    if item.planned:
        yield f"planned for {item.planned}"
    if item.verification:
        yield f"verified by {item.verification}"
    if item.integrity:
        yield f"integrity {item.integrity}"
    if item.derived:
        yield "derived"
    if item.tags:
        yield f"tags {' '.join(item.tags)}"


def _end(end: "End", to: str, holder: str) -> str:
    """The other end of a link from `holder` to `to`, and how the link stands."""
    if end.title is None:
        return f"{end.relation} {end.id}  [there is no such item]"
    status = f" ({end.status})" if end.status in {"draft", "retired", "planned"} else ""
    return f"{end.relation} {end.id}{status}: {end.title}  [{changed(end.state, to, holder)}]"


def changed(state: "LinkState", to: str, holder: str) -> str:
    """Return how a link from `holder` to `to` stands; of a suspect one which end changed."""
    ends = {"suspect": f"suspect: {to} changed", "outgrown": f"suspect: {holder} changed"}
    return ends.get(str(state), str(state))


def _place(place: "CodePlace") -> str:
    where = f"{place.path}:{place.line}" + (f", {place.symbol}" if place.symbol else "")
    return where if place.there else f"{where} (not there)"


def _review(shown: "ItemPage") -> str:
    stamp = shown.item.reviewed
    if stamp is None:
        return f"not reviewed; vfcc trace review {shown.item.id}"
    by = f"{shown.review}, by {stamp.by or 'an unknown person'} on {stamp.on or 'an unknown day'}"
    return by if shown.review == "reviewed" else f"{by}; vfcc trace review {shown.item.id}"


def _indented(text: str, *, gap: bool = True) -> Iterator[str]:
    if gap and text:
        yield ""
    yield from (folded(f"  {line}", 2).rstrip() for line in withhold(text).splitlines())
