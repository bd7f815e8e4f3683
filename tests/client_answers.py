"""What each client takes for an answer of its hook: any other field, and it throws the answer away or tells a fault."""

import json
from collections.abc import Mapping
from typing import Any

ALLOWED: dict[str, dict[str, Any]] = {
    "claude": {"decision": "block", "reason": str, "hookSpecificOutput": dict},
    "codex": {"decision": "block", "reason": str, "hookSpecificOutput": dict},
    "gemini": {"decision": "deny", "reason": str, "hookSpecificOutput": dict},
    "cursor": {
        "permission": ("deny", "ask"),
        "user_message": str,
        "agent_message": str,
        "followup_message": str,
        "additional_context": str,
        "continue": False,
    },
    "copilot": {
        "permissionDecision": ("deny", "ask"),
        "permissionDecisionReason": str,
        "additionalContext": str,
        "decision": "block",
        "reason": str,
    },
}
INNER = {
    "hookEventName": str,
    "additionalContext": str,
    "permissionDecision": ("deny", "ask"),
    "permissionDecisionReason": str,
}
NO_INNER_IN_CODEX = ("Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd")


def check_answer(client: str, event: str, printed: str) -> None:
    """Assert that what a hook printed is empty, or one line of JSON that the client takes.

    `event` is in Claude Code's words, empty where nobody knows it.
    """
    if not printed:
        return
    assert printed.isascii()
    assert printed.endswith("\n")
    assert printed.count("\n") == 1
    said = json.loads(printed)
    assert isinstance(said, dict)
    assert said
    json.dumps(said, ensure_ascii=False).encode("utf-8")
    _check(said, ALLOWED[client])
    inner = said.get("hookSpecificOutput")
    if inner is not None:
        _check(inner, INNER)
        assert not (client == "codex" and event in NO_INNER_IN_CODEX)
        assert len(inner) > 1
        if event and client in ("claude", "codex"):
            assert inner["hookEventName"] == event
    if client == "codex" and inner:
        assert inner.get("permissionDecision", "deny") == "deny"


def _check(said: Mapping[str, Any], allowed: Mapping[str, Any]) -> None:
    for key, value in said.items():
        assert key in allowed, key
        wanted = allowed[key]
        if isinstance(wanted, type):
            assert isinstance(value, wanted)
            assert value
        elif isinstance(wanted, tuple):
            assert value in wanted
        else:
            assert value == wanted
