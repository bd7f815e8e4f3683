"""Going back: only what depends on what changes is stale, and what did not change stands again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import DIGEST, event
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.sprint_state import DONE, Artifact, Leg, SprintState, Stage, StageStatus, Workflow
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.rules.stage_moves import after_passing, reopenable

pytestmark = pytest.mark.vfcc("REQ-GOING-BACK")

FIVE = Workflow(
    "five",
    "Five stages",
    (
        Stage("needs", "", Leg.LEFT, "accept", "planner", ()),
        Stage("design", "", Leg.LEFT, "test", "designer", (), uses=("needs",)),
        Stage("build", "", Leg.APEX, None, "coder", (), uses=("design",)),
        Stage("test", "", Leg.RIGHT, "design", "tester", (), uses=("build", "design")),
        Stage("accept", "", Leg.RIGHT, "needs", "stakeholder", (), uses=("needs",)),
    ),
    DIGEST,
)
IDS = tuple(stage.id for stage in FIVE.stages)


class Walk:
    """A sprint that is moved step by step, as the services do it."""

    def __init__(self) -> None:
        self.events: list[Event] = [event(EventType.SPRINT_STARTED, payloads.started("s", "S", [], FIVE))]

    @property
    def state(self) -> SprintState:
        return fold("s", self.events)

    def passes(self, text: str = "same") -> None:
        state = self.state
        assert state.current
        made = (Artifact("file.md", digest_text(text), len(text)),)
        entered = after_passing(state, state.current, made)
        self._add(EventType.STAGE_PASSED, payloads.passed(state.current, entered, made, DIGEST))

    def reopens(self, stage: str) -> None:
        self._add(EventType.STAGE_REOPENED, payloads.reopened(stage, "why"))

    def _add(self, kind: EventType, payload: Mapping[str, object]) -> None:
        self.events.append(event(kind, payload, self.events[-1], second=len(self.events)))  # type: ignore[arg-type]
        assert not self.state.problems


def statuses(state: SprintState) -> Mapping[str, StageStatus]:
    return {each.stage.id: each.status for each in state.stages}


def walked(count: int = 5) -> Walk:
    walk = Walk()
    for _ in range(count):
        walk.passes()
    return walk


def test_going_back_makes_stale_only_what_builds_on_the_stage() -> None:
    walk = walked()
    walk.reopens("design")

    assert statuses(walk.state) == {
        "needs": StageStatus.PASSED,
        "design": StageStatus.ACTIVE,
        "build": StageStatus.STALE,
        "test": StageStatus.STALE,
        "accept": StageStatus.PASSED,
    }


def test_a_stage_redone_with_the_same_artifacts_lets_the_rest_stand() -> None:
    walk = walked()
    walk.reopens("design")
    walk.passes()

    assert walk.state.complete
    assert walk.state.current is None


def test_a_stage_redone_with_other_artifacts_leads_to_the_stages_that_used_it() -> None:
    walk = walked()
    walk.reopens("design")
    walk.passes("other")
    assert (walk.state.current, statuses(walk.state)["test"]) == ("build", StageStatus.STALE)

    walk.passes("built anew")
    assert walk.state.current == "test"
    walk.passes()
    assert walk.state.complete


def test_a_change_that_ends_at_the_next_stage_goes_no_further() -> None:
    walk = walked()
    walk.reopens("needs")
    walk.passes("other")
    assert walk.state.current == "design"

    walk.passes()
    assert walk.state.current == "accept"
    assert statuses(walk.state)["build"] is StageStatus.PASSED


def test_the_sprint_goes_on_where_it_was_when_nothing_changed() -> None:
    walk = walked(3)
    assert walk.state.current == "test"
    walk.reopens("needs")
    walk.passes()

    assert walk.state.current == "test"


def test_an_event_that_jumps_over_an_open_stage_is_impossible() -> None:
    walk = walked(1)
    last = walk.events[-1]
    jump = event(EventType.STAGE_PASSED, payloads.passed("design", "test", (), DIGEST), last, second=9)

    state = fold("s", [*walk.events, jump])
    assert "it enters test, and not build" in state.problems[0].reason


STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.sampled_from("ab")), max_size=14)


@given(STEPS)
@settings(deadline=None, max_examples=200)
def test_a_stage_stands_only_on_artifacts_that_are_those_it_used(steps: Sequence[tuple[bool, int, str]]) -> None:
    walk = Walk()
    for goes_back, number, text in steps:
        possible = reopenable(walk.state)
        if goes_back and possible:
            walk.reopens(possible[number % len(possible)])
        elif walk.state.current:
            walk.passes(text)

    state = walk.state
    latest = {each.stage.id: each.artifacts for each in state.stages}
    for each in state.stages:
        if each.status is StageStatus.PASSED:
            assert all(_status(state, use) in DONE for use in each.stage.uses)
            assert each.used == {use: _digest(latest[use]) for use in each.stage.uses}
    open_ones = [each.stage.id for each in state.stages if each.status not in DONE]
    assert state.current == (open_ones[0] if open_ones else None)


def _status(state: SprintState, name: str) -> StageStatus:
    found = state.stage(name)
    assert found
    return found.status


def _digest(artifacts: Sequence[Artifact]) -> str:
    return digest_text("".join(f"{one.path}\0{one.digest}\n" for one in artifacts))


def test_a_ledger_of_the_first_version_uses_the_stage_before_and_the_pair() -> None:
    walk = Walk()
    pinned = dict(walk.events[0].payload)
    plain = [
        {key: value for key, value in each.items() if key in {"id", "pair", "leg", "role", "artifacts"}}
        for each in fields.records(pinned["workflow"], "stages")  # type: ignore[arg-type]
    ]
    old = {"name": "five", "digest": DIGEST, "stages": plain}
    stages = payloads.unpin(old).stages  # type: ignore[arg-type]

    assert {each.id: each.uses for each in stages} == {
        "needs": (),
        "design": ("needs",),
        "build": ("design",),
        "test": ("build", "design"),
        "accept": ("test", "needs"),
    }
    assert [each.exit[0].id for each in stages] == ["any-artifact"] * 5


def test_what_is_pinned_is_what_is_read_back() -> None:
    assert payloads.unpin(payloads.pin(FIVE)) == replace(FIVE)
