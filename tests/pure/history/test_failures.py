"""How often a stage failed: runs of a command, not the criteria that each of them failed."""

from dataclasses import replace

from tests.evidence_samples import GREEN, RAN, TESTS, evidence, facts
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_values import Criterion, CriterionKind
from verifflowcc.base.model.sprint_state import Leg, Stage, StageState, StageStatus
from verifflowcc.gates.rules.stage_failures import failures_of

SKIPS = Criterion("skips", CriterionKind.JUNIT, "no test is skipped", command="test")
BUILD = Criterion("build", CriterionKind.COMMAND, "it builds", command="test")
RED = {**GREEN, "passed": 2, "failed": 1}
STAGE = StageState(
    Stage("check", "Check", Leg.RIGHT, None, "tester", (), exit=(TESTS, SKIPS, BUILD)),
    StageStatus.ACTIVE,
    entered_at="2026-11-21T03:31:00.123Z",
)


def run(second: int, *criteria: Criterion, code: int = 1) -> list[Evidence]:
    """What one run leaves for some criteria, all of them failed unless `code` is 0."""
    ran = replace(RAN, exit_code=code, duration_ms=100 + second)
    return [evidence(RED if code else GREEN, each, run=ran, second=second) for each in criteria]


def failures(*runs: list[Evidence]) -> int:
    return failures_of(STAGE, facts(*(piece for each in runs for piece in each)))


def test_one_run_that_fails_several_criteria_is_one_failure() -> None:
    assert failures(run(1, TESTS, SKIPS)) == 1


def test_each_run_that_fails_counts() -> None:
    assert failures(run(1, TESTS, SKIPS), run(2, TESTS, SKIPS), run(3, TESTS)) == 3


def test_the_same_run_twice_over_counts_twice() -> None:
    """A quick command may take the same time and write the same: what it left for one criterion tells them apart."""
    assert failures(run(1, TESTS, SKIPS), run(1, TESTS, SKIPS)) == 2


def test_a_run_that_ended_well_is_no_failure() -> None:
    assert failures(run(1, TESTS, SKIPS, code=0)) == 0
    assert failures(run(1, TESTS), run(2, TESTS, code=0), run(3, TESTS)) == 2


def test_what_failed_before_the_stage_was_entered_is_past() -> None:
    later = replace(STAGE, entered_at="2026-11-21T03:31:02.123Z")
    known = facts(*run(1, TESTS), *run(3, TESTS))

    assert failures_of(later, known) == 1


def test_a_number_that_somebody_stated_is_a_failure_of_its_own() -> None:
    stated = [evidence(RED, each, run=None, second=1) for each in (TESTS, SKIPS)]

    assert failures(stated) == 2
