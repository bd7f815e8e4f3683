"""Clients as text: the command lines that they are started with, what their lines mean, and how they end."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.events import Json
from verifflowcc.run.rules.agent_answers import form_problem
from verifflowcc.run.rules.agent_lines import lacks_session
from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentClient,
    AgentLimits,
    AgentOutcome,
    AgentStep,
    AgentTask,
    AgentUsage,
    StepKind,
)
from verifflowcc.run.rules.claude_agent import ClaudeAgent
from verifflowcc.run.rules.client_choice import CommandAgent, agent_client, client_and_model
from verifflowcc.run.rules.codex_agent import CodexAgent
from verifflowcc.run.rules.role_allowance import claude_tools

TESTER: Mapping[str, Json] = {
    "read": {"paths": ["**"], "never": ["secrets/**"]},
    "search": {"paths": ["**"]},
    "edit": {"paths": ["tests/**"], "never": ["tests/golden/**"]},
    "run": {"commands": ["make check"]},
    "git-read": {},
    "vfcc": {"classes": ["query"]},
}
TASK = AgentTask("/work", "/scratch", "tester", "Do it.", "You test.", "S-1", TESTER, model="large")
READER: Mapping[str, Json] = {"read": {"paths": []}}


def option(argv: Sequence[str], name: str) -> str:
    return argv[argv.index(name) + 1]


def test_claude_gets_the_tools_of_a_role_and_no_other() -> None:
    argv = ClaudeAgent().start(replace(TASK, closed=(".memory/config.yaml",), opened=("docs/plan.md",))).argv

    assert option(argv, "--tools") == "Read,Grep,Glob,Edit,Write,Bash"
    allowed = option(argv, "--allowedTools").split(",")
    assert [each for each in allowed if not each.startswith("Bash(git ")] == [
        *("Read", "Grep", "Glob", "Edit(tests/**)", "Edit(docs/plan.md)"),
        *("Bash(make check:*)", "Bash(vfcc:*)"),
    ]
    assert "Bash(git status:*)" in allowed
    denied = option(argv, "--disallowedTools").split(",")
    assert {"Read(secrets/**)", "Edit(tests/golden/**)", "Edit(.memory/config.yaml)", "Bash(git push:*)"} <= set(denied)
    assert option(argv, "--permission-mode") == "dontAsk"


def test_a_role_that_only_reads_has_no_shell_and_no_editor() -> None:
    assert claude_tools(READER).names == ("Read",)
    assert option(CodexAgent().start(replace(TASK, tools=READER)).argv, "-s") == "read-only"
    assert option(CodexAgent().start(TASK).argv, "-s") == "workspace-write"


def test_a_role_without_a_server_has_none() -> None:
    assert claude_tools(READER).server == ""
    assert "mcp__vfcc" in claude_tools({**READER, "mcp": {}}).allowed
    assert claude_tools({**READER, "mcp": {"servers": ["other"]}}).server == ""


def test_limits_and_the_session_are_given_again_when_claude_resumes() -> None:
    task = replace(TASK, limits=AgentLimits(turns=40, micro_usd=2_500_000))
    start, resume = ClaudeAgent().start(task), ClaudeAgent().resume(task, "The gate is closed.")

    assert (option(start.argv, "--session-id"), option(resume.argv, "--resume")) == ("S-1", "S-1")
    for command in (start, resume):
        assert option(command.argv, "--max-turns") == "40"
        assert option(command.argv, "--max-budget-usd") == "2.500000"
        assert option(command.argv, "--append-system-prompt-file") == "/scratch/role.md"
        assert command.files == {"role.md": "You test."}
    assert (start.stdin, resume.stdin) == (b"Do it.", b"The gate is closed.")


def test_codex_gets_the_role_as_a_string_of_toml() -> None:
    text = 'Say "no".\n\\ \U0001f600 end'

    argv = CodexAgent().start(replace(TASK, role_text=text)).argv

    assert tomllib.loads(option(argv, "-c"))["developer_instructions"] == text
    assert argv[-1] == "-"
    assert CodexAgent().resume(TASK, "more").argv[-4:] == ("resume", "--json", "S-1", "-")


def test_a_role_text_beyond_one_argument_goes_before_the_prompt() -> None:
    command = CodexAgent().start(replace(TASK, role_text="x" * 200_000))

    assert max(map(len, command.argv)) < 128 * 1024
    assert command.stdin.startswith(b"xxx")


def test_a_command_without_a_session_gets_the_whole_prompt_again() -> None:
    agent = CommandAgent(("./agent.sh",))

    assert agent.start(TASK).stdin == b"You test.\n\nDo it."
    assert agent.resume(TASK, "The gate is closed.").stdin == b"You test.\n\nDo it.\n\nThe gate is closed."
    assert agent.start(TASK).environment["VFCC_SESSION"] == "S-1"


def test_agents_are_named_by_client_and_model_or_by_a_command_line() -> None:
    assert client_and_model("codex:large") == ("codex", "large")
    assert client_and_model("claude") == ("claude", "")
    assert client_and_model("sh -c 'a:b'") == ("sh -c 'a:b'", "")
    assert agent_client("codex:large").name == "codex"
    assert agent_client("sh -c 'a b'").name == "sh -c 'a b'"
    for wrong in ("", "sh 'a"):
        with pytest.raises(UsageError):
            agent_client(wrong)
    with pytest.raises(UsageError, match="no model"):
        client_and_model("codex:")


def claude_result(**fields: Any) -> str:
    usual: dict[str, Any] = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "terminal_reason": "completed",
        "result": "x",
    }
    return json.dumps({**usual, **fields})


def failed(message: str) -> str:
    return json.dumps({"type": "turn.failed", "error": {"message": message}})


API: dict[str, Any] = {"is_error": True, "terminal_reason": "api_error"}
ENDINGS: Sequence[tuple[AgentClient, str, int, AgentOutcome]] = (
    (ClaudeAgent(), claude_result(), 0, AgentOutcome.DONE),
    (ClaudeAgent(), claude_result(), 1, AgentOutcome.CRASHED),
    (ClaudeAgent(), "", 0, AgentOutcome.SILENT),
    (ClaudeAgent(), "", 1, AgentOutcome.CRASHED),
    (ClaudeAgent(), "", 143, AgentOutcome.INTERRUPTED),
    (ClaudeAgent(), claude_result(subtype="error_max_turns", is_error=True), 1, AgentOutcome.LIMIT_TURNS),
    (ClaudeAgent(), claude_result(subtype="error_max_budget_usd", is_error=True), 1, AgentOutcome.LIMIT_MONEY),
    (
        ClaudeAgent(),
        claude_result(subtype="error_max_structured_output_retries", is_error=True),
        1,
        AgentOutcome.SCHEMA,
    ),
    (
        ClaudeAgent(),
        claude_result(subtype="error_during_execution", terminal_reason="aborted_tools"),
        0,
        AgentOutcome.INTERRUPTED,
    ),
    (ClaudeAgent(), claude_result(**API, api_error_status=400), 1, AgentOutcome.API_AUTH),
    (ClaudeAgent(), claude_result(**API, api_error_status=401), 1, AgentOutcome.API_AUTH),
    (ClaudeAgent(), claude_result(**API, api_error_status=429), 1, AgentOutcome.API_TRANSIENT),
    (
        ClaudeAgent(),
        claude_result(**API, api_error_status=429, result="Your credit balance is too low"),
        1,
        AgentOutcome.API_QUOTA,
    ),
    (ClaudeAgent(), claude_result(**API, api_error_status=529), 1, AgentOutcome.API_TRANSIENT),
    (ClaudeAgent(), claude_result(**API, api_error_status=None), 1, AgentOutcome.API_TRANSIENT),
    (ClaudeAgent(), claude_result(**API, stop_reason="refusal"), 1, AgentOutcome.REFUSED),
    (ClaudeAgent(), claude_result(**API, api_error="max_output_tokens"), 1, AgentOutcome.LIMIT_TOKENS),
    (CodexAgent(), '{"type":"turn.completed","usage":{"input_tokens":1}}', 0, AgentOutcome.DONE),
    (CodexAgent(), '{"type":"turn.started"}', 0, AgentOutcome.SILENT),
    (CodexAgent(), '{"type":"turn.started"}', -15, AgentOutcome.INTERRUPTED),
    (CodexAgent(), failed("unexpected status 401 Unauthorized: no"), 1, AgentOutcome.API_AUTH),
    (CodexAgent(), failed('{"error": {"type": "invalid_request_error"}}'), 1, AgentOutcome.API_AUTH),
    (CodexAgent(), failed("exceeded retry limit, last status: 429 Too Many Requests"), 1, AgentOutcome.API_TRANSIENT),
    (CodexAgent(), failed("You exceeded your current quota"), 1, AgentOutcome.API_QUOTA),
    (CodexAgent(), failed("stream disconnected before completion"), 1, AgentOutcome.API_TRANSIENT),
)


@pytest.mark.parametrize(("client", "line", "code", "outcome"), ENDINGS)
def test_each_ending_has_its_outcome(client: AgentClient, line: str, code: int, outcome: AgentOutcome) -> None:
    assert client.classify(code, tuple(client.decode(line)), None) is outcome
    assert client.classify(code, tuple(client.decode(line)), AgentOutcome.LIMIT_TIME) is AgentOutcome.LIMIT_TIME


@pytest.mark.parametrize(
    "text",
    ["No conversation found with session ID: x", "Error: thread/resume failed: no rollout found for thread id x"],
)
def test_a_session_that_does_not_exist_is_recognised(text: str) -> None:
    assert lacks_session([AgentStep(StepKind.ERROR, text)])
    assert not lacks_session([AgentStep(StepKind.MESSAGE, text)])


def test_each_answer_of_claude_counts_once_and_its_total_is_the_truth() -> None:
    client = ClaudeAgent()
    partial = '{"type":"stream_event","event":{"type":"message_delta","usage":%s},"api_message_id":"m%s"}'
    usage = '{"input_tokens":100,"output_tokens":%s,"cache_read_input_tokens":5,"cache_creation_input_tokens":6}'
    lines = [partial % (usage % output, turn) for output, turn in ((20, 1), (33, 1), (7, 2))]
    model = {"inputTokens": 300, "outputTokens": 50, "cacheReadInputTokens": 15, "cacheCreationInputTokens": 18}
    total = claude_result(total_cost_usd=0.0012694, modelUsage={"a": model, "b": {"inputTokens": 1}})

    steps = [step for line in lines for step in client.decode(line)]

    assert client.usage(steps, AgentUsage(1, 1, 1, 5)) == AgentUsage(223, 41, 11, 5)
    assert client.usage([*steps, *client.decode(total)], NO_USAGE) == AgentUsage(334, 50, 15, 1269)
    assert client.usage([], NO_USAGE) is None
    assert client.decode('{"type":"stream_event","event":{"type":"content_block_delta"}}') == ()


def test_the_lines_of_a_client_become_steps() -> None:
    command = {"type": "command_execution", "id": "i", "command": "ls", "status": "failed"}
    change = {"type": "file_change", "id": "j", "changes": [{"path": "a"}, {"path": "b"}]}
    lines = [
        {"type": "thread.started", "thread_id": "T"},
        {"type": "item.started", "item": command},
        {"type": "item.completed", "item": command},
        {"type": "item.completed", "item": change},
        {"type": "item.completed", "item": {"type": "mcp_tool_call", "id": "k", "server": "vfcc", "tool": "next"}},
        {"type": "item.completed", "item": {**command, "status": "declined"}},
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "unknown"},
    ]

    steps = [step for line in lines for step in CodexAgent().decode(json.dumps(line))]

    assert [(step.kind.value, step.tool, step.text or step.session, step.failed) for step in steps] == [
        ("started", "", "T", False),
        ("tool", "shell", "ls", False),
        ("tool_ended", "shell", "", True),
        ("tool", "apply_patch", "a, b", False),
        ("tool_ended", "vfcc.next", "", False),
        ("denied", "shell", "ls", False),
        ("retry", "", "Reconnecting... 1/5", False),
    ]


SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["verdict"],
        "additionalProperties": False,
        "properties": {
            "verdict": {"enum": ["pass", "fail"]},
            "blockers": {
                "type": "array",
                "items": {"type": "object", "required": ["path"], "properties": {"line": {"type": "integer"}}},
            },
        },
    }
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"verdict": "pass", "blockers": [{"path": "a", "line": 3}]}', ""),
        ("It is fine.", "the answer is not JSON"),
        ("[]", "the answer is no object"),
        ("{}", "verdict is missing"),
        ('{"verdict": "maybe"}', "verdict is not one of pass, fail"),
        ('{"verdict": "pass", "more": 1}', "more is not expected"),
        ('{"verdict": "fail", "blockers": [{"line": true}]}', "blockers[0].path is missing"),
        ('{"verdict": "fail", "blockers": [{"path": "a", "line": true}]}', "blockers[0].line is no integer"),
    ],
)
def test_an_answer_is_held_to_its_form(text: str, problem: str) -> None:
    assert form_problem(text, SCHEMA) == problem
