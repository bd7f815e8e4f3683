"""A change of the files that hold the rules is in every gate, with its authors, until a person has approved it."""

from pathlib import Path

import pytest

from tests.people_world import CODER, ID, OTHER, WORKFLOW, YOU, asked, commit, later, put, started, world
from tests.trees import git
from verifflowcc.base.errors import GateClosed, NotAllowed, UsageError
from verifflowcc.base.model.events import EventType, LedgerRead
from verifflowcc.base.model.gate_values import Assessment, Mode, Verdict
from verifflowcc.base.model.people import Opinion
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.approvals import Opinions, approve, what_to_approve
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.next_action import next_step
from verifflowcc.gates.use.owed import owed_by, owed_to_close
from verifflowcc.gates.use.rerun import RerunResult, reproduce
from verifflowcc.gates.use.sprint_metrics import report_sprint
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage, show_stage
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.store.workflow_load import load_workflow
from verifflowcc.sprint.use.people_acting import record
from verifflowcc.sprint.use.sprint_reading import show_sprint

CONFIG, TOOLS = ".memory/config.yaml", ".memory/agent/coder/tools.yaml"
ONE_STAGE = """\
name: people
title: People
gates: {gates}
stages:
  - id: build
    title: Build
    leg: apex
    role: coder
    artifacts: ["changes.*"]
"""


def asks_rules(here: Workspace) -> bool:
    """Whether the gate of the current stage asks for a person who saw the rules."""
    return any(one.criterion.id == "rules" for one in ask_stage(here, ID).exit.assessments)


def rules(here: Workspace) -> Assessment:
    """The result of that criterion."""
    return next(one for one in ask_stage(here, ID).exit.assessments if one.criterion.id == "rules")


def reason(here: Workspace) -> str:
    return rules(here).reason


def approve_rules(here: Workspace, actor: str, opinion: Opinion = Opinion.APPROVED) -> None:
    words = Opinions(opinion, "not like this" if opinion is Opinion.REJECTED else "")
    approve(here, what_to_approve(here, ID, None, "rules"), words, actor=actor)


def one_stage(folder: Path, gates: str = "hard") -> Workspace:
    """A sprint of one stage that owes nothing."""
    here = started(folder, ONE_STAGE.format(gates=gates))
    put(here, f".memory/stage/{ID}/build/artifacts/changes.md", "# Changes\n\nA form.\n")
    return here


def test_a_gate_does_not_ask_for_rules_that_did_not_change(tmp_path: Path) -> None:
    assert not asks_rules(world(tmp_path))


def test_a_new_project_that_is_not_committed_lists_no_change(tmp_path: Path) -> None:
    for folder, repository in ((tmp_path / "plain", False), (tmp_path / "git", True)):
        folder.mkdir()
        if repository:
            git(folder, "init", "--quiet")
        initialise(folder)
        here = Workspace(folder)
        start_sprint(here, "Log in", workflow="light", actor=YOU)

        assert not asks_rules(here)
        put(here, CONFIG, "format: 1\n")
        assert f"{CONFIG} (changed" in reason(here)


@pytest.mark.parametrize(
    "path", [CONFIG, TOOLS, ".memory/workflow.yaml", ".memory/project/baselines/test.sarif", ".claude/settings.json"]
)
@pytest.mark.points(2)
def test_each_protected_file_is_in_the_gate_once_it_changed(tmp_path: Path, path: str) -> None:
    here = started(tmp_path)
    put(here, path, WORKFLOW.replace("title: People", "title: All") if path.endswith("workflow.yaml") else "{}\n")

    what = "changed" if path.endswith("workflow.yaml") else "new"
    assert reason(here).endswith(f": {path} ({what}, not committed)")


def test_a_change_names_the_authors_of_its_commits(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, CONFIG, "format: 1\n")
    commit(here, "Other")
    assert reason(here).endswith(f"{CONFIG} (new by Ann, Other)")

    put(here, CONFIG, "format: 1\nhooks: {tools: ask}\n")
    assert reason(here).endswith(f"{CONFIG} (new by Ann, Other, not committed)")


def test_a_removed_rule_file_is_a_change(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    put(here, TOOLS, "read: always\n")
    here = started(tmp_path)
    (tmp_path / TOOLS).unlink()

    assert reason(here).endswith(f"{TOOLS} (removed, not committed)")


def test_a_file_that_was_different_at_the_start_is_compared_with_what_it_was_then(tmp_path: Path) -> None:
    put(Workspace(tmp_path), CONFIG, "format: 1\n")
    here = started(tmp_path)
    close_sprint(here, ID, actor=YOU, unfinished_reason="again")
    put(here, CONFIG, "format: 1\n# another word\n")
    start_sprint(here, "Log in", workflow="people", actor=YOU, sprint_id="second")

    assert [one.criterion.id for one in ask_stage(here, "second").exit.findings] == []
    assert all(one.criterion.id != "rules" for one in ask_stage(here, "second").exit.assessments)
    commit(here, "You")
    assert all(one.criterion.id != "rules" for one in ask_stage(here, "second").exit.assessments)
    put(here, CONFIG, "format: 1\n")
    assert any(one.criterion.id == "rules" for one in ask_stage(here, "second").exit.assessments)


def test_line_ends_are_no_change(tmp_path: Path) -> None:
    put(Workspace(tmp_path), CONFIG, "format: 1\n")
    here = started(tmp_path)
    (tmp_path / CONFIG).write_bytes(b"format: 1\r\n")

    assert not asks_rules(here)


def test_client_settings_that_git_ignores_are_of_one_machine_and_not_asked(tmp_path: Path) -> None:
    put(Workspace(tmp_path), ".gitignore", ".claude/\n")
    here = started(tmp_path)
    put(here, ".claude/settings.json", "{}\n")

    assert not asks_rules(here)


def test_an_agent_cannot_approve_it_and_its_author_can(tmp_path: Path) -> None:
    here = one_stage(tmp_path)
    put(here, CONFIG, "format: 1\n")
    commit(here, "You")

    with pytest.raises(GateClosed, match="rules: a protected file changed"):
        advance_stage(here, ID, actor=YOU)
    for actor in (CODER, "ci", "tool:vfcc", "human:unknown"):
        with pytest.raises(NotAllowed):
            approve_rules(here, actor)
    approve_rules(here, YOU)

    assert reason(here) == f"approved by {YOU}: {CONFIG} (new by Ann, You)"
    assert advance_stage(here, ID, actor=YOU).before == "build"


def test_an_approval_holds_for_later_stages_until_a_protected_file_changes_again(tmp_path: Path) -> None:
    here = one_stage(tmp_path)
    put(here, CONFIG, "format: 1\n")
    approve_rules(here, OTHER)
    advance_stage(here, ID, actor=YOU)
    assert owed_to_close(here, show_sprint(here, ID)) == ()

    put(here, TOOLS, "read: always\n")
    assert [each.criterion for each in owed_to_close(here, show_sprint(here, ID))] == ["rules"]
    with pytest.raises(GateClosed, match="2 protected files changed"):
        close_sprint(here, ID, actor=YOU)
    approve_rules(here, OTHER)
    close_sprint(here, ID, actor=YOU)


def test_an_approval_expires_and_a_rejection_counts_until_it_is_taken_back(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, CONFIG, "format: 1\n")
    approve(here, what_to_approve(here, ID, None, "rules"), Opinions(Opinion.APPROVED, "", "", "2026-12-31"), actor=YOU)
    assert rules(here).verdict is Verdict.PASS
    assert rules(later(here, 100)).verdict is Verdict.FAIL
    approve_rules(here, OTHER, Opinion.REJECTED)
    assert reason(here).startswith("rejected by human:Other: 'not like this'")
    approve_rules(here, OTHER)

    assert rules(here).verdict is Verdict.PASS


def test_a_person_may_leave_it_as_a_gap_where_gates_are_soft_and_an_agent_may_not(tmp_path: Path) -> None:
    here = one_stage(tmp_path, "soft")
    put(here, CONFIG, "format: 1\n")

    assert rules(here).criterion.mode is Mode.SOFT
    with pytest.raises(GateClosed, match="only a person at a terminal may leave a gap"):
        advance_stage(here, ID, actor=CODER)
    done = advance_stage(here, ID, actor=YOU)
    assert any("rules" in note for note in done.notes)
    verdicts = report_sprint(here, ID).stages[0].verdicts
    assert [(each.criterion, each.mode) for each in verdicts if each.criterion == "rules"] == [("rules", Mode.SOFT)]


def test_no_configuration_turns_it_off(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, CONFIG, "gates: {modes: {rules: 'off'}}\n")

    assert rules(here).blocks


def test_what_to_do_is_the_same_on_every_screen(tmp_path: Path) -> None:
    here = one_stage(tmp_path)
    put(here, CONFIG, "format: 1\n")
    command = "vfcc approve build --criterion rules"

    assert next_step(here).command == show_stage(here, ID).next == command
    assert [(each.criterion, each.person) for each in owed_by(ask_stage(here, ID))] == [("rules", True)]


def test_an_approval_without_a_criterion_is_of_the_work_while_that_is_owed(tmp_path: Path) -> None:
    here = world(tmp_path)
    put(here, CONFIG, "format: 1\n")

    assert what_to_approve(here, ID).criterion.id == "reviewed"
    approve(here, what_to_approve(here, ID), Opinions(Opinion.APPROVED), actor=OTHER)
    assert asked(here, "reviewed").met
    assert what_to_approve(here, ID).criterion.id == "rules"
    assert [each.path for each in what_to_approve(here, ID).files] == [CONFIG]


def test_nothing_to_approve_without_a_change(tmp_path: Path) -> None:
    here = one_stage(tmp_path)

    with pytest.raises(UsageError, match="nothing that people approve"):
        what_to_approve(here, ID, "build", "rules")


def test_a_second_run_finds_a_stage_that_passed_with_rules_that_no_person_approved(tmp_path: Path) -> None:
    here = one_stage(tmp_path)
    advance_stage(here, ID, actor=YOU)
    put(here, CONFIG, "format: 1\n")
    commit(here, "You")

    (row,) = reproduce(here, ID).rows
    assert (row.criterion, row.result) == ("rules", RerunResult.NOT_MET)
    approve_rules(here, YOU)
    assert reproduce(here, ID).rows == ()


def test_a_base_that_git_does_not_have_is_no_pass(tmp_path: Path) -> None:
    here = started(tmp_path / "project")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{tmp_path}/project", "clone")
    commit(here, "You")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{tmp_path}/project", "shallow")

    found = rules(Workspace(tmp_path / "shallow"))
    assert found.verdict is Verdict.NOT_EVALUABLE
    assert "the clone is shallow" in found.reason


def test_a_start_that_recorded_nothing_is_compared_with_its_base_alone(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, CONFIG, "format: 1\n")
    base = git(tmp_path, "rev-parse", "HEAD").strip()
    plan = load_workflow(here.memory, "people")
    move = (EventType.SPRINT_STARTED, payloads.started("old", "Old", (), plan, git=payloads.GitStart(base)))
    record(here, LedgerRead("old", (), (), ()), SprintState("old", "Old"), move, actor=YOU)

    def listed() -> list[str]:
        return [one.reason for one in ask_stage(here, "old").exit.assessments if one.criterion.id == "rules"]

    assert listed() == []
    put(here, ".memory/workflow.yaml", WORKFLOW.replace("title: People", "title: All"))
    assert [text.rpartition(": ")[2] for text in listed()] == [".memory/workflow.yaml (changed, not committed)"]
