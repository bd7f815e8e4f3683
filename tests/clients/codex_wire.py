"""How a turn of the model looks in the Responses protocol that Codex speaks, and which requests ask for one."""

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from tests.clients.turns import Call, Turn

_NUMBERS = count(1)
_COMPACTING = "CONTEXT CHECKPOINT COMPACTION"


def kind(path: str, body: Mapping[str, Any]) -> str:
    """Return `compact` where a summary is wanted, and `turn` for all else: Codex asks for no more."""
    compacting = path.endswith("/compact") or _COMPACTING in json.dumps(body.get("input", [])[-1:])
    return "compact" if compacting else "turn"


def events(turn: Turn) -> list[tuple[str, object]]:
    """Return the server-sent events that carry the response."""
    identity = f"resp_{next(_NUMBERS):06}"
    output = [_item(call) for call in turn.calls]
    if turn.text or not output:
        said = {"type": "output_text", "text": turn.text, "annotations": []}
        output.insert(0, {"type": "message", "role": "assistant", "id": _identity("msg"), "content": [said]})
    cached = turn.usage.cache_read
    sent = turn.usage.input + cached + turn.usage.cache_write
    usage = {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": turn.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + turn.usage.output,
    }
    found: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": identity}}]
    for index, item in enumerate(output):
        found.append({"type": "response.output_item.added", "output_index": index, "item": item})
        found.append({"type": "response.output_item.done", "output_index": index, "item": item})
    found.append({"type": "response.completed", "response": {"id": identity, "output": output, "usage": usage}})
    return [(event["type"], event) for event in found]


def _item(call: Call) -> dict[str, Any]:
    namespace, _, name = call.name.rpartition(".")
    known = {"id": _identity("fc"), "call_id": _identity("call"), "name": name}
    if namespace:
        known["namespace"] = namespace
    if isinstance(call.input, str):
        return {"type": "custom_tool_call", **known, "input": call.input, "status": "completed"}
    return {"type": "function_call", **known, "arguments": json.dumps(call.input), "status": "completed"}


def _identity(prefix: str) -> str:
    return f"{prefix}_{next(_NUMBERS):06}"
