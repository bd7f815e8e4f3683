"""A fork that a person resolved: what counts after it, what is set aside, and what makes the fork come back."""

import pytest

from tests.event_samples import choice, closed, event, feedback, passed, reopened, root
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.sprint.rules.sprint_fold import fold

pytestmark = pytest.mark.vfcc("REQ-FORKS")

FIRST = root()
PLAN = passed("plan", "build", FIRST, second=1)
OURS = passed("build", "check", PLAN, second=2, actor="human:Ann")
THEIRS = reopened("plan", "a need was missed", PLAN, second=3, actor="human:Bob")
FORKED = (FIRST, PLAN, OURS, THEIRS)
KEPT_OURS = choice(OURS, [THEIRS], OURS, THEIRS, reason="it was an old plan", second=4, actor="human:Cy")
KEPT_THEIRS = choice(THEIRS, [OURS], OURS, THEIRS, second=5)


def after(*events: Event) -> SprintState:
    return fold("login", events)


def firsts(state: SprintState) -> set[str]:
    return {move.event for move in state.fork.moves} if state.fork else set()


def test_the_side_kept_counts_and_the_other_is_told_with_whose_choice_it_was() -> None:
    state = after(*FORKED, KEPT_OURS)

    assert (state.fork, state.problems, state.status) == (None, (), SprintStatus.OPEN)
    assert state.current == "check"
    (gone,) = state.set_aside
    assert (gone.event, gone.action, gone.actor) == (THEIRS.id, "reopened plan", "human:Bob")
    assert (gone.choice, gone.decided_by, gone.reason) == (KEPT_OURS.id, "human:Cy", "it was an old plan")
    assert after(*FORKED, KEPT_THEIRS).current == "plan"


def test_the_sprint_is_as_if_the_other_side_had_not_been_but_for_what_it_added() -> None:
    note = feedback("on their side", THEIRS)
    over = choice(OURS, [THEIRS], OURS, note)
    alone, state = after(FIRST, PLAN, OURS), after(*FORKED, note, over)

    assert (state.stages, state.current, state.status) == (alone.stages, alone.current, alone.status)
    assert state.notes == (note,)


def test_what_was_built_on_the_other_side_goes_with_it() -> None:
    later = passed("plan", "build", THEIRS, second=6)
    state = after(*FORKED, later, choice(OURS, [THEIRS], OURS, later))

    assert state.current == "check"
    assert {each.event for each in state.set_aside} == {THEIRS.id, later.id}


def test_later_moves_go_on_from_the_side_that_was_kept() -> None:
    last = passed("check", None, KEPT_OURS, second=7)
    end = closed(after(*FORKED, KEPT_OURS, last), 6, last, second=8)

    assert after(*FORKED, KEPT_OURS, last).complete
    assert after(*FORKED, KEPT_OURS, last, end).status is SprintStatus.CLOSED


def test_two_branches_that_chose_otherwise_are_forked_again_and_that_can_be_resolved() -> None:
    state = after(*FORKED, KEPT_OURS, KEPT_THEIRS)

    assert firsts(state) == {OURS.id, THEIRS.id}
    assert state.set_aside == ()
    again = choice(THEIRS, [OURS], KEPT_OURS, KEPT_THEIRS, second=9)
    assert (after(*FORKED, KEPT_OURS, KEPT_THEIRS, again).current, after(*FORKED, KEPT_OURS, again).fork) == (
        "plan",
        None,
    )


def test_two_branches_that_chose_the_same_agree() -> None:
    same = choice(OURS, [THEIRS], OURS, THEIRS, reason="I think so too", second=10, actor="human:Dee")
    state = after(*FORKED, KEPT_OURS, same)

    assert (state.fork, state.current, state.problems) == (None, "check", ())
    assert [each.event for each in state.set_aside] == [THEIRS.id]


def test_two_branches_that_chose_the_same_and_then_both_moved_are_forked_there() -> None:
    same = choice(OURS, [THEIRS], OURS, THEIRS, second=10)
    one, other = passed("check", None, KEPT_OURS), reopened("build", "a bug", same)
    state = after(*FORKED, KEPT_OURS, same, one, other)

    assert firsts(state) == {one.id, other.id}
    assert state.current == "check"


def test_whoever_goes_on_upon_the_side_that_was_kept_agrees() -> None:
    on = passed("check", None, OURS, second=11)

    assert (after(*FORKED, KEPT_OURS, on).fork, after(*FORKED, KEPT_OURS, on).complete) == (None, True)


def test_whoever_goes_on_upon_the_side_that_was_set_aside_brings_it_back() -> None:
    on = passed("plan", "build", THEIRS, second=12)
    state = after(*FORKED, KEPT_OURS, on)

    assert firsts(state) == {OURS.id, THEIRS.id}
    assert state.set_aside == ()


def test_what_only_adds_to_an_open_fork_brings_nothing_back() -> None:
    note = feedback("both are wrong", OURS, THEIRS)
    state = after(*FORKED, KEPT_OURS, note)
    move = passed("check", None, note, KEPT_OURS)

    assert (state.fork, state.current) == (None, "check")
    assert (after(*FORKED, KEPT_OURS, note, move).fork, after(*FORKED, KEPT_OURS, note, move).complete) == (None, True)


def test_a_fork_within_the_side_that_was_kept_shows_next() -> None:
    one, other = passed("check", None, OURS, second=13), reopened("plan", "late", OURS, second=14)
    outer = choice(OURS, [THEIRS], one, other, THEIRS)
    inner = choice(other, [one], outer)

    assert firsts(after(*FORKED, one, other)) == {OURS.id, THEIRS.id}
    assert firsts(after(*FORKED, one, other, outer)) == {one.id, other.id}
    state = after(*FORKED, one, other, outer, inner)
    assert (state.fork, state.current) == (None, "plan")
    assert {each.event for each in state.set_aside} == {THEIRS.id, one.id}


def test_of_three_sides_two_are_set_aside() -> None:
    third = reopened("plan", "third", PLAN, second=15)
    state = after(*FORKED, third, choice(third, [OURS, THEIRS], OURS, THEIRS, third))

    assert (state.fork, state.current, len(state.set_aside)) == (None, "plan", 2)


def test_a_third_side_that_the_choice_did_not_know_is_a_fork() -> None:
    third = reopened("plan", "third", PLAN, second=15)

    assert firsts(after(*FORKED, KEPT_OURS, third)) == {OURS.id, third.id}


def test_of_two_starts_one_can_be_kept() -> None:
    other = root("Another title", second=1)
    state = after(FIRST, other, choice(other, [FIRST], FIRST, other))

    assert (state.title, state.fork, state.problems) == ("Another title", None, ())


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(choice(OURS, [PLAN], OURS, THEIRS), id="another side"),
        pytest.param(choice(PLAN, [OURS, THEIRS], OURS, THEIRS), id="not a side"),
        pytest.param(choice(OURS, [THEIRS, PLAN], OURS, THEIRS), id="one too many"),
        pytest.param(choice(OURS, [THEIRS], OURS), id="one side not seen"),
        pytest.param(choice(OURS, [OURS], OURS, THEIRS), id="kept and set aside"),
        pytest.param(choice(OURS, [THEIRS], KEPT_OURS), id="resolved already"),
    ],
)
def test_a_choice_that_vfcc_would_not_have_written_is_told_and_changes_nothing(made: Event) -> None:
    before = (*FORKED, KEPT_OURS) if KEPT_OURS.id in made.parents else FORKED
    state = after(*before, made)

    assert [problem.reason for problem in state.problems] == ["it resolves a fork that is not there"]
    assert (state.fork, state.stages, state.set_aside) == (
        after(*before).fork,
        after(*before).stages,
        after(*before).set_aside,
    )


def test_each_move_set_aside_is_told_with_the_choice_that_did_it() -> None:
    one, other = passed("check", None, KEPT_OURS, second=16), reopened("build", "a bug", KEPT_OURS, second=17)
    second = choice(other, [one], one, other)
    state = after(*FORKED, KEPT_OURS, one, other, second)

    assert {(each.event, each.choice) for each in state.set_aside} == {(THEIRS.id, KEPT_OURS.id), (one.id, second.id)}


def test_a_fork_after_a_move_that_was_made_by_hand_over_both_sides_shows() -> None:
    over = passed("check", None, OURS, THEIRS, second=18)
    chosen = choice(OURS, [THEIRS], over)
    one, other = reopened("plan", "one", chosen), reopened("build", "other", chosen)
    beside, further = reopened("plan", "beside", over, second=19), reopened("build", "further", over, second=20)
    late = choice(OURS, [THEIRS], beside, further)

    assert firsts(after(*FORKED, over)) == {OURS.id, THEIRS.id}
    assert after(*FORKED, over, chosen).complete
    assert firsts(after(*FORKED, over, chosen, one, other)) == {one.id, other.id}
    assert after(*FORKED, over, chosen, one, beside).fork is not None
    assert firsts(after(*FORKED, over, beside, further, late)) == {beside.id, further.id}


def test_two_thousand_moves_with_a_choice_among_them_fold() -> None:
    """Large numbers of transitions are the bits of one number, with choices too."""
    events = [*FORKED, KEPT_OURS]
    for _ in range(1_000):
        events.append(reopened("plan", "again", events[-1]))
        events.append(passed("plan", "build", events[-1]))
    state = after(*events)

    assert (state.current, len(state.set_aside), state.stages[0].reopened) == ("build", 1, 1_000)


def test_a_choice_is_no_note_and_is_counted() -> None:
    state = after(*FORKED, KEPT_OURS)

    assert state.counts["fork_resolved"] == 1
    assert all(each.type is not EventType.FORK_RESOLVED for each in state.notes)
    assert event(EventType.FORK_RESOLVED, KEPT_OURS.payload, OURS, THEIRS).moves
