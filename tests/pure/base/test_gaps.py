"""Gaps: what counts as one, and the words for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.sprint_state import (
    CriterionOutcome,
    Leg,
    Stage,
    StageState,
    StageStatus,
    gaps_in,
    stage_status,
    with_gaps,
)

pytestmark = pytest.mark.vfcc("REQ-GATES")

VERDICTS = st.lists(st.sampled_from(Verdict))


@given(verdicts=VERDICTS)
def test_a_gap_is_whatever_is_neither_met_nor_waived(verdicts: list[Verdict]) -> None:
    outcomes = [CriterionOutcome(str(number), verdict, "why") for number, verdict in enumerate(verdicts)]

    met = sum(verdict in {Verdict.PASS, Verdict.WAIVED} for verdict in verdicts)
    assert gaps_in(outcomes) == len(outcomes) - met


@given(gaps=st.integers(min_value=1, max_value=1000))
def test_a_stage_without_a_gap_has_its_bare_status_and_any_other_its_number(gaps: int) -> None:
    stage = Stage("plan", "Plan", Leg.LEFT, None, "planner", ())

    assert stage_status(StageState(stage, StageStatus.PASSED)) == "passed"
    shown = stage_status(StageState(stage, StageStatus.PASSED, gaps=gaps))
    assert shown == f"passed{with_gaps(gaps)}"
    assert str(gaps) in shown.split()
