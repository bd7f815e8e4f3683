"""How remembered items are shown to a person: as a table, as a page, before a question, and in numbers."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.files.private_files import close_to_others, open_to_others
from verifflowcc.base.model.item_values import MEMORY_KEYS, Item
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import Edge, Hit, OmittedHit, RecallResult
from verifflowcc.base.process.acting import actor_here
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.base.records import dataclass
from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.output import folded, part
from verifflowcc.base.terminal.table import GAP, table
from verifflowcc.base.terminal.terminal import painted, width_of
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace, current_folder, find_workspace
from verifflowcc.memory.rules.candidates import QUOTE
from verifflowcc.memory.use.item_search import ScopedItem, find_item
from verifflowcc.memory.use.scopes import agent_of, read_scope, scopes_searched

if TYPE_CHECKING:
    from verifflowcc.memory.use.inbox import Inbox, WaitingItem
    from verifflowcc.memory.use.memory_listing import ItemLine, ItemLinkEnd, ItemListing, ItemView
    from verifflowcc.memory.use.moving import PromotionPlan
    from verifflowcc.memory.use.recall_evaluating import Evaluation, ExpectedAnswer
    from verifflowcc.memory.use.statistics import Indicator, ModelUse, Numbers


# Who acts on memory and where: in a project, or outside of any with user memory alone.


@dataclass(frozen=True, slots=True)
class OutputContext:
    """The project, if there is one, who acts, and which day it is (UTC)."""

    workspace: Workspace | None
    actor: str
    today: str

    def find(self, name: str, scope: str | None, *, but: str | None = None) -> ScopedItem:
        """Return the item that is meant, in a scope or in all that are in play here, except for `but`."""
        scopes = self.scopes(scope)
        return find_item(self.workspace, name, [each for each in scopes if each != but] or scopes)

    def scopes(self, scope: str | None) -> tuple[str, ...]:
        """Return the scopes in which an item is looked for."""
        agent = agent_of(self.actor)
        if scope is not None:
            return (read_scope(self.workspace, scope, agent=agent),)
        return scopes_searched(self.workspace)


def acting_here() -> OutputContext:
    """Return who acts in the current folder, which need not be in a project."""
    workspace = find_workspace()
    close_user_memory()
    folder = workspace.root if workspace else current_folder()
    return OutputContext(workspace, actor_here(folder).name, f"{SystemClock().now():%Y-%m-%d}")


def close_user_memory() -> None:
    """Make the person's folder private where an older version left it open to others, and say so."""
    home = open_to_others()
    if home is not None and close_to_others(home):
        out.warn(f"{home} could be read by others on this machine; only you can read it now")


def tell(lines: list[str]) -> None:
    """Print lines to stdout, without what a word in an item could do to a terminal."""
    out.emit_lines(lines)


MOST_LINES = 12
TITLE_ROOM = 24
"""Columns below which a title beside its id would be a narrow pillar."""
_HEADINGS = ("item", "scope", "type", "status", "title")
_HIDDEN = {
    "superseded": "superseded",
    "archived": "archived",
    "trace items": "of the trace (vfcc trace list)",
    "plain pages": "without fields",
}


def place(scope: str, path: str) -> str:
    """Return where an item is, as a person reads it."""
    return f"in {scope} memory" if scope == "user" else f"in {path}"


def items_table(listing: "ItemListing", scopes: Sequence[str], *, by_scope: bool) -> list[str]:
    """Return a list's rows, and what is left out of it and why; with `by_scope` each scope under a heading."""
    lines: list[str] = []
    if listing.rows:
        groups: list[tuple[str | None, list[ItemLine]]] = [(None, [*listing.rows])]
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


def _rows(rows: "Sequence[ItemLine]") -> str:
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


def _cells(row: "ItemLine") -> tuple[str, ...]:
    by = "" if row.item.trust == "human" else f" ({row.item.trust})"
    stale = ", stale" if row.stale else ""
    return row.item.id, row.scope, row.item.type, f"{row.status}{stale}{by}", row.item.title


def page(shown: "ItemView", *, explain: bool) -> list[str]:
    """Return an item's page: text, links, what is newer; with `explain` every field."""
    return list(_page(shown, explain=explain))


def _page(shown: "ItemView", *, explain: bool) -> Iterator[str]:
    item = shown.item
    yield folded(f"{item.id}: {item.title}", 2)
    by = f" by {shown.superseded_by}" if shown.superseded_by else ""
    yield f"  {item.type}, {shown.status}{by}, trust {item.trust}"
    yield f"  {place(shown.scope, item.path)}"
    if item.source.speaker and item.source.origin:
        yield folded(f"  spoken by {item.source.speaker}{_of_turn(item)}", 4)
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
        from verifflowcc.memory.use.archiving import WORDS

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


def _of_turn(item: Item) -> str:
    """Where a statement was made: its file, session and turn."""
    parts = (("in", item.source.origin), ("session", item.source.session), ("turn", item.source.turn))
    return ", ".join(f"{name} {value}" for name, value in parts if value).join((" ", ""))


def _end(end: "ItemLinkEnd", words: str) -> str:
    if end.title is None:
        return f"{words}  [there is no such item here]"
    return f"{words} ({end.scope}, {end.status}): {end.title}"


def _fields(item: Item) -> Iterator[tuple[str, str]]:
    from verifflowcc.base.formats.front_matter_values import show_thousandths

    yield "importance", show_thousandths(item.importance)
    yield "confidence", show_thousandths(item.confidence)
    source = item.source
    where = f", in {source.project}" if source.project else ""
    yield "source", f"{source.kind}, {source.actor}{where}{f', session {source.session}' if source.session else ''}"
    if source.origin:
        speaker = f", spoken by {source.speaker}" if source.speaker else ""
        yield "read from", f"{source.origin}{f', turn {source.turn}' if source.turn else ''}{speaker}"
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


PREFERRED = "Remember this preference in all your projects?"


def ask(before: StoredItem | None, after: StoredItem, question: str, *, yes: bool) -> None:
    """Show a person an item before and after, without secrets, and ask; return only on a yes, which `yes` gives."""
    from verifflowcc.sprint.cli.move_output import confirm

    confirm([withhold(line) for line in _before_and_after(before, after)], question, yes=yes)


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
        f"{name}: {_field_text(before.item, name)} → {_field_text(after.item, name)}"
        for name in names
        if getattr(before.item, name) != getattr(after.item, name)
    ]


def _field_text(item: Item, name: str) -> str:
    value = getattr(item, name)
    if isinstance(value, int):
        from verifflowcc.base.formats.front_matter_values import show_thousandths

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
        counts = [", ".join(f"{number:,} {name}" for name, number in of.items()) for of in (each.types, each.statuses)]
        if set(each.types) - {"note"}:
            lines.append(folded(f"{each.scope}: {counts[0]}; {counts[1]}", 2))
    return lines


def _days(first: str | None, last: str | None) -> str:
    return "–" if first is None else first if first == last else f"{first} to {last}"


# How what waits for a person is shown to them, and what a promotion changes.

MOST_CHANGED = 60
_WORDS = {"supersedes": "in the place of", "contradicts": "contradicts"}


def inbox_page(found: "Inbox") -> list[str]:
    """Return each item that waits, with a blank line between two, and what to do with them."""
    if not found.waiting:
        return ["nothing waits for a person"]
    lines: list[str] = []
    for each in found.waiting:
        lines += ([""] if lines else []) + list(_of_one(each))
    count = len(found.waiting) + found.more
    if found.more:
        lines += ["", f"{found.more:,} more are left out: --limit {count}"]
    what = "1 item waits" if count == 1 else f"{count:,} items wait"
    ways = f"{painted('vfcc memory promote ID', 'accent')}, or {painted('vfcc memory reject ID', 'accent')}"
    return [*lines, "", f"{painted(f'{what}:', 'strong')} {ways}"]


def _of_one(each: "WaitingItem") -> Iterator[str]:
    item = each.item
    yield folded(f"{item.id}: {item.title}", 2).replace(item.id, painted(item.id, "accent"), 1)
    yield folded(f"  {item.type} for {each.scope}, trust {item.trust}, {item.created or 'without a day'}", 4)
    yield folded(f"  {each.why}", 4)
    if each.origin:
        yield folded(f"  from {each.origin}", 4)
    if original := dict(item.details).get(QUOTE):
        yield folded(f"  original: {original}", 4)
    for other in each.replaces:
        title = f": {other.title}" if other.title is not None else "  [there is no such item here]"
        yield folded(f"  {_WORDS[other.relation]} {other.id}{title}", 4)
    text = each.text.splitlines()
    if text != [item.title]:
        yield from (folded(f"  | {line}", 4).rstrip() for line in text[:MOST_LINES])
        if len(text) > MOST_LINES:
            yield f"  | and {len(text) - MOST_LINES} more lines: vfcc memory show {item.id}"


def change_lines(promoting: "PromotionPlan") -> list[str]:
    """Return what a promotion changes, as a person reads it before they say yes."""
    change, name = promoting.change, promoting.after.item.id
    head = f"{name}, for {promoting.scope}"
    head += f", in the place of {change.against}:" if change.against else ", which is new:"
    lines = [f"  {line}".rstrip() for line in change.lines[:MOST_CHANGED]]
    if len(change.lines) > MOST_CHANGED:
        lines.append(f"  and {len(change.lines) - MOST_CHANGED} more lines: vfcc memory show {name}")
    return [head, *lines]


# How what memory did is shown to a person: its counters, its indicators, and a model's use beside the caps.


def metrics(found: "Numbers") -> list[str]:
    """Return the counters, the indicators, and what a model took today."""
    of = found.metrics
    since = f"counted since {of.since}" if of.since else "nothing was counted yet"
    lines = ["", table((since, "number"), [(name, f"{number:,}") for name, number in of.counters.items()], right=(1,))]
    if of.fallbacks:
        causes = ", ".join(f"{number:,} {why}" for why, number in of.fallbacks.items())
        lines.append(folded(f"fallbacks: {causes}", 2))
    lines += ["", *(f"{each.name}: {_value(each)}" for each in of.indicators)]
    return [*lines, "", _model(found.model)]


def _value(each: "Indicator") -> str:
    return each.why if each.value is None else f"{each.value:g} ({each.why})"


def _model(use: "ModelUse") -> str:
    if use.name is None and not use.calls_today:
        return "model: none is named in your own settings; rules extract"
    today = (
        f"{use.calls_today:,} of {use.max_calls_per_day:,} calls and "
        f"{use.tokens_today:,} of {use.max_tokens_per_day:,} tokens today"
    )
    calls = f"{use.max_calls_per_turn:,} {'call' if use.max_calls_per_turn == 1 else 'calls'}"
    turn = f"a turn has at most {calls} and {use.max_tokens_per_turn:,} tokens"
    return folded(f"model {use.name or 'none'}: {today}; {turn}", 2)


# How what recall found is shown: a block of lines for each hit, and on demand why it stands where it stands.

_PARTS = ("importance", "confidence", "recency", "uses", "validity")


def found(recalled: RecallResult, scopes: Sequence[str], *, explain: bool) -> list[str]:
    """Return the lines of an answer; with `explain` the parts of scores, links, and what is not there and why."""
    return list(_lines(recalled, scopes, explain=explain))


def _lines(recalled: RecallResult, scopes: Sequence[str], *, explain: bool) -> Iterator[str]:
    if not recalled.hits:
        yield _nothing(recalled, scopes)
    for number, hit in enumerate(recalled.hits, start=1):
        yield from _hit(number, hit, explain=explain)
    if explain:
        yield from _explained(recalled)
    elif hidden := [lost for lost in recalled.left_out if not lost.why.startswith("behind")]:
        yield ""
        yield folded(f"not shown: {', '.join(f'{lost.item.id} ({lost.why})' for lost in hidden)}; --all shows them", 2)


def _nothing(recalled: RecallResult, scopes: Sequence[str]) -> str:
    where = "memory here" if len(scopes) > 1 else f"{scopes[0]} memory"
    words = ", ".join(dict.fromkeys(recalled.words))
    if not words:
        return "the question has no word that could be looked for"
    return folded(f"nothing in {where} bears on this; looked for: {words}", 2)


def _hit(number: int, hit: Hit, *, explain: bool) -> Iterator[str]:
    item = hit.item
    by = "" if item.trust == "human" else f", trust {item.trust}"
    marks = "".join(f", {word}" for word in (hit.invalid_reason, "stale" if hit.stale else "") if word)
    yield folded(f"{number}. {item.title}", 3)
    section = f", section {hit.heading!r}" if hit.heading else ""
    yield folded(f"   {item.id}: {item.type} {place(hit.scope, item.path)}{section}{by}{marks}", 3)
    if hit.stale:
        yield folded(f"   stale: {hit.stale}", 3)
    if hit.via:
        yield folded(f"   found by a link: {_edge(hit.via, item.id)}", 3)
    if explain:
        yield folded(f"   score {hit.score:,}{_parts(hit)}", 3)
        if hit.matched:
            yield folded(f"   words: {_matched(hit.matched)}", 3)


def _parts(hit: Hit) -> str:
    changed = {name: getattr(hit.parts, name) for name in _PARTS if getattr(hit.parts, name)}
    shown = ", ".join(f"{name} {value / 10:+.1f} %" for name, value in changed.items())
    meaning = f", meaning {hit.parts.meaning:,}" if hit.parts.meaning else ""
    return f": words {hit.parts.words:,}{meaning}{', ' if shown else ''}{shown}"


def _matched(matched: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{word} in {' and '.join(fields)}" for word, fields in matched.items())


def _edge(edge: Edge, item: str) -> str:
    ends = (edge.hit, item) if edge.outward else (item, edge.hit)
    return f"{ends[0]} {edge.relation} {ends[1]}"


def _explained(recalled: RecallResult) -> Iterator[str]:
    if recalled.left_out:
        yield ""
        yield "left out"
        yield from (_lost(lost) for lost in recalled.left_out)
    yield ""
    yield folded(f"looked for: {', '.join(dict.fromkeys(recalled.words)) or 'nothing'}", 2)
    yield f"scored: {recalled.candidates:,} {'text' if recalled.candidates == 1 else 'texts'}"
    yield folded(f"rerank: {recalled.reranked.why}", 2)


def _lost(lost: OmittedHit) -> str:
    return folded(f"  {lost.item.id}: {lost.why}", 4)


MISSED = "missed"


def evaluation_page(found: "Evaluation") -> list[str]:
    """Return the lines of an evaluation."""
    rows = [
        (", ".join(map(_rank, each.answers)), each.question, ", ".join(map(_named, each.answers)))
        for each in found.questions
    ]
    questions = f"{len(rows):,} {'question' if len(rows) == 1 else 'questions'}"
    measured = "; ".join(f"recall@{each.k} {share(each.recall)}" for each in found.recall)
    lines = [table(("rank", "question", "expected"), rows), ""]
    lines.append(folded(f"{questions}: {measured}; mean reciprocal rank {share(found.reciprocal_rank)}", 2))
    if any(answer.rank is None for each in found.questions for answer in each.answers):
        lines.append(folded(f"{MISSED}: not among the best {found.depth}", 2))
    return lines


def below(found: "Evaluation") -> str:
    """Return the sentence on recall that is not enough."""
    of = found.measured
    return f"recall@{of.k} is {share(of.recall)}, below {share(found.minimum or 0)}"


def share(basis_points: int) -> str:
    """Return a share as a number from 0 to 1.

    >>> share(8333), share(9000)
    ('0.8333', '0.9')
    """
    return f"{basis_points / 10_000:g}"


def _rank(answer: "ExpectedAnswer") -> str:
    return MISSED if answer.rank is None else str(answer.rank)


def _named(answer: "ExpectedAnswer") -> str:
    return f"{answer.name} ({answer.invalid_reason})" if answer.invalid_reason else answer.name
