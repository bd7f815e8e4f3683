"""The fold: what a chain of moves adds up to, and what cannot follow."""

import pytest

from tests.event_samples import DIGEST, THREE, choice, event, feedback, passed, root, skipped
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.rules.sprint_people import progress_document

pytestmark = pytest.mark.vfcc("REQ-LEDGER")


OUTCOME: dict[str, Json] = {
    "criterion": "plan",
    "mode": "hard",
    "verdict": "pass",
    "reason": "",
    "evidence": [],
    "subject": DIGEST,
}


def with_payload(**more: Json) -> Event:
    """A pass of the first stage with more, or something else, in its payload."""
    return event(EventType.STAGE_PASSED, {**payloads.passed("plan", "build", (), DIGEST), **more}, root())


def statuses(state: SprintState) -> list[str]:
    return [str(each.status) for each in state.stages]


def whole() -> list[Event]:
    first = root()
    second = passed("plan", "build", first, second=1)
    third = passed("build", "check", second, second=2)
    return [first, second, third, passed("check", None, third, second=3)]


def closed(*before: Event) -> Event:
    state = fold("login", before)
    ledger: dict[str, Json] = {"events": len(before), "digest": DIGEST}
    return event(EventType.SPRINT_CLOSED, payloads.closed(state, None, None, ledger), before[-1], second=9)


def test_a_sprint_goes_through_its_stages() -> None:
    moves = whole()

    assert [statuses(fold("login", moves[:count])) for count in range(1, 5)] == [
        ["active", "pending", "pending"],
        ["passed", "active", "pending"],
        ["passed", "passed", "active"],
        ["passed", "passed", "passed"],
    ]
    assert fold("login", moves).complete
    assert fold("login", [*moves, closed(*moves)]).status is SprintStatus.CLOSED


def test_no_workflow_file_is_needed_to_fold() -> None:
    state = fold("login", [root()])

    assert state.workflow is not None
    assert [stage.artifacts for stage in state.workflow.stages] == [stage.artifacts for stage in THREE.stages]
    assert (state.title, state.goals, state.workflow.digest) == ("Log in", ("one form",), DIGEST)


def test_going_back_keeps_the_history_and_opens_what_comes_after() -> None:
    moves = whole()
    back = event(EventType.STAGE_REOPENED, payloads.reopened("plan", "a need was missed"), moves[-1], second=4)
    state = fold("login", [*moves, back])

    assert statuses(state) == ["active", "stale", "stale"]
    assert [each.passes for each in state.stages] == [1, 1, 1]
    assert (state.current, state.stages[0].reopened, state.complete) == ("plan", 1, False)


def test_a_stage_that_was_only_entered_is_pending_again_after_going_back() -> None:
    moves = whole()[:2]
    back = event(EventType.STAGE_REOPENED, payloads.reopened("plan", "x"), moves[-1])

    assert statuses(fold("login", [*moves, back])) == ["active", "pending", "pending"]


def test_a_skipped_stage_is_done_and_says_so() -> None:
    first = root()
    skip = event(EventType.STAGE_SKIPPED, {"stage": "plan", "entered": "build", "reason": "small"}, first)

    assert statuses(fold("login", [first, skip])) == ["skipped", "active", "pending"]


def test_a_stage_may_be_entered_later_than_the_one_before_was_left() -> None:
    first = root()
    left = passed("plan", None, first)
    entered = event(EventType.STAGE_ENTERED, {"stage": "build"}, left)

    assert fold("login", [first, left]).current is None
    assert fold("login", [first, left, entered]).current == "build"


def test_additive_events_change_no_stage_and_are_kept() -> None:
    moves = whole()[:2]
    note = feedback("x", moves[-1])
    state = fold("login", [*moves, note])

    assert statuses(state) == statuses(fold("login", moves))
    assert (state.notes, state.counts["feedback_added"], state.heads) == ((note,), 1, (note.id,))


def impossible() -> dict[str, tuple[list[Event], str]]:
    moves = whole()
    first, second = moves[:2]
    end = closed(*moves)

    def move(kind: EventType, payload: dict[str, str | None], *parents: Event) -> Event:
        return event(kind, payload, *parents, second=20)

    skipping = {"stage": "build", "entered": "check", "reason": "x"}
    return {
        "passing a stage that is not active": ([first, passed("build", "check", first)], "not the active stage"),
        "passing twice": ([first, second, passed("plan", "build", second)], "not the active stage"),
        "entering another than the next": ([first, passed("plan", "check", first)], "enters check, and not build"),
        "a stage that is not in the workflow": ([first, passed("ghost", None, first)], "not the active stage"),
        "skipping a stage that is not active": (
            [first, move(EventType.STAGE_SKIPPED, dict(skipping), first)],
            "not the active stage",
        ),
        "reopening what was not left": (
            [first, move(EventType.STAGE_REOPENED, {"stage": "check", "reason": "x"}, first)],
            "not left behind",
        ),
        "entering what is not due": ([first, move(EventType.STAGE_ENTERED, {"stage": "check"}, first)], "not due"),
        "a move after the end": ([*moves, end, passed("check", None, end)], "after the sprint was closed"),
    }


@pytest.mark.parametrize("name", impossible())
def test_an_impossible_move_is_told_and_changes_nothing(name: str) -> None:
    events, reason = impossible()[name]
    state = fold("login", events)

    assert [problem.file for problem in state.problems] == [f".memory/sprint/login/events/{events[-1].id}.json"]
    assert reason in state.problems[0].reason
    assert statuses(state) == statuses(fold("login", events[:-1]))


def test_an_event_whose_parent_is_gone_counts_for_nothing_and_is_told() -> None:
    moves = whole()
    state = fold("login", [moves[0], moves[2], moves[3]])

    assert [problem.reason for problem in state.problems] == [f"its parent {moves[1].id} is missing or broken"]
    assert statuses(state) == ["active", "pending", "pending"]


def test_a_ledger_without_its_start_is_broken_not_empty() -> None:
    moves = whole()
    state = fold("login", moves[1:])

    assert state.status is SprintStatus.BROKEN
    assert state.problems


def test_an_event_without_parents_must_start_the_sprint() -> None:
    state = fold("login", [root(), feedback("x")])

    assert [problem.reason for problem in state.problems] == ["a feedback_added needs parents"]


def test_two_moves_of_which_none_knew_the_other_are_a_fork_that_names_both() -> None:
    first, second = whole()[:2]
    ours = passed("build", "check", second, second=5, actor="human:Ann")
    theirs = event(EventType.STAGE_REOPENED, payloads.reopened("plan", "x"), second, second=1, actor="human:Bob")
    later = passed("check", None, ours, second=6)
    state = fold("login", [first, second, ours, theirs, later])

    assert state.status is SprintStatus.FORKED
    assert state.fork is not None
    told = {move.event: (move.action, move.actor, move.tips) for move in state.fork.moves}
    assert told == {
        ours.id: ("passed build and entered check", "human:Ann", (later.id,)),
        theirs.id: ("reopened plan", "human:Bob", (theirs.id,)),
    }
    assert (state.current, statuses(state)) == ("build", ["passed", "active", "pending"])


def test_the_same_move_made_twice_apart_is_one_move() -> None:
    first = root()
    ours, theirs = passed("plan", "build", first), passed("plan", "build", first, second=1, actor="agent:coder")
    state = fold("login", [first, ours, theirs])

    assert (state.fork, state.current, state.heads) == (None, "build", tuple(sorted((ours.id, theirs.id))))
    assert [each.passes for each in state.stages] == [1, 0, 0]
    later = passed("build", "check", theirs, second=2)
    assert fold("login", [first, ours, theirs, later]).current == "check", "whichever of the two it follows"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(passed("plan", "check", root()), id="another target"),
        pytest.param(skipped("plan", "build", "no time", root()), id="another type"),
        pytest.param(
            with_payload(artifacts=[{"path": "plan.md", "digest": DIGEST, "bytes": 1}]), id="another artifact"
        ),
        pytest.param(with_payload(traced={"requirement": DIGEST}), id="other items"),
        pytest.param(with_payload(gate=[{**OUTCOME, "verdict": "waived"}]), id="another verdict"),
        pytest.param(with_payload(gate=[{**OUTCOME, "subject": f"{DIGEST[:-1]}1"}]), id="another subject"),
    ],
)
def test_moves_that_differ_in_what_they_are_about_are_a_fork(other: Event) -> None:
    assert fold("login", [root(), with_payload(gate=[OUTCOME]), other]).fork is not None


def test_moves_that_differ_in_evidence_and_words_are_one() -> None:
    """Each side made its own evidence of the same content."""
    other = with_payload(gate=[{**OUTCOME, "evidence": ["01ARYZ6S410000000000000000"], "reason": "3 of 3"}])

    assert fold("login", [root(), with_payload(gate=[OUTCOME]), other]).fork is None


def test_a_fork_between_two_like_moves_that_a_person_resolved_stays_as_it_was_resolved() -> None:
    """Older versions took them for a fork, and what was built on the side set aside does not come back."""
    first = root()
    ours, theirs = passed("plan", "build", first), passed("plan", "build", first, second=1)
    further = skipped("build", "check", "not needed", theirs, second=2)
    made = choice(ours, [theirs], ours, further, second=3)
    state = fold("login", [first, ours, theirs, further, made])

    assert (state.fork, state.problems, state.current) == (None, (), "build")
    assert {each.event for each in state.set_aside} == {theirs.id, further.id}


def test_a_later_event_over_both_sides_does_not_hide_a_fork() -> None:
    first = root()
    ours, theirs = passed("plan", "build", first), skipped("plan", "build", "no time", first, second=1)
    over = passed("build", "check", ours, theirs, second=2)

    assert fold("login", [first, ours, theirs, feedback("merged", ours, theirs)]).fork is not None
    assert fold("login", [first, ours, theirs, over]).fork is not None


def test_two_starts_are_a_fork() -> None:
    state = fold("login", [root(), root("Another title", second=1)])

    assert fold("login", [root(), root(second=1)]).fork is None, "the same start is one"
    assert state.fork is not None
    assert [move.type for move in state.fork.moves] == [EventType.SPRINT_STARTED] * 2


def test_no_events_are_no_sprint() -> None:
    assert fold("login", []).status is SprintStatus.BROKEN


def test_equal_states_have_equal_progress_documents_and_the_clock_does_not_show() -> None:
    early, late = fold("login", [root()]), fold("login", [root(second=86_400)])

    assert progress_document(early) == progress_document(late)
    assert '"stage": "plan"' in progress_document(early)
