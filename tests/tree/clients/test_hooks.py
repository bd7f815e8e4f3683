"""What hooks are answered: the stage's table of tools, what is known of a file, holding at a stop, briefs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.history_world import edit, hooked, prompt, run, stop, tell
from tests.secret_samples import TOKEN
from tests.trees import example, write_memory
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.text.own_text import BEGIN, END
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use import brief as briefs
from verifflowcc.clients.use.brief_text import fitted
from verifflowcc.clients.use.hook_answering import MOST_HOLDS, HookReply
from verifflowcc.history.rules.encode import HookAnswer
from verifflowcc.history.store.partitions import seen_file
from verifflowcc.history.use.history_sharing import learned_in_sessions
from verifflowcc.history.use.questions import file_history
from verifflowcc.memory.use.task_filling import start_task

DONE = "stage/sprint-02/coding/artifacts/changes.md"
KNOWN = "tidewater/calendar.py"
ITEM = f"---\nid: octets\ntype: constraint\ntitle: Lines are folded by octets\nrefs:\n  - path: {KNOWN}\n---\nSo.\n"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A brief has the time that it takes: what it says is tested here, and not how fast this machine is."""
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    """The worked example: `sprint-02` is in `coding`, which owes `changes.*`."""
    return Workspace(example(tmp_path / "project"))


def configure(here: Workspace, **hooks: object) -> None:
    write_memory(here.root, {"config.yaml": f"format: 1\nhooks: {json.dumps(hooks)}\n"})


def say(here: Workspace, event: str, role: str | None = None, client: str = "claude", **said: Any) -> HookReply:
    words = {"hook_event_name": event, "session_id": "s1", "prompt_id": "p1", "cwd": str(here.root), **said}
    return hooked(here.root, words, client=client, role=role)


def before(here: Workspace, tool: str, role: str | None = None, session: str = "s1", **given: object) -> HookAnswer:
    found = say(here, "PreToolUse", role, tool_name=tool, tool_input=given, session_id=session)
    assert found.faults == []
    return found.answer


def events(here: Workspace) -> list[dict[str, Any]]:
    files = sorted((here.local / "history").glob("*.jsonl"))
    return [json.loads(each) for path in files for each in path.read_bytes().splitlines()]


def snapshot(here: Workspace, name: str = "hook.json") -> Any:
    return json.loads((here.local / name).read_text("utf-8"))


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
def test_what_the_stages_table_does_not_list_is_denied_and_recorded(here: Workspace) -> None:
    assert before(here, "Edit", file_path="tidewater/x.py").decision == ""

    answer = before(here, "Edit", "planner", file_path="src/x.py")

    assert answer.decision == "deny"
    assert answer.reason == (
        "the role planner (stage coding) may not edit src/x.py: .memory/agent/planner/tools.yaml allows "
        ".memory/sprint/**, .memory/stage/*/planning/**, .memory/project/items/**"
    )
    assert events(here)[-1]["denied"] == answer.reason
    assert (events(here)[-1]["role"], events(here)[-1]["sprint"], events(here)[-1]["stage"]) == (
        "planner", "sprint-02", "coding"
    )  # fmt: skip


@pytest.mark.parametrize(("setting", "decision"), [("ask", "ask"), ("deny", "deny"), ("off", "")])
def test_the_project_says_what_becomes_of_it(here: Workspace, setting: str, decision: str) -> None:
    configure(here, tools=setting)

    assert before(here, "Edit", "planner", file_path="src/x.py").decision == decision
    record = before(here, "Write", file_path=".memory/sprint/sprint-02/events/x.json")
    assert record.decision == "deny", "the record stays closed, whoever might be asked"


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
def test_what_is_denied_is_denied_where_nothing_can_be_recorded(here: Workspace) -> None:
    here.local.mkdir(parents=True, exist_ok=True)
    (here.local / "history").write_text("no folder", encoding="utf-8")

    found = say(here, "PreToolUse", "planner", tool_name="Edit", tool_input={"file_path": "src/x.py"})

    assert found.answer.decision == "deny"
    assert len(found.faults) == 1


def test_a_broken_table_leaves_its_role_the_least_and_is_a_fault(here: Workspace) -> None:
    write_memory(here.root, {"agent/coder/tools.yaml": "tools: 3\n"})

    found = say(here, "PreToolUse", tool_name="Edit", tool_input={"file_path": "src/x.py"})

    assert found.answer.decision == "deny"
    assert "lists no tool 'edit'" in found.answer.reason
    assert found.faults == [".memory/agent/coder/tools.yaml:1: names no list of tools"]


def test_a_broken_configuration_stops_nobody_and_what_is_said_is_recorded(here: Workspace) -> None:
    (here.memory / "config.yaml").write_text("format: 1\nhooks: {tools: forbid}\n", encoding="utf-8")

    found = say(here, "PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"})

    assert len(found.faults) >= 1
    assert "config.yaml" in found.faults[0]
    assert len(file_history(here, "a.py")) == 1


@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_what_is_known_of_a_file_is_told_once_in_a_session(here: Workspace) -> None:
    write_memory(here.root, {"project/items/constraint/octets.md": ITEM})
    tell(here, prompt(-100, "Fold the lines", session="old", task="p0"), edit(-99, KNOWN, session="old", task="p0"))
    for number in range(3):
        at = -9000 * (number + 1)
        tell(here, edit(at, KNOWN, session="old"), edit(at + 1, "tidewater/fold.py", session="old"))

    context = before(here, "Edit", file_path=KNOWN).context

    assert f"Known of {KNOWN}:" in context
    assert "edit (+1 -1) for “Fold the lines”" in context
    assert "tidewater/fold.py was edited together with it 3 times" in context
    assert "constraint octets, trust human: Lines are folded by octets" in context
    assert before(here, "Write", file_path=KNOWN, content="x") == HookAnswer()
    assert KNOWN in before(here, "Edit", session="s2", file_path=f"{here.root}/{KNOWN}").context
    assert before(here, "Read", session="s3", file_path=KNOWN) == HookAnswer()
    assert Path(seen_file(str(here.local), "s1")).read_text("utf-8") == f"{KNOWN}\n"


def test_of_a_file_that_nobody_knows_nothing_is_told(here: Workspace) -> None:
    assert before(here, "Edit", file_path="tidewater/new.py") == HookAnswer()


def test_a_project_may_want_no_word_of_files(here: Workspace) -> None:
    configure(here, files=False)
    tell(here, edit(-99, KNOWN, session="old"))

    assert before(here, "Edit", file_path=KNOWN) == HookAnswer()


@pytest.mark.vfcc("REQ-HOOK-HOLDS")
def test_an_agent_is_held_while_the_gate_is_closed_for_what_it_can_do_and_let_go_when_it_opens(here: Workspace) -> None:
    configure(here, hold=True)

    first = say(here, "Stop", stop_hook_active=False).answer

    assert first.decision == "block"
    assert first.reason.startswith("The gate of coding (sprint sprint-02) is closed:\n- ")
    assert "changes" in first.reason
    assert first.reason.endswith("Held 1 of 3 times (hooks.hold).")
    write_memory(here.root, {DONE: "Done.\n"})
    assert say(here, "Stop", stop_hook_active=True).answer == HookAnswer()


@pytest.mark.vfcc("REQ-HOOK-HOLDS")
def test_an_agent_is_held_no_more_than_three_times_in_a_row(here: Workspace) -> None:
    configure(here, hold=True)

    held = [say(here, "Stop", stop_hook_active=number > 0).answer.decision for number in range(MOST_HOLDS + 2)]

    assert held == ["block", "block", "block", "", "block"]
    assert say(here, "Stop", stop_hook_active=False).answer.decision == "block", "a new turn begins anew"
    assert say(here, "Stop", agent_id="a1").answer == HookAnswer(), "a subagent is not held"


def test_nobody_is_held_unless_the_project_says_so(here: Workspace) -> None:
    assert say(here, "Stop", stop_hook_active=False).answer == HookAnswer()


@pytest.mark.vfcc("REQ-EPISODE-HOOKS")
def test_a_session_begins_with_where_the_sprint_stands(here: Workspace) -> None:
    tell(here, prompt(-100, "Write the import", session="old"), edit(-99, "src/a.py", session="old"))
    tell(here, stop(-98, "It reads\x1b[31m all.\n## Obey", session="old"))

    context = say(here, "SessionStart", source="startup").answer.context

    lines = context.splitlines()
    assert (lines[0], lines[-1]) == (BEGIN, END)
    assert lines[1].startswith("Sprint sprint-02 “Tides in a calendar” is in stage coding, whose role is coder;")
    assert "The stage coding owes:" in lines
    assert "- next: `vfcc stage put changes.md  # or write " in context
    assert "completed: “Write the import”. Edited: src/a.py. It ended with: “It reads" in context
    assert "\x1b" not in context
    assert "\n## Obey" not in context
    assert say(here, "SessionStart", agent_id="a1").answer == HookAnswer()


@pytest.mark.points(2)
@pytest.mark.parametrize("budget", [0, 1, 30, 60, 120, 400, 2200])
def test_a_brief_is_within_its_budget_and_of_nothing_it_says_nothing(here: Workspace, budget: int) -> None:
    from verifflowcc.history.use.prompt_record import project_counter

    configure(here, brief_tokens=budget)
    for number in range(10):
        tell(here, prompt(-100 - number, f"Task {number} " + "word " * 60, task=f"p{number}", session="old"))

    context = say(here, "SessionStart", source="startup").answer.context

    with project_counter(here) as counter:
        assert (counter.count(context) if context else 0) <= budget
    assert (context != "") is (budget >= 60)


@pytest.mark.vfcc("REQ-AFTER-COMPACTION")
def test_after_a_compaction_a_session_has_the_sprint_its_tasks_and_its_window(here: Workspace) -> None:
    start_task(here, "Teach the walrus to sing", actor="agent:coder")
    say(here, "UserPromptSubmit", prompt="Look at the walrus.")
    edited: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": "src/walrus.py", "old_string": "a", "new_string": "b"},
    }
    say(here, "PostToolUse", **edited, tool_use_id="t1", tool_response={})
    say(here, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t2", error="Error 2")

    assert say(here, "PreCompact", trigger="auto") == HookReply()
    context = say(here, "SessionStart", source="compact").answer.context

    for fact in (
        "Sprint sprint-02",
        "in stage coding",
        "Teach the walrus to sing",
        "Look at the walrus.",
        "src/walrus.py",
    ):
        assert fact in context
    assert "Failed, and not passed since:\n- Bash make" in context
    assert "What this session did before" not in say(here, "SessionStart", source="startup").answer.context
    snapshots = list((here.local / "windows").rglob("*.snapshots/*.json"))
    assert len(snapshots) == 1


@pytest.mark.vfcc("REQ-AFTER-COMPACTION")
def test_after_a_compaction_no_test_is_called_failed_that_passed_under_another_command(here: Workspace) -> None:
    """Statement 9 of the report: the brief claimed “not passed since” of a test that `pytest -q` had passed."""
    say(here, "UserPromptSubmit", prompt="Fix the walrus.")
    failed = "Exit code 1\nFAILED tests/test_walrus.py::test_song - assert 1 == 2\n1 failed in 0.12s"
    lines = ("pytest tests/test_walrus.py::test_song", "pytest -q")
    runs: list[dict[str, Any]] = [{"tool_name": "Bash", "tool_input": {"command": line}} for line in lines]
    one, every = runs
    say(here, "PostToolUseFailure", **one, tool_use_id="t1", error=failed)
    say(here, "PostToolUse", **every, tool_use_id="t2", tool_response={"stdout": "9 passed in 0.2s"})
    say(here, "PreCompact", trigger="auto")
    say(here, "SubagentStop", agent_id="a1", last_assistant_message="<summary>The walrus sings.</summary>")

    context = say(here, "SessionStart", source="compact").answer.context

    assert "Fix the walrus." in context
    assert "Failed" not in context
    assert "The walrus sings." not in context


def test_parts_are_left_out_by_lines_and_their_number_is_told() -> None:
    parts = [("One", [f"{number} " + "x" * 50 for number in range(9)]), ("Two", ["short"])]

    text = fitted(parts, 300, len)

    assert len(text) <= 300
    assert "One:\n- 0 x" in text
    assert re.search(r"\nNot shown: [4-9] lines \(vfcc memory search, vfcc history show\)\.\n", text)
    assert fitted(parts, 10, len) == fitted([], 300, len) == ""


def test_each_prompt_gets_the_items_that_fit_it_unless_the_project_switches_that_off(here: Workspace) -> None:
    write_memory(here.root, {"project/items/constraint/octets.md": ITEM})
    configure(here, recall=False)
    assert say(here, "UserPromptSubmit", prompt="How are lines folded by octets?").answer == HookAnswer()
    configure(here)

    context = say(here, "UserPromptSubmit", prompt="How are lines folded by octets?").answer.context

    assert "- constraint octets, trust human: Lines are folded by octets" in context
    assert say(here, "UserPromptSubmit", prompt="zebra").answer == HookAnswer()
    assert say(here, "UserPromptSubmit", prompt="  ").answer == HookAnswer()


@pytest.mark.vfcc("REQ-EPISODE-LEARNINGS")
def test_at_its_end_a_session_is_learnt_from_and_shared_where_the_project_says_so(here: Workspace) -> None:
    configure(here, share="session")
    tell(here, prompt(0, "Fix it"), edit(1, "a.py"), run(2, "make"), edit(3, "a.py"), run(4, "make"))

    assert say(here, "SessionEnd", reason="other").answer == HookAnswer()

    assert {each.subject for each in learned_in_sessions(here)} == {"a.py", "make"}
    assert len(list((here.memory / "history").iterdir())) == 1


def test_a_project_that_records_nothing_learns_and_shares_nothing(here: Workspace) -> None:
    configure(here, record=False, share="session")

    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        say(here, event, prompt="x")

    assert not (here.local / "history").exists()
    assert not (here.memory / "history").exists()


@pytest.mark.vfcc("REQ-NOT-TRACKED")
def test_nothing_that_is_answered_or_left_behind_holds_a_secret(here: Workspace) -> None:
    tell(here, prompt(-9, f"Use {TOKEN}", session="old"), stop(-8, f"I used {TOKEN}.", session="old"))
    told = [
        say(here, "SessionStart").answer.context,
        before(here, "Edit", "planner", file_path=f"src/{TOKEN}.py").reason,
    ]

    assert TOKEN not in told[0]
    left = b"".join(path.read_bytes() for path in here.local.rglob("*") if path.is_file())
    assert TOKEN.encode() not in left


def test_the_snapshot_says_where_agents_stand(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    configure(here, hold=True)
    say(here, "Stop")
    say(here, "Stop", "planner")

    found = snapshot(here)

    assert (found["role"], found["sprint"], found["stage"]) == ("coder", "sprint-02", "coding")
    assert found["events"] == ["SessionStart", "SubagentStart", "PreCompact", "SessionEnd", "Stop"]
    assert (found["recall"], found["room"]) == (True, 500)
    assert found["rules"]["tools"]["edit"]["paths"] == ["tidewater/**", "tests/**"]
    assert snapshot(here, "hook-planner.json")["rules"]["role"] == "planner"
