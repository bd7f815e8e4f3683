"""Gates that look at the trace: rule A on the left, rule B on the right, results at the end, and going back."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.evidence_project import SPRINT, run
from tests.traced_sprint import REQUIREMENT, SPEC, edit, review, traced
from verifflowcc.base.errors import GateClosed
from verifflowcc.base.model.gate_values import Assessment, Verdict
from verifflowcc.base.model.sprint_state import StageStatus
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.canary import prove_gate
from verifflowcc.gates.use.gates_now import ask_entry, ask_stage
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use.sprint_reading import show_sprint
from verifflowcc.trace.use.trace_checking import check_trace

pytestmark = pytest.mark.vfcc("REQ-TRACE-GATES")

YOU = "human:You"


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


def said(here: Workspace, criterion: str, stage: str | None = None) -> Assessment:
    """What became of a criterion of a stage's gates."""
    gates = ask_stage(here, SPRINT, stage).gates
    return next(each for gate in gates for each in gate.assessments if each.criterion.id == criterion)


def advance(here: Workspace) -> str | None:
    """Leave the stage in work; returns the one entered."""
    return advance_stage(here, SPRINT, actor=YOU).state.current


def in_testing(here: Workspace) -> Workspace:
    """Bring the sprint into testing, all reviewed."""
    review(here)
    review(here, SPEC)
    assert (advance(here), advance(here)) == ("coding", "testing")
    return here


def test_a_left_stage_is_left_once_the_specification_of_its_tests_is_there(tmp_path: Path) -> None:
    here = traced(tmp_path / "project", without=(SPEC,))
    text = (traced(tmp_path / "other").root / SPEC).read_text(encoding="utf-8")

    with pytest.raises(GateClosed, match="specified: 1 finding in 1 requirement: REQ-add"):
        advance(here)
    (here.root / SPEC).parent.mkdir(parents=True)
    (here.root / SPEC).write_text(text, encoding="utf-8")

    assert advance(here) == "coding"


def test_with_no_item_the_left_stage_stays_closed(tmp_path: Path) -> None:
    here = traced(tmp_path / "project", without=(SPEC, REQUIREMENT))

    now = said(here, "specified")

    assert (now.verdict, now.reason) == (Verdict.NOT_EVALUABLE, "there is no requirement")


def test_a_right_stage_is_entered_once_nothing_on_its_left_is_unreviewed(tmp_path: Path) -> None:
    here = traced(tmp_path / "project")
    advance(here)

    with pytest.raises(
        GateClosed, match="to enter testing: none-suspect: 1 finding in 1 requirement: REQ-add has not been reviewed"
    ):
        advance(here)
    review(here)

    assert advance(here) == "testing"


def test_a_requirement_that_changed_after_its_review_keeps_the_right_side_closed(tmp_path: Path) -> None:
    here = traced(tmp_path / "project")
    review(here)
    advance(here)
    edit(here, REQUIREMENT, "two numbers", "three numbers")

    assert ask_entry(here, SPRINT, "testing").assessments[0].verdict is Verdict.FAIL


@pytest.mark.sweep
def test_the_exit_of_testing_wants_a_test_that_passed_on_this_content(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))

    assert said(here, "tested").verdict is Verdict.FAIL
    run(here)
    assert said(here, "tested").verdict is Verdict.PASS
    edit(here, "src/calc.py", "a + b", "b + a")
    assert said(here, "tested").verdict is Verdict.FAIL


def test_a_failed_test_reaches_its_requirement(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))
    (here.root / "tests/outcome.xml").write_text('<failure message="4 is not 3"/>', encoding="utf-8")
    run(here)

    now = said(here, "tested")

    assert now.verdict is Verdict.FAIL
    assert "REQ-add" in now.reason
    assert "failed" in now.reason


@pytest.mark.sweep
def test_what_the_left_side_handed_over_is_on_record_and_a_change_of_it_closes_the_next_gate(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))
    run(here)
    assert advance(here) == "release"
    assert ask_stage(here, SPRINT).is_open
    edit(here, REQUIREMENT, "two numbers", "three numbers")
    review(here)

    now = said(here, "upstream")
    report = check_trace(here).report

    assert now.verdict is Verdict.FAIL
    assert "items of type requirement changed after requirements passed" in now.reason
    assert now.step == 'vfcc stage reopen requirements --reason "items of type requirement changed"'
    assert [each.code for each in report.findings if each.family == "process"] == ["left-changed"]


@pytest.mark.sweep
def test_going_back_makes_the_right_side_stale_and_it_passes_anew(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))
    run(here)
    advance(here)
    edit(here, REQUIREMENT, "two numbers", "three numbers")
    review(here)
    edit(here, SPEC, "1 and 2", "1, 1 and 1")
    review(here, SPEC)

    reopen_stage(here, SPRINT, "requirements", "three of them", actor=YOU)
    advance(here)

    status = {each.stage.id: each.status for each in show_sprint(here, SPRINT).stages}
    assert status["testing"] is StageStatus.STALE
    assert status["requirements"] is StageStatus.PASSED


@pytest.mark.sweep
def test_a_stage_that_was_redone_with_the_same_items_leaves_the_others_standing(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))
    run(here)
    advance(here)

    reopen_stage(here, SPRINT, "requirements", "a second look", actor=YOU)

    assert advance(here) == "release"


def test_every_trace_criterion_can_close_its_gate(tmp_path: Path) -> None:
    here = traced(tmp_path / "project")

    for stage in ("requirements", "testing"):
        proved = [each for each in prove_gate(here, SPRINT, stage).proofs if each.criterion in {"specified", "tested"}]
        assert proved
        assert all(each.sound and len(each.planted) > 1 for each in proved), proved


def test_a_clone_without_local_files_says_the_same(tmp_path: Path) -> None:
    here = in_testing(traced(tmp_path / "project"))
    run(here)
    before = said(here, "tested")
    local = here.local
    local.rename(tmp_path / "gone")

    assert replace(said(here, "tested")) == before
