"""Read a trace item from a file's parts, with all faults in the file.

What must be asked of several items, and whether type, relation and integrity level are ones of the workflow, is left to
the checks in `trace/`. A key that this calls unknown may be one that the workflow wants of the type: the flaw names it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from verifflowcc.base.formats.front_matter_values import (
    FieldList,
    Fields,
    FieldScalar,
    FieldTable,
    Value,
    is_null,
    member,
    quoted,
    texts_of,
)
from verifflowcc.base.model.item_values import (
    KNOWN_KEYS,
    MEMORY_RELATIONS,
    PROMOTED_BY,
    TRACE_RELATIONS,
    VOUCHED_BY,
    Link,
    Source,
    SourceKind,
    Stamp,
    Status,
    Trust,
    type_of_path,
)
from verifflowcc.base.model.item_values import (
    TYPES as ITEM_TYPES,
)
from verifflowcc.base.model.trace_codes import METHODS
from verifflowcc.base.model.trace_values import Flaw, TraceItem, Verification
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.dates import read_date
from verifflowcc.base.text.placeholders import is_stock, placeholder_line, says_something
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.items.rules.front_matter import FrontMatter
from verifflowcc.items.rules.item_record import first_heading, trust_of
from verifflowcc.trace.rules.fingerprint import own_digest, read_stamp
from verifflowcc.trace.rules.item_wording import demands, gaps, weak_words, with_rationale

# Fields that only trace items have: links with stamps, reviews, verifications; each fault a flaw with its line.

_LINK_KEYS = ("to", "relation", "fingerprint", "by", "on", "reason")
_REVIEW_KEYS = ("fingerprint", "by", "on", "reason")
_VERIFIED_KEYS = ("method", "by", "on", "fingerprint", "content", "saw")
_STATUS_WORDS = {
    **dict.fromkeys(("draft", "proposed", "planned"), Status.PENDING),
    **dict.fromkeys(("retired", "deleted", "obsolete", "withdrawn"), Status.ARCHIVED),
}


@dataclass(slots=True)
class TraceFields(Fields):
    """The front matter of one trace item; faults become flaws of their keys.

    Their code is `bad-field`.
    """

    flaws: list[Flaw] = field(default_factory=list)

    def note(self, value: Value, sentence: str) -> None:
        """Add a flaw at the value's line."""
        above = [(each.line, key) for key, each in self.values.items() if each.line <= value.line]
        self.flaws.append(Flaw("bad-field", value.line + self.line_shift, sentence, max(above)[1] if above else ""))

    def life(self) -> Status:
        """Return the status; active, with a flaw, for a word that has another name here."""
        text = self.text("status")
        meant = _STATUS_WORDS.get(text or "")
        if text and meant:
            allowed = ", ".join(Status)
            self.note(self.values["status"], f"status {quoted(text)} is not one of {allowed} (did you mean {meant}?)")
            return Status.ACTIVE
        return self.word("status", Status, Status.ACTIVE, tuple(Status))

    def method(self) -> str | None:
        """Return the verification method in lower case; an unknown one is a flaw."""
        text = self.text("verification")
        method = text.lower() if text else None
        if method and method not in METHODS:
            self.note(self.values["verification"], f"verification {_none_of(method, METHODS)}")
        return method

    def planned(self) -> str | None:
        """Return when an item will be built; None where it is, or where it says `false`."""
        text = self.text("planned")
        return None if text == "false" else text

    def stamped_links(self) -> tuple[Link, ...]:
        """Return the complete links of any relation but those of the memory."""
        found: list[Link] = []
        for value, to, relation, parts in self.whole_links():
            if relation not in MEMORY_RELATIONS:
                line = value.line + self.line_shift
                mark = None if parts.keys() == _PLAIN_LINK else self._link_stamp(value, parts, to)
                found.append(Link(to, relation, line, mark))
        return tuple(found)

    def review(self) -> Stamp | None:
        """Return the stamp of the item's own review."""
        value = self.values.get("reviewed")
        if value is None or is_null(value):
            return None
        if not isinstance(value, FieldTable):
            self.note(value, "reviewed must be a mapping with fingerprint, by and on; it is ignored")
            return None
        texts = texts_of(value)
        self._known_keys(value, texts, _REVIEW_KEYS, "a review")
        return self._stamp(value, texts, "a review", ends=1)

    def verified(self) -> Verification | None:
        """Return the recorded verification; None, with a flaw, where a part is missing."""
        value = self.values.get("verified")
        if value is None or is_null(value):
            return None
        texts = texts_of(value)
        missing = [key for key in _VERIFIED_KEYS if not texts.get(key)]
        if missing:
            self.note(value, f"verified needs {', '.join(missing)}; it is ignored")
            return None
        self._known_keys(value, texts, _VERIFIED_KEYS, "verified")
        method = (texts["method"] or "").lower()
        if method not in METHODS:
            self.note(value, f"the method of verified {_none_of(method, METHODS)}")
        self._demand_date(value, texts, "verified")
        return Verification(method, *(texts[key] or "" for key in _VERIFIED_KEYS[1:]))

    def _link_stamp(self, value: Value, texts: Mapping[str, str | None], to: str) -> Stamp | None:
        about = f"the link to {to}"
        self._known_keys(value, texts, _LINK_KEYS, about)
        if not any(texts.get(key) for key in _LINK_KEYS[2:]):
            return None
        return self._stamp(value, texts, about, ends=2)

    def _stamp(self, value: Value, texts: Mapping[str, str | None], about: str, ends: int) -> Stamp | None:
        mark = texts.get("fingerprint")
        if not mark:
            self.note(value, f"{about} has no fingerprint, so the reviewed version is unknown; its stamp is ignored")
            return None
        parts = read_stamp(mark)
        if parts is None or (parts.comparable and len(parts.digests) != ends):
            self.note(value, f"the fingerprint {quoted(mark)} of {about} is no stamp of vfcc; it never matches")
        self._demand_date(value, texts, about)
        reason = (texts["reason"] or "") if "reason" in texts else None  # there and empty: cleared with no reason
        return Stamp(mark, texts.get("by"), texts.get("on"), reason)

    def _demand_date(self, value: Value, texts: Mapping[str, str | None], about: str) -> None:
        day = texts.get("on")
        if day and read_date(day) is None:
            self.note(value, f"`on` {quoted(day)} of {about} is not a date")

    def _known_keys(self, value: Value, texts: Mapping[str, str | None], known: tuple[str, ...], about: str) -> None:
        for key in texts:
            if key not in known:
                self.note(value, f"{about} has the unknown key {key}; {_ask(key, known)}")


def _none_of(text: str, known: tuple[str, ...]) -> str:
    near = nearest(text, known)
    return f"{quoted(text)} is not one of {', '.join(known)}" + (f" (did you mean {near}?)" if near else "")


def _ask(name: str, known: tuple[str, ...]) -> str:
    near = nearest(name, known)
    return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


_PLAIN_LINK = frozenset({"to", "relation"})


_KNOWN = frozenset((*KNOWN_KEYS, "gaps"))
"""`gaps` are sentences for readers: no rule asks for them, and they stay in the file as they are."""
_GUESSED = frozenset({SourceKind.INFERRED, SourceKind.EXTRACTED})
_DATES = ("created", "updated", "date", "expires", "deadline")
_SPEAKS_OF_TRACE = frozenset({"verification", "derived", "integrity", "reviewed", "verified"})
_ADOPTED = _SPEAKS_OF_TRACE | {"tests", "evidence", "planned"}
"""Fields that only items of the trace have."""
_PLAIN_SOURCE = Source()


def is_trace_item(path: str, table: FieldTable | None, types: Collection[str]) -> bool:
    """Say whether a file is a trace item: by its type, else by its fields and links.

    A type that is neither of the trace nor of the memory may be a mistyped one; where the file has a verification or a
    link of the trace, or the type is near to one of the trace, it is looked at rather than passed over.
    """
    pairs = dict(table.pairs) if table else {}
    typed = pairs.get("type")
    name = " ".join(typed.text.split()) if isinstance(typed, FieldScalar) and not is_null(typed) else type_of_path(path)
    if name in types or name in ITEM_TYPES:
        return name in types and not is_heard(table)
    if nearest(name, types) or not _SPEAKS_OF_TRACE.isdisjoint(pairs):
        return True
    return _has_trace_link(pairs)


def is_heard(table: FieldTable | None) -> bool:
    """Say whether an item was extracted from a conversation and is not adopted yet.

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
    return isinstance(links, FieldList) and any(member(each, "relation") in TRACE_RELATIONS for each in links.values)


def read_trace_item(path: str, parts: FrontMatter, table: FieldTable | None, flaws: tuple[Flaw, ...] = ()) -> TraceItem:
    """Return the trace item of a Markdown file, split in `parts`, with LF newlines.

    `table` is the content of its front matter.

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
    return replace(item, flaws=_numbered(fields.flaws)) if fields.flaws else item


def _author(fields: TraceFields) -> str | None:
    source = fields.values.get("source")
    return None if source is None else member(source, "actor")


def _lines(pairs: tuple[tuple[str, Value], ...], block: str) -> dict[str, int]:
    """Return the line of each key that has a value.

    The line of a list may come before its first value.
    """
    found: dict[str, int] = {}
    rows: list[str] | None = None
    for key, value in pairs:
        if isinstance(value, FieldScalar):
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
    """Yield the faults of the title and the text.

    `above` is the number of lines of the file before the body.
    """
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
        message = f'"{each.words}" leaves open what is meant; say it so that a test can decide it'
        yield Flaw("weak-wording", _line_in(body, text, each.line) + above, message, each.words.lower())
    asked = demands(text)
    if len(asked) > 1:
        line = _line_in(body, text, asked[1]) + above
        yield Flaw("non-atomic", line, f"the text asks for {len(asked)} things; give each an item of its own", "text")


def _line_in(body: str, text: str, line: int) -> int:
    """Return the line of the body for a line of its normative part.

    That part has some of the body's lines, in order.
    """
    number = 0
    rows = body.split("\n")
    for row in text.split("\n")[:line]:
        while number < len(rows) and rows[number].rstrip() != row.rstrip():
            number += 1
        number += 1
    return min(number, len(rows))


def _numbered(flaws: list[Flaw]) -> tuple[Flaw, ...]:
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
