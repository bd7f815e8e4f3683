"""An item as one line of JSON for the index: only what differs from the defaults, so that ten thousand load quickly."""

import json
from collections.abc import Callable
from typing import Any

from verifflowcc.domain.items import (
    Archived,
    DecisionFacts,
    DecisionStatus,
    Item,
    Link,
    Recency,
    Ref,
    Relation,
    Source,
    SourceKind,
    Status,
    Trust,
    Uses,
)
from verifflowcc.records import field_defaults, field_names

_NAMES = field_names(Item)
_DEFAULTS = field_defaults(Item)
_MISSING = object()
_SOURCE_KINDS = {str(each): each for each in SourceKind}
_READERS: dict[str, Callable[[Any], object]] = {
    "status": {str(each): each for each in Status}.__getitem__,
    "trust": {str(each): each for each in Trust}.__getitem__,
    "tags": tuple,
    "links": lambda value: tuple(Link(to, Relation(relation), mark) for to, relation, mark in value),
    "refs": lambda value: tuple(Ref(*one) for one in value),
    "source": lambda value: Source(_SOURCE_KINDS[value[0]], *value[1:]),
    "recency": lambda value: Recency(*value),
    "uses": lambda value: Uses(*value),
    "archived": lambda value: Archived(*value),
    "details": lambda value: tuple((name, text) for name, text in value),
}


def item_to_text(item: Item) -> str:
    """Return the item as JSON."""
    values = {name: _plain(value) for name in _NAMES if (value := getattr(item, name)) != _DEFAULTS.get(name, _MISSING)}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def item_from_text(text: str) -> Item:
    """Return the item that `item_to_text` wrote."""
    values = json.loads(text)
    for name, value in values.items():
        if value is not None and (reader := _READERS.get(name)) is not None:
            values[name] = reader(value)
    return Item(**values)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Link | Ref | Source | Recency | Uses | DecisionFacts | Archived):
        return [_plain(getattr(value, name)) for name in field_names(value)]
    return value


def _decision(value: list[object]) -> DecisionFacts:
    title, number, date, status, *targets = value
    tuples = [tuple(one) for one in targets if isinstance(one, list)]
    return DecisionFacts(title, number, date, DecisionStatus(status) if status else None, *tuples)  # type: ignore[arg-type]


_READERS["decision"] = _decision
