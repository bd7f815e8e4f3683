"""Laws of the fold, over random graphs: reading order and clocks do not matter, and no contradiction stays hidden."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import event, feedback, passed, root
from tests.histories import moves_of, parted
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import SprintState, StageState
from verifflowcc.base.records import replace
from verifflowcc.base.text.identifiers import content_part
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.sprint_fold import arrange, chain, fold
from verifflowcc.sprint.rules.stage_moves import after_passing, reopenable

pytestmark = pytest.mark.vfcc("REQ-LEDGER")

CLOCK = st.integers(0, 10**8)
"""Seconds: the writers' clocks are up to three years apart."""


@st.composite
def graphs(draw: st.DrawFn) -> list[Event]:
    """A graph of events with any parents at all; the moves in it need not be possible."""
    made = [root()]
    for number in range(draw(st.integers(0, 14))):
        parents = draw(st.lists(st.sampled_from(made), min_size=1, max_size=3, unique_by=lambda one: one.id))
        second = draw(CLOCK)
        if draw(st.booleans()):
            made.append(feedback(str(number), *parents, second=second))
        else:
            made.append(
                event(EventType.STAGE_REOPENED, payloads.reopened("plan", str(number)), *parents, second=second)
            )
    return made


def pasts(events: Sequence[Event]) -> dict[str, set[str]]:
    """Every event's ancestors, the slow way; parents come first in `events`."""
    past: dict[str, set[str]] = {}
    for each in events:
        past[each.id] = set(each.parents).union(*(past[parent] for parent in each.parents))
    return past


@given(graphs(), st.randoms())
@settings(deadline=None, max_examples=100)
def test_the_order_of_reading_does_not_matter(events: list[Event], random: Random) -> None:
    shuffled = [*events, *events[:3]]
    random.shuffle(shuffled)

    assert fold("login", shuffled) == fold("login", events)


@given(graphs())
@settings(deadline=None, max_examples=100)
def test_parents_come_first_and_ties_go_by_content(events: list[Event]) -> None:
    ordered = arrange(events).ordered
    place = {each.id: index for index, each in enumerate(ordered)}

    assert len(ordered) == len(events)
    assert all(place[parent] < place[each.id] for each in ordered for parent in each.parents)
    for one, two in pairwise(ordered):
        assert one.id in two.parents or content_part(one.id) < content_part(two.id)


@given(graphs())
@settings(deadline=None, max_examples=120)
def test_there_is_a_fork_exactly_where_two_moves_did_not_know_each_other(events: list[Event]) -> None:
    past = pasts(events)
    moves = [each for each in events if each.moves]

    def apart(one: Event, two: Event) -> bool:
        return one is not two and one.id not in past[two.id] and two.id not in past[one.id]

    line = chain(arrange(events).ordered)
    first_sides = {first.id for first, _ in line.sides}

    assert bool(line.sides) == any(apart(one, two) for one in moves for two in moves)
    assert len(line.sides) != 1
    assert all(not apart(agreed, move) for agreed in line.agreed for move in moves)
    assert all(apart(one, two) for one, _ in line.sides for two, _ in line.sides if one is not two)
    assert {m.id for m in moves if m not in line.agreed and not past[m.id] & (_ids(moves) - _ids(line.agreed))} == (
        first_sides
    )


def _ids(events: Sequence[Event]) -> set[str]:
    return {each.id for each in events}


@st.composite
def histories(draw: st.DrawFn, base: list[Event], name: str) -> list[Event]:
    """What one branch adds on top of `base`: possible moves and additive events, on a clock of its own."""
    events = list(base)
    for number in range(draw(st.integers(0, 5))):
        state = fold("login", events)
        second = draw(CLOCK)
        heads = [each for each in events if each.id in state.heads]
        kinds = ["note"] + (["pass"] if state.current else []) + (["back"] if reopenable(state) else [])
        kind = draw(st.sampled_from(kinds))
        words = f"{name} {number}"
        if kind == "note":
            events.append(feedback(words, *heads, second=second))
        elif kind == "pass":
            events.append(_pass(state, heads, second, f"human:{name}"))
        else:
            payload = payloads.reopened(draw(st.sampled_from(reopenable(state))), words)
            events.append(event(EventType.STAGE_REOPENED, payload, *heads, second=second))
    return events[len(base) :]


def _entered_by_any(state: SprintState) -> list[StageState]:
    """The stages, whichever of two like events entered them."""
    return [replace(each, entered_by="", entered_at="") for each in state.stages]


def _pass(state: SprintState, heads: list[Event], second: int, actor: str) -> Event:
    assert state.current
    return passed(state.current, after_passing(state, state.current, ()), *heads, second=second, actor=actor)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_two_branches_merge_to_one_state_or_to_a_fork_that_shows(data: st.DataObject) -> None:
    base = [root(), *data.draw(histories([root()], "base"))]
    ours = data.draw(histories(base, "ours"))
    theirs = data.draw(histories(base, "theirs"))
    merged, other_way = fold("login", [*base, *ours, *theirs]), fold("login", [*theirs, *base, *ours])

    assert merged == other_way
    assert not merged.problems
    assert (merged.fork is not None) == parted(ours, theirs)
    if not parted(ours, theirs):
        moved = max(ours, theirs, key=lambda side: len(moves_of(side)))
        alone = fold("login", [*base, *moved])
        assert (_entered_by_any(merged), merged.current, merged.status) == (
            _entered_by_any(alone),
            alone.current,
            alone.status,
        )
        assert len(merged.notes) == sum(not each.moves for each in [*base, *ours, *theirs])


@pytest.mark.sweep
def test_ten_thousand_events_fold_without_a_set_of_ancestors_each() -> None:
    """The whole graph of 10,000 concurrent notes, merged by one event, and then a chain of as many moves."""
    first = root()
    notes = [feedback(str(number), first) for number in range(10_000)]
    over = passed("plan", "build", *notes)
    state = fold("login", [first, *notes, over])

    assert (state.current, len(state.notes), state.heads) == ("build", 10_000, (over.id,))
