"""Skipping: the active stage alone, by a person, never around what cannot be waived."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.people_world import CODER, ID, OTHER, PLAN, WORKFLOW, YOU, commit, day, later, put, world
from verifflowcc.base.errors import GateClosed, NotAllowed, UsageError
from verifflowcc.base.model.sprint_state import StageStatus
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import skip_stage, what_to_skip
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.sprint.use.people_acting import Transition
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

LOOSE = WORKFLOW.replace(", waivable: false", "")


def skipped(
    here: Workspace, actor: str = OTHER, reason: str = "known already", expires: str | None = None
) -> Transition:
    return skip_stage(here, what_to_skip(here, ID), reason, expires, actor=actor)


def test_a_skipped_stage_is_on_record_with_who_why_and_until_when(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    what = what_to_skip(here, ID)
    assert (what.stage, what.following) == ("plan", "build")
    assert [each.criterion.id for each in what.unmet] == ["reviewed", "frozen"]

    done = skipped(here, expires=day(2))
    assert (done.before, done.after) == ("plan", "build")
    left = done.state.stage("plan")
    assert left is not None
    assert left.status is StageStatus.SKIPPED
    assert left.skip is not None
    assert (left.skip.reason, left.skip.actor, left.skip.expires) == ("known already", OTHER, day(2))
    assert left.skip.event == done.event.id
    assert str(done.event.payload["digest"]).startswith("sha256:")


def test_a_skip_that_has_run_out_closes_later_gates(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    skipped(here, expires=day(2))

    def told(at: Workspace) -> str:
        return " ".join(each.reason for gate in ask_stage(at, ID).gates for each in gate.assessments if not each.met)

    assert "was skipped until" not in told(later(here, 2))
    assert f"plan was skipped until {day(2)}" in told(later(here, 3))


@pytest.mark.parametrize("actor", [CODER, "ci", "human:unknown"])
def test_only_people_with_a_name_skip(tmp_path: Path, actor: str) -> None:
    here = world(tmp_path, LOOSE)
    with pytest.raises(NotAllowed, match="skipping a stage needs a person"):
        skipped(here, actor)
    assert show_sprint(here, ID).current == "plan"


def test_what_cannot_be_waived_cannot_be_skipped(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(NotAllowed, match="plan cannot be skipped: frozen cannot be waived"):
        skipped(here)
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    assert skipped(here).after == "build"


def test_a_strict_workflow_skips_nothing(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE.replace("title: People", "title: People\nstrict: true", 1))
    with pytest.raises(NotAllowed, match="the workflow people is strict"):
        skipped(here)


def test_a_stage_that_may_not_be_entered_is_not_entered_by_skipping(tmp_path: Path) -> None:
    guarded = LOOSE.replace(
        "    role: coder\n", "    role: coder\n    enter:\n      - {id: ready, kind: artifact, files: ['ready.*']}\n"
    )
    here = world(tmp_path, guarded)
    with pytest.raises(GateClosed, match="build cannot be entered yet\n- ready: "):
        skipped(here)
    assert show_sprint(here, ID).current == "plan"


def test_only_the_stage_in_work_is_skipped(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    with pytest.raises(UsageError, match="only the active stage can be skipped, and that is plan"):
        what_to_skip(here, ID, "build")
    with pytest.raises(UsageError, match="did you mean build"):
        what_to_skip(here, ID, "buld")


def test_a_skip_needs_a_reason_and_a_day_to_come(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    with pytest.raises(UsageError, match="needs a reason"):
        skipped(here, reason=" ")
    with pytest.raises(UsageError, match="is over"):
        skipped(here, expires=day(-1))


def test_the_last_stage_can_be_skipped_and_then_none_is_in_work(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    for _ in range(3):
        done = skipped(here)

    assert done.after is None
    assert done.state.complete
    with pytest.raises(UsageError, match="has no active stage"):
        what_to_skip(here, ID)


def test_an_author_skips_no_stage_whose_review_is_open(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)

    with pytest.raises(NotAllowed, match="human:You cannot skip plan: reviewed is unmet, and they are its author"):
        skipped(here, YOU)
    assert show_sprint(here, ID).current == "plan"


def test_a_skip_by_the_author_counts_for_nothing_in_later_gates(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    what = replace(what_to_skip(here, ID), objection=lambda _: "")
    skip_stage(here, what, "known already", actor=YOU)

    reasons = " ".join(each.reason for gate in ask_stage(here, ID).gates for each in gate.assessments if not each.met)
    assert "plan was skipped by human:You, reviewed is unmet, and they are its author" in reasons
