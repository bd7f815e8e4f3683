"""Stages: left when their artifacts are there, with a summary for the next; gone back to with a reason."""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, START, TickingClock, advance, fill, snapshot, started, workspace
from tests.trees import write_memory
from verifflowcc.base.errors import ConfigError, GateClosed, UsageError, WorkspaceError
from verifflowcc.base.model.gate_values import CriterionKind
from verifflowcc.base.model.people import Opinion
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import matches
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import suggested
from verifflowcc.gates.use.approvals import Opinions, approve, what_to_approve
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.owed import way_on
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import (
    StageDetails,
    advance_stage,
    reopen_stage,
    save_artifacts,
    show_stage,
    update_stage,
)
from verifflowcc.sprint.use.sprint_reading import show_sprint

ID = "log-in"
NO_ARTIFACTS = """\
name: bare
title: Bare
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: []}
  - {id: build, title: Build, leg: apex, pair: null, role: coder, artifacts: []}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: []}
"""


MEASURED = ("coverage_branch_bp", "coverage_changed_bp", "coverage_line_bp", "tests", "tests_failed")
"""What evidence alone tells: null where a stage has none."""


def artifacts(here: Workspace, stage: str = "planning", sprint: str = ID) -> Path:
    folder = here.memory / "stage" / sprint / stage / "artifacts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def light(tmp_path: Path) -> Workspace:
    here = workspace(tmp_path)
    start_sprint(here, "Log in", workflow="light", actor=ANN)
    return here


def standard(tmp_path: Path) -> Workspace:
    here = workspace(tmp_path)
    start_sprint(here, "Log in", workflow="standard", actor=ANN)
    return here


def artifacts_alone(tmp_path: Path) -> Workspace:
    """A workspace whose sprints have no criterion that closes a gate, except artifacts."""
    others = sorted(kind for kind in CriterionKind if kind not in {CriterionKind.ARTIFACT, CriterionKind.UPSTREAM})
    modes = "".join(f"    {kind}: soft\n" for kind in others)
    return workspace(write_memory(tmp_path, {"config.yaml": f"format: 1\ngates:\n  modes:\n{modes}"}))


@pytest.mark.vfcc("REQ-GATES")
def test_all_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    here = standard(tmp_path)
    (artifacts(here) / "needs.md").write_text("one need\n")
    (artifacts(here) / "risks.md").write_bytes(b" \r\n\t\n")
    before = snapshot(tmp_path)

    with pytest.raises(GateClosed) as caught:
        advance_stage(here, ID, actor=ANN)
    folder = f".memory/stage/{ID}/planning/artifacts"
    assert caught.value.message == (
        "log-in cannot leave planning: 5 of 7 criteria are not met\n"
        f'- sprint-plan: nothing matches {folder}/sprint-plan.* (it needs text under the headings "Goals", "Scope")\n'
        f"- acceptance-plan: nothing matches {folder}/acceptance-plan.*\n"
        f"- risks: {folder}/risks.md is empty\n"
        "- needs-accepted-by: there is no need\n"
        "- approved: cannot tell who wrote needs.md and risks.md, so self-approval cannot be ruled out"
    )
    assert caught.value.hint == f"vfcc stage put sprint-plan.md  # or write {folder}/sprint-plan.md"
    assert snapshot(tmp_path) == before


@pytest.mark.vfcc("REQ-GATES")
def test_doing_what_the_hint_says_opens_the_gate(tmp_path: Path) -> None:
    here = artifacts_alone(tmp_path)
    start_sprint(here, "Log in", workflow="standard", actor=ANN)
    hints = []
    for _ in range(20):
        try:
            advance_stage(here, ID, actor=ANN)
            break
        except GateClosed as closed:
            hints.append(str(closed.hint))
            words = hints[-1].partition("  # then: ")[0].split()
            path = tmp_path / words[-1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("# A\n\n## Goals\n\nx\n" + "\n## Scope\n\nx\n" * hints[-1].startswith('write "'))
    assert show_sprint(here, ID).current == "requirements"
    assert [hint.split("/")[-1] for hint in hints] == [
        "sprint-plan.md",
        "sprint-plan.md  # then: vfcc next",
        "needs.md",
        "acceptance-plan.md",
        "risks.md",
    ]


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["light", "agile", "standard", "aspice"])
def test_every_shipped_workflow_can_be_walked_to_its_end_on_artifacts_with_the_rest_on_record(
    tmp_path: Path, name: str
) -> None:
    here = artifacts_alone(tmp_path)
    start_sprint(here, "Log in", workflow=name, actor=ANN)
    walked = []
    while current := show_sprint(here, ID).current:
        walked.append(current)
        advance(here, ID)

    assert walked == [each.stage.id for each in show_sprint(here, ID).stages]
    assert show_sprint(here, ID).complete
    with pytest.raises(UsageError, match="has passed all its stages"):
        advance_stage(here, ID, actor=ANN)


def test_a_stage_that_declares_nothing_still_needs_something(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    (here.memory / "workflow.yaml").write_text(NO_ARTIFACTS)
    start_sprint(here, "Log in", workflow="bare", actor=ANN)

    with pytest.raises(GateClosed, match="1 of 1 criteria is not met\n- any-artifact: nothing in"):
        advance_stage(here, ID, actor=ANN)
    (artifacts(here, "plan") / "a.txt").write_text(" \n")
    (artifacts(here, "plan") / ".hidden").write_text("x")
    with pytest.raises(GateClosed, match=r"artifacts/a\.txt is empty"):
        advance_stage(here, ID, actor=ANN)
    (artifacts(here, "plan") / "b.txt").write_text("x\n")
    assert advance_stage(here, ID, actor=ANN).after == "build"


def test_a_sprint_is_not_led_by_a_workflow_file_that_is_gone_or_calls_its_stages_otherwise(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    path = here.memory / "workflow.yaml"
    path.write_text(NO_ARTIFACTS)
    start_sprint(here, "Log in", workflow="bare", actor=ANN)
    (artifacts(here, "plan") / "b.txt").write_text("x\n")
    before = snapshot(tmp_path / ".memory/sprint")

    path.write_text(NO_ARTIFACTS.replace("build", "passed"))
    with pytest.raises(ConfigError, match=r"workflow\.yaml:1: log-in has the stage build, and bare does not any more"):
        advance_stage(here, ID, actor=ANN)
    path.unlink()
    with pytest.raises(ConfigError, match=r"workflow\.yaml:1: log-in goes by the workflow bare, which is not here"):
        advance_stage(here, ID, actor=ANN)
    assert snapshot(tmp_path / ".memory/sprint") == before
    path.write_text(NO_ARTIFACTS)
    assert advance_stage(here, ID, actor=ANN).after == "build"


def test_a_closed_sprint_is_shown_whatever_became_of_its_workflow_file(tmp_path: Path) -> None:
    here = started(tmp_path)
    close_sprint(here, ID, actor=ANN, unfinished_reason="x")
    (here.memory / "workflow.yaml").unlink()

    assert met(show_stage(here, ID, "planning")) == {"exit": {"plan": False}, "entry": {}}


def test_the_way_on_from_an_open_gate_is_to_advance_only_where_the_stage_is_in_work(tmp_path: Path) -> None:
    here = started(tmp_path)
    fill(here, ID)

    assert way_on(ask_stage(here, ID)) == "vfcc stage advance"
    advance(here, ID)
    assert way_on(ask_stage(here, ID, "planning")) == "vfcc next"
    assert way_on(ask_stage(here, ID)).endswith("  # or write .memory/stage/log-in/design/artifacts/design.md")


def test_editing_the_workflow_changes_no_gate_of_a_running_sprint(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    path = here.memory / "workflow.yaml"
    path.write_text(NO_ARTIFACTS)
    start_sprint(here, "Log in", workflow="bare", actor=ANN)
    path.write_text(NO_ARTIFACTS.replace("title: Bare\n", "title: Bare\ngates: soft\n"))

    with pytest.raises(GateClosed, match="any-artifact: nothing in"):
        advance_stage(here, ID, actor=ANN)
    (artifacts(here, "plan") / "b.txt").write_text("x\n")
    with pytest.raises(GateClosed, match=r"rules: a protected file changed .*workflow\.yaml \(changed\)"):
        advance_stage(here, ID, actor=ANN)
    approve(here, what_to_approve(here, ID, "plan", "rules"), Opinions(Opinion.APPROVED), actor=ANN)
    done = advance_stage(here, ID, actor=ANN)
    assert done.after == "build"
    assert done.warnings == (
        ".memory/workflow.yaml changed since log-in was started; the sprint goes by what it was then",
    )


@pytest.mark.vfcc("REQ-STAGE-EXIT")
def test_the_summary_tells_the_next_stage_what_it_needs(tmp_path: Path) -> None:
    here = light(tmp_path)
    advance(here, ID)
    (artifacts(here) / "plan.md").write_text("changed\n")
    (artifacts(here, "design") / "design.md").write_bytes(b"# Design\r\n\r\nOne form.\r\n")
    (here.memory / f"stage/{ID}/design/feedback.md").write_text("- too big\n\n- too blue\n")
    later = Workspace(tmp_path, FixedClock(START + timedelta(seconds=90)))
    done = advance_stage(later, ID, actor=ANN)
    summary = (here.memory / f"stage/{ID}/design/summary.md").read_text()
    changed = f".memory/stage/{ID}/planning/artifacts/plan.md changed after planning passed"

    assert summary.startswith("# design: summary\n\nSprint: Log in (log-in).")
    assert "Next: coding (coder)." in summary
    assert "`planning/artifacts/plan.md` (8 bytes, sha256:" in summary
    digest = digest_text("# Design\n\nOne form.\n")
    assert f"`design/artifacts/design.md` (20 bytes, {digest[:19]})" in summary
    assert "- planning/plan.md changed after planning passed" in summary
    assert "- duration_s: 90" in summary
    assert "`design/feedback.md` holds review comments (2 lines)" in summary
    assert done.event.payload["summary"] == digest_text(summary)
    assert done.notes == (f"on record: upstream: {changed}",)
    assert json.loads((here.memory / f"stage/{ID}/design/metrics.json").read_text()) == {
        **dict.fromkeys(MEASURED),
        "approvals": 0,
        "artifact_bytes": 20,
        "artifacts": 1,
        "criteria": 2,
        "deviations": 2,
        "duration_s": 90,
        "evidence": 0,
        "failures": 0,
        "feedback_lines": 2,
        "findings": 1,
        "passed": 1,
        "passes": 1,
        "reopened": 0,
        "rework": 0,
        "sprint": ID,
        "stage": "design",
        "waived": 0,
    }


def test_what_changed_after_its_stage_passed_closes_a_hard_gate(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance(here, ID)
    (artifacts(here) / "plan.md").write_text("changed\n")
    fill(here, ID)

    path = f".memory/stage/{ID}/planning/artifacts/plan.md"
    with pytest.raises(
        GateClosed, match=f"1 of 2 criteria is not met\n- upstream: {path} changed after planning passed"
    ):
        advance_stage(here, ID, actor=ANN)
    assert show_sprint(here, ID).current == "design"


def test_a_clock_that_went_back_gives_no_duration(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance(Workspace(tmp_path, FixedClock(START - timedelta(days=1))), ID)

    assert json.loads((here.memory / f"stage/{ID}/planning/metrics.json").read_text())["duration_s"] is None


def test_going_back_needs_a_reason_and_a_stage_that_was_left(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance(here, ID)

    for stage, reason, told in (
        ("planning", "  ", "needs a reason"),
        ("plannin", "x", "did you mean planning"),
        ("design", "x", "design was not left behind in log-in; there is planning"),
        ("testing", "x", "was not left behind"),
    ):
        with pytest.raises(UsageError, match=told):
            reopen_stage(here, ID, stage, reason, actor=ANN)


@pytest.mark.vfcc("REQ-GOING-BACK")
def test_going_back_and_forth_keeps_every_event(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path).root, TickingClock())
    advance(here, ID)
    advance(here, ID)
    back = reopen_stage(here, ID, "planning", "a need was missed", actor=ANN)

    assert (back.before, back.after) == ("coding", "planning")
    assert [str(each.status) for each in show_sprint(here, ID).stages] == [
        "active",
        "stale",
        "pending",
        "pending",
        "pending",
    ]
    assert back.notes == ("stale: design, until planning has what it used",)
    (artifacts(here) / "plan.md").write_text("# Plan\n\nThe need that was missed.\n")
    assert advance_stage(here, ID, actor=ANN).after == "design"
    state = advance(here, ID).state
    assert [(each.passes, each.reopened) for each in state.stages[:2]] == [(2, 1), (2, 0)]
    assert state.counts == {"sprint_started": 1, "stage_passed": 4, "stage_reopened": 1}
    summary = (here.memory / f"stage/{ID}/design/summary.md").read_text()
    assert "planning was reopened once" in summary


@pytest.mark.vfcc("REQ-GOING-BACK")
def test_a_stage_stands_again_once_what_it_used_is_passed_unchanged(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path).root, TickingClock())
    advance(here, ID)
    advance(here, ID)
    reopen_stage(here, ID, "planning", "a need was missed", actor=ANN)
    done = advance_stage(here, ID, actor=ANN)

    assert (done.before, done.after) == ("planning", "coding")
    assert done.notes == ("passed again: design, since what it used did not change",)
    assert [(each.passes, each.reopened) for each in done.state.stages[:2]] == [(2, 1), (1, 0)]
    assert done.state.counts == {"sprint_started": 1, "stage_passed": 3, "stage_reopened": 1}
    advance(here, ID)
    summary = (here.memory / f"stage/{ID}/coding/summary.md").read_text()
    assert "planning was reopened once" in summary


def met(view: StageDetails) -> dict[str, dict[str, bool]]:
    return {gate.side: {each.criterion.id: each.met for each in gate.assessments} for gate in view.gates}


def test_showing_a_stage_tells_its_criteria(tmp_path: Path) -> None:
    here = started(tmp_path)
    view = show_stage(here, ID)

    assert (view.stage.stage.id, met(view)) == ("planning", {"exit": {"plan": False}, "entry": {}})
    fill(here, ID)
    assert met(show_stage(here, ID, "planning")) == {"exit": {"plan": True}, "entry": {}}
    advance(here, ID)
    assert met(show_stage(here, ID)) == {"exit": {"design": False, "upstream": True}, "entry": {}}
    assert met(show_stage(here, ID, "testing")) == {"exit": {"results": False, "upstream": True}, "entry": {}}
    assert [gate.stage for gate in show_stage(here, ID, "testing").gates] == ["testing", "validation"]
    assert met(show_stage(here, ID, "validation")) == {"exit": {"acceptance": False, "upstream": True}}
    with pytest.raises(UsageError, match="has no stage plannig; did you mean planning"):
        show_stage(here, ID, "plannig")


@pytest.mark.vfcc("REQ-STAGE-UPDATE")
def test_saved_artifacts_are_json_files_that_the_gate_sees(tmp_path: Path) -> None:
    here = started(tmp_path)
    written = save_artifacts(here, ID, "planning", {"plan": {"b": 1.5, "a": "é"}})

    assert written == (f".memory/stage/{ID}/planning/artifacts/plan.json",)
    assert (tmp_path / written[0]).read_text(encoding="utf-8") == '{\n  "a": "é",\n  "b": 1.5\n}\n'
    assert advance_stage(here, ID, actor=ANN).after == "design"


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x.", "a b", "a" * 90])
def test_an_artifact_with_a_bad_name_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    here = started(tmp_path)
    before = snapshot(tmp_path)

    with pytest.raises(UsageError, match="no name for an artifact"):
        save_artifacts(here, ID, "planning", {"good": 1, name: 2})
    with pytest.raises(UsageError, match="is not JSON"):
        save_artifacts(here, ID, "planning", {"good": 1, "bad": object()})
    assert snapshot(tmp_path) == before


@pytest.mark.vfcc("REQ-STAGE-UPDATE")
def test_updating_a_stage_writes_its_summary_too(tmp_path: Path) -> None:
    here = started(tmp_path)
    written = update_stage(here, ID, "planning", {"plan": [1]})

    assert written[-1] == f".memory/stage/{ID}/planning/summary.md"
    assert "`planning/artifacts/plan.json`" in (tmp_path / written[-1]).read_text()


@pytest.mark.vfcc("REQ-INSIDE")
def test_an_artifact_that_is_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    here = started(tmp_path)
    (tmp_path / "secret.txt").write_text("x")
    (artifacts(here) / "plan.md").symlink_to(tmp_path / "secret.txt")

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        advance_stage(here, ID, actor=ANN)


@pytest.mark.vfcc("REQ-INSIDE")
def test_a_stage_folder_that_is_a_link_out_of_the_tree_is_not_written_to(tmp_path: Path) -> None:
    here = started(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(here.memory / "stage" / ID)
    (here.memory / "stage" / ID).symlink_to(outside)

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        save_artifacts(here, ID, "planning", {"plan": 1})
    assert list(outside.iterdir()) == []


def test_digests_of_artifacts_do_not_depend_on_line_endings_but_bytes_of_binaries_count(tmp_path: Path) -> None:
    here = started(tmp_path)
    files = {"plan.md": b"a\r\nb\r\n", "plan.txt": b"a\nb\n", "plan.bin": b"\0a\r\nb\r\n", "plan.raw": b"\0a\nb\n"}
    for name, data in files.items():
        (artifacts(here) / name).write_bytes(data)
    digest = {file.artifact.path: file.artifact.digest for file in show_stage(here, ID).files}

    assert digest["plan.md"] == digest["plan.txt"]
    assert digest["plan.bin"] != digest["plan.raw"]


@pytest.mark.parametrize("pattern", ["plan.*", "*.md", "report.pdf", "data/*.csv", "v?.txt"])
def test_what_is_suggested_fits_the_pattern(pattern: str) -> None:
    assert matches(suggested(pattern), pattern)
