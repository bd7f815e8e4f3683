"""Stages: left when their artifacts are there, with a summary for the next; gone back to with a reason."""

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, START, TickingClock, advance, fill, snapshot, started, workspace
from verifflowcc.adapters.clock import FixedClock
from verifflowcc.errors import ConfigError, GateClosed, UsageError, WorkspaceError
from verifflowcc.services.sprints import show_sprint, start_sprint
from verifflowcc.services.stages import (
    advance_stage,
    list_stages,
    reopen_stage,
    save_artifacts,
    show_stage,
    update_stage,
)
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.digest import digest_text
from verifflowcc.workflow.exit_check import matches, suggested

ID = "log-in"
NO_ARTIFACTS = """\
name: bare
title: Bare
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: []}
  - {id: build, title: Build, leg: apex, pair: null, role: coder, artifacts: []}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: []}
"""


def artifacts(here: Workspace, stage: str = "planning", sprint: str = ID) -> Path:
    folder = here.memory / "stage" / sprint / stage / "artifacts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def standard(tmp_path: Path) -> Workspace:
    here = workspace(tmp_path)
    start_sprint(here, "Log in", workflow="standard", actor=ANN)
    return here


def test_all_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    here = standard(tmp_path)
    (artifacts(here) / "needs.md").write_text("one need\n")
    (artifacts(here) / "risks.md").write_bytes(b" \r\n\t\n")
    before = snapshot(tmp_path)

    with pytest.raises(GateClosed) as caught:
        advance_stage(here, ID, actor=ANN)
    folder = f".memory/stage/{ID}/planning/artifacts"
    assert caught.value.message == (
        "log-in cannot leave planning: 3 of 4 criteria are not met\n"
        f"- nothing matches {folder}/sprint-plan.*\n"
        f"- nothing matches {folder}/acceptance-plan.*\n"
        f"- {folder}/risks.md is empty"
    )
    assert caught.value.hint == f"write {folder}/sprint-plan.md, then: vfcc stage advance"
    assert snapshot(tmp_path) == before


def test_doing_what_the_hint_says_opens_the_gate(tmp_path: Path) -> None:
    here = standard(tmp_path)
    for _ in range(20):
        try:
            advance_stage(here, ID, actor=ANN)
            break
        except GateClosed as closed:
            path = tmp_path / str(closed.hint).split()[1].rstrip(",")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x\n")
    assert show_sprint(here, ID).current == "requirements"


@pytest.mark.parametrize("name", ["light", "agile", "standard"])
def test_every_shipped_workflow_can_be_walked_to_its_end(tmp_path: Path, name: str) -> None:
    here = workspace(tmp_path)
    start_sprint(here, "Log in", workflow=name, actor=ANN)
    walked = []
    while current := show_sprint(here, ID).current:
        walked.append(current)
        advance(here, ID)

    assert walked == [each.stage.id for each in list_stages(here, ID)]
    assert show_sprint(here, ID).complete
    with pytest.raises(UsageError, match="has passed all its stages"):
        advance_stage(here, ID, actor=ANN)


def test_a_stage_that_declares_nothing_still_needs_something(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    (here.memory / "workflow.yaml").write_text(NO_ARTIFACTS)
    start_sprint(here, "Log in", workflow="bare", actor=ANN)

    with pytest.raises(GateClosed, match="1 of 1 criteria is not met\n- nothing in"):
        advance_stage(here, ID, actor=ANN)
    (artifacts(here, "plan") / "a.txt").write_text(" \n")
    (artifacts(here, "plan") / ".hidden").write_text("x")
    with pytest.raises(GateClosed, match="are empty"):
        advance_stage(here, ID, actor=ANN)
    (artifacts(here, "plan") / "b.txt").write_text("x\n")
    assert advance_stage(here, ID, actor=ANN).after == "build"


def test_editing_the_workflow_renames_no_stage_under_a_running_sprint(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    path = here.memory / "workflow.yaml"
    path.write_text(NO_ARTIFACTS)
    start_sprint(here, "Log in", workflow="bare", actor=ANN)
    path.write_text(NO_ARTIFACTS.replace("build", "passed"))
    (artifacts(here, "plan") / "b.txt").write_text("x\n")
    path.unlink()

    assert advance_stage(here, ID, actor=ANN).after == "build"


def test_the_summary_tells_the_next_stage_what_it_needs(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance(here, ID)
    (artifacts(here) / "plan.md").write_text("changed\n")
    (artifacts(here, "design") / "design.md").write_bytes(b"# Design\r\n")
    (here.memory / f"stage/{ID}/design/feedback.md").write_text("- too big\n\n- too blue\n")
    later = Workspace(tmp_path, FixedClock(START + timedelta(seconds=90)))
    done = advance_stage(later, ID, actor=ANN)
    summary = (here.memory / f"stage/{ID}/design/summary.md").read_text()

    assert summary.startswith("# design: summary\n\nSprint: Log in (log-in).")
    assert "Next: coding (coder)." in summary
    assert "`planning/artifacts/plan.md` (8 bytes, sha256:" in summary
    assert f"`design/artifacts/design.md` (9 bytes, {digest_text('# Design' + chr(10))[:19]})" in summary
    assert "- planning/plan.md changed after planning passed" in summary
    assert "- duration_s: 90" in summary
    assert "`design/feedback.md` holds review comments (2 lines)" in summary
    assert done.event.payload["summary"] == digest_text(summary)
    assert json.loads((here.memory / f"stage/{ID}/design/metrics.json").read_text()) == {
        "artifact_bytes": 9,
        "artifacts": 1,
        "deviations": 1,
        "duration_s": 90,
        "feedback_lines": 2,
        "passes": 1,
        "reopened": 0,
        "sprint": ID,
        "stage": "design",
    }


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


def test_going_back_and_forth_keeps_every_event(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path).root, TickingClock())
    advance(here, ID)
    advance(here, ID)
    back = reopen_stage(here, ID, "planning", "a need was missed", actor=ANN)

    assert (back.before, back.after) == ("coding", "planning")
    assert [str(each.status) for each in list_stages(here, ID)] == ["active", "stale", "pending", "pending", "pending"]
    advance(here, ID)
    state = advance(here, ID).state
    assert [(each.passes, each.reopened) for each in state.stages[:2]] == [(2, 1), (2, 0)]
    assert state.counts == {"sprint_started": 1, "stage_passed": 4, "stage_reopened": 1}
    summary = (here.memory / f"stage/{ID}/design/summary.md").read_text()
    assert "planning was reopened once" in summary


def test_showing_a_stage_tells_its_criteria(tmp_path: Path) -> None:
    here = started(tmp_path)
    view = show_stage(here, ID)

    assert (view.stage.stage.id, [one.met for one in view.criteria]) == ("planning", [False])
    fill(here, ID)
    assert [one.met for one in show_stage(here, ID, "planning").criteria] == [True]
    with pytest.raises(UsageError, match="has no stage plannig; did you mean planning"):
        show_stage(here, ID, "plannig")


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


def test_updating_a_stage_writes_its_summary_too(tmp_path: Path) -> None:
    here = started(tmp_path)
    written = update_stage(here, ID, "planning", {"plan": [1]})

    assert written[-1] == f".memory/stage/{ID}/planning/summary.md"
    assert "`planning/artifacts/plan.json`" in (tmp_path / written[-1]).read_text()


def test_an_artifact_that_is_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    here = started(tmp_path)
    (tmp_path / "secret.txt").write_text("x")
    (artifacts(here) / "plan.md").symlink_to(tmp_path / "secret.txt")

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        advance_stage(here, ID, actor=ANN)


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


BAD = {
    "unknown key": ("title: Plan,", "title: Plan, rol: x,", r"workflow\.yaml:4: unknown key rol; did you mean role"),
    "missing key": (", role: planner", "", r":4: role is missing"),
    "twice": ("id: check", "id: plan", r":6: the id plan is used twice"),
    "no such pair": ("pair: check", "pair: chekc", r":4: the pair chekc of plan is no stage"),
    "pair not mutual": ("pair: plan", "pair: build", r"are no pair"),
    "left without pair": ("pair: check", "pair: null", r":4: plan is on the left leg and needs the pair"),
    "wrong leg": ("leg: right", "leg: left", r":6: check is on the left leg, on the wrong side of build"),
    "no such leg": ("leg: right", "leg: up", r":6: leg 'up' must be left, apex or right"),
    "two apexes": ("leg: right", "leg: apex", r"one stage with leg: apex, not 2"),
    "pattern leaves": (
        "role: planner, artifacts: []",
        "role: planner, artifacts: [../x]",
        r":4: artifact '\.\./x' must",
    ),
    "bad id": ("id: plan,", "id: Plan One,", r":4: id 'Plan One' must be"),
    "shipped name": ("name: bare", "name: light", r"light is the name of a shipped workflow"),
    "no stages": (NO_ARTIFACTS[NO_ARTIFACTS.index("stages") :], "stages: []\n", r":3: stages must be a list"),
    "no YAML": ("name: bare", "name: [", r"workflow\.yaml:\d+: "),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_workflow_is_refused_with_file_and_line(tmp_path: Path, name: str) -> None:
    was, now, told = BAD[name]
    here = workspace(tmp_path)
    assert was in NO_ARTIFACTS
    (here.memory / "workflow.yaml").write_text(NO_ARTIFACTS.replace(was, now, 1))

    with pytest.raises(ConfigError, match=told):
        start_sprint(here, "Log in", workflow="bare", actor=ANN)


def test_pairs_that_cross_are_no_v(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    rows = [("a", "left", "c"), ("b", "left", "d"), ("x", "apex", "null"), ("c", "right", "a"), ("d", "right", "b")]
    listed = "".join(
        f"  - {{id: {name}, title: T, leg: {leg}, pair: {pair}, role: r, artifacts: []}}\n" for name, leg, pair in rows
    )
    (here.memory / "workflow.yaml").write_text(f"name: crossed\ntitle: Crossed\nstages:\n{listed}")

    with pytest.raises(ConfigError, match=r":5: b comes after a, so its pair must come before c"):
        start_sprint(here, "Log in", workflow="crossed", actor=ANN)
