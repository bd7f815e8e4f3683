"""A trace item as one line of JSON for the index, as `facts` writes items."""

from typing import Any

from verifflowcc.adapters.index.facts import Readers, RecordText
from verifflowcc.domain.items import Link, Stamp
from verifflowcc.domain.trace import Flaw, TraceItem, Verified


def _links(value: Any) -> tuple[Link, ...]:
    return tuple([Link(to, relation, line, Stamp(*mark) if mark else None) for to, relation, line, *mark in value])


def _link(link: Link) -> list[object]:
    mark = link.stamp
    return [link.to, link.relation, link.line, *((mark.fingerprint, mark.by, mark.on, mark.reason) if mark else ())]


_READERS: Readers = {
    "links": _links,
    "reviewed": lambda value: Stamp(*value),
    "verified": lambda value: Verified(*value),
    "flaws": lambda value: tuple([Flaw(*one) for one in value]),
}
_TEXT = RecordText(TraceItem, _READERS, _link, listed=6)
trace_item_to_text, trace_item_from_text = _TEXT.write, _TEXT.read
