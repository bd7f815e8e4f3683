"""Waiving: by a person, for what lies there now, until a day; in strict workflows by two; never what cannot be."""

from pathlib import Path

import pytest

from tests.people_world import (
    CODER,
    ID,
    OTHER,
    PLAN,
    THIRD,
    WORKFLOW,
    YOU,
    asked,
    commit,
    day,
    later,
    put,
    started,
    world,
)
from verifflowcc.base.errors import ConflictError, GateClosed, NotAllowed, UsageError
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import WaiverResult, waive, what_to_waive
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

STRICT = WORKFLOW.replace("title: People", "title: People\nstrict: true", 1)


def waived(
    here: Workspace,
    actor: str = OTHER,
    criterion: str = "reviewed",
    expires: str | None = None,
    stage: str | None = None,
) -> WaiverResult:
    return waive(here, what_to_waive(here, ID, criterion, stage), "nobody is there", expires, actor=actor)


def test_a_waiver_opens_the_gate_and_stays_on_record(tmp_path: Path) -> None:
    here = world(tmp_path)
    made = waived(here, expires=day(2))

    assert (made.assessment.verdict, made.assessment.waiver) == (Verdict.WAIVED, made.waiver.event)
    assert made.assessment.notes == (f"waived by human:Other until {day(2)}: nobody is there",)
    assert (made.waiver.criterion, made.waiver.stage, made.waiver.expires) == ("reviewed", "plan", day(2))
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    again = waived(here)
    assert again.assessment.verdict is Verdict.WAIVED
    assert advance_stage(here, ID, actor=CODER).after == "build"


def test_a_waiver_ends_when_what_it_was_for_changes(tmp_path: Path) -> None:
    here = world(tmp_path)
    waived(here)
    put(here, PLAN, "# Plan\n\nTwo forms.\n")

    found = asked(here, "reviewed")
    assert found.verdict is not Verdict.WAIVED
    assert found.notes == ("the waiver by human:Other was for other content than lies there now",)


def test_an_expired_waiver_closes_the_gate_again(tmp_path: Path) -> None:
    here = world(tmp_path)
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    waived(here, expires=day(1))
    assert asked(later(here, 1), "reviewed").verdict is Verdict.WAIVED

    with pytest.raises(GateClosed, match="reviewed: not approved yet"):
        advance_stage(later(here, 2), ID, actor=YOU)
    assert asked(later(here, 2), "reviewed").notes == (f"the waiver by human:Other expired on {day(1)}",)


@pytest.mark.parametrize("actor", [CODER, "ci", "agent:unknown", "human:unknown"])
def test_only_people_with_a_name_waive(tmp_path: Path, actor: str) -> None:
    here = world(tmp_path)
    with pytest.raises(NotAllowed, match="waiving needs a person"):
        waived(here, actor)
    assert show_sprint(here, ID).notes == ()


def test_what_cannot_be_waived_is_not(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match="plan/frozen cannot be waived: nothing matches") as caught:
        waived(world(tmp_path), criterion="frozen")
    assert caught.value.exit_code == 3
    assert "\n" not in caught.value.message


def test_what_is_met_needs_no_waiver(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"plan/plan is met \(.*\): there is nothing to waive"):
        waived(world(tmp_path), criterion="plan")


def test_a_criterion_that_there_is_not_gets_the_nearest_name(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(UsageError, match="there is no criterion reviwed here; did you mean reviewed"):
        waived(here, criterion="reviwed")
    with pytest.raises(UsageError, match="there is comments, plan, reviewed, frozen"):
        waived(here, criterion="xyz")


def test_a_waiver_needs_a_reason_and_a_day_to_come(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(UsageError, match="needs a reason"):
        waive(here, what_to_waive(here, ID, "reviewed"), " \n", actor=YOU)
    with pytest.raises(UsageError, match="is over: today is"):
        waived(here, expires=day(-1))
    assert show_sprint(here, ID).notes == ()


def test_what_changes_while_a_person_is_asked_is_not_waived(tmp_path: Path) -> None:
    here = world(tmp_path)
    what = what_to_waive(here, ID, "reviewed")
    put(here, PLAN, "# Plan\n\nTwo forms.\n")

    with pytest.raises(ConflictError, match="nothing was recorded"):
        waive(here, what, "because", actor=OTHER)


def test_a_stage_to_come_or_behind_can_be_named(tmp_path: Path) -> None:
    here = world(tmp_path)
    put(here, PLAN.replace("plan/", "build/").replace("plan.md", "changes.md"), "A form.\n")
    commit(here, "You")

    assert waived(here, criterion="accepted", stage="build").waiver.stage == "build"
    with pytest.raises(UsageError, match="there is no criterion accepted here"):
        waived(here, criterion="accepted")


def test_a_strict_workflow_takes_two_people(tmp_path: Path) -> None:
    here = world(tmp_path, STRICT)
    first = waived(here, OTHER, expires=day(2))
    assert (first.people_so_far, first.needed, first.assessment.met) == (1, 2, False)
    assert first.assessment.notes == ("waived by human:Other, 1 of 2",)
    with pytest.raises(NotAllowed, match="human:Other has waived it already; 2 different people must"):
        waived(here, OTHER, expires=day(2))

    second = waived(here, THIRD, expires=day(1))
    assert (second.people_so_far, second.assessment.verdict) == (2, Verdict.WAIVED)
    assert second.assessment.notes == (f"waived by human:Other and human:Third until {day(1)}: nobody is there",)
    assert asked(later(here, 2), "reviewed").verdict is Verdict.NOT_EVALUABLE
    assert waived(later(here, 2), "human:Fourth", expires=day(3)).assessment.verdict is Verdict.WAIVED


def test_an_author_waives_no_review_of_their_own_work(tmp_path: Path) -> None:
    here = world(tmp_path)
    for name in (YOU, "human:Y o u"):
        with pytest.raises(NotAllowed, match=f"{name} cannot waive plan/reviewed: they are its author"):
            waived(here, name)
    with pytest.raises(NotAllowed, match="human:New cannot waive plan/reviewed: they are its author"):
        waive(here, what_to_waive(here, ID, "reviewed"), "because", actor="human:New", email="YOU@example.org")
    assert show_sprint(here, ID).notes == ()


def test_who_wrote_a_file_that_is_not_committed_could_waive_its_review(tmp_path: Path) -> None:
    here = world(tmp_path)
    put(here, PLAN, "# Plan\n\nTwo forms.\n")

    with pytest.raises(NotAllowed, match=r"cannot tell who wrote plan\.md, so self-approval cannot be ruled out"):
        waived(here)


def test_an_author_waives_what_is_no_review(tmp_path: Path) -> None:
    here = world(tmp_path, WORKFLOW.replace(", waivable: false", ""))

    assert waived(here, YOU, "frozen").assessment.verdict is Verdict.WAIVED


def test_a_strict_workflow_waives_no_hard_criterion_for_ever(tmp_path: Path) -> None:
    here = world(tmp_path, STRICT)
    with pytest.raises(UsageError, match="say until when") as caught:
        waived(here)
    assert caught.value.hint == 'vfcc waive reviewed --stage plan --reason "…" --expires DAY'


def test_nothing_is_said_in_a_closed_sprint(tmp_path: Path) -> None:
    from verifflowcc.gates.use.sprints import close_sprint

    here = started(tmp_path)
    close_sprint(here, ID, actor=YOU, unfinished_reason="enough")
    with pytest.raises(UsageError, match="log-in is closed"):
        waived(here)
