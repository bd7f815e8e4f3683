"""Event files: an event as bytes, and bytes as an event.

A file is the canonical JSON of the envelope and one newline. The id is a ULID: the event's time in milliseconds, then
the first ten bytes of the SHA-256 over the canonical JSON of the envelope without `id`. So a name binds a content, and
through `parents` everything before it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from verifflowcc.base.errors import FormatError, LedgerError, VfccError
from verifflowcc.base.formats.event_payloads import check_payload
from verifflowcc.base.model.events import EVENT_FORMAT, LARGEST_EVENT_BYTES, Event, EventType, Json, format_of
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import canonical, digest_text, fold_newlines, parse_canonical, sha256
from verifflowcc.base.text.identifiers import TIME_LENGTH, is_ulid, ulid

FIELDS = frozenset({"v", "id", "parents", "actor", "time", "type", "payload"})
_TIME = lazy_pattern(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z")
_ACTOR = lazy_pattern(r"ci|(?:human|agent|tool):[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_event(
    event_type: EventType, payload: Mapping[str, Json], *, parents: Iterable[str], actor: str, at: datetime
) -> Event:
    """Return the event with its id; the same arguments give the same event.

    Raises LedgerError where what it would say is not what such an event must say.
    """
    before, time = tuple(sorted(set(parents))), stamp(at)
    body = _body(before, actor, time, event_type, payload)
    _check_body(body)
    return Event(
        _id_of(time, canonical(body)), before, actor, time, event_type, payload, format_of(event_type, payload)
    )


def encode_event(event: Event) -> bytes:
    """Return the content of the event's file."""
    body = _body(event.parents, event.actor, event.time, event.type, event.payload)
    return canonical({**body, "id": event.id}) + b"\n"


def parse_event(data: bytes, name: str | None) -> Event:
    """Return the event in a file's bytes; `name` is the file's name without `.json`, None for a line of a pack.

    A checkout with CRLF reads as any other. Raises LedgerError with the reason alone (the caller knows the file) where
    vfcc did not write these bytes under this name.
    """
    try:
        return _parsed(data, name)
    except LedgerError:
        raise
    except FormatError as error:
        raise LedgerError(str(error)) from error


def stamp(at: datetime) -> str:
    """Return the time as events spell it: UTC, milliseconds (cut, not rounded), `Z`.

    >>> stamp(datetime(2026, 11, 21, 3, 31, 0, 123999, tzinfo=UTC))
    '2026-11-21T03:31:00.123Z'
    """
    if at.tzinfo is None:
        raise LedgerError("an event's time needs a time zone")
    utc = at.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z".rjust(24, "0")


def moment(time: str) -> datetime:
    """Return the moment that an event's `time` names.

    >>> moment("2026-11-21T03:31:00.123Z").microsecond
    123000
    """
    try:
        return datetime.fromisoformat(time)
    except ValueError as error:
        raise LedgerError(f"the time {time!r} does not exist") from error


def _parsed(data: bytes, name: str | None) -> Event:
    line = _one_line(data)
    value = parse_canonical(line)
    if not isinstance(value, Mapping):
        raise LedgerError("an event is a JSON object")
    _check_envelope(value)
    body = {key: part for key, part in value.items() if key != "id"}
    _check_body(body)
    event = _event(value)
    # No text holds a quote that is not escaped, so that this is the key of the object itself.
    _check_id(event, line.replace(b'"id":"' + event.id.encode() + b'",', b"", 1), name)
    return event


def _one_line(data: bytes) -> bytes:
    folded = fold_newlines(data)
    if not folded.endswith(b"\n") or folded.count(b"\n") != 1:
        raise LedgerError("an event file is one line of canonical JSON with one newline at its end")
    return folded[:-1]


def _body(
    parents: tuple[str, ...], actor: str, time: str, event_type: EventType, payload: Mapping[str, Json]
) -> dict[str, Json]:
    v, kind = format_of(event_type, payload), str(event_type)
    return {"v": v, "parents": parents, "actor": actor, "time": time, "type": kind, "payload": payload}


def _id_of(time: str, body: bytes) -> str:
    """Return the id of an event of that time; `body` is the canonical text of all else."""
    milliseconds = (moment(time) - _EPOCH) // timedelta(milliseconds=1)
    return ulid(milliseconds, sha256(body).digest()[:10])


def _check_envelope(value: Mapping[str, Json]) -> None:
    version = value.get("v")
    if isinstance(version, int) and not isinstance(version, bool) and version > EVENT_FORMAT:
        raise LedgerError(f"event format v{version} is newer than this vfcc reads (v{EVENT_FORMAT}): upgrade vfcc")
    kind = value.get("type")
    right = (
        [format_of(EventType(str(kind)), value.get("payload"))]
        if kind in list(EventType)
        else list(range(1, EVENT_FORMAT + 1))
    )
    if version not in right or isinstance(version, bool):
        raise LedgerError(f"v must be {' or '.join(map(str, right))}, not {version!r}")
    odd = sorted(FIELDS ^ set(value))
    if odd:
        what = "is missing" if odd[0] in FIELDS else "is no field of an event"
        raise LedgerError(f"{odd[0]} {what}")
    if not isinstance(value["id"], str) or not is_ulid(value["id"]):
        raise LedgerError(f"id {value['id']!r} is not a ULID")


def _check_body(body: Mapping[str, Json]) -> None:
    """Check all but the id, which the caller checks."""
    parents, actor, time, kind, payload = (body[key] for key in ("parents", "actor", "time", "type", "payload"))
    if not isinstance(parents, list | tuple) or not all(isinstance(p, str) and is_ulid(p) for p in parents):
        raise LedgerError("parents must be a list of event ids")
    if list(parents) != sorted(set(map(str, parents))):
        raise LedgerError("parents must be sorted, each once")
    if not isinstance(actor, str) or not _ACTOR.fullmatch(actor):
        raise LedgerError(f"actor {actor!r} must be human:NAME, agent:ROLE, tool:NAME or ci")
    if not isinstance(time, str) or not _TIME.fullmatch(time):
        raise LedgerError(f"time {time!r} must look like 2026-11-21T03:31:00.123Z")
    if kind not in list(EventType):
        raise LedgerError(f"unknown event type {kind!r}")
    if not isinstance(payload, Mapping):
        raise LedgerError("payload must be an object")
    check_payload(EventType(str(kind)), payload)


def _check_id(event: Event, body: bytes, name: str | None) -> None:
    right = _id_of(event.time, body)
    if event.id[:TIME_LENGTH] != right[:TIME_LENGTH]:
        raise LedgerError("its time is not the one in its id: made or changed by hand")
    if event.id != right:
        raise LedgerError("its content is not what its id was made of: made or changed by hand")
    if name not in {None, event.id}:
        raise LedgerError(f"the file's name is not the event's id {event.id}")


def _event(value: Mapping[str, Json]) -> Event:
    parents, payload = value["parents"], value["payload"]
    assert isinstance(parents, list)
    assert isinstance(payload, Mapping)
    event_type = EventType(str(value["type"]))
    return Event(
        id=str(value["id"]),
        parents=tuple(map(str, parents)),
        actor=str(value["actor"]),
        time=str(value["time"]),
        type=event_type,
        payload=payload,
        v=format_of(event_type, payload),
    )


# Packs: the events of a closed sprint in one file, named after the closing event.
#
# Each line is an event as in its own file, byte for byte; the lines are sorted by id. The closing event holds the
# number of the events before it and a digest over their ids, and an id is made of an event's content: so the name of a
# pack binds everything in it.

_ID = lazy_pattern(rb'\{"actor":"(?:[^"\\]|\\.)*","id":"([0-9A-Z]{26})"')
"""How each line begins, since canonical JSON sorts its keys."""


@dataclass(frozen=True, slots=True)
class PackRead:
    """What a pack holds: the event of each line, None for a damaged one, and the problems as (line, reason)."""

    lines: tuple[Event | None, ...]
    problems: tuple[tuple[int, str], ...] = ()


def events_digest(ids: Iterable[str]) -> str:
    """Return the digest over event ids, in their sorted order, one a line."""
    return digest_text("".join(f"{name}\n" for name in sorted(ids)))


def encode_pack(events: Iterable[Event]) -> bytes:
    """Return the content of a pack of these events, in whatever order they are given."""
    return b"".join(encode_event(event) for event in sorted(events, key=lambda event: event.id))


def parse_pack(data: bytes, name: str) -> PackRead:
    """Return the events in a pack's bytes; `name` is the file's name without `.jsonl`.

    Each line is checked as an event file is. The pack as a whole is checked where all of its lines are sound.
    """
    lines: list[Event | None] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(_lines(data), start=1):
        try:
            lines.append(_parse_line(line))
        except LedgerError as error:
            lines.append(None)
            problems.append((number, str(error)))
    fault = "" if problems else _fault([each for each in lines if each], name)
    return PackRead(tuple(lines), ((1, fault),) if fault else tuple(problems))


def ids_in_pack(data: bytes) -> tuple[str, ...]:
    """Return the ids that a pack's lines say, in order, without parsing them; a line without one is left out."""
    found = (_ID.match(line) for line in _lines(data))
    return tuple(each[1].decode("ascii") for each in found if each)


def event_in_pack(data: bytes, event_id: str) -> Event | None:
    """Return one event of a pack, None where no line says its id. Raises LedgerError where that line is damaged."""
    wanted = event_id.encode("ascii")
    line = next((each for each in _lines(data) if (found := _ID.match(each)) and found[1] == wanted), None)
    return None if line is None else _parse_line(line)


def _lines(data: bytes) -> list[bytes]:
    *whole, rest = fold_newlines(data).split(b"\n")
    return [each + b"\n" for each in whole] + ([rest] if rest else [])


def _parse_line(line: bytes) -> Event:
    if len(line) > LARGEST_EVENT_BYTES:
        raise LedgerError(f"larger than any event ({LARGEST_EVENT_BYTES} bytes)")
    return parse_event(line, None)


def _fault(events: Sequence[Event], name: str) -> str:
    """Return what is wrong with a pack whose lines are all sound; empty where nothing is."""
    ids = [event.id for event in events]
    closing = next((event for event in events if event.id == name and event.type is EventType.SPRINT_CLOSED), None)
    if closing is None:
        return f"it does not hold the closing event {name} that it is named after"
    if ids != sorted(set(ids)):
        return "its lines are not sorted by id, each once: changed by hand"
    before = [each for each in ids if each != name]
    if closing.payload["ledger"] != {"events": len(before), "digest": events_digest(before)}:
        return "it holds other events than those that its closing event names: changed by hand"
    return ""


# The name that the content of an event file or an evidence file makes, whatever else is wrong with it.

_RECORD_NAMES_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    from verifflowcc.base.model.evidence_values import EVIDENCE_FORMAT  # only a repair asks for such names

    version = value.get("v")
    newer = isinstance(version, int) and version > max(EVENT_FORMAT, EVIDENCE_FORMAT)
    sort = value.get("type") or value.get("kind")
    return NamedRecord(_name_of(value), str(value.get("actor") or ""), str(sort or ""), newer)


def _name_of(value: Mapping[str, Json]) -> str:
    try:
        milliseconds = (moment(str(value.get("time"))) - _RECORD_NAMES_EPOCH) // timedelta(milliseconds=1)
        body = {key: part for key, part in value.items() if key != "id"}
        return ulid(milliseconds, sha256(canonical(body)).digest()[:10])
    except (VfccError, ValueError, TypeError, OverflowError):
        return ""
