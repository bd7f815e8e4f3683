"""How a command of Codex ended: its hooks do not tell, the rollout that it writes does. It runs inside of hooks."""

from verifflowcc.text.quick_json import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifflowcc.text.quick_json import Json

TAIL_BYTES = 262_144
"""What has just ended stands at the end of a rollout."""


def wants_outcome(said: "Mapping[str, Json]") -> bool:
    """Say whether a hook tells of a command that ended, and nothing of how."""
    return (
        said.get("hook_event_name") == "PostToolUse"
        and said.get("tool_name") == "Bash"
        and isinstance(said.get("tool_response"), str)
        and isinstance(said.get("tool_use_id"), str)
    )


def with_outcome(said: "dict[str, Json]", tail: bytes) -> "dict[str, Json]":
    """Return a hook's words with the exit code and the duration that the end of a rollout has for the call, if any."""
    needle = f'"id":"{said["tool_use_id"]}"'.encode("utf-8", "replace")
    for line in reversed(tail.split(b"\n")):
        if needle in line and b"CommandExecution" in line:
            item = _item(line)
            code, took = item.get("exit_code"), item.get("duration")
            if item.get("id") != said["tool_use_id"] or not isinstance(code, int):
                continue
            more: dict[str, Json] = {"tool_response": {"output": said["tool_response"], "exit_code": code}}
            if isinstance(took, dict):
                more["duration_ms"] = _whole(took.get("secs")) * 1000 + _whole(took.get("nanos")) // 1_000_000
            return said | more
    return said


def _item(line: bytes) -> "Mapping[str, Json]":
    try:
        value = read(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    payload = value.get("payload") if isinstance(value, dict) else None
    item = payload.get("item") if isinstance(payload, dict) else None
    return item if isinstance(item, dict) else {}


def _whole(value: "Json") -> int:
    return value if isinstance(value, int) else 0
