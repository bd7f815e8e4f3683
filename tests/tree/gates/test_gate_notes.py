"""What a gate says beside its criteria: files changed outside of the stage, and hooks that recorded nothing."""

import json
from pathlib import Path

import pytest

from tests.ledger_samples import START, TickingClock
from tests.made_once import copied
from tests.people_world import ID, YOU, commit, put, started
from verifflowcc.base.model.sprint_state import Edits, StageEntry
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.text.identifiers import ulid
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.next_action import next_step
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.history.rules.client_entries import target_of
from verifflowcc.history.use.integrating import integrate
from verifflowcc.prompt.use.artifact_drafting import put_artifact
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use.sprint_reading import show_sprint

WORKFLOW = """\
name: people
title: People
gates: hard
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: ["plan.*"]}
  - id: build
    title: Build
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: changed, kind: diff, title: something changed}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: ["results.*"]}
"""


def notes(here: Workspace) -> tuple[str, ...]:
    """The notes of the gate of the current stage."""
    return ask_stage(here, ID).exit.notes


def fill(here: Workspace, stage: str, name: str) -> None:
    put(here, f".memory/stage/{ID}/{stage}/artifacts/{name}", f"# {stage}\n\nA form.\n")


def in_check(folder: Path) -> Workspace:
    """A sprint in `check`, with code that was committed in `build`."""
    return Workspace(copied(folder, left_build), FixedClock(START))


def left_build(folder: Path) -> Path:
    here = started(folder, WORKFLOW)
    fill(here, "plan", "plan.md")
    advance_stage(here, ID, actor=YOU)
    put(here, "src/form.py", "a = 1\n")
    commit(here, "You")
    fill(here, "build", "changes.md")
    advance_stage(here, ID, actor=YOU)
    return folder


def recorded(here: Workspace, path: str, stage: str, moment: str = "2027-11-21T04:31:00.000Z") -> None:
    """Add what a hook records of an edit."""
    line = {
        "v": 1,
        "kind": "tool_execution",
        "id": ulid(1_800_000_000_000, b"0123456789"),
        "time": moment,
        "gen_ai.conversation.id": "s1",
        "role": "planner",
        "sprint": ID,
        "stage": stage,
        "files": [{"path": path, "operation": "edit"}],
    }
    put(here, ".memory/local/history/2027-11-21.jsonl", json.dumps(line) + "\n")


def test_a_file_that_the_stage_does_not_edit_is_named(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    assert notes(here) == ()
    put(here, "src/form.py", "a = 1\n")

    assert notes(here) == (
        "plan edits no file of the project, and 1 file changed since it was entered: src/form.py (not committed)",
    )


def test_a_commit_is_named_with_its_author_and_its_day(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    put(here, "src/form.py", "a = 1\n")
    sha = commit(here, "Other")

    (note,) = notes(here)
    assert f"src/form.py (commit {sha[:9]} by Other on 20" in note


def test_what_was_not_committed_when_the_stage_was_entered_is_not_of_the_stage(tmp_path: Path) -> None:
    put(Workspace(tmp_path), "src/old.py", "a = 1\n")
    here = started(tmp_path, WORKFLOW)
    put(here, "src/old.py", "a = 2\n")
    put(here, "src/new.py", "a = 1\n")
    start_sprint(here, "Second", workflow="people", actor=YOU, sprint_id="second")

    def second() -> tuple[str, ...]:
        return ask_stage(here, "second").exit.notes

    assert second() == ()
    commit(here, "You")
    assert second() == ()
    put(here, "src/new.py", "a = 2\n")
    (note,) = second()
    assert "1 file changed since it was entered: src/new.py" in note


def test_a_file_that_was_put_back_changed_too(tmp_path: Path) -> None:
    put(Workspace(tmp_path), "src/old.py", "a = 1\n")
    here = started(tmp_path, WORKFLOW)
    put(here, "src/old.py", "a = 2\n")
    start_sprint(here, "Second", workflow="people", actor=YOU, sprint_id="second")
    put(here, "src/old.py", "a = 1\n")

    assert "src/old.py" in ask_stage(here, "second").exit.notes[0]


def test_a_stage_that_edits_everything_has_no_such_note(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    fill(here, "plan", "plan.md")
    advance_stage(here, ID, actor=YOU)
    put(here, "src/form.py", "a = 1\n")

    assert notes(here) == ()


def test_a_stage_that_edits_tests_may_change_tests(tmp_path: Path) -> None:
    here = in_check(tmp_path)
    assert notes(here) == ()
    put(here, "tests/test_form.py", "def test_form(): ...\n")
    assert notes(here) == ()
    put(here, "src/form.py", "a = 2\n")

    (note,) = notes(here)
    assert note.startswith("check edits tests only, and 1 file changed since it was entered: src/form.py (")


def test_a_reopened_stage_counts_from_there(tmp_path: Path) -> None:
    here = in_check(tmp_path)
    reopen_stage(here, ID, "plan", "once more", actor=YOU)
    assert notes(here) == ()
    put(here, "src/form.py", "a = 3\n")

    assert "src/form.py" in notes(here)[0]


def test_what_the_history_of_this_machine_knows_of_an_edit_is_shown(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    put(here, "src/form.py", "a = 1\n")
    recorded(here, "src/form.py", "plan")

    assert notes(here)[0].endswith("src/form.py (edited by agent:planner at 2027-11-21T04:31Z)")


def test_a_recorded_edit_of_a_protected_file_names_its_role(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    put(here, ".memory/config.yaml", "format: 1\n")
    recorded(here, ".memory/config.yaml", "plan")

    (asked,) = [one for one in ask_stage(here, ID).exit.assessments if one.criterion.id == "rules"]
    assert asked.reason.endswith("(new, not committed; edited by agent:planner at 2027-11-21T04:31Z)")


def test_more_files_than_are_shown_are_counted(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    for number in range(8):
        put(here, f"src/f{number}.py", "a = 1\n")

    (note,) = notes(here)
    assert "8 files changed" in note
    assert note.endswith("and 3 more")


def test_outside_of_git_nothing_is_claimed(tmp_path: Path) -> None:
    here = Workspace(tmp_path, TickingClock())
    put(here, ".memory/workflow.yaml", WORKFLOW)
    start_sprint(here, "Log in", workflow="people", actor=YOU)
    put(here, "src/form.py", "a = 1\n")

    assert notes(here) == ()


def test_more_uncommitted_files_than_are_recorded_leave_the_commits_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifflowcc.sprint.use.stage_entry.MOST_UNCOMMITTED", 0)
    put(Workspace(tmp_path), "src/old.py", "a = 1\n")
    here = started(tmp_path, WORKFLOW)
    put(here, "src/old.py", "a = 2\n")
    start_sprint(here, "Second", workflow="people", actor=YOU, sprint_id="second")
    entry = show_sprint(here, "second").stages[0].entry
    assert entry is not None
    assert entry.uncommitted is None

    assert ask_stage(here, "second").exit.notes == ()
    commit(here, "Other")
    assert "by Other" in ask_stage(here, "second").exit.notes[0]


def test_an_event_records_the_commit_only_for_stages_that_do_not_edit_everything(tmp_path: Path) -> None:
    here = in_check(tmp_path)
    state = show_sprint(here, ID)

    for each in state.stages:
        assert (each.entry is None) == (each.stage.edits is Edits.ALL)
    entry = state.stages[2].entry
    assert isinstance(entry, StageEntry)
    assert entry.uncommitted == {}


def test_a_note_is_on_every_screen_and_in_the_hand_over(tmp_path: Path) -> None:
    here = started(tmp_path, WORKFLOW)
    fill(here, "plan", "plan.md")
    put(here, "src/form.py", "a = 1\n")
    (note,) = notes(here)

    assert next_step(here).notes == (note,)
    done = advance_stage(here, ID, actor=YOU)
    assert note in done.notes
    assert note in (show_sprint(here, ID).stages[0].handover or "")


def test_hooks_that_recorded_nothing_of_a_stage_in_which_an_agent_acted_are_named(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path, WORKFLOW).root, TickingClock())
    integrate(here, [target_of("claude")])
    commit(here, "You")
    assert notes(here) == ()
    put_artifact(here, ID, "plan.md", b"# Plan\n\nA form.\n", actor="agent:planner")

    assert notes(here) == ("hooks are set up for claude, and no event of plan was recorded on this machine",)
    recorded(here, ".memory/x", "plan")
    assert notes(here) == ()


def test_without_hooks_here_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    here = Workspace(started(tmp_path, WORKFLOW).root, TickingClock())
    put_artifact(here, ID, "plan.md", b"# Plan\n\nA form.\n", actor="agent:planner")

    assert notes(here) == ()
