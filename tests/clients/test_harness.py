"""The clients are real, the model is not: what a script says is done in the folder, and hooks see it and are heard."""

import json
from pathlib import Path

import pytest

from tests.clients.codex_trust import trusted
from tests.clients.conftest import Desk
from tests.clients.hook_log import HookLog, context, denial
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Request, Say, Turn, Usage, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
 three
*** Add File: b.txt
+fresh
*** End Patch
"""
FULL = Usage(input=190_000)


def test_claude_works_in_the_folder_and_hooks_see_each_tool(claude: Path, desk: Desk) -> None:
    hook, file = HookLog(desk.log), str(desk.folder / "a.txt")
    script = {
        MAIN: [
            calls("Read", file_path=file),
            calls("Edit", file_path=file, old_string="two", new_string="TWO"),
            calls("Write", file_path=str(desk.folder / "b.txt"), content="fresh\n"),
            calls("Bash", command="cat b.txt", description="look"),
            calls("Grep", pattern="TWO", output_mode="content"),
            calls("Bash", command="echo half; exit 3", description="fail"),
            Turn("All done.", usage=Usage(input=7, output=5, cache_read=3, cache_write=2)),
        ]
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.", settings=hook.claude_settings())

    assert (ran.code, server.left(), server.of_kind("absent")) == (0, {}, []), ran
    assert (desk.folder / "a.txt").read_text(encoding="utf-8") == "one\nTWO\nthree\n"
    assert (desk.folder / "b.txt").read_text(encoding="utf-8") == "fresh\n"
    tools = ["Read", "Edit", "Write", "Bash", "Grep"]
    assert hook.events() == [
        "SessionStart:startup",
        "UserPromptSubmit",
        *(f"{when}:{tool}" for tool in tools for when in ("PreToolUse", "PostToolUse")),
        "PreToolUse:Bash",
        "PostToolUseFailure:Bash",
        "Stop",
        "SessionEnd",
    ]
    assert hook.payloads("PostToolUse", tool_name="Grep")[0]["tool_response"]["content"] == "a.txt:2:TWO"
    assert hook.payloads("PostToolUseFailure")[0]["error"] == "Exit code 3\nhalf"
    assert hook.payloads("Stop")[0]["last_assistant_message"] == "All done."
    assert server.asked()[-1].holds("Exit code 3\nhalf")
    usage = ran.of_type("result")[-1]["modelUsage"]["claude-sonnet-4-5"]
    assert (usage["inputTokens"], usage["outputTokens"]) == (607, 65)
    assert (usage["cacheReadInputTokens"], usage["cacheCreationInputTokens"]) == (3, 2)
    assert [path.stem for path in ran.transcripts] == [hook.payloads("Stop")[0]["session_id"]]


def test_claude_heeds_what_hooks_answer(claude: Path, desk: Desk) -> None:
    answers = {
        "SessionStart": context("SessionStart", "The build is green."),
        "UserPromptSubmit": context("UserPromptSubmit", "The sprint is login."),
        "PreToolUse:Bash": denial("No commands today."),
        "PostToolUse:Read": context("PostToolUse", "The file has three lines."),
        "Stop": [{"decision": "block", "reason": "Write the report first."}],
    }
    hook = HookLog(desk.log, answers)
    script = {
        MAIN: [
            calls("Read", file_path=str(desk.folder / "a.txt")),
            calls("Bash", command="touch forbidden", description="try"),
            Turn("Done."),
            Turn("Reported."),
        ]
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.", settings=hook.claude_settings())

    assert (ran.code, server.left()) == (0, {}), ran
    first, second, third, last = server.asked()
    assert first.holds("SessionStart hook additional context: The build is green.")
    assert first.holds("UserPromptSubmit hook additional context: The sprint is login.")
    assert not first.holds("three lines")
    assert second.holds("PostToolUse:Read hook additional context: The file has three lines.")
    assert third.holds("PreToolUse:Bash hook error: No commands today.")
    assert last.holds("Stop hook feedback:\nWrite the report first.")
    assert not (desk.folder / "forbidden").exists()
    assert [each["stop_hook_active"] for each in hook.payloads("Stop")] == [False, True]


def test_claude_starts_a_subagent_with_a_conversation_of_its_own(claude: Path, desk: Desk) -> None:
    hook = HookLog(desk.log, {"SubagentStart": context("SubagentStart", "Only look at the text.")})
    task = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}
    script = {
        MAIN: [Turn(calls=(Call("Agent", {**task, "run_in_background": False}),)), Turn("Main done.")],
        "INQUIRY": [calls("Read", file_path=str(desk.folder / "a.txt")), Turn("Three lines.", usage=Usage(input=55))],
    }

    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.", settings=hook.claude_settings())

    assert (ran.code, server.left()) == (0, {}), ran
    assert hook.events()[2:-2] == [
        "PreToolUse:Agent",
        "SubagentStart",
        "PreToolUse:Read",
        "PostToolUse:Read",
        "SubagentStop",
        "PostToolUse:Agent",
    ]
    assert server.asked("INQUIRY")[0].holds("SubagentStart hook additional context: Only look at the text.")
    assert server.asked()[-1].holds("Three lines.")
    stopped = hook.payloads("SubagentStop")[0]
    assert Path(stopped["agent_transcript_path"]) in ran.transcripts
    assert hook.payloads("PreToolUse", tool_name="Read")[0]["agent_id"] == stopped["agent_id"]


def test_claude_goes_on_with_a_session_and_compacts_it(claude: Path, desk: Desk) -> None:
    hook = HookLog(desk.log, {"SessionStart:compact": context("SessionStart", "The sprint is login.")})
    settings = hook.claude_settings()

    with serving({MAIN: [Turn("First answer.")]}) as server:
        session = run_claude(claude, desk.folder, desk.home, server, "One.", settings=settings).lines[0]["session_id"]
        server.say(calls("Bash", command="echo 1"), Turn(calls=(Call("Bash", {"command": "echo 2"}),), usage=FULL))
        server.say(Turn("Second answer."))
        ran = run_claude(
            claude,
            desk.folder,
            desk.home,
            server,
            "Two.",
            settings=settings,
            resume=session,
            extra=["--autocompact", "100000"],
        )

    assert (ran.code, server.left()) == (0, {}), ran
    assert {each["session_id"] for each in hook.payloads()} == {session}
    assert [each["source"] for each in hook.payloads("SessionStart")] == ["startup", "resume", "compact"]
    assert [each["trigger"] for each in hook.payloads("PreCompact")] == ["auto"]
    assert len(server.of_kind("compact")) == 1
    assert hook.payloads("PostCompact")[0]["compact_summary"] == server.summary
    last = server.asked()[-1]
    assert last.holds("SessionStart hook additional context: The sprint is login.")
    assert last.holds("The summary of the scripted model.")
    assert not last.holds("First answer.")


def test_codex_works_in_the_folder_and_hooks_see_most_tools(codex: Path, desk: Desk) -> None:
    hook = HookLog(desk.log)
    script = {
        MAIN: [
            calls("exec_command", cmd="cat a.txt"),
            Turn(calls=(Call("apply_patch", PATCH),)),
            calls("exec_command", cmd="echo half; exit 3"),
            Turn(calls=(Call("apply_patch", PATCH),)),
            Turn("All done.", usage=Usage(input=7, output=5, cache_read=3)),
        ]
    }

    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Do it.", hooks=hook.codex_hooks())

    assert (ran.code, server.left(), server.of_kind("absent")) == (0, {}, []), ran
    assert (desk.folder / "a.txt").read_text(encoding="utf-8") == "one\nTWO\nthree\n"
    assert (desk.folder / "b.txt").read_text(encoding="utf-8") == "fresh\n"
    assert hook.events() == [
        "SessionStart:startup",
        "UserPromptSubmit",
        "PreToolUse:Bash",
        "PostToolUse:Bash",
        "PreToolUse:apply_patch",
        "PostToolUse:apply_patch",
        "PreToolUse:Bash",
        "PostToolUse:Bash",
        "PreToolUse:apply_patch",  # a patch that does not fit is told nobody
        "Stop",
        "SessionEnd",
    ]
    assert [each["tool_response"] for each in hook.payloads("PostToolUse", tool_name="Bash")] == [
        "one\ntwo\nthree\n",
        "half\n",
    ]
    assert ran.of_type("turn.completed")[0]["usage"]["input_tokens"] == 410
    assert [str(path) for path in ran.transcripts] == [hook.payloads("Stop")[0]["transcript_path"]]


def test_codex_heeds_what_hooks_answer(codex: Path, desk: Desk) -> None:
    answers = {
        "SessionStart": context("SessionStart", "The build is green."),
        "UserPromptSubmit": context("UserPromptSubmit", "The sprint is login."),
        "PreToolUse:Bash": [denial("No commands today.")],
        "PostToolUse:Bash": context("PostToolUse", "The file has three lines."),
        "Stop": [{"decision": "block", "reason": "Write the report first."}],
    }
    hook = HookLog(desk.log, answers)
    touch, look = calls("exec_command", cmd="touch forbidden"), calls("exec_command", cmd="cat a.txt")

    with serving({MAIN: [touch, look, Turn("Done."), Turn("Reported.")]}) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Do it.", hooks=hook.codex_hooks())

    assert (ran.code, server.left()) == (0, {}), ran
    first, second, third, last = server.asked()
    assert ("developer", "The build is green.") in first.texts()
    assert ("developer", "The sprint is login.") in first.texts()
    assert second.holds("Command blocked by PreToolUse hook: No commands today.")
    assert ("developer", "The file has three lines.") in third.texts()
    assert last.holds(">Write the report first.</hook_prompt>")
    assert not (desk.folder / "forbidden").exists()
    assert [each["stop_hook_active"] for each in hook.payloads("Stop")] == [False, True]


def test_codex_starts_a_subagent_with_a_conversation_of_its_own(codex: Path, desk: Desk) -> None:
    hook = HookLog(desk.log)
    script: dict[str, list[Say]] = {
        MAIN: [calls("multi_agent_v1.spawn_agent", message="INQUIRY: read it."), _wait, Turn("Main done.")],
        "INQUIRY": [calls("exec_command", cmd="cat a.txt"), Turn("Three lines.")],
    }

    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Do it.", hooks=hook.codex_hooks())

    assert (ran.code, server.left()) == (0, {}), ran
    stopped = hook.payloads("SubagentStop")[0]
    assert stopped["last_assistant_message"] == "Three lines."
    assert Path(stopped["agent_transcript_path"]) in ran.transcripts
    assert hook.payloads("PostToolUse", tool_name="Bash")[0]["agent_id"] == stopped["agent_id"]
    assert server.asked()[-1].holds("Three lines.")


def _wait(request: Request) -> Turn:
    """Wait for the agent that the last answer of a tool names."""
    agent = json.loads([text for role, text in request.texts() if role == "tool"][-1])["agent_id"]
    return calls("multi_agent_v1.wait_agent", targets=[agent], timeout_ms=30_000)


def test_codex_goes_on_with_a_session_and_compacts_it(codex: Path, desk: Desk) -> None:
    hook = HookLog(desk.log, {"SessionStart:compact": context("SessionStart", "The sprint is login.")})
    hooks, limit = hook.codex_hooks(), "model_auto_compact_token_limit = 20000"

    with serving({MAIN: [Turn("First answer.")]}) as server:
        first = run_codex(codex, desk.folder, desk.home, server, "One.", hooks=hooks)
        thread = first.of_type("thread.started")[0]["thread_id"]
        server.say(Turn(calls=(Call("exec_command", {"cmd": "echo 2"}),), usage=FULL), Turn("Second answer."))
        ran = run_codex(codex, desk.folder, desk.home, server, "Two.", hooks=hooks, config=limit, resume=thread)

    assert (ran.code, server.left()) == (0, {}), ran
    assert {each["session_id"] for each in hook.payloads()} == {thread}
    assert [each["source"] for each in hook.payloads("SessionStart")] == ["startup", "resume", "compact"]
    assert [each["trigger"] for each in hook.payloads("PostCompact")] == ["auto"]
    assert len(server.of_kind("compact")) == 1
    last = server.asked()[-1]
    assert ("developer", "The sprint is login.") in last.texts()
    assert last.holds("The summary of the scripted model.")
    assert not last.holds("First answer.")


def test_codex_runs_hooks_of_a_project_only_where_they_are_trusted(codex: Path, desk: Desk) -> None:
    hook = HookLog(desk.log)
    hooks = desk.folder / ".codex" / "hooks.json"
    hooks.parent.mkdir()
    hooks.write_text(json.dumps(hook.codex_hooks()), encoding="utf-8")

    with serving({MAIN: []}) as server:
        run_codex(codex, desk.folder, desk.home, server, "One.", trust=False)
        assert hook.events() == []
        run_codex(codex, desk.folder, desk.home, server, "Two.", trust=False, config=trusted(hooks))

    assert hook.events() == ["SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd"]


def test_what_goes_wrong_in_a_script_fails_the_test(codex: Path, desk: Desk) -> None:
    def fail(request: Request) -> Turn:
        raise LookupError(request.kind)

    with pytest.raises(LookupError, match="turn"), serving({MAIN: [fail]}) as server:
        run_codex(codex, desk.folder, desk.home, server, "Do it.")
