"""The place of an event that was recorded before its sprint was known."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.history.rules.event_shape import moment
from verifflowcc.history.rules.history_rows import with_place

TIMES = st.integers(0, 20)


def place(number: int, since: int, at: int) -> dict[str, Any]:
    where = {"role": f"r{number}", "sprint": "s", "stage": f"stage-{number}"}
    return {"kind": "place", "id": str(number), "time": moment(at), "since": moment(since), **where}


def event(at: int, **more: Any) -> dict[str, Any]:
    return {"kind": "prompt", "id": "e", "time": moment(at), "unplaced": True, **more}


PLACES = st.lists(st.tuples(TIMES, TIMES), max_size=6).map(
    lambda pairs: [place(number, min(pair), max(pair)) for number, pair in enumerate(pairs)]
)


def test_an_unplaced_event_belongs_to_the_stage_that_was_active() -> None:
    places = [place(1, since=0, at=5), place(2, since=7, at=9)]

    assert with_place(event(3), places)["stage"] == "stage-1"
    assert with_place(event(8), places)["stage"] == "stage-2"
    assert "unplaced" not in with_place(event(8), places)


def test_an_event_before_the_stage_was_entered_stays_unplaced() -> None:
    assert with_place(event(6), [place(1, since=0, at=5), place(2, since=7, at=9)]) == event(6)
    assert with_place(event(6), []) == event(6)


def test_the_role_that_an_agent_names_stays() -> None:
    assert with_place(event(3, role="tester"), [place(1, since=0, at=5)])["role"] == "tester"


@given(TIMES, PLACES)
def test_nothing_but_the_place_of_an_unplaced_event_changes(at: int, places: list[dict[str, Any]]) -> None:
    placed = {"kind": "prompt", "id": "e", "time": moment(at)}
    found = with_place(event(at), places)

    assert with_place(placed, places) == placed
    assert {name: found[name] for name in placed} == placed
    covering = [each for each in places if each["since"] <= moment(at) <= each["time"]]
    assert "stage" not in found or found["stage"] in [each["stage"] for each in covering]


@given(TIMES, PLACES, st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_matter(at: int, places: list[dict[str, Any]], luck: Any) -> None:
    shuffled = places[:]
    luck.shuffle(shuffled)

    assert with_place(event(at), shuffled) == with_place(event(at), places)
