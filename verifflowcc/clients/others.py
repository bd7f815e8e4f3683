"""Hooks of the clients whose words are not Claude Code's. It runs inside of hooks, and imports but one of them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = Any


def as_claude(client: str, event: str, said: "Mapping[str, Json]") -> "dict[str, Json]":
    """Return a client's words as Claude Code would say them; `event` is the one named on the command line, if any.

    What is missing stays missing, and no type is relied on.
    """
    if client == "gemini":
        from verifflowcc.clients.gemini import as_claude as decoded
    elif client == "cursor":
        from verifflowcc.clients.cursor import as_claude as decoded
    elif client == "copilot":
        from verifflowcc.clients.copilot import as_claude as decoded
    else:
        return dict(said)
    return decoded(event, said)
