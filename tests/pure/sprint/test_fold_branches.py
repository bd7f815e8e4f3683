"""Two branches of one sprint, merged: what only adds never forks, what contradicts always shows, and no order matters.

The histories hold every kind of event; the branches may begin on a fork, or on a fork that was resolved.
"""

from collections.abc import Sequence

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tests.histories import ADDITIVE, SPRINT, bases, distinct, histories, like, parted
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.sprint.rules.sprint_fold import fold

pytestmark = pytest.mark.vfcc("REQ-FORKS")

FORKS = st.sampled_from([0, 0, 1, 1, 2])
"""How often the history before the two branches was forked."""


def transitions(events: Sequence[Event]) -> list[Event]:
    return [each for each in events if each.moves and each.type is not EventType.FORK_RESOLVED]


def where(state: SprintState) -> object:
    """All that moves can change."""
    return state.stages, state.current, state.status, state.fork, state.unfinished


def counting(events: Sequence[Event]) -> tuple[set[str], dict[str, set[str]], dict[str, str]]:
    """The transitions that count, and for each move those that counted when it was made: the slow way, with sets.

    Of like moves that saw the same ones, one counts for all; the last value maps each to it.
    """
    by_id = {each.id: each for each in events}
    past: dict[str, set[str]] = {}
    left = dict(by_id)
    while left:
        for name in [name for name, each in left.items() if all(parent in past for parent in each.parents)]:
            past[name] = set(left.pop(name).parents)
            past[name] |= {older for parent in past[name] for older in past[parent]}
    moves = {name for name, each in by_id.items() if each.moves}
    counted: dict[str, set[str]] = {}
    one: dict[str, str] = {}
    groups: dict[object, str] = {}

    def of(names: set[str]) -> set[str]:
        latest = {name for name in names if not any(name in past[other] for other in names)}
        found = {older for name in latest for older in counted[name]}
        return found | {one[name] for name in latest if by_id[name].type is not EventType.FORK_RESOLVED}

    for name in sorted(moves, key=lambda each: len(past[each])):
        counted[name] = of(past[name] & moves)
        if by_id[name].type is EventType.FORK_RESOLVED:
            listed = by_id[name].payload["aside"]
            assert isinstance(listed, list | tuple)
            kept, aside = one[str(by_id[name].payload["keep"])], {one[str(each)] for each in listed}
            thrown = {each for each in counted[name] if each in aside or counted[each] & aside}
            counted[name] -= {each for each in thrown if each != kept and kept not in counted[each]}
        else:
            one[name] = groups.setdefault((like(by_id[name]), frozenset(counted[name])), name)
    return of(moves), counted, one


@given(FORKS, st.data())
@settings(deadline=None, max_examples=200)
def test_merged_either_way_and_read_in_any_order_the_sprint_is_the_same(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    ours = data.draw(histories(base, "ours"))
    theirs = data.draw(histories(base, "theirs"))
    one = fold(SPRINT, [*base, *ours, *theirs])
    read = [*base, *theirs, *ours, *ours[:1]]
    data.draw(st.randoms()).shuffle(read)

    assert one == fold(SPRINT, [*base, *theirs, *ours])
    assert one == fold(SPRINT, read)
    assert not one.problems
    assert len(one.notes) == sum(not each.moves for each in distinct([*base, *ours, *theirs]))


@given(FORKS, st.data())
@settings(deadline=None, max_examples=120)
def test_a_contradiction_between_branches_always_shows_and_nothing_else_does(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    ours = data.draw(histories(base, "ours"))
    theirs = data.draw(histories(base, "theirs"))
    before, merged = fold(SPRINT, base), fold(SPRINT, [*base, *ours, *theirs])
    both_moved = bool(transitions(ours)) and bool(transitions(theirs))
    chosen = [next((each for each in side if each.type is EventType.FORK_RESOLVED), None) for side in (ours, theirs)]
    event(f"fork before: {before.fork is not None}; chosen: {[one is not None for one in chosen]}; moved: {both_moved}")

    if before.fork is None:
        assert (merged.fork is not None) == parted(ours, theirs)
    elif parted(ours, theirs) or not any(chosen) or _differ(*chosen):
        assert merged.fork is not None
    if merged.fork is None and not both_moved:
        moved = ours if transitions(ours) or (chosen[0] and not transitions(theirs)) else theirs
        alone = fold(SPRINT, [*base, *moved])
        if alone.fork is None:
            assert where(merged) == where(alone)


def _differ(one: Event | None, other: Event | None) -> bool:
    return one is not None and other is not None and one.payload["keep"] != other.payload["keep"]


@given(FORKS, st.data())
@settings(deadline=None, max_examples=100)
def test_a_branch_that_only_adds_changes_nothing_but_its_additions(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    ours = data.draw(histories(base, "ours"))
    theirs = data.draw(histories(base, "theirs", kinds=ADDITIVE))
    alone, merged = fold(SPRINT, [*base, *ours]), fold(SPRINT, [*base, *ours, *theirs])

    assert where(merged) == where(alone)
    assert merged.set_aside == alone.set_aside
    assert {each.id for each in merged.notes} == {each.id for each in (*alone.notes, *theirs)}


@given(FORKS, st.data())
@settings(deadline=None, max_examples=120)
def test_what_counts_is_what_the_slow_way_finds(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    events = [*base, *data.draw(histories(base, "ours")), *data.draw(histories(base, "theirs"))]
    events += data.draw(histories(distinct(events), "later"))
    state = fold(SPRINT, events)
    counts, counted, one = counting(distinct(events))
    apart = [(a, b) for a in counts for b in counts if a != b and a not in counted[b] and b not in counted[a]]

    assert (state.fork is not None) == bool(apart)
    assert {one[each.event] for each in state.set_aside} == {one[each.id] for each in transitions(events)} - counts
    if state.fork:
        firsts = {one[move.event] for move in state.fork.moves}
        assert len(firsts) > 1
        assert all(any(first in {a, *counted[a]} for first in firsts) for pair in apart for a in pair)
        assert {one[tip] for move in state.fork.moves for tip in move.tips} <= counts


@given(FORKS, st.data())
@settings(deadline=None, max_examples=100)
def test_every_fork_can_be_resolved_one_after_the_other(forks: int, data: st.DataObject) -> None:
    base = data.draw(bases(forks))
    events = [*base, *data.draw(histories(base, "ours", least=1)), *data.draw(histories(base, "theirs", least=1))]
    state = fold(SPRINT, events)
    assume(state.fork is not None)
    turns = 0
    while state.fork is not None:
        before, turns = state, turns + 1
        assert turns <= len(transitions(events))
        events += data.draw(histories(events, f"choice {turns}", kinds=("resolve",), least=1, most=1))
        state = fold(SPRINT, events)
        assert not state.problems
        assert str(events[-1].payload["keep"]) not in {each.event for each in state.set_aside}
        assert {each.event for each in before.set_aside} < {each.event for each in state.set_aside}
