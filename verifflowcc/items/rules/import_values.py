"""The contents of another tool's file, in one shape for all tools."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldScalar, FieldTable, Value
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, field
from verifflowcc.items.rules.front_matter import EditRefusal, FrontMatter, KeySpan, key_spans, split
from verifflowcc.items.rules.front_matter_list import ListEdit, edit_list, entry

# The key `imported` of an item: where it came from, and a digest of each part as the import wrote it.
#
# By these digests a later import knows which side changed a part since.

KEY = "imported"
BODY = "text"
_OF_EXPORTS = ("integrity", "planned", "tests", "evidence", "verified")
PARTS = ("title", "status", "verification", "derived", "links", "refs", "reviewed", "tags", *_OF_EXPORTS, BODY)
"""What an import writes, and compares the next time: keys of the front matter, and the body.

Those of `_OF_EXPORTS`, and reviews, count where the other side has them, or had them: most tools do not know them.
"""
_REVIEW, _LINKS = "reviewed", "links"
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


def with_imported(text: str, tool: str, file: str, name: str, links: Sequence[Value]) -> str:
    """Return a new item's text with the key `imported` at the end of its front matter.

    `links` are the entries of its links as they are read.
    """
    parts = split(text)
    digests = {part: _digest(raw) for part, raw in _parts(parts).items()}
    if links:
        digests[_LINKS] = _link_digests(links)
    block = (parts.block or "") + _line(ImportOrigin(tool, file, name, digests))
    return parts.bom + (parts.opening or "---\n") + block + (parts.closing or "---\n") + parts.body


def parts_of(text: str) -> Mapping[str, str]:
    """Return the parts of an item's text as they are written, without missing ones.

    Raises FormatError, beginning with the line, where the front matter cannot be taken apart.
    """
    return _parts(split(text.replace("\r\n", "\n")))


def _parts(parts: FrontMatter) -> Mapping[str, str]:
    found = {key: raw for key, raw in _entries(parts) if key in PARTS}
    body = parts.body.strip("\n")
    return {**found, BODY: body} if body else found


@dataclass(frozen=True, slots=True)
class LinkMerge:
    """The links of both sides as one list: the edit of ours, the side that changed them, and the digests of theirs."""

    edit: ListEdit
    side: ChangeSide | None
    digests: str
    words: tuple[str, str] = ("", "")
    """Each link as `relation id` on a line, before and after."""


def merged_links(here: Sequence[Value], there: Sequence[Value], then: ImportOrigin, there_raw: str = "") -> LinkMerge:
    """Merge links one by one: links added or reviewed here stay, those that the other side took away go.

    A stamp of the other side is taken where ours is the one that was imported.
    """
    digest = then.digests.get(_LINKS, "")
    # An item that an older version imported has one digest of all links.
    known = _link_digests(there) if there_raw and digest == _digest(there_raw) else digest
    before = dict(_link_parts(token) for token in known.split())
    theirs = {_link_key(each): each for each in there}
    changed: dict[int, Value | None] = {}
    sides: set[ChangeSide] = set()
    for index, each in enumerate(here):
        key = _link_key(each)
        if (other := theirs.pop(key, None)) is None:
            sides.add(ChangeSide.THERE if key in before else ChangeSide.HERE)
            if key in before:
                changed[index] = None
            continue
        old, ours, now = before.get(key, ""), _link_stamp(each), _link_stamp(other)
        if ours == now or now == old == "":
            continue
        sides.add(ChangeSide.HERE if now == old else ChangeSide.THERE if ours == old else ChangeSide.BOTH)
        if ours == old:
            changed[index] = other
    added = tuple(each for key, each in theirs.items() if key not in before)
    if added:
        sides.add(ChangeSide.THERE)
    if len(added) < len(theirs):
        sides.add(ChangeSide.HERE)
    side = None if not sides else next(iter(sides)) if len(sides) == 1 else ChangeSide.BOTH
    edit = ListEdit(changed, added)
    return LinkMerge(edit, side, _link_digests(there), (_link_words(here), _link_words(edit.on(tuple(here)))))


def _link_words(links: Sequence[Value]) -> str:
    return "\n".join(f"{_link_field(each, 'relation')} {_link_field(each, 'to')}" for each in links)


def _link_digests(links: Sequence[Value]) -> str:
    """Return a digest for each link, and behind it one of its stamp where it has one."""
    pairs = ((_link_key(each), _link_stamp(each)) for each in links)
    return " ".join(f"{key}/{stamp}" if stamp else key for key, stamp in pairs)


def _link_parts(token: str) -> tuple[str, str]:
    key, _, stamp = token.partition("/")
    return key, stamp


def _link_key(link: Value) -> str:
    return _digest(f"{_link_field(link, 'relation')} {_link_field(link, 'to')}")


def _link_stamp(link: Value) -> str:
    mark = _link_field(link, "fingerprint")
    return _digest(mark) if mark else ""


def _link_field(link: Value, name: str) -> str:
    found = dict(link.pairs).get(name) if isinstance(link, FieldTable) else None
    return found.text if isinstance(found, FieldScalar) else ""


def changed(
    here: Mapping[str, str], there: Mapping[str, str], then: ImportOrigin, links: LinkMerge
) -> Mapping[str, ChangeSide]:
    """Return the parts in which the two sides differ, and which side changed them."""
    found: dict[str, ChangeSide] = {}
    for part in PARTS:
        if part == _LINKS:
            if links.side is not None:
                found[part] = links.side
            continue
        ours, theirs = here.get(part, ""), there.get(part, "")
        only_ours = part in {*_OF_EXPORTS, _REVIEW} and not theirs and part not in then.digests
        if ours == theirs or only_ours:
            continue
        before = then.digests.get(part, "")
        now = tuple(_digest(raw) if raw else "" for raw in (ours, theirs))
        found[part] = ChangeSide.HERE if now[1] == before else ChangeSide.THERE if now[0] == before else ChangeSide.BOTH
    return found


def is_taken(part: str, side: ChangeSide) -> bool:
    """Say whether an update takes a part from the other side: not what changed here alone, and no review of ours."""
    return side is ChangeSide.THERE or (side is ChangeSide.BOTH and part != _REVIEW)


def updated(
    path: str,
    text: str,
    sides: Mapping[str, ChangeSide],
    there: Mapping[str, str],
    then: ImportOrigin,
    links: tuple[tuple[Value, ...], LinkMerge],
) -> str:
    """Return an item's text with the parts replaced that an update takes; every other byte stays.

    A part that the other side does not have is removed. `links` are ours, and what they become.

    The digests become those of `there` for what the other side changed and for what both sides now say alike.
    """
    here = parts_of(text)
    alike = {part for part in PARTS if here.get(part, "") == there.get(part, "")}
    taken = {part: there.get(part, "") for part, side in sides.items() if is_taken(part, side) and part != _LINKS}
    digests = dict(then.digests)
    for part in {*(part for part, side in sides.items() if side is not ChangeSide.HERE), *alike}:
        digests.pop(part, None)
        if there.get(part):
            digests[part] = _digest(there[part])
    if links[1].digests:
        digests[_LINKS] = links[1].digests
    else:
        digests.pop(_LINKS, None)
    line = _line(
        ImportOrigin(then.tool, then.file, then.id, {name: digests[name] for name in PARTS if name in digests})
    )
    parts = split(text.replace("\r\n", "\n"))
    whole = _joined(parts, taken, line)
    edit = links[1].edit
    if edit.changed or edit.added:
        if edit.on(links[0]) == ():
            whole = _joined(split(whole), {_LINKS: ""}, line)
        else:
            whole = edit_list(whole, _LINKS, links[0], edit, path=path)
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

    `malformed` is what the format does not allow (`file:line: why`), and was skipped. `skipped` are whole files, by
    name, with the reason.

    `tool` is the name of the format. `tops` are kinds whose items need no parent by the tool's own rules.
    """

    items: tuple[ForeignItem, ...]
    left: tuple[str, ...] = ()
    tool: str = ""
    tops: frozenset[str] = frozenset()
    malformed: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
