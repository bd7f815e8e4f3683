"""From a file's parts to a `TraceItem`, with all that is wrong in the file by itself.

What must be asked of several items, and whether type, relation and integrity level are ones of the workflow, is left to
the checks in `trace/`. A key that this calls unknown may be one that the workflow wants of the type: the flaw names it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from verifflowcc.domain.items import (
    KNOWN_KEYS,
    PROMOTED_BY,
    TRACE_RELATIONS,
    VOUCHED_BY,
    Source,
    SourceKind,
    Status,
    Trust,
)
from verifflowcc.domain.items import TYPES as ITEM_TYPES
from verifflowcc.domain.trace import Flaw, TraceItem
from verifflowcc.formats.fingerprint import own_digest
from verifflowcc.formats.front_matter import FrontMatter
from verifflowcc.formats.front_matter_read import Scalar, Sequence, Table, Value, is_null, member
from verifflowcc.formats.item_record import first_heading, trust_of, type_of_path
from verifflowcc.formats.trace_fields import TraceFields
from verifflowcc.records import replace
from verifflowcc.text.article import nearest
from verifflowcc.text.normative import with_rationale
from verifflowcc.text.placeholder import is_stock, placeholder_line, says_something
from verifflowcc.text.wording import demands, gaps, weak_words

_KNOWN = frozenset((*KNOWN_KEYS, "gaps"))
"""`gaps` are sentences for readers: no rule asks for them, and they stay in the file as they are."""
_GUESSED = frozenset({SourceKind.INFERRED, SourceKind.EXTRACTED})
_DATES = ("created", "updated", "date", "expires", "deadline")
_SPEAKS_OF_TRACE = frozenset({"verification", "derived", "integrity", "reviewed", "verified"})
_ADOPTED = _SPEAKS_OF_TRACE | {"tests", "evidence", "planned"}
"""What nobody writes into an item before it is part of the trace."""
_PLAIN_SOURCE = Source()


def is_trace_item(path: str, table: Table | None, types: Collection[str]) -> bool:
    """Say whether a file is a trace item: by its type, else because only a trace item says what it says.

    A type that is neither of the trace nor of the memory may be a mistyped one; where the file has a verification or a
    link of the trace, or the type is near to one of the trace, it is looked at rather than passed over.
    """
    pairs = dict(table.pairs) if table else {}
    said = pairs.get("type")
    name = " ".join(said.text.split()) if isinstance(said, Scalar) and not is_null(said) else type_of_path(path)
    if name in types or name in ITEM_TYPES:
        return name in types and not is_heard(table)
    if nearest(name, types) or not _SPEAKS_OF_TRACE.isdisjoint(pairs):
        return True
    return _has_trace_link(pairs)


def is_heard(table: Table | None) -> bool:
    """Say whether an item was read out of a conversation and is not adopted into the trace yet.

    A person adopts it by promoting it. One that has links or fields of the trace was adopted before that was recorded.
    """
    pairs = dict(table.pairs) if table else {}
    source, details = pairs.get("source"), pairs.get("details")
    if source is None or member(source, "kind") != SourceKind.EXTRACTED or member(source, "turn") is None:
        return False
    if any((member(details, name) or "").startswith("human:") for name in (PROMOTED_BY, VOUCHED_BY) if details):
        return False
    return _ADOPTED.isdisjoint(pairs) and not _has_trace_link(pairs)


def _has_trace_link(pairs: Mapping[str, Value]) -> bool:
    links = pairs.get("links")
    return isinstance(links, Sequence) and any(member(each, "relation") in TRACE_RELATIONS for each in links.values)


def read_trace_item(path: str, parts: FrontMatter, table: Table | None, flaws: tuple[Flaw, ...] = ()) -> TraceItem:
    """Return the trace item of a Markdown file, split in `parts`, with LF newlines; `table` is what its block says.

    `flaws` were seen before. Lines are those of the file.
    """
    pairs, body = table.pairs if table else (), parts.body
    fields = TraceFields(path, dict(pairs), flaws=list(flaws))
    stem = path.rpartition("/")[2].removesuffix(".md")
    links = fields.stamped_links()
    source = fields.source() if "source" in fields.values else _PLAIN_SOURCE
    trust = trust_of(fields, source)
    text, why = with_rationale(body)
    why = fields.text("rationale") or why
    title = fields.text("title") or first_heading(body) or stem
    verification, integrity = fields.method(), fields.text("integrity")
    status = fields.life()
    for name in _DATES:
        if name in fields.values:
            fields.moment(name)
    item = TraceItem(
        fields.text("id") or stem,
        fields.text("type") or type_of_path(path),
        title,
        path,
        text,
        own_digest(title, text, verification, integrity, [(link.to, link.relation) for link in links]),
        status,
        verification,
        links,
        fields.refs(),
        fields.words("tests"),
        fields.words("evidence"),
        fields.truth("derived"),
        why,
        fields.planned(),
        integrity,
        fields.review(),
        fields.verified(),
        _author(fields),
        trust,
        bool(why) and (source.kind in _GUESSED or trust is Trust.AGENT),
        fields.words("tags"),
        _lines(pairs, parts.block or ""),
    )
    fields.flaws += _of_keys(pairs)
    if status is not Status.ARCHIVED:
        above = 0 if parts.block is None else parts.block.count("\n") + 2
        fields.flaws += _of_text(item, body, above)
    return replace(item, flaws=_told_apart(fields.flaws)) if fields.flaws else item


def _author(fields: TraceFields) -> str | None:
    source = fields.values.get("source")
    return None if source is None else member(source, "actor")


def _lines(pairs: tuple[tuple[str, Value], ...], block: str) -> dict[str, int]:
    """Return the line of each key that has a value; that of a list may stand above its first value."""
    found: dict[str, int] = {}
    rows: list[str] | None = None
    for key, value in pairs:
        if isinstance(value, Scalar):
            if is_null(value):
                continue
            found[key] = value.line + 1
        else:
            rows = block.split("\n") if rows is None else rows
            starts = (number for number in range(value.line, 0, -1) if rows[number - 1].lstrip(" \"'").startswith(key))
            found[key] = next(starts, value.line) + 1
    return found


def _of_keys(pairs: tuple[tuple[str, Value], ...]) -> Iterator[Flaw]:
    seen: set[str] = set()
    for key, value in pairs:
        if key in seen:
            yield Flaw("bad-field", value.line + 1, f"{key} appears twice; the last one is used", key)
        elif key not in _KNOWN:
            near = nearest(key, _KNOWN)
            meant = f"; did you mean {near}?" if near else ""
            yield Flaw("unknown-field", value.line + 1, f"the field {key} is not known{meant}", key)
        seen.add(key)


def _of_text(item: TraceItem, body: str, above: int) -> Iterator[Flaw]:
    """Yield what is wrong with the title and the text; `above` lines of the file stand above the body."""
    if is_stock(_WORD.findall(item.title.casefold())):
        yield Flaw("placeholder", item.line("title"), f'the title "{item.title}" only holds a place', "title")
    if not _ASKS.match(item.text) and not says_something(item.text):
        line = placeholder_line(item.text)
        if line is None:
            yield Flaw("empty-text", 1, "the item has a title and no text", "text")
        else:
            yield Flaw("placeholder", _line_in(body, item.text, line) + above, "the text only holds a place", "text")
        return
    for each in gaps(item.text):
        line = _line_in(body, item.text, each.line) + above
        yield Flaw("placeholder", line, f"{each.words} still holds a place in the text", each.words)
    if item.type.endswith("requirement"):
        yield from _of_wording(item.text, body, above)


def _of_wording(text: str, body: str, above: int) -> Iterator[Flaw]:
    """Yield what keeps a requirement from being one thing that a test can decide."""
    for each in weak_words(text):
        said = f'"{each.words}" leaves open what is meant; say it so that a test can decide it'
        yield Flaw("weak-wording", _line_in(body, text, each.line) + above, said, each.words.lower())
    asked = demands(text)
    if len(asked) > 1:
        line = _line_in(body, text, asked[1]) + above
        yield Flaw("non-atomic", line, f"the text asks for {len(asked)} things; give each an item of its own", "text")


def _line_in(body: str, text: str, line: int) -> int:
    """Return the line of the body that a line of its normative part is; that part is some of its lines, in order."""
    number = 0
    rows = body.split("\n")
    for row in text.split("\n")[:line]:
        while number < len(rows) and rows[number].rstrip() != row.rstrip():
            number += 1
        number += 1
    return min(number, len(rows))


def _told_apart(flaws: list[Flaw]) -> tuple[Flaw, ...]:
    """Return the flaws by line, each of a code about something else."""
    found: list[Flaw] = []
    seen: Counter[tuple[str, str]] = Counter()
    for each in sorted(flaws, key=lambda one: one.line):
        times = seen[each.code, each.about]
        seen[each.code, each.about] += 1
        found.append(replace(each, about=f"{each.about} {times + 1}") if times else each)
    return tuple(found)


_ASKS = re.compile(r"[A-Z][^\n<\[{]*\b(?:shall|must)\b[^\n<\[{]* \w+")
_WORD = re.compile(r"[^\W_]+")
