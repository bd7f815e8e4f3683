"""The contents of another tool's file, in one shape for all tools."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from hashlib import sha256

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldScalar, FieldTable
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, field
from verifflowcc.items.rules.front_matter import EditRefusal, FrontMatter, KeySpan, key_spans, split
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


class ChangeSide(StrEnum):
    """Which side changed a part since the import."""

    HERE = "here"
    THERE = "there"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """The origin of an imported item: tool, file, and id there.

    The file begins at the project's root where it lies in it; `digests` are by part.
    """

    tool: str
    file: str
    id: str
    digests: Mapping[str, str]


def read_imported(table: FieldTable) -> ImportOrigin | None:
    """Return the origin of an item, None where it is missing or incomplete."""
    value = dict(table.pairs).get(KEY)
    if not isinstance(value, FieldTable):
        return None
    texts = {key: each.text for key, each in value.pairs if isinstance(each, FieldScalar)}
    if not all(texts.get(name) for name in ("tool", "from", "id")):
        return None
    return ImportOrigin(
        texts["tool"], texts["from"], texts["id"], {name: texts[name] for name in PARTS if name in texts}
    )


def with_imported(text: str, tool: str, file: str, name: str) -> str:
    """Return a new item's text with the key `imported` at the end of its front matter."""
    digests = {part: _digest(raw) for part, raw in parts_of(text).items()}
    return _joined(split(text), {}, _line(ImportOrigin(tool, file, name, digests)))


def parts_of(text: str) -> Mapping[str, str]:
    """Return the parts of an item's text as they are written, without missing ones.

    Raises FormatError, beginning with the line, where the front matter cannot be taken apart.
    """
    parts = split(text.replace("\r\n", "\n"))
    found = {key: raw for key, raw in _entries(parts) if key in PARTS}
    body = parts.body.strip("\n")
    return {**found, BODY: body} if body else found


def changed(here: Mapping[str, str], there: Mapping[str, str], then: ImportOrigin) -> Mapping[str, ChangeSide]:
    """Return the parts in which the two sides differ, and which side changed them."""
    found: dict[str, ChangeSide] = {}
    for part in PARTS:
        ours, theirs = here.get(part, ""), there.get(part, "")
        if ours == theirs or (part in _OF_EXPORTS and not theirs and part not in then.digests):
            continue
        before = then.digests.get(part, "")
        now = tuple(_digest(raw) if raw else "" for raw in (ours, theirs))
        found[part] = ChangeSide.HERE if now[1] == before else ChangeSide.THERE if now[0] == before else ChangeSide.BOTH
    return found


def updated(text: str, taken: Mapping[str, str], there: Mapping[str, str], then: ImportOrigin) -> str:
    """Return an item's text with some parts replaced; every other byte stays.

    A part that is "" is removed.

    The digests become those of `there` for what was taken and for what both sides now say alike.
    """
    here = parts_of(text)
    alike = {part for part in PARTS if here.get(part, "") == there.get(part, "")}
    digests = dict(then.digests)
    for part in {*taken, *alike}:
        digests.pop(part, None)
        if there.get(part):
            digests[part] = _digest(there[part])
    line = _line(
        ImportOrigin(then.tool, then.file, then.id, {name: digests[name] for name in PARTS if name in digests})
    )
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
    except EditRefusal as refusal:
        raise FormatError(f"{refusal.line_in(block) + 1}: {refusal}") from refusal


def _digest(raw: str) -> str:
    return sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _line(imported: ImportOrigin) -> str:
    origin = (("tool", imported.tool), ("from", imported.file), ("id", imported.id))
    pairs = (*origin, *imported.digests.items())
    return f"{KEY}: {entry(FieldTable(tuple((name, FieldScalar(text, False, 1)) for name, text in pairs), 1))}\n"


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
class ForeignItems:
    """All items of a foreign source, and the parts that could not be carried over.

    Items are in the order of their files; each part is one line, `file:line: why`.

    `malformed` is what the format does not allow (`file:line: why`), and was skipped.

    `tool` is the name of the format. `tops` are kinds whose items need no parent by the tool's own rules.
    """

    items: tuple[ForeignItem, ...]
    left: tuple[str, ...] = ()
    tool: str = ""
    tops: frozenset[str] = frozenset()
    malformed: tuple[str, ...] = ()
