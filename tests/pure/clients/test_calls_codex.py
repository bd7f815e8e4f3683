"""A rollout of Codex, told as hooks tell it."""

import pytest

from tests.session_world import THREAD, codex_session, counted, entry, heard, hooks, of_hook, tokens
from verifflowcc.base.formats.session_lines import HookLine, Tokens, TokenSpending
from verifflowcc.history.rules.codex_calls import CodexCall, CodexCalls, ToolAnswer, answer_of, call_of

pytestmark = pytest.mark.vfcc("REQ-HISTORY-IMPORT")


def told(rows: list[dict[str, object]]) -> list[HookLine | TokenSpending]:
    return heard(rows, CodexCalls("file"))


def test_a_rollout_is_told_in_the_order_of_its_hooks() -> None:
    found = told(codex_session())

    assert hooks(found) == ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUse", "Stop"]
    assert {each.words["session_id"] for each in found if isinstance(each, HookLine)} == {THREAD}
    assert of_hook(found, "Stop")[0].words["last_assistant_message"] == "Done."


def test_a_command_says_what_its_hook_says_and_how_it_ended() -> None:
    command, patch = of_hook(told(codex_session()), "PostToolUse")

    assert dict(command.words) == {
        "hook_event_name": "PostToolUse",
        "session_id": THREAD,
        "cwd": "/p",
        "turn_id": "t1",
        "model": "g1",
        "tool_name": "Bash",
        "tool_input": {"command": "false"},
        "tool_use_id": "k1",
        "tool_response": {"output": "half\n", "exit_code": 3},
        "duration_ms": 1005,
    }
    assert patch.words["tool_name"] == "apply_patch"
    assert patch.words["tool_input"]["command"].startswith("*** Begin Patch")
    assert patch.words["context_tokens"] == 100


def test_tokens_are_the_differences_and_add_up_to_the_last_count() -> None:
    spent = [each.tokens for each in told(codex_session()) if isinstance(each, TokenSpending)]

    assert spent == [Tokens(70, 10, 30), Tokens(150, 15, 100)]
    assert sum(spent, Tokens()).context == 350


def test_a_count_that_begins_anew_is_taken_as_it_is() -> None:
    assert tokens(told([*codex_session(), counted(20, 40, 0, 5)])) == Tokens(260, 30, 130)


def test_a_prompt_that_is_told_in_two_ways_is_told_once_in_any_order() -> None:
    typed = entry(2, "event_msg", type="user_message", message="Do it.")
    model = entry(2, "response_item", type="message", role="user", content=[{"text": "Do it."}])
    meta, *_ = codex_session()

    for rows in ([typed, model], [model, typed]):
        assert [each.words["prompt"] for each in of_hook(told([meta, *rows]), "UserPromptSubmit")] == ["Do it."]


def test_where_only_messages_to_the_model_are_told_they_are_the_prompts() -> None:
    meta, _, context, *_ = codex_session()
    model = entry(2, "response_item", type="message", role="user", content=[{"text": "Do it."}])
    more = entry(3, "response_item", type="message", role="user", content=[{"text": "More."}])

    prompts = of_hook(told([meta, context, model, more]), "UserPromptSubmit")
    assert [each.words["prompt"] for each in prompts] == ["Do it.", "More."]


def test_a_subagent_is_one_of_its_parents_session() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "agent_role": None}}}
    meta = entry(0, "session_meta", id="t-9", cwd="/p", source=source)
    end = entry(9, "event_msg", type="task_complete", turn_id="t2", last_agent_message="Found.")
    found = told([meta, end])

    assert hooks(found) == ["SubagentStart", "SubagentStop"]
    names = {
        (each.words["session_id"], each.words["agent_id"], each.words["agent_type"])
        for each in found
        if isinstance(each, HookLine)
    }
    assert names == {(THREAD, "t-9", "default")}


def test_a_compaction_is_told() -> None:
    assert "PostCompact" in hooks(told([*codex_session(), entry(20, "compacted", message="x")]))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"name": "shell", "arguments": '{"command": ["bash", "-lc", "ls -l"]}'},
            CodexCall("Bash", {"command": "ls -l"}),
        ),
        ({"name": "shell", "arguments": '{"command": ["ls", "-l"]}'}, CodexCall("Bash", {"command": "ls -l"})),
        (
            {"name": "exec_command", "arguments": '{"cmd": "ls", "workdir": "/q"}'},
            CodexCall("Bash", {"command": "ls"}, "/q"),
        ),
        ({"name": "exec_command", "arguments": "{oops"}, CodexCall("Bash", {"command": "{oops"})),
        (
            {"name": "wait_agent", "namespace": "multi_agent_v1", "arguments": "{}"},
            CodexCall("multi_agent_v1wait_agent", {}),
        ),
        ({"name": "spawn_agent", "namespace": "multi_agent_v1", "arguments": "{}"}, CodexCall("spawn_agent", {})),
        ({"name": "apply_patch", "arguments": '{"input": "*** P"}'}, CodexCall("apply_patch", {"command": "*** P"})),
    ],
)
def test_tools_have_the_names_of_the_hooks(entry: dict[str, object], expected: CodexCall) -> None:
    assert call_of(entry | {"type": "function_call"}) == expected


def test_a_command_that_goes_on_is_told_when_it_ends() -> None:
    rows = codex_session()[:4]
    going = "Chunk ID: 1\nProcess running with session ID 7\nOutput:\n"
    done = {"type": "CommandExecution", "id": "k1", "aggregated_output": "late\n", "exit_code": 0}
    rows += [
        entry(3, "response_item", type="function_call", name="exec_command", arguments='{"cmd": "x"}', call_id="k1"),
        entry(4, "response_item", type="function_call_output", call_id="k1", output=going),
    ]
    end = entry(9, "event_msg", type="item_completed", item=done)

    (ended,) = of_hook(told([*rows, end]), "PostToolUse")
    assert ended.words["tool_response"] == {"output": "late\n", "exit_code": 0}
    assert ended.words["duration_ms"] == 6000
    assert hooks(told(rows))[-1:] == ["PreToolUse"], "it may end yet"


def test_a_servers_answer_is_the_one_of_its_hook() -> None:
    call = entry(3, "response_item", type="function_call", name="ask", namespace="mcp__s", arguments="{}", call_id="k1")
    text = [{"type": "text", "text": "no"}]
    answer = entry(5, "response_item", type="function_call_output", call_id="k1", output=text)

    def of(result: dict[str, object]) -> HookLine:
        item = {"type": "McpToolCall", "id": "k1", "result": result}
        done = entry(4, "event_msg", type="item_completed", item=item)
        found = [each for each in told([*codex_session()[:4], call, done, answer]) if isinstance(each, HookLine)]
        return found[-1]

    assert of({"content": text, "isError": False}).words["tool_response"] == {"content": text, "isError": False}
    assert of({"content": text, "isError": True}).words["error"] == "no"
    assert of({"content": text}).words["tool_name"] == "mcp__s__ask"


def test_a_local_shell_call_is_a_command() -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "ls"]}
    assert call_of({"type": "local_shell_call", "action": action}) == CodexCall("Bash", {"command": "ls"})
    assert call_of({"type": "message"}) is None


OLDER = '{"output": "no\\n", "metadata": {"exit_code": 1, "duration_seconds": 0.5}}'
NEWER = "Wall time: 1.5 seconds\nProcess exited with code 2\nOutput:\nno\n"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (OLDER, ToolAnswer({"output": "no\n", "exit_code": 1}, "", 500)),
        (NEWER, ToolAnswer({"output": "no\n", "exit_code": 2}, "", 1500)),
        ("Wall time: 0.2 seconds\naborted by user", ToolAnswer(None, "aborted by user", 200)),
        ("unsupported call: x", ToolAnswer(None, "unsupported call: x")),
        ({"content": "bad", "success": False}, ToolAnswer(None, "bad")),
        ("plain text\nOutput:\nExit code: 3", ToolAnswer("plain text\nOutput:\nExit code: 3")),
        ([{"type": "text", "text": "a"}], ToolAnswer("a")),
        (None, ToolAnswer("")),
    ],
)
def test_an_answer_is_read_in_each_of_its_forms(output: object, expected: ToolAnswer) -> None:
    assert answer_of("Bash", output, None) == expected


@pytest.mark.parametrize("payload", [{}, {"type": "token_count", "info": None}, {"type": "item_completed", "item": 3}])
def test_lines_of_any_form_are_borne(payload: dict[str, object]) -> None:
    rows: list[dict[str, object]] = [
        {"payload": payload},
        {"type": "event_msg", "payload": payload, "timestamp": "2026-11-20T10:00:00Z"},
        {"type": "response_item", "payload": payload, "timestamp": 3},
    ]

    assert told(rows) == []
