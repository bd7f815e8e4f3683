"""A new trace item as a file: front matter in one canonical order, one line per link, then the text.

Only for files that do not exist yet; an existing one is edited. What is empty is left out.
"""

from collections.abc import Iterable

from verifflowcc.domain.items import Link, Ref, Source, Stamp
from verifflowcc.domain.trace import TraceItem, Verified
from verifflowcc.formats.front_matter_list import entry
from verifflowcc.formats.front_matter_read import Scalar, Table
from verifflowcc.formats.item_render import render_rows, render_source, render_tags, scalar
from verifflowcc.records import field_names


def render_trace_item(item: TraceItem, body: str, *, source: Source = Source(), created: str | None = None) -> str:  # noqa: B008 - a frozen value
    """Return the text of an item's file, with LF newlines and a final one.

    `body` is all that stands below the front matter, the rationale too where it has a section of its own.
    """
    rows = (
        *((name, scalar(getattr(item, name))) for name in ("id", "type", "title")),
        ("status", str(item.status)),
        *((name, scalar(value)) for name in ("verification", "integrity") if (value := getattr(item, name))),
        ("derived", "true" if item.derived else None),
        ("planned", _plain(item.planned) if item.planned else None),
        ("links", _block(entry(link_entry(each)) for each in item.links)),
        ("refs", _block(entry(_table(each)) for each in item.refs)),
        ("tests", _block(map(scalar, item.tests))),
        ("evidence", _block(map(scalar, item.evidence))),
        ("reviewed", stamp_line(item.reviewed) if item.reviewed else None),
        ("verified", stamp_line(item.verified) if item.verified else None),
        ("source", render_source(source)),
        ("trust", str(item.trust)),
        ("created", _plain(created) if created else None),
        ("tags", render_tags(item.tags) if item.tags else None),
    )
    return render_rows(rows, body if body.strip() else "")


def link_entry(link: Link) -> Table:
    """Return a link as it stands in front matter."""
    ends = (("to", text_value("to", link.to)), ("relation", text_value("relation", link.relation)))
    return Table((*ends, *(_table(link.stamp).pairs if link.stamp else ())), 1)


def stamp_line(stamp: Stamp | Verified) -> str:
    """Return a person's stamp or word as the line behind its key."""
    return entry(_table(stamp))


def _table(record: Stamp | Verified | Ref) -> Table:
    pairs = ((name, getattr(record, name)) for name in field_names(record))
    return Table(tuple((name, text_value(name, value)) for name, value in pairs if value is not None), 1)


def _block(lines: Iterable[str]) -> str | None:
    """Return a list as one line for each entry below its key; None where it is empty."""
    return "".join(f"\n  - {line}" for line in lines) or None


def text_value(name: str, text: str) -> Scalar:
    """Return a text as a value of front matter; a day (`on`) stands there without quotes, as people write it."""
    return Scalar(text, name == "on", 1)


def _plain(text: str) -> str:
    """Return a day without quotes."""
    return entry(Scalar(text, True, 1)) if text[:4].isdigit() and text.replace("-", "").isdigit() else scalar(text)
