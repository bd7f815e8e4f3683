"""What a client's hook says, in Claude Code's form, whichever client it is. It runs inside of hooks."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = Any

_LONGEST_MS = 1e15


def normal_form(client: str, event: str, said: "Mapping[str, Json]") -> "dict[str, Json]":
    """Return a client's words as Claude Code would say them; `event` is the one named on the command line, if any.

    Fields that nobody knows are kept as they are; what is missing stays missing.
    """
    if client in ("claude", "codex"):
        plain = dict(said)
    else:
        from verifflowcc.clients.others import as_claude

        plain = as_claude(client, event, said)
    duration = plain.get("duration_ms")
    if isinstance(duration, float) and not abs(duration) <= _LONGEST_MS:
        del plain["duration_ms"]  # 1e400 is read as a number that is none
    if not isinstance(plain.get("hook_event_name"), str):
        plain["hook_event_name"] = event
    return plain


def client_of(named: str, payload: "Mapping[str, Json]") -> str:
    """Return the client that speaks, where the command line names Claude Code: others run the hooks of its plugins.

    >>> client_of("claude", {"transcript_path": "/home/a/.codex/sessions/2026/rollout-1.jsonl"})
    'codex'
    >>> client_of("claude", {"sessionId": "s"}), client_of("claude", {"session_id": "s"}), client_of("gemini", {})
    ('copilot', 'claude', 'gemini')
    """
    if named != "claude":
        return named
    path = payload.get("transcript_path")
    if isinstance(path, str) and path.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    return "copilot" if "sessionId" in payload and "session_id" not in payload else named
