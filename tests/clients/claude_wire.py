"""How a turn of the model looks in Claude's Messages protocol, and which requests ask for one."""

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from tests.clients.turns import Turn

_NUMBERS = count(1)
_COMPACTING = "create a detailed summary of"


def kind(body: Mapping[str, Any]) -> str:
    """Return `turn` where the agent asks, `compact` where a summary is wanted, and `side` for the client's own wishes.

    An agent's requests offer tools; those for a title, a quota or a topic offer none.
    """
    last = body["messages"][-1]["content"] if body.get("messages") else ""
    texts = [last] if isinstance(last, str) else [block.get("text", "") for block in last]
    if any(_COMPACTING in text for text in texts):
        return "compact"
    return "turn" if body.get("tools") else "side"


def message(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole message."""
    content: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for call in turn.calls:
        content.append({"type": "tool_use", "id": f"toolu_{next(_NUMBERS):06}", "name": call.name, "input": call.input})
    return {
        "id": f"msg_{next(_NUMBERS):06}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": content,
        "stop_reason": turn.stop or ("tool_use" if turn.calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.usage.input,
            "output_tokens": turn.usage.output,
            "cache_read_input_tokens": turn.usage.cache_read,
            "cache_creation_input_tokens": turn.usage.cache_write,
        },
    }


def events(turn: Turn, body: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the server-sent events that carry the message."""
    whole = message(turn, body)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(whole["content"]):
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        found += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    found += [{"type": "message_delta", "delta": ended, "usage": whole["usage"]}, {"type": "message_stop"}]
    return [(event["type"], event) for event in found]
