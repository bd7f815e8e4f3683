"""A brief names what is owed, allowed, in force, tested, done and waiting; a resumed session gets the difference."""

from pathlib import Path
from typing import Any

import pytest

from tests.history_world import edit, hooked, prompt, read, stop, tell
from tests.prompt_world import item
from tests.trees import write_tree
from verifflowcc.base.text.extract import outline
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.clients.use import brief as briefs
from verifflowcc.clients.use.brief import SHARE
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.history.rules.encode import encode
from verifflowcc.history.use.prompt_record import project_counter
from verifflowcc.prompt.use.stages import advance_stage

PERSON = "human:a"
STAGE = ".memory/stage/login"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A sprint in planning, and briefs that have the time that they take."""
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)
    initialise(tmp_path)
    workspace = Workspace(tmp_path)
    start_sprint(workspace, "Login", goals=("People sign in with a password",), workflow="light", actor=PERSON)
    return workspace


def say(here: Workspace, event: str, session: str = "s1", **said: Any) -> str:
    found = hooked(here.root, {"hook_event_name": event, "session_id": session, **said})
    assert found.faults == []
    return found.answer.context


def start(here: Workspace, session: str = "s1", source: str = "startup") -> str:
    return say(here, "SessionStart", session, source=source)


def rule(here: Workspace, type_name: str, name: str, text: str, **front: object) -> Path:
    return item(here.memory / "project" / "items", type_name, name, text, **front)


def plan_passed(here: Workspace) -> None:
    write_tree(here.root, {f"{STAGE}/planning/artifacts/plan.md": "# Plan\n\nA form.\n"})
    advance_stage(Workspace(here.root), "login", actor=PERSON, commit=False)


def test_a_brief_says_what_the_role_may_do_and_five_commands_for_it(here: Workspace) -> None:
    context = start(here)

    assert "The role planner may read and search all files, edit nothing but the stage's artifacts" in context
    assert "It may not run commands" in context
    assert '- `vfcc context show --agent planner --task "…"`: ' in context
    assert "- `vfcc stage put plan.md --file -`: " in context
    assert context.count("\n- `vfcc ") == 5


def test_a_role_that_edits_all_files_learns_that_rules_and_records_are_closed(here: Workspace) -> None:
    plan_passed(here)
    write_tree(here.root, {f"{STAGE}/design/artifacts/design.md": "# Design\n\nA form.\n"})
    advance_stage(Workspace(here.root), "login", actor=PERSON, commit=False)

    denied = hooked(here.root, {
        "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Edit",
        "tool_input": {"file_path": ".memory/config.yaml"},
    })  # fmt: skip

    assert "The role coder may read and search all files, edit all files but vfcc's rules and records," in start(here)
    assert denied.answer.decision == "deny"


def test_where_no_sprint_is_chosen_the_brief_offers_no_command_that_needs_one(here: Workspace) -> None:
    start_sprint(Workspace(here.root), "Signup", workflow="light", actor=PERSON)

    context = start(here)

    assert "several sprints are open" in context
    assert "`vfcc next`" not in context
    assert "- `vfcc status`: the open sprints, each with its stage and its next step" in context


def test_rules_come_by_relevance_the_first_with_its_text_and_others_after_them(here: Workspace) -> None:
    rule(here, "decision", "hashes", "A password is kept as an argon2 hash.", title="Passwords are hashed")
    rule(here, "constraint", "offline", "No network.", title="Everything works offline")

    lines = start(here).splitlines()

    first = lines.index("- decision hashes, trust human: Passwords are hashed")
    assert lines[first + 1] == "  > A password is kept as an argon2 hash."
    assert lines.index("- constraint offline, trust human: Everything works offline") > first


def test_proposals_that_wait_are_listed_and_are_not_among_the_rules(here: Workspace) -> None:
    rule(here, "decision", "cookies", "Use cookies.", title="Sign in with cookies", status="pending")

    rules, _, waiting = start(here).partition("Proposals that wait for a person, not in force:")

    assert "cookies" not in rules
    assert "- decision cookies, by " in waiting


def test_edited_files_come_before_read_ones_and_a_killed_session_is_not_active(here: Workspace) -> None:
    now_s = (here.clock.now().timestamp()) - 1_795_262_400  # seconds after the noon from which events are counted
    tell(here, prompt(now_s - 9_000, "Show the form", session="killed"))
    tell(here, read(now_s - 8_999, "a.py", session="killed"), edit(now_s - 8_998, "b.py", session="killed"))

    context = start(here)

    assert "interrupted, last event " in context
    assert "“Show the form”. Edited: b.py. Read: a.py." in context
    assert ", active" not in context


def test_a_resumed_session_gets_the_difference_alone(here: Workspace) -> None:
    withdrawn = rule(here, "decision", "hashes", "Argon2.", title="Passwords are hashed")
    first = start(here)
    assert "Nothing changed since the last brief of this session." in start(here, source="resume")

    withdrawn.unlink()
    rule(here, "convention", "forms", "One form.", title="Passwords have one form")
    tell(here, prompt(0, "Look around", session="other", task="p9"), stop(1, "Seen.", session="other", task="p9"))
    write_tree(here.root, {f"{STAGE}/planning/artifacts/plan.md": "# Plan\n\nA form.\n"})
    again = start(here, source="resume")

    assert "No longer owed: plan." in again
    assert "No longer in force: hashes." in again
    assert "convention forms, trust human: Passwords have one form" in again
    assert "“Look around”" in again
    assert "The role planner may" in first
    assert "The role planner may" not in again
    assert len(again) < len(first)
    assert "Nothing changed" in start(here, source="resume")


def test_a_resumed_session_without_a_brief_gets_a_whole_one(here: Workspace) -> None:
    assert "The role planner may" in start(here, "new", source="resume")


def test_a_subagent_gets_a_brief_of_a_third_for_its_own_role(here: Workspace) -> None:
    rule(here, "decision", "hashes", "Argon2.", title="Passwords are hashed")

    context = say(here, "SubagentStart", agent_id="a1", agent_type="coder")

    assert "Goals: People sign in with a password" in context
    assert "The role planner may " in context
    assert "The subagent's own role coder may " in context
    assert "--agent coder --task" in context
    assert "Passwords are hashed" in context
    with project_counter(here) as counter:
        assert counter.count(context) <= 1500 // SHARE
    assert '"hookEventName":"SubagentStart"' in encode(
        "claude", "SubagentStart", hooked(here.root, _starts("a2")).answer
    )[0].replace(" ", "")


def test_a_subagent_that_was_briefed_learns_that_the_stage_changed(here: Workspace) -> None:
    hooked(here.root, _starts("a1"))
    plan_passed(here)
    used: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "agent_type": "coder"}

    assert "is in stage design" in say(here, "PostToolUse", agent_id="a1", **used)
    assert say(here, "PostToolUse", agent_id="a1", **used) == ""
    assert say(here, "PostToolUse", agent_id="a2", **used) == "", "this one was not briefed"


def test_a_brief_says_the_same_twice(here: Workspace) -> None:
    rule(here, "decision", "hashes", "Argon2.", title="Passwords are hashed")

    assert start(here, "one") == start(here, "two")


def test_sections_keep_their_headings_where_the_texts_find_no_room() -> None:
    text = "".join(f"## Part {number}\n\n{'word ' * 50}\n\n" for number in range(9))

    found = outline(text, lambda form: len(form) <= 600)

    assert [line.partition(":")[0] for line in found.splitlines()] == [f"## Part {number}" for number in range(9)]
    assert "word" in found


def _starts(agent: str) -> dict[str, Any]:
    return {"hook_event_name": "SubagentStart", "session_id": "s1", "agent_id": agent, "agent_type": "coder"}
