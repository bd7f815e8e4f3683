"""A trace item as one line of JSON for a cache: only what differs from the defaults, so that many load quickly."""

import json
from collections.abc import Callable
from typing import Any

from verifflowcc.domain.items import Ref, Status, Trust
from verifflowcc.domain.trace import Flaw, Stamp, TraceItem, TraceLink, Verified
from verifflowcc.records import field_defaults, field_names

_NAMES = field_names(TraceItem)
_FIRST = 6
"""So many fields have no default: id, type, title, path, text, digest."""

_DEFAULTS = field_defaults(TraceItem)
_STATUS = {str(each): each for each in Status}
_TRUST = {str(each): each for each in Trust}


def _links(value: Any) -> tuple[TraceLink, ...]:
    return tuple([TraceLink(to, relation, line, Stamp(*mark) if mark else None) for to, relation, line, *mark in value])


_READERS: dict[str, Callable[[Any], object]] = {
    "status": _STATUS.__getitem__,
    "trust": _TRUST.__getitem__,
    "links": _links,
    "refs": lambda value: tuple([Ref(*one) for one in value]),
    "tests": tuple,
    "evidence": tuple,
    "tags": tuple,
    "reviewed": lambda value: Stamp(*value),
    "verified": lambda value: Verified(*value),
    "flaws": lambda value: tuple([Flaw(*one) for one in value]),
}


def trace_item_to_text(item: TraceItem) -> str:
    """Return the item as JSON: a list of the fields that every item has, then a mapping of the others."""
    first = [getattr(item, name) for name in _NAMES[:_FIRST]]
    rest = {name: _plain(value) for name in _NAMES[_FIRST:] if (value := getattr(item, name)) != _DEFAULTS[name]}
    return json.dumps([*first, rest], ensure_ascii=False, separators=(",", ":"))


def trace_item_from_text(text: str) -> TraceItem:
    """Return the item that `trace_item_to_text` wrote."""
    *first, rest = json.loads(text)
    for name, value in rest.items():
        reader = _READERS.get(name)
        if reader is not None:
            rest[name] = reader(value)
    return TraceItem(*first, **rest)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, TraceLink):
        return [value.to, value.relation, value.line, *(_shape(value.stamp) if value.stamp else ())]
    if isinstance(value, Stamp | Ref | Flaw | Verified):
        return _shape(value)
    return dict(value) if isinstance(value, dict) else value


_SHAPES = {each: field_names(each) for each in (Stamp, Ref, Flaw, Verified)}


def _shape(value: Stamp | Ref | Flaw | Verified) -> list[object]:
    return [getattr(value, name) for name in _SHAPES[type(value)]]
