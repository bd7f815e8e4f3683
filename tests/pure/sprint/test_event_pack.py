"""Packs: all events of a closed sprint as lines of one file, and every way to change such a file by hand."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import event, feedback, passed, root
from verifflowcc.base.errors import LedgerError
from verifflowcc.base.formats.event_bytes import (
    encode_event,
    encode_pack,
    event_in_pack,
    events_digest,
    ids_in_pack,
    parse_pack,
)
from verifflowcc.base.model.events import LARGEST_EVENT_BYTES, Event, EventType, Json
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.sprint_fold import fold

pytestmark = pytest.mark.vfcc("REQ-LEDGER")

ACTORS = st.sampled_from(["human:Ann", 'human:A "quoted" \\ name', "human:Zoë", "agent:coder"])


def closing(events: Sequence[Event], actor: str = "human:Ann") -> Event:
    """The event that closes a sprint of these events, as vfcc makes it."""
    ledger: dict[str, Json] = {"events": len(events), "digest": events_digest(each.id for each in events)}
    state = fold("login", events)
    payload = payloads.closed(state, None, "enough", ledger)
    heads = [each for each in events if each.id in state.heads]
    return event(EventType.SPRINT_CLOSED, payload, *heads, second=len(events) + 1, actor=actor)


def history(words: Sequence[str] = ("one", "two"), actor: str = "human:Ann") -> tuple[Event, ...]:
    made = [root()]
    for number, each in enumerate(words):
        payload: dict[str, Json] = {"stage": None, "text": each}
        made.append(event(EventType.FEEDBACK_ADDED, payload, made[-1], second=number + 1, actor=actor))
    return (*made, closing(made, actor))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=5), ACTORS)
@settings(deadline=None, max_examples=60)
def test_a_pack_holds_the_events_that_were_packed(words: list[str], actor: str) -> None:
    events = history(words, actor)
    name = events[-1].id
    data = encode_pack(reversed(events))

    ordered = tuple(sorted(events, key=lambda each: each.id))
    assert data == b"".join(map(encode_event, ordered))
    for spelling in (data, data.replace(b"\n", b"\r\n")):
        assert parse_pack(spelling, name).lines == ordered
        assert parse_pack(spelling, name).problems == ()
        assert ids_in_pack(spelling) == tuple(each.id for each in ordered)
        assert [event_in_pack(spelling, each.id) for each in ordered] == list(ordered)


def test_an_event_that_a_pack_does_not_hold_is_none() -> None:
    assert event_in_pack(encode_pack(history()), root("Other").id) is None


def _other_line(data: bytes) -> bytes:
    return data.replace(b'"text":"one"', b'"text":"One"')


def _line_gone(data: bytes) -> bytes:
    return b"".join(line for line in data.splitlines(keepends=True) if b'"text":"one"' not in line)


def _line_more(data: bytes) -> bytes:
    return encode_pack([*(each for each in parse_pack(data, "").lines if each), feedback("planted", root())])


def _other_order(data: bytes) -> bytes:
    return b"".join(reversed(data.splitlines(keepends=True)))


def _line_twice(data: bytes) -> bytes:
    first = data.splitlines(keepends=True)[0]
    return first + data


def _cut_line(data: bytes) -> bytes:
    return data[:-20]


def _merged_by_hand(data: bytes) -> bytes:
    return b"<<<<<<< ours\n" + data


CHANGES: dict[str, tuple[Callable[[bytes], bytes], int, str]] = {
    "edited": (_other_line, 2, "content is not what its id was made of"),
    "line removed": (_line_gone, 1, "it holds other events than those that its closing event names"),
    "line added": (_line_more, 1, "it holds other events than those that its closing event names"),
    "other order": (_other_order, 1, "its lines are not sorted by id"),
    "line twice": (_line_twice, 1, "its lines are not sorted by id"),
    "cut": (_cut_line, 4, "one line of canonical JSON"),
    "markers of a merge": (_merged_by_hand, 1, "not JSON"),
    "empty": (lambda _: b"", 1, "it does not hold the closing event"),
    "blank line": (lambda data: data + b"\n", 5, "not JSON"),
    "no closing event": (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), 1, "does not hold the closing"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_pack_that_was_changed_by_hand_is_a_problem_at_its_line(name: str) -> None:
    change, line, reason = CHANGES[name]
    events = history()

    found = parse_pack(change(encode_pack(events)), events[-1].id)

    assert [number for number, _ in found.problems] == [line]
    assert reason in found.problems[0][1]
    kept = [each.id for each in found.lines if each]
    assert (events[0].id in kept) == (name != "empty"), "a fault elsewhere takes no sound event away"


def test_a_line_larger_than_any_event_is_refused() -> None:
    line = encode_event(feedback("x" * LARGEST_EVENT_BYTES, root()))

    found = parse_pack(line, "any")

    assert found.lines == (None,)
    assert "larger than any event" in found.problems[0][1]
    with pytest.raises(LedgerError, match="larger than any event"):
        event_in_pack(line, feedback("x" * LARGEST_EVENT_BYTES, root()).id)


def test_a_pack_named_after_an_event_that_closes_nothing_is_a_problem() -> None:
    events = (root(), passed("plan", "build", root()))

    assert "does not hold the closing event" in parse_pack(encode_pack(events), events[-1].id).problems[0][1]
