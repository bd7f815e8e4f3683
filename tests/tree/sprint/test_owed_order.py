"""What a stage owes, for every gate: complete, hard criteria first; the next command follows from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Gate, Mode, Side, Verdict
from verifflowcc.base.model.sprint_state import Leg, SprintState, Stage, StageState, StageStatus
from verifflowcc.gates.use.gates_now import StageGates
from verifflowcc.gates.use.owed import ADVANCE, owed_by, way_on

pytestmark = pytest.mark.vfcc("REQ-GATES")

MODES = st.sampled_from((Mode.HARD, Mode.SOFT))
STEPS = st.sampled_from(("", "vfcc evidence run", "vfcc approve plan", "vfcc approve plan --request  # by its author"))
ASKED = st.lists(st.tuples(MODES, st.sampled_from(Verdict), STEPS), max_size=6)


def gates(leaving: list[tuple[Mode, Verdict, str]], entering: list[tuple[Mode, Verdict, str]]) -> StageGates:
    """A stage in progress whose two gates have these criteria, numbered in their order."""
    stage = StageState(Stage("plan", "Plan", Leg.LEFT, None, "planner", ()), StageStatus.ACTIVE)
    state = SprintState("login", "Login", stages=(stage,), current="plan")
    both = [
        Gate("login", name, side, tuple(_asked(f"{side}-{number}", *one) for number, one in enumerate(criteria)))
        for name, side, criteria in (("plan", Side.EXIT, leaving), ("build", Side.ENTRY, entering))
    ]
    return StageGates(state, stage, both[0], both[1], "build", 0, None)


def _asked(name: str, mode: Mode, verdict: Verdict, step: str) -> Assessment:
    return Assessment(Criterion(name, CriterionKind.COMMAND, name, mode), verdict, "why", step)


@given(leaving=ASKED, entering=ASKED)
def test_all_that_is_not_met_is_owed_hard_criteria_first_each_group_in_its_order(
    leaving: list[tuple[Mode, Verdict, str]], entering: list[tuple[Mode, Verdict, str]]
) -> None:
    asked = gates(leaving, entering)
    owed = [each.criterion for each in owed_by(asked)]
    unmet = [each for gate in asked.gates for each in gate.assessments if not each.met]

    hard = [each.criterion.id for each in unmet if each.blocks]
    soft = [each.criterion.id for each in unmet if not each.blocks]
    assert owed == hard + soft


@given(leaving=ASKED, entering=ASKED)
def test_to_advance_is_advised_only_where_nothing_is_owed(
    leaving: list[tuple[Mode, Verdict, str]], entering: list[tuple[Mode, Verdict, str]]
) -> None:
    asked = gates(leaving, entering)
    owed = owed_by(asked)

    assert (way_on(asked) == ADVANCE) == (not owed)
    assert not owed or way_on(asked) in {"vfcc check gate", *(each.command for each in owed)}


@given(leaving=ASKED)
def test_what_only_a_person_can_do_is_marked(leaving: list[tuple[Mode, Verdict, str]]) -> None:
    for each in owed_by(gates(leaving, [])):
        assert each.person == (each.command == "vfcc approve plan")
