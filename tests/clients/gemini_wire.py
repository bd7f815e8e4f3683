"""How a turn of the model looks in Gemini's protocol, and which requests ask for one."""

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.turns import Turn

PREFIX = "/v1beta/models/"


def kind(path: str, body: Mapping[str, Any]) -> str:
    """Return `turn` where the agent asks, `count` for a count of tokens, and `side` for the client's own wishes."""
    if path.endswith(":countTokens"):
        return "count"
    return "turn" if body.get("tools") else "side"


def response(turn: Turn) -> dict[str, Any]:
    """Return the whole response."""
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"name": call.name, "args": call.input}} for call in turn.calls]
    sent = turn.usage.input + turn.usage.cache_read + turn.usage.cache_write
    usage = {"promptTokenCount": sent, "candidatesTokenCount": turn.usage.output}
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {**usage, "totalTokenCount": sent + turn.usage.output},
    }


def stream(turn: Turn) -> bytes:
    """Return the response as server-sent events."""
    return f"data: {json.dumps(response(turn))}\n\n".encode()
