"""The name that the content of an event file or an evidence file makes, whatever else is wrong with it."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from verifflowcc.domain.events import EVENT_FORMAT, Json
from verifflowcc.domain.evidence import EVIDENCE_FORMAT
from verifflowcc.errors import VfccError
from verifflowcc.formats.events import moment
from verifflowcc.records import dataclass
from verifflowcc.text.canonical import canonical
from verifflowcc.text.ulid import ulid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEWEST = max(EVENT_FORMAT, EVIDENCE_FORMAT)


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """What a file says of itself: the `name` that its content makes (empty: none), its actor and its type as written.

    `newer` says that it is of a format which this version does not know, and whose names it cannot judge.
    """

    name: str = ""
    actor: str = ""
    sort: str = ""
    newer: bool = False


def named_record(data: bytes) -> NamedRecord:
    """Return what the bytes of an event file or an evidence file say; the spelling of the JSON does not count."""
    try:
        value: Json = json.loads(data)
    except (ValueError, RecursionError):
        return NamedRecord()
    if not isinstance(value, Mapping):
        return NamedRecord()
    version = value.get("v")
    newer = isinstance(version, int) and version > _NEWEST
    sort = value.get("type") or value.get("kind")
    return NamedRecord(_name_of(value), str(value.get("actor") or ""), str(sort or ""), newer)


def _name_of(value: Mapping[str, Json]) -> str:
    try:
        milliseconds = (moment(str(value.get("time"))) - _EPOCH) // timedelta(milliseconds=1)
        body = {key: part for key, part in value.items() if key != "id"}
        return ulid(milliseconds, hashlib.sha256(canonical(body)).digest()[:10])
    except (VfccError, ValueError, TypeError, OverflowError):
        return ""
