"""What Codex leaves in its rollout of how a command ended, and answers in the form that Claude Code takes."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.codex import outcome_in, wants_outcome, with_outcome
from verifflowcc.history.rules.encode import MOST_CHARACTERS, HookAnswer, encode

SAID = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": "half\n", "tool_use_id": "call_1"}


def line(call: str = "call_1", code: object = 3, **more: object) -> bytes:
    item = {"type": "CommandExecution", "id": call, "exit_code": code, "status": "failed", **more}
    value = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def test_the_exit_code_and_the_duration_come_from_the_rollout() -> None:
    tail = line("call_0", 0) + line(duration={"secs": 1, "nanos": 500_000_000}) + b'{"type":"other"}\n'

    found = with_outcome(dict(SAID), b'torn"}\n' + tail)

    assert found == SAID | {"tool_response": {"output": "half\n", "exit_code": 3}, "duration_ms": 1500}


@pytest.mark.parametrize(
    "tail",
    [b"", line("call_2"), line(code=None), line(code="3"), line()[:-20], b"\xff\xfe", line().replace(b"Command", b"X")],
)
def test_what_the_rollout_does_not_tell_stays_unknown(tail: bytes) -> None:
    assert with_outcome(dict(SAID), tail) == SAID


@pytest.mark.parametrize("early", [b"", line("call_0", 0)])
def test_an_outcome_that_is_written_after_the_hook_began_counts(early: bytes) -> None:
    found = outcome_in(dict(SAID), [early, early, early + line()])

    assert found["tool_response"] == {"output": "half\n", "exit_code": 3}


def test_no_hook_waits_where_codex_writes_no_outcomes() -> None:
    older = b'{"payload":{"type":"function_call_output","call_id":"call_0"}}\n'
    looked = iter([older, older + line()])

    assert outcome_in(dict(SAID), looked) == SAID
    assert len(list(looked)) == 1
    assert outcome_in(dict(SAID), [b"", line("call_2")]) == SAID


@settings(deadline=None)
@given(st.binary(max_size=100), st.text(max_size=20))
def test_no_rollout_makes_it_fail(tail: bytes, call: str) -> None:
    said: dict[str, Any] = SAID | {"tool_use_id": call}

    assert with_outcome(said, tail + call.encode("utf-8", "replace") + b"CommandExecution\n" + tail) == said


@pytest.mark.parametrize(
    "more",
    [
        *({"hook_event_name": "PreToolUse"}, {"tool_name": "Read"}, {"tool_response": {"exit_code": 0}}),
        {"tool_use_id": None},
    ],
)
def test_only_a_command_that_ended_has_an_outcome(more: dict[str, object]) -> None:
    assert wants_outcome(SAID)
    assert not wants_outcome(SAID | more)


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        ("Stop", HookAnswer(), None),
        (
            "SessionStart",
            HookAnswer(context="A fact."),
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "A fact."}},
        ),
        (
            "PreToolUse",
            HookAnswer(decision="deny", reason="No."),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "No.",
                }
            },
        ),
        (
            "PreToolUse",
            HookAnswer(decision="ask", reason="Sure?"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "ask",
                    "permissionDecisionReason": "Sure?",
                }
            },
        ),
        ("Stop", HookAnswer(decision="block", reason="Go on."), {"decision": "block", "reason": "Go on."}),
    ],
)
def test_an_answer_is_what_claude_code_reads(event: str, answer: HookAnswer, expected: object) -> None:
    text, code = encode("claude", event, answer)

    assert code == 0
    assert (json.loads(text) if text else None) == expected
    assert "null" not in text, "a null throws the whole answer away"


def test_a_context_is_no_longer_than_a_client_shows() -> None:
    text, _ = encode("claude", "SessionStart", HookAnswer(context="é" * 20_000))

    assert len(json.loads(text)["hookSpecificOutput"]["additionalContext"]) == MOST_CHARACTERS < 10_000
