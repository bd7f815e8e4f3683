"""Packs: the events of a closed sprint in one file, named after the closing event.

Each line is an event as in its own file, byte for byte; the lines are sorted by id. The closing event holds the number
of the events before it and a digest over their ids, and an id is made of an event's content: so the name of a pack
binds everything in it.
"""

import re
from collections.abc import Iterable, Sequence

from verifflowcc.domain.events import LARGEST_EVENT_BYTES, Event, EventType
from verifflowcc.errors import LedgerError
from verifflowcc.formats.events import encode_event, parse_event
from verifflowcc.records import dataclass
from verifflowcc.text.digest import digest_text, fold_newlines

_ID = re.compile(rb'\{"actor":"(?:[^"\\]|\\.)*","id":"([0-9A-Z]{26})"')
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
