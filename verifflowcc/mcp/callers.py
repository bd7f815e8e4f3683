"""Who calls over MCP: an agent, always, by the client that it runs in.

A client names itself, so the name is looked up among those that are known; another one is an agent without a name. It
is never the name of a person or of a role, whatever the client or the environment of the server says.
"""

from collections.abc import Mapping
from typing import Any

from verifflowcc.domain.actors import UNKNOWN
from verifflowcc.records import dataclass

CLIENTS = ("claude", "codex", "copilot", "cursor", "gemini", "opencode", "vscode", "zed", "windsurf", "kiro")
_OTHER_NAMES = {"visual studio code": "vscode", "github-copilot": "copilot"}
_TOOL_USE = "claudecode/toolUseId"
"""Claude Code's id of a call, which is the same where it sends one again."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent's client, as the ledger names it, and its own id of the call; empty where it gives none."""

    actor: str
    call_id: str = ""


def caller_of(client: str, params: Mapping[str, Any]) -> Caller:
    """Return who calls.

    >>> caller_of("claude-code", {}).actor, caller_of("human:Ada", {}).actor
    ('agent:claude', 'agent:unknown')
    """
    name = client.casefold()
    name = next((known for other, known in _OTHER_NAMES.items() if other in name), name)
    known = next((each for each in CLIENTS if each in name), None)
    about = params.get("_meta")
    call = about.get(_TOOL_USE) if isinstance(about, Mapping) else None
    return Caller(f"agent:{known}" if known else UNKNOWN, call[:200] if isinstance(call, str) else "")
