"""What a file of another tool holds, before it becomes items: one shape for all of them."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from hashlib import sha256

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import Scalar, Table
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, field
from verifflowcc.items.rules.front_matter import FrontMatter, KeySpan, Refused, key_spans, split
from verifflowcc.items.rules.front_matter_list import entry

# The key `imported` of an item: where it came from, and a digest of each part as the import wrote it.
#
# By these digests a later import knows which side changed a part since.

KEY = "imported"
BODY = "text"
_OF_EXPORTS = ("integrity", "planned", "tests", "evidence", "verified")
PARTS = ("title", "status", "verification", "derived", "links", "refs", "reviewed", "tags", *_OF_EXPORTS, BODY)
"""What an import writes, and compares the next time: keys of the front matter, and the body.

Those of `_OF_EXPORTS` count where the other side has them, or had them: most tools do not know them.
"""
_DIGITS = 8


class Side(StrEnum):
    """Which side changed a part since the import."""

    HERE = "here"
    THERE = "there"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Imported:
    """The tool, the file (from the project's root where it lies in it), the id there, and part → digest."""

    tool: str
    file: str
    id: str
    digests: Mapping[str, str]


def read_imported(table: Table) -> Imported | None:
    """Return what an item says of its import; None where it was not imported, or does not say so in full."""
    value = dict(table.pairs).get(KEY)
    if not isinstance(value, Table):
        return None
    said = {key: each.text for key, each in value.pairs if isinstance(each, Scalar)}
    if not all(said.get(name) for name in ("tool", "from", "id")):
        return None
    return Imported(said["tool"], said["from"], said["id"], {name: said[name] for name in PARTS if name in said})


def with_imported(text: str, tool: str, file: str, name: str) -> str:
    """Return a new item's text with the key `imported` at the end of its front matter."""
    digests = {part: _digest(raw) for part, raw in parts_of(text).items()}
    return _joined(split(text), {}, _line(Imported(tool, file, name, digests)))


def parts_of(text: str) -> Mapping[str, str]:
    """Return the parts of an item's text as they are written; what is not there is left out.

    Raises FormatError, beginning with the line, where the front matter cannot be taken apart.
    """
    parts = split(text.replace("\r\n", "\n"))
    found = {key: raw for key, raw in _entries(parts) if key in PARTS}
    body = parts.body.strip("\n")
    return {**found, BODY: body} if body else found


def changed(here: Mapping[str, str], there: Mapping[str, str], then: Imported) -> Mapping[str, Side]:
    """Return the parts in which the two sides differ, and which side changed them."""
    found: dict[str, Side] = {}
    for part in PARTS:
        ours, theirs = here.get(part, ""), there.get(part, "")
        if ours == theirs or (part in _OF_EXPORTS and not theirs and part not in then.digests):
            continue
        before = then.digests.get(part, "")
        now = tuple(_digest(raw) if raw else "" for raw in (ours, theirs))
        found[part] = Side.HERE if now[1] == before else Side.THERE if now[0] == before else Side.BOTH
    return found


def updated(text: str, taken: Mapping[str, str], there: Mapping[str, str], then: Imported) -> str:
    """Return an item's text with parts put in the place of its own ("" takes one out); every other byte stays.

    The digests become those of `there` for what was taken and for what both sides now say alike.
    """
    here = parts_of(text)
    alike = {part for part in PARTS if here.get(part, "") == there.get(part, "")}
    digests = dict(then.digests)
    for part in {*taken, *alike}:
        digests.pop(part, None)
        if there.get(part):
            digests[part] = _digest(there[part])
    line = _line(Imported(then.tool, then.file, then.id, {name: digests[name] for name in PARTS if name in digests}))
    parts = split(text.replace("\r\n", "\n"))
    whole = _joined(parts, taken, line)
    return whole.replace("\n", "\r\n") if split(text).newline == "\r\n" else whole


def _joined(parts: FrontMatter, taken: Mapping[str, str], line: str) -> str:
    block = parts.block or ""
    spans = _spans(block)
    news = {key: raw for key, raw in taken.items() if key != BODY}
    news[KEY] = line
    pieces, place = [], 0
    for span in spans:
        if span.key in news:
            pieces += [block[place : span.start], news.pop(span.key)]
            place = span.end
    own = news.pop(KEY, "")
    block = "".join([*pieces, block[place:], *news.values(), own])
    body = parts.body if BODY not in taken else f"\n{taken[BODY]}\n" if taken[BODY] else ""
    return parts.bom + (parts.opening or "---\n") + block + (parts.closing or "---\n") + body


def _entries(parts: FrontMatter) -> Iterator[tuple[str, str]]:
    block = parts.block or ""
    return ((span.key, block[span.start : span.end]) for span in _spans(block) if span.key is not None)


def _spans(block: str) -> tuple[KeySpan, ...]:
    try:
        return key_spans(block)
    except Refused as refusal:
        raise FormatError(f"{refusal.line_in(block) + 1}: {refusal}") from refusal


def _digest(raw: str) -> str:
    return sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _line(imported: Imported) -> str:
    origin = (("tool", imported.tool), ("from", imported.file), ("id", imported.id))
    pairs = (*origin, *imported.digests.items())
    return f"{KEY}: {entry(Table(tuple((name, Scalar(text, False, 1)) for name, text in pairs), 1))}\n"


@dataclass(frozen=True, slots=True)
class ForeignLink:
    """A link as the other tool has it.

    `role` is its word for the relation. `stamp` is its own digest of the other end; `holds` says whether that digest is
    still right by the tool's own rules, None where the tool has none.
    """

    to: str
    role: str = ""
    stamp: str | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class ForeignItem:
    """An item as the other tool has it.

    `id` is its identifier, "" where it has none. `kind` is its word for the type. `place` is `file:line`. `reviewed` is
    the tool's digest of a review; `review_holds` as in `ForeignLink`. `status` is its word for how far the item is.
    `comments` are remarks that are no part of what it demands. `attributes` are further fields, by name. `exact` says
    that it is from an export of vfcc, whose words are kept as they are; `own` is the whole item, with its `body`, where
    the export has all of it.
    """

    id: str
    kind: str
    place: str
    title: str = ""
    text: str = ""
    rationale: str = ""
    active: bool = True
    derived: bool = False
    normative: bool = True
    links: tuple[ForeignLink, ...] = ()
    verification: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    reviewed: str | None = None
    review_holds: bool | None = None
    status: str = ""
    comments: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    integrity: str = ""
    planned: str = ""
    tests: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    exact: bool = False
    own: TraceItem | None = None
    body: str = ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What was read: the items in the order of their files, and what could not be carried over (`file:line: why`).

    `malformed` is what the format does not allow (`file:line: why`), and was skipped.

    `tool` is the name of the format. `tops` are kinds whose items need no parent by the tool's own rules.
    """

    items: tuple[ForeignItem, ...]
    left: tuple[str, ...] = ()
    tool: str = ""
    tops: frozenset[str] = frozenset()
    malformed: tuple[str, ...] = ()
