"""Event files: their bytes never change, and what vfcc did not write is seen."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import ANN, START, event, feedback, passed, root
from verifflowcc.base.errors import LedgerError
from verifflowcc.base.formats.event_bytes import encode_event, make_event, moment, parse_event, stamp
from verifflowcc.base.model.events import EVENT_FORMAT, OF_RUNS, EventType
from verifflowcc.base.text.canonical import canonical
from verifflowcc.base.text.identifiers import is_ulid, ulid

pytestmark = pytest.mark.vfcc("REQ-LEDGER")

GOLDEN = Path(__file__).parents[2] / "golden" / "events"
INPUTS = json.loads((GOLDEN / "inputs.json").read_text(encoding="utf-8"))
ULIDS = json.loads((GOLDEN / "ulid.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", INPUTS, ids=lambda case: case["type"])
def test_the_bytes_and_the_id_of_an_event_never_change(case: dict[str, Any]) -> None:
    made = make_event(
        EventType(case["type"]),
        case["payload"],
        parents=case["parents"],
        actor=case["actor"],
        at=moment(case["time"]),
    )
    golden = (GOLDEN / f"{case['type']}.json").read_bytes()

    assert made.id == case["id"]
    assert encode_event(made) == golden
    assert parse_event(golden, made.id) == made


def test_types_of_the_first_format_are_written_in_it_and_newer_types_in_their_own() -> None:
    formats = {kind: json.loads((GOLDEN / f"{kind}.json").read_bytes())["v"] for kind in EventType}

    newer = {EventType.ARTIFACT_PUT, EventType.BASELINE_SET, EventType.EVIDENCE_REDACTED, *OF_RUNS}
    assert {kind for kind, v in formats.items() if v != 1} == newer
    assert {formats[kind] for kind in newer} == {EVENT_FORMAT} == {2}


def test_every_type_has_a_golden_event() -> None:
    assert {case["type"] for case in INPUTS} == set(EventType)


@pytest.mark.parametrize("case", ULIDS, ids=lambda case: case["ulid"])
def test_ulids_never_change(case: dict[str, Any]) -> None:
    assert ulid(case["ms"], bytes.fromhex(case["entropy"])) == case["ulid"]
    assert is_ulid(case["ulid"])


@given(
    st.integers(0, 2**48 - 1),
    st.binary(min_size=10, max_size=10),
    st.integers(0, 2**48 - 1),
    st.binary(min_size=10, max_size=10),
)
@settings(deadline=None)
def test_ulids_sort_by_time_then_by_content(a: int, left: bytes, b: int, right: bytes) -> None:
    assert (ulid(a, left) < ulid(b, right)) == ((a, left) < (b, right))


def test_a_checkout_with_crlf_reads_the_same() -> None:
    made = root()

    assert parse_event(encode_event(made).replace(b"\n", b"\r\n"), made.id) == made


def test_the_time_is_utc_in_milliseconds_whatever_the_writers_zone() -> None:
    there = START.astimezone(timezone(timedelta(hours=5, minutes=30)))

    assert stamp(there) == stamp(START) == "2026-11-21T03:31:00.123Z"
    assert moment(stamp(START)) == START


def test_a_parent_named_twice_counts_once_and_the_order_does_not_matter() -> None:
    first = root()
    one, two = feedback("a", first), feedback("b", first)

    assert feedback("c", one, two, one) == feedback("c", two, one)


Forge = Callable[[dict[str, Any]], object]


def _set(key: str, value: object) -> Forge:
    return lambda envelope: envelope.__setitem__(key, value)


FORGERIES: dict[str, tuple[Forge, str]] = {
    "payload edited": (lambda e: e["payload"].__setitem__("entered", "check"), "content"),
    "actor edited": (_set("actor", "human:Bob"), "content"),
    "parents edited": (_set("parents", ["01KABCDEFGHJKMNPQRSTVWXYZ0"]), "content"),
    "time edited": (_set("time", "2026-11-21T03:31:01.123Z"), "time is not the one in its id"),
    "id edited": (_set("id", "01KABCDEFGHJKMNPQRSTVWXYZ0"), "time is not the one in its id"),
    "unknown type": (_set("type", "stage_forced"), "unknown event type"),
    "other known type": (_set("type", "stage_skipped"), "reason is missing"),
    "newer format": (_set("v", 3), "v3 is newer"),
    "format of a newer type": (_set("v", 2), "v must be 1"),
    "newer type in the older format": (_set("type", "artifact_put"), "v must be 2"),
    "no format": (_set("v", "1"), "v must be 1"),
    "true for 1": (_set("v", True), "v must be 1"),
    "extra field": (_set("approved", True), "approved is no field"),
    "field gone": (lambda e: e.pop("actor"), "actor is missing"),
    "id no ULID": (_set("id", "latest"), "is not a ULID"),
    "lower-case id": (lambda e: e.__setitem__("id", e["id"].lower()), "is not a ULID"),
    "time not UTC": (_set("time", "2026-11-21T03:31:00.123+01:00"), "must look like"),
    "time impossible": (_set("time", "2026-02-30T03:31:00.123Z"), "does not exist"),
    "time before 1970": (_set("time", "1960-01-01T00:00:00.000Z"), "cannot hold the time"),
    "actor nobody": (_set("actor", "root"), "actor 'root' must be"),
    "actor with a line break": (_set("actor", "human:A\nB"), "must be"),
    "parents unsorted": (_set("parents", ["01KABCDEFGHJKMNPQRSTVWXYZ1", "01KABCDEFGHJKMNPQRSTVWXYZ0"]), "sorted"),
    "parents no ids": (_set("parents", ["x"]), "list of event ids"),
    "payload no object": (_set("payload", []), "payload must be an object"),
    "payload field gone": (lambda e: e["payload"].pop("summary"), "summary is missing"),
    "payload field wrong": (lambda e: e["payload"].__setitem__("stage", "../x"), "stage must be"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_an_edited_event_is_seen(name: str) -> None:
    forge, reason = FORGERIES[name]
    made = passed("plan", "build", root())
    envelope = json.loads(encode_event(made))
    forge(envelope)

    with pytest.raises(LedgerError, match=reason):
        parse_event(canonical(envelope) + b"\n", made.id)


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: b" " + data,
        lambda data: data.replace(b",", b", ", 1),
        lambda data: json.dumps(json.loads(data), indent=2).encode() + b"\n",
        lambda data: b"<<<<<<< HEAD\n" + data,
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"[]\n",
        lambda data: b"\xef\xbb\xbf" + data,
    ],
)
def test_other_bytes_than_vfcc_writes_are_seen(edit: Callable[[bytes], bytes]) -> None:
    made = root()

    with pytest.raises(LedgerError):
        parse_event(edit(encode_event(made)), made.id)


def test_a_renamed_file_is_seen() -> None:
    first = root()

    with pytest.raises(LedgerError, match="name is not the event's id"):
        parse_event(encode_event(first), feedback("x", first).id)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_no_single_changed_byte_goes_unseen(data: st.DataObject) -> None:
    made = passed("plan", "build", root())
    raw = bytearray(encode_event(made))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(0, 255).filter(lambda value: value != raw[place]))

    with pytest.raises(LedgerError):
        parse_event(bytes(raw), made.id)


def test_fields_that_a_later_version_adds_to_a_payload_are_kept() -> None:
    first = root()
    later = event(EventType.FEEDBACK_ADDED, {"stage": "plan", "text": "x", "severity": "high"}, first)

    assert parse_event(encode_event(later), later.id).payload["severity"] == "high"


def test_an_event_that_could_not_be_read_back_is_not_made() -> None:
    with pytest.raises(LedgerError, match="actor"):
        make_event(EventType.FEEDBACK_ADDED, {"stage": None, "text": "x"}, parents=[], actor="me", at=START)
    with pytest.raises(LedgerError, match="text must be"):
        make_event(EventType.FEEDBACK_ADDED, {"stage": None, "text": " "}, parents=[], actor=ANN, at=START)
    with pytest.raises(LedgerError, match="time zone"):
        make_event(
            EventType.FEEDBACK_ADDED,
            {"stage": None, "text": "x"},
            parents=[],
            actor=ANN,
            at=datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None),
        )


def _golden(kind: str) -> dict[str, Any]:
    return dict(next(case["payload"] for case in INPUTS if case["type"] == kind))


ULID = "01KABCDEFGHJKMNPQRSTVWXYZ0"
WRONG_FIELDS = [
    ("evidence_added", {"evidence": "latest"}, "evidence must be a ULID"),
    ("evidence_added", {"criterion": " "}, "criterion must be text"),
    ("review_recorded", {"verdict": "fine"}, "verdict must be approved or rejected or requested"),
    ("review_recorded", {"expires": "2026-02-30"}, "expires must be a day"),
    ("review_recorded", {"signed": "abc"}, "signed must be a commit"),
    ("review_recorded", {"replaces": ["x"]}, "replaces must be a list of event ids"),
    ("review_recorded", {"seen": {"a.md": "x"}}, "seen must be digests"),
    ("attested", {"reason": 1}, "reason must be text or null"),
    ("waived", {"expires": "tomorrow"}, "expires must be a day"),
    ("feedback_added", {"triages": "x"}, "triages must be an event's id"),
    ("sprint_started", {"base": "HEAD"}, "base must be a commit"),
    ("sprint_started", {"carried": "x"}, "carried must be a list"),
    ("stage_passed", {"gate": [{"criterion": "tests"}]}, "gate must be a list of"),
    ("stage_passed", {"uses": {"planning": "x"}}, "uses must be digests"),
    ("stage_skipped", {"expires": "soon"}, "expires must be a day"),
    ("fork_resolved", {"aside": []}, "aside must be a list of event ids that is not empty"),
    ("fork_resolved", {"keep": "ours"}, "keep must be an event's id"),
    ("fork_resolved", {"reason": ""}, "reason must be text or null"),
]


@pytest.mark.parametrize(("kind", "change", "told"), WRONG_FIELDS, ids=lambda value: str(value)[:40])
def test_a_field_that_is_wrong_is_told_also_where_it_may_be_missing(
    kind: str, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(LedgerError, match=told):
        make_event(EventType(kind), {**_golden(kind), **change}, parents=[ULID], actor=ANN, at=START)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("sprint_started", {"base": "ab" * 20, "carried": [f"login/{ULID}"]}),
        ("sprint_started", {"base": None, "carried": []}),
        ("stage_passed", {"uses": {"planning": "sha256:" + "0" * 64}, "gate": []}),
        ("stage_skipped", {"expires": "2026-12-31"}),
        ("review_recorded", {"replaces": [ULID], "seen": {}}),
        ("attested", {"reason": None, "replaces": []}),
        ("feedback_added", {"triages": ULID, "decision": "done", "reason": None, "replaces": [ULID]}),
        ("waived", {"expires": None}),
    ],
)
def test_fields_that_older_events_lack_may_be_there(kind: str, more: dict[str, Any]) -> None:
    made = make_event(EventType(kind), {**_golden(kind), **more}, parents=[ULID], actor=ANN, at=START)

    assert parse_event(encode_event(made), made.id) == made
