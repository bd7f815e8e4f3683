"""A new trace item as a file: front matter in one canonical order, one line per link, then the text.

Only for files that do not exist yet; an existing one is edited. What is empty is left out.
"""

from collections.abc import Iterator

from verifflowcc.domain.items import Link, Ref, Source, Stamp
from verifflowcc.domain.trace import TraceItem, Verified
from verifflowcc.formats.front_matter_list import entry
from verifflowcc.formats.front_matter_read import Scalar, Table
from verifflowcc.formats.item_render import scalar


def render_trace_item(item: TraceItem, body: str, *, source: Source = Source(), created: str | None = None) -> str:  # noqa: B008 - a frozen value
    """Return the text of an item's file, with LF newlines and a final one.

    `body` is all that stands below the front matter, the rationale too where it has a section of its own.
    """
    text = body.replace("\r\n", "\n").strip("\n")
    lines = (*_head(item), *_lists(item), *_people(item), *_origin(item, source, created))
    return "".join(["---\n", *lines, "---\n", f"\n{text}\n" if text.strip() else ""])


def link_entry(link: Link) -> Table:
    """Return a link as it stands in front matter."""
    stamp = link.stamp
    return _table(("to", link.to), ("relation", link.relation), *(_stamp(stamp) if stamp else ()))


def stamp_line(stamp: Stamp) -> str:
    """Return a review stamp as the line behind `reviewed:`."""
    return entry(_table(*_stamp(stamp)))


def verified_line(verified: Verified) -> str:
    """Return a person's word as the line behind `verified:`."""
    names = ("method", "by", "on", "fingerprint", "content", "saw")
    return entry(_table(*((name, getattr(verified, name)) for name in names)))


def _head(item: TraceItem) -> Iterator[str]:
    yield f"id: {scalar(item.id)}\n"
    yield f"type: {scalar(item.type)}\n"
    yield f"title: {scalar(item.title)}\n"
    yield f"status: {item.status}\n"
    for name, value in (("verification", item.verification), ("integrity", item.integrity)):
        if value:
            yield f"{name}: {scalar(value)}\n"
    if item.derived:
        yield "derived: true\n"
    if item.planned:
        yield f"planned: {_plain(item.planned)}\n"


def _lists(item: TraceItem) -> Iterator[str]:
    for name, values in (
        ("links", [entry(link_entry(each)) for each in item.links]),
        ("refs", [entry(_ref(each)) for each in item.refs]),
        ("tests", [scalar(each) for each in item.tests]),
        ("evidence", [scalar(each) for each in item.evidence]),
    ):
        if values:
            yield f"{name}:\n" + "".join(f"  - {value}\n" for value in values)


def _people(item: TraceItem) -> Iterator[str]:
    if item.reviewed:
        yield f"reviewed: {stamp_line(item.reviewed)}\n"
    if item.verified:
        yield f"verified: {verified_line(item.verified)}\n"


def _origin(item: TraceItem, source: Source, created: str | None) -> Iterator[str]:
    pairs = (("kind", str(source.kind)), ("actor", source.actor))
    where = ((name, getattr(source, name)) for name in ("project", "session", "origin", "turn", "speaker"))
    yield f"source: {entry(_table(*pairs, *where))}\n"
    yield f"trust: {item.trust}\n"
    if created:
        yield f"created: {_plain(created)}\n"
    if item.tags:
        yield "tags: [" + ", ".join(scalar(each) for each in item.tags) + "]\n"


def _stamp(stamp: Stamp) -> tuple[tuple[str, str | None], ...]:
    return (("fingerprint", stamp.fingerprint), ("by", stamp.by), ("on", stamp.on), ("reason", stamp.reason))


def _ref(ref: Ref) -> Table:
    return _table(("path", ref.path), ("symbol", ref.symbol), ("digest", ref.digest))


def _table(*pairs: tuple[str, str | None]) -> Table:
    return Table(tuple((name, text_value(name, value)) for name, value in pairs if value is not None), 1)


def text_value(name: str, text: str) -> Scalar:
    """Return a text as a value of front matter; a day (`on`) stands there without quotes, as people write it."""
    return Scalar(text, name == "on", 1)


def _plain(text: str) -> str:
    """Return a day without quotes."""
    return entry(Scalar(text, True, 1)) if text[:4].isdigit() and text.replace("-", "").isdigit() else scalar(text)
