"""What other clients say becomes what Claude Code would say, and nothing that they say makes it fail."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client_answers import check_answer
from verifflowcc.base.text.secrets import withhold
from verifflowcc.history.rules import copilot, cursor, gemini
from verifflowcc.history.rules.client import normal_form
from verifflowcc.history.rules.client_entries import EVENTS
from verifflowcc.history.rules.encode import HookAnswer, encode
from verifflowcc.history.rules.event_shape import KINDS, event_of, line_of
from verifflowcc.history.rules.permission import denied, wants_the_program

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "clients").glob("*/*.json"))
CLIENTS = sorted(EVENTS)
KEYS = (
    "hook_event_name",
    "session_id",
    "sessionId",
    "conversation_id",
    "cwd",
    "workspace_roots",
    "tool_name",
    "toolName",
    "tool_input",
    "toolArgs",
    "tool_response",
    "tool_result",
    "toolResult",
    "tool_output",
    "result_json",
    "error",
    "edits",
    "output",
    "command",
    "file_path",
    "path",
    "view_range",
    "start_line",
    "end_line",
    "llmContent",
    "resultType",
    "exitCode",
    "status",
    "content",
    "duration",
)
NAMES = sorted(
    {*cursor.EVENTS, *cursor.OF_ONE_TOOL, *gemini.EVENTS, *copilot.EVENTS, *KINDS}
    | {*cursor.TOOLS, *gemini.TOOLS, *copilot.TOOLS}
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**20),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from((*NAMES, '{"exitCode":1}', '{"path":["a"],"view_range":[1,2]}', "[1", "Exit Code: 7", "\ud800")),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_clients_words_become_claude_codes(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))

    said = normal_form(path.parent.name, case["event"], case["said"])

    assert {key: said.get(key) for key in case["becomes"]} == case["becomes"]
    event = event_of(said, path.parent.name, "/p", "2026-11-22T10:00:00.000Z", "01", withhold)
    assert event is not None
    assert event["gen_ai.conversation.id"]
    assert "a@example.org" not in json.dumps(said)


@pytest.mark.parametrize("client", ["cursor", "gemini", "copilot"])
def test_every_event_that_is_installed_has_a_fixture_and_a_kind(client: str) -> None:
    seen = {path.stem.partition("-")[0] for path in FIXTURES if path.parent.name == client}

    assert set(EVENTS[client]) <= seen
    assert set(EVENTS[client].values()) <= set(KINDS)


def test_a_client_has_all_events_that_are_recorded_unless_it_knows_none_like_it() -> None:
    lacking = {client: sorted(set(KINDS) - set(EVENTS[client].values())) for client in CLIENTS}

    assert lacking == {
        "claude": [],
        "codex": ["PostToolUseFailure"],
        "copilot": ["PostCompact"],
        "cursor": ["PostCompact"],
        "gemini": ["PostCompact", "PostToolUseFailure", "SubagentStart", "SubagentStop"],
    }


def test_a_removed_file_is_one_that_was_changed() -> None:
    said = normal_form(
        "cursor", "preToolUse", {"tool_name": "Delete", "tool_input": {"path": "/p/.memory/sprint/s/events/x"}}
    )

    assert "only vfcc writes there" in denied(said, None, "/p")


def test_an_event_that_nobody_knows_is_kept_under_its_name_and_not_recorded() -> None:
    for client in CLIENTS:
        said = normal_form(client, "", {"hook_event_name": "somethingNew", "x": 1})
        assert (said["hook_event_name"], said["x"]) == ("somethingNew", 1)
        assert event_of(said, client, "/p", "", "", withhold) is None


@settings(max_examples=300, deadline=None)
@given(
    client=st.sampled_from(CLIENTS),
    event=st.sampled_from(("", *NAMES)),
    said=OBJECTS,
    name=st.sampled_from(NAMES) | LEAVES,
    decision=st.sampled_from(("", "deny", "ask", "block", "other")),
    texts=st.tuples(st.text(max_size=20), st.text(max_size=20)),
)
def test_whatever_a_client_says_is_recorded_or_not_and_answered_in_its_form(
    client: str, event: str, said: dict[str, Any], name: Any, decision: str, texts: tuple[str, str]
) -> None:
    plain = normal_form(client, event, {"hook_event_name": name, **said})

    line = line_of(plain, client, "/p", 1_700_000_000_000, b"0123456789", {})
    hook = plain.get("hook_event_name")
    printed, code = encode(client, hook if isinstance(hook, str) else "", HookAnswer(texts[0], decision, texts[1]))

    wants_the_program(plain, {"events": []}, "/p", lambda _: ())
    assert line is None or json.loads(line)["client"] == client
    assert code == 0
    check_answer(client, str(hook), printed)


@pytest.mark.parametrize(
    ("client", "event", "key", "tool"),
    [
        ("copilot", "preToolUse", "toolName", "vfcc-known"),
        ("gemini", "BeforeTool", "tool_name", "mcp_vfcc_known"),
    ],
)
def test_a_tool_of_vfcc_has_one_name_in_all_clients(client: str, event: str, key: str, tool: str) -> None:
    arguments = {"copilot": "toolArgs"}.get(client, "tool_input")
    named = normal_form(client, event, {"hook_event_name": event, key: tool, arguments: {"paths": ["a.py"]}})
    other = normal_form(client, event, {"hook_event_name": event, key: tool.replace("vfcc", "disk"), arguments: {}})

    assert (named["tool_name"], named["tool_input"]) == ("mcp__vfcc__known", {"paths": ["a.py"]})
    assert not other["tool_name"].startswith("mcp__vfcc__")
