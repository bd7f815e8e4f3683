"""What real clients do is recorded by `vfcc hook`, each event once and in order, and what it answers is heeded."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.hooked import events, kinds, prepare, vfcc
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Request, Say, Turn, Usage, calls
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.own_text import BEGIN, END

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

FULL = Usage(input=190_000)
PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
 three
*** End Patch
"""
GATED = """\
name: gated
title: Gated
stages:
  - id: code
    title: Code
    leg: apex
    role: coder
    artifacts: ["report.md"]
    exit:
      - {id: report, kind: artifact, files: ["report.*"], mode: hard}
"""
HOLDING = "format: 1\nworkflow: gated\nhooks:\n  hold: true\n"


def brief_in(text: str) -> str:
    """Return what stands between our marks in what a model was sent."""
    assert BEGIN in text
    return text[text.index(BEGIN) : text.index(END) + len(END)]


def digest(desk: Desk) -> str:
    """Return the digest of the file that was edited, as it is now."""
    return digest_bytes((desk.folder / "a.txt").read_bytes())


def test_what_claude_does_is_recorded_each_event_once_and_in_order(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude")
    file = str(desk.folder / "a.txt")
    script = {
        MAIN: [
            calls("Read", file_path=file),
            calls("Edit", file_path=file, old_string="two", new_string="TWO"),
            calls("Bash", command="cat a.txt", description="look"),
            calls("Grep", pattern="TWO", path=str(desk.folder)),
            calls("Bash", command="echo half; exit 3", description="fail"),
            Turn("All done.\n\nAnd more that nobody needs."),
        ]
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Change a.txt, please.")

    assert (ran.code, server.left()) == (0, {}), ran
    found = events(desk)
    assert kinds(found) == [
        "session_start:startup",
        "prompt",
        *(f"{when}:{tool}" for tool in ("Read", "Edit", "Bash", "Grep") for when in ("tool_start", "tool_execution")),
        "tool_start:Bash",
        "tool_execution:Bash",
        "turn_end",
        "session_end",
    ]
    assert len({event["id"] for event in found}) == len(found)
    assert len({event["gen_ai.conversation.id"] for event in found}) == 1
    made = [event for event in found if event["kind"] == "tool_execution"]
    assert [event["success"] for event in made] == [True, True, True, True, False]
    assert [event.get("files") for event in made[:3]] == [
        [{"path": "a.txt", "operation": "read"}],
        [{"path": "a.txt", "operation": "edit", "lines": [2, 2], "changes": "+1 -1", "digest": digest(desk)}],
        [{"path": "a.txt", "operation": "read"}],
    ]
    assert made[4]["error.message"] == "Exit code 3\nhalf"
    assert all(event["duration_ms"] >= 0 for event in made)
    (task,) = json.loads(vfcc(desk, "history", "show", "--by", "task", "--all", "--json"))["data"]
    assert (task["description"], task["status"], task["outcome"]) == ("Change a.txt, please.", "completed", "All done.")
    assert dict(task["tools"]) == {"Bash": 2, "Edit": 1, "Grep": 1, "Read": 1}


def test_what_codex_does_is_recorded_with_how_commands_ended(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex")
    script = {
        MAIN: [
            calls("exec_command", cmd="cat a.txt"),
            Turn(calls=(Call("apply_patch", PATCH),)),
            calls("exec_command", cmd="echo half; exit 3"),
            Turn("All done."),
        ]
    }

    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Change a.txt, please.")

    assert (ran.code, server.left()) == (0, {}), ran
    found = events(desk)
    assert kinds(found) == [
        "session_start:startup",
        "prompt",
        *(f"{when}:{tool}" for tool in ("Bash", "apply_patch", "Bash") for when in ("tool_start", "tool_execution")),
        "turn_end",
        "session_end",
    ]
    made = [event for event in found if event["kind"] == "tool_execution"]
    assert [event["success"] for event in made] == [True, True, False]
    assert [event.get("files") for event in made[:2]] == [
        [{"path": "a.txt", "operation": "read"}],
        [{"path": "a.txt", "operation": "edit", "changes": "+1 -1", "digest": digest(desk)}],
    ]
    assert made[2]["error.message"] == "exit code 3\nhalf"


def test_claude_begins_with_the_brief_and_has_it_again_with_its_window_after_a_compaction(
    claude: Path, desk: Desk
) -> None:
    prepare(desk, "claude", sprint=True)
    with serving({MAIN: [calls("Read", file_path=str(desk.folder / "a.txt")), Turn("First answer.")]}) as server:
        first = run_claude(claude, desk.folder, desk.home, server, "Look at the walrus.")
        session = first.of_type("result")[0]["session_id"]
        began = server.asked()[0]
        server.say(Turn(calls=(Call("Bash", {"command": "cat a.txt"}),), usage=FULL), Turn("Second answer."))
        ran = run_claude(
            claude,
            desk.folder,
            desk.home,
            server,
            "Go on.",
            resume=session,
            extra=["--autocompact", "100000"],
        )

    assert (first.code, ran.code, server.left()) == (0, 0, {}), ran
    start = next(text for _, text in began.texts() if BEGIN in text)
    assert f"SessionStart hook additional context: {brief_in(start)}" in start
    assert "Sprint login “Login” is in stage planning, whose role is planner" in brief_in(start)
    assert "session_start:compact" in kinds(events(desk))
    again = [text for _, text in server.asked()[-1].texts() if BEGIN in text][-1]
    assert "Sprint login “Login” is in stage planning" in brief_in(again)
    assert "What this session did before its context was compacted" in brief_in(again)
    assert "Look at the walrus." in brief_in(again)
    assert "a.txt" in brief_in(again)


def test_codex_has_the_brief_verbatim_and_again_after_a_compaction(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex", sprint=True)
    limit = "model_auto_compact_token_limit = 20000"
    vfcc(desk, "task", "start", "Teach the walrus to log in")
    with serving({MAIN: [Turn("First answer.")]}) as server:
        first = run_codex(codex, desk.folder, desk.home, server, "Look at the walrus.")
        thread = first.of_type("thread.started")[0]["thread_id"]
        server.say(Turn(calls=(Call("exec_command", {"cmd": "cat a.txt"}),), usage=FULL), Turn("Second answer."))
        ran = run_codex(codex, desk.folder, desk.home, server, "Go on.", config=limit, resume=thread)

    assert (first.code, ran.code, server.left()) == (0, 0, {}), ran
    texts = [text for role, text in server.asked()[0].texts() if role == "developer"]
    assert any(text == brief_in(text) for text in texts if BEGIN in text)
    again = [text for role, text in server.asked()[-1].texts() if role == "developer" and BEGIN in text][-1]
    for fact in ("Sprint login", "Teach the walrus to log in", "Look at the walrus.", "a.txt"):
        assert fact in again


def test_claude_may_not_edit_in_a_stage_that_only_reads(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", sprint=True)
    file = str(desk.folder / "a.txt")
    look, edit = calls("Read", file_path=file), calls("Edit", file_path=file, old_string="two", new_string="TWO")
    command = calls("Bash", command="rm a.txt", description="try")

    with serving({MAIN: [look, edit, command, Turn("I may not.")]}) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Change it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert (desk.folder / "a.txt").read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    assert server.asked()[2].holds("the role planner (stage planning) may not edit a.txt")
    assert server.asked()[3].holds("may not run commands")
    denied = [event for event in events(desk) if "denied" in event]
    assert [event["gen_ai.tool.name"] for event in denied] == ["Edit", "Bash"]


def test_codex_may_not_edit_in_a_stage_that_only_reads(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex", sprint=True)
    script = {MAIN: [calls("exec_command", cmd="cat a.txt"), Turn(calls=(Call("apply_patch", PATCH),)), Turn("No.")]}

    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Change it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert (desk.folder / "a.txt").read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    assert server.asked()[-1].holds("may not edit a.txt")


def test_no_agent_writes_what_vfcc_records(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", files={".memory/config.yaml": "format: 1\nhooks: {tools: 'off'}\n"}, sprint=True)
    event = next((desk.folder / ".memory/sprint/login/events").glob("*.json"))
    before = event.read_bytes()
    script = {
        MAIN: [
            calls("Read", file_path=str(event)),
            calls("Write", file_path=str(event), content="{}"),
            calls("Bash", command=f"echo '{{}}' > {event}", description="try"),
            Turn("No."),
        ]
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Forge it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert event.read_bytes() == before
    assert server.asked()[-1].holds("only vfcc writes there")


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_closed_gate_holds_an_agent_and_lets_go_when_it_opens(
    client: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    program: Path = request.getfixturevalue(client)
    prepare(desk, client, files={".memory/workflow.yaml": GATED, ".memory/config.yaml": HOLDING}, sprint=True)
    report = ".memory/stage/login/code/artifacts/report.md"
    text = "# Report\\n\\nAll units are built, and their tests pass.\\n"
    command = f"mkdir -p $(dirname {report}) && printf '{text}' > {report}"
    act = (
        calls("Bash", command=command, description="report")
        if client == "claude"
        else calls("exec_command", cmd=command)
    )

    with serving({MAIN: [Turn("Done."), act, Turn("Reported.")]}) as server:
        run = run_claude if client == "claude" else run_codex
        ran = run(program, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert len(server.asked()) == 3
    assert server.asked()[1].holds("The gate of code (sprint login) is closed:")
    assert server.asked()[1].holds("report")
    assert kinds(events(desk)).count("turn_end") == 2


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_gate_that_stays_closed_lets_go_after_three_times(
    client: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    program: Path = request.getfixturevalue(client)
    prepare(desk, client, files={".memory/workflow.yaml": GATED, ".memory/config.yaml": HOLDING}, sprint=True)

    with serving({MAIN: [Turn(f"Done {number}.") for number in range(4)]}) as server:
        run = run_claude if client == "claude" else run_codex
        ran = run(program, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left(), len(server.asked())) == (0, {}, 4), ran


def test_a_subagent_of_claude_is_recorded_as_one(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude")
    task = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}
    script: dict[str, list[Say]] = {
        MAIN: [calls("Agent", **task, run_in_background=False), Turn("Main done.")],
        "INQUIRY": [calls("Read", file_path=str(desk.folder / "a.txt")), Turn("Three lines.")],
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left()) == (0, {}), ran
    found = events(desk)
    names = kinds(found)
    assert [name for name in names if name.startswith("subagent")] == ["subagent_start", "subagent_end"]
    read = next(event for event in found if event.get("gen_ai.tool.name") == "Read")
    assert read["gen_ai.agent.name"] == "general-purpose"
    assert [event["description"] for event in found if event["kind"] == "prompt"] == ["Do it."]


def test_a_file_that_was_edited_before_is_known_to_the_next_session(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", files={"b.py": "# vfcc: REQ-WALRUS\n"})
    file = str(desk.folder / "a.txt")
    edit = [
        calls("Read", file_path=file),
        calls("Edit", file_path=file, old_string="two", new_string="TWO"),
        calls("Edit", file_path=file, old_string="TWO", new_string="2"),
        Turn("Done."),
    ]
    again = [
        calls("Read", file_path=file),
        calls("Edit", file_path=file, old_string="2", new_string="zwei"),
        calls("Edit", file_path=file, old_string="zwei", new_string="deux"),
        Turn("Done."),
    ]
    with serving({MAIN: [*edit, *again]}) as server:
        run_claude(claude, desk.folder, desk.home, server, "Say two in capitals.")
        told = [each for each in server.asked() if each.holds("Known of a.txt")]
        ran = run_claude(claude, desk.folder, desk.home, server, "Say it in another language.")

    assert (ran.code, server.left(), told) == (0, {}, []), ran
    assert server.asked()[-1].holds("for “Say two in capitals.”")
    assert sum(text.count("Known of a.txt") for _, text in server.asked()[-1].texts()) == 1


def test_without_a_project_a_hook_is_silent(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude")
    subprocess.run(["rm", "-r", str(desk.folder / ".memory")], check=True)

    with serving({MAIN: [calls("Bash", command="cat a.txt", description="look"), Turn("Done.")]}) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert not any(each.holds("vfcc") for each in server.asked())
    assert not (desk.folder / ".memory").exists()


def test_a_subagent_of_claude_has_its_brief_in_its_first_request(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", sprint=True)
    task = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}
    script: dict[str, list[Say]] = {
        MAIN: [calls("Agent", **task, run_in_background=False), Turn("Main done.")],
        "INQUIRY": [calls("Read", file_path=str(desk.folder / "a.txt")), Turn("Three lines.")],
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left()) == (0, {}), ran
    first = server.asked("INQUIRY")[0]
    start = next(text for _, text in first.texts() if "SubagentStart hook additional context" in text)
    assert "Sprint login “Login” is in stage planning" in brief_in(start)
    assert "The role planner may read and search all files" in brief_in(start)


def test_a_subagent_of_codex_has_its_brief_in_its_first_request(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex", sprint=True)

    def wait(request: Request) -> Turn:
        agent = json.loads([text for role, text in request.texts() if role == "tool"][-1])["agent_id"]
        return calls("multi_agent_v1.wait_agent", targets=[agent], timeout_ms=30_000)

    script: dict[str, list[Say]] = {
        MAIN: [calls("multi_agent_v1.spawn_agent", message="INQUIRY: read it."), wait, Turn("Main done.")],
        "INQUIRY": [Turn("Three lines.")],
    }

    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Do it.")

    assert (ran.code, server.left()) == (0, {}), ran
    briefs = [brief_in(text) for _, text in server.asked("INQUIRY")[0].texts() if BEGIN in text]
    assert any("The role planner may read and search all files" in each for each in briefs)
