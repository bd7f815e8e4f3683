"""An item as one line of JSON for the index: only what differs from the defaults, so that ten thousand load quickly."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from verifflowcc.domain.item_keys import KEYS, Kind
from verifflowcc.domain.items import (
    Archived,
    DecisionFacts,
    DecisionStatus,
    Item,
    Link,
    Recency,
    Ref,
    Source,
    SourceKind,
    Stamp,
    Status,
    Trust,
    Uses,
)
from verifflowcc.records import field_defaults, field_names, is_record

T = TypeVar("T")
Readers = Mapping[str, Callable[[Any], object]]
_MISSING = object()
_SOURCE_KINDS = {str(each): each for each in SourceKind}
SHARED: Readers = {
    "status": {str(each): each for each in Status}.__getitem__,
    "trust": {str(each): each for each in Trust}.__getitem__,
    "refs": lambda value: tuple([Ref(*one) for one in value]),
    **{row.name: tuple for row in KEYS if row.kind is Kind.TEXTS},
}
"""The readers of fields that memory and the trace have alike."""


class RecordText(Generic[T]):
    """How items of a class are written as JSON and read again; `readers` are for values that JSON has no word for.

    The values of the first `listed` fields go into a list without their names, which is read faster.
    """

    def __init__(
        self, record: type[T], readers: Readers, link: Callable[[Link], list[object]], *, listed: int = 0
    ) -> None:
        self._record, self._readers, self._link = record, {**SHARED, **readers}, link
        names, self._defaults = field_names(record), field_defaults(record)
        self._listed, self._named = names[:listed], names[listed:]

    def write(self, item: T) -> str:
        """Return the item as JSON."""
        values = {}
        for name in self._named:
            value = getattr(item, name)
            if value != self._defaults.get(name, _MISSING):
                values[name] = self._plain(value)
        written = [*(getattr(item, name) for name in self._listed), values] if self._listed else values
        return json.dumps(written, ensure_ascii=False, separators=(",", ":"))

    def read(self, text: str) -> T:
        """Return the item that `write` wrote."""
        values, readers, first = json.loads(text), self._readers, []
        if self._listed:
            *first, values = values
        for name, value in values.items():
            if name in readers and value is not None:
                values[name] = readers[name](value)
        return self._record(*first, **values)

    def _plain(self, value: object) -> object:
        if isinstance(value, tuple):
            return [self._plain(one) for one in value]
        if isinstance(value, Link):
            return self._link(value)
        if is_record(value):
            return [self._plain(getattr(value, name)) for name in field_names(value)]
        return value


def _links(value: Any) -> tuple[Link, ...]:
    return tuple([Link(to, name, stamp=Stamp(mark) if mark else None) for to, name, mark in value])


def _decision(value: list[object]) -> DecisionFacts:
    title, number, date, status, *targets = value
    tuples = [tuple(one) for one in targets if isinstance(one, list)]
    return DecisionFacts(title, number, date, DecisionStatus(status) if status else None, *tuples)  # type: ignore[arg-type]


_READERS: Readers = {
    "links": _links,
    "source": lambda value: Source(_SOURCE_KINDS[value[0]], *value[1:]),
    "recency": lambda value: Recency(*value),
    "uses": lambda value: Uses(*value),
    "archived": lambda value: Archived(*value),
    "details": lambda value: tuple((name, text) for name, text in value),
    "decision": _decision,
}
_TEXT = RecordText(Item, _READERS, lambda link: [link.to, link.relation, link.fingerprint])
item_to_text, item_from_text = _TEXT.write, _TEXT.read
