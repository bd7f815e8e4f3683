"""Single items for a person: as a table, as a page, and before a question."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.terminal.output import folded, part, plain
from verifflowcc.base.terminal.table import status_of
from verifflowcc.base.terminal.terminal import RICH, SYMBOLS, drawn, has_unicode, status_style, wants_color, width_of
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.secrets import withhold
from verifflowcc.items.rules.import_values import ChangeSide, is_taken
from verifflowcc.trace.use.trace_import import ImportReport, TraceImportItem, TraceImportOutcome

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from verifflowcc.trace.rules.answers import CodePlace, ReachedItem
    from verifflowcc.trace.rules.fingerprint import LinkState
    from verifflowcc.trace.use.trace_narrowing import ItemPage, PageLink
    from verifflowcc.trace.use.trace_reviews import ClearancePlan, ReviewPlan, VerificationPlan


# Items of the trace at a terminal, as trees drawn by rich: an item with its parts, and what a change reaches.

WIDEST = 120
"""Columns beyond which a tree is not drawn any wider."""
Part = tuple[str, Sequence[str]]
"""A heading and its lines."""
_WEIGHTS = {"error": "bad", "warning": "warn", "note": "quiet"}
_COMMANDS = "next"


def item_tree(title: str, facts: Sequence[str], text: str, parts: Iterable[Part]) -> str:
    """Return an item as a tree: title and facts at its root, a branch for each part."""
    from rich.text import Text
    from rich.tree import Tree

    root = _trace_trees_text(title, "strong")
    for fact in facts:
        root.append("\n")
        root.append_text(_trace_trees_text(fact, status_style(status_of(fact)[0]) or "quiet"))
    if text:
        root.append("\n\n")
        root.append_text(Text(plain(text)))
        root.append("\n")
    tree = Tree(root, guide_style="dim")
    for heading, lines in parts:
        branch = tree.add(_trace_trees_text(heading, "strong"))
        for line in lines:
            branch.add(_leaf(heading, line))
    return _drawn(tree)


def reach_tree(title: str, summary: str, found: "Sequence[ReachedItem]") -> str:
    """Return the items below one as a tree, each under the item that leads to it."""
    from rich.tree import Tree

    root = _trace_trees_text(title, "strong")
    root.append("\n")
    root.append_text(_trace_trees_text(summary, "quiet"))
    tree = Tree(root, guide_style="dim")
    places: dict[str, Tree] = {}
    for each in sorted(found, key=lambda one: one.steps):
        label = _trace_trees_text(f"{each.id} ", "accent")
        label.append_text(_trace_trees_text(each.relations[-1], "quiet"))
        label.append_text(_trace_trees_text(f"  {each.title}"))
        places[each.id] = places.get(each.route[-2], tree).add(label)
    return _drawn(tree)


def _leaf(heading: str, line: str) -> "Text":
    """Return a line of a part, with colour for weights, statuses and commands."""
    weight = line.partition(" ")[0]
    if weight in _WEIGHTS:
        leaf = _trace_trees_text(weight, _WEIGHTS[weight])
        leaf.append_text(_trace_trees_text(line.removeprefix(weight)))
        return leaf
    name, _, rest = line.partition(": ")
    status, _ = status_of(rest)
    if status:
        full, ascii_only, style = SYMBOLS[status]
        leaf = _trace_trees_text(f"{full if has_unicode() else ascii_only} ", style)
        leaf.append_text(_trace_trees_text(f"{name}: "))
        leaf.append_text(_trace_trees_text(rest, style))
        return leaf
    return _trace_trees_text(line, "accent" if heading == _COMMANDS else "")


def _drawn(tree: "Tree") -> str:
    width = min(width_of(sys.stdout), WIDEST)
    return drawn(tree, width)


def _trace_trees_text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text.assemble((plain(text).replace("\n", " "), RICH.get(style, "")))


# The report of an import: files written, differences, parts left out and why.

MOST = 20
"""Lines of one list; the rest is in --json."""
_SIDE_WORDS = {
    ChangeSide.HERE: "changed here, kept",
    ChangeSide.THERE: "changed there",
    ChangeSide.BOTH: "changed on both sides",
}


def import_text(report: ImportReport) -> str:
    """Return a report as lines for the terminal."""
    lines = [_head(report), *_kinds(report), *_renamed(report), *_differences(report), *_gone(report), *_left(report)]
    if report.dry_run:
        lines.append("nothing was written: this was a dry run")
    elif report.written:
        lines.append("next: vfcc check trace")
    return "\n".join(lines)


def _head(report: ImportReport) -> str:
    new = "would be new" if report.dry_run else "new"
    words = {
        TraceImportOutcome.NEW: new,
        TraceImportOutcome.UPDATED: "updated",
        TraceImportOutcome.SAME: "the same",
        TraceImportOutcome.DIFFERENT: "different",
    }
    counts = ", ".join(f"{report.count(each)} {word}" for each, word in words.items() if report.count(each))
    return f"{report.tool}: {counts}"


def _kinds(report: ImportReport) -> Iterator[str]:
    for kind, types in sorted(report.kinds.items()):
        yield f"  {kind or 'items'} → {', '.join(types)}"


def _renamed(report: ImportReport) -> Iterator[str]:
    if report.renamed:
        yield f"ids that could not stay as they are: {len(report.renamed)}"
        yield from _some([f"  {theirs} → {ours}" for theirs, ours in report.renamed])


def _differences(report: ImportReport) -> Iterator[str]:
    found = [each for each in report.items if each.parts or each.note]
    if not found:
        return
    yield f"different here and there: {len(found)}"
    yield from _some(
        "\n".join((f"  {each.id}: {_trace_views_import_parts(each)}", *(f"    {line}" for line in each.diff)))
        for each in found
    )
    if report.suspects:
        now = "are" if report.written else "would be"
        yield f"reviews that {now} suspect: {len(report.suspects)}"
        yield from _some([f"  {each}: vfcc trace review {each}" for each in report.suspects])
    theirs = any(side is not ChangeSide.HERE for each in found for side in each.parts.values())
    if theirs and not report.count(TraceImportOutcome.UPDATED):
        yield "to take what changed there: the same command with --update"


def _trace_views_import_parts(item: TraceImportItem) -> str:
    by_side: dict[ChangeSide, list[str]] = defaultdict(list)
    for name, side in item.parts.items():
        by_side[side].append(name)
    updates = item.outcome is TraceImportOutcome.UPDATED
    changes = [
        f"{', '.join(names)} {_SIDE_WORDS[side]}{', taken' if updates and is_taken(names[0], side) else ''}"
        for side, names in sorted(by_side.items())
    ]
    return "; ".join(filter(None, [*changes, item.note]))


def _gone(report: ImportReport) -> Iterator[str]:
    gone = [each for each in report.items if each.outcome is TraceImportOutcome.GONE]
    if gone:
        yield f"not there any more, kept here: {len(gone)}"
        yield from _some([f"  {each.id}: vfcc trace retire {each.id}" for each in gone])


def _left(report: ImportReport) -> Iterator[str]:
    """Yield each reason for parts left out, with its count, or its place if single."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for line in report.not_imported:
        place, _, reason = line.partition(": ")
        by_reason[reason].append(place)
    by_reason = _grouped(by_reason)
    if not by_reason:
        return
    yield f"not carried over: {len(report.not_imported)}"
    rows = sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    yield from _some([f"  {len(at)} × {why}" if len(at) > 1 else f"  {at[0]}: {why}" for why, at in rows])


def _grouped(by_reason: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the reasons; those that differ only inside brackets are merged."""
    found: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for reason, places in by_reason.items():
        found[reason.partition(" (")[0]].append((reason, places))
    return {
        head if len(each) > 1 else each[0][0]: [place for _, places in each for place in places]
        for head, each in found.items()
    }


def _some(lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:MOST]
    if len(every) > MOST:
        yield f"  … and {len(every) - MOST} more (--json has all)"


MOST_LINES = 12


def to_review(what: "ReviewPlan") -> list[str]:
    """Return the items to be reviewed, in short, with their links."""
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


def to_clear(what: "ClearancePlan") -> list[str]:
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


def to_verify(what: "VerificationPlan") -> list[str]:
    """Return the item's text, its code, and the verification to be recorded."""
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


def _end(end: "PageLink", to: str, holder: str) -> str:
    """Return one line on a link: its other end and its state.

    The link leads from `holder` to `to`.
    """
    if end.title is None:
        return f"{end.relation} {end.id}  [there is no such item]"
    status = f" ({end.status})" if end.status in {"draft", "retired", "planned"} else ""
    return f"{end.relation} {end.id}{status}: {end.title}  [{changed(end.state, to, holder)}]"


def changed(state: "LinkState", to: str, holder: str) -> str:
    """Return the state of a link; of a suspect one, which end changed."""
    ends = {"suspect": f"suspect: {to} changed", "outgrown": f"suspect: {holder} changed"}
    return ends.get(str(state), str(state))


def _place(place: "CodePlace") -> str:
    where = f"{place.path}:{place.line}" + (f", {place.symbol}" if place.symbol else "")
    return where if place.exists else f"{where} (not there)"


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
