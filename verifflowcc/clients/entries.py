"""The entries that make each client run vfcc at its hooks: into which file they go, and how they look."""

import re
from collections.abc import Iterator, Mapping

from verifflowcc.clients.copilot import EVENTS as COPILOT
from verifflowcc.clients.cursor import EVENTS as CURSOR
from verifflowcc.clients.gemini import EVENTS as GEMINI
from verifflowcc.records import dataclass
from verifflowcc.text.json_edit import Json

TIMEOUT_S, CODEX_END_S = 10, 3
"""Codex gives the end of a session no more, and warns where an entry asks for it."""

_CLAUDE = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SessionEnd",
)
_CODEX = tuple(event for event in _CLAUDE if event != "PostToolUseFailure")

EVENTS: dict[str, dict[str, str]] = {
    "claude": {event: event for event in _CLAUDE},
    "codex": {event: event for event in _CODEX},
    "cursor": CURSOR,
    "gemini": GEMINI,
    "copilot": COPILOT,
}
"""The events that each client's entries are for, in its own words, and what Claude Code calls them."""

FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/hooks/vfcc.json",
}
LOCAL_FILE = ".claude/settings.local.json"
GROUPED = ("claude", "codex", "gemini")
"""Clients whose entries are groups of hooks, each of which a matcher may narrow down."""

VERSIONED = ("cursor", "copilot")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Target:
    """A client, and its file in the project; `local` is a file that is for one person alone."""

    client: str
    path: str
    local: bool = False


def target_of(client: str, *, local: bool = False) -> Target:
    """Return where a client's entries go; Claude Code alone has a file that is for one person."""
    return Target(client, LOCAL_FILE if local and client == "claude" else FILES[client], local)


def entries(client: str) -> dict[str, Mapping[str, Json]]:
    """Return the entry for each event of a client, in its own words."""
    return {event: _entry(client, event) for event in EVENTS[client]}


def is_ours(client: str, entry: object) -> bool:
    """Say whether an entry, or a hook in it, runs `vfcc hook` for a client, whatever else somebody made of it."""
    if not isinstance(entry, Mapping):
        return False
    if _runs(client, entry):
        return True
    inner = entry.get("hooks")
    return isinstance(inner, list) and any(isinstance(each, Mapping) and _runs(client, each) for each in inner)


def command_lines(hook: Mapping[str, object]) -> Iterator[str]:
    """Yield what a hook runs, on each system."""
    arguments = hook.get("args")
    words = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
    for key in ("command", "exec", "bash", "powershell"):
        if isinstance(line := hook.get(key), str):
            yield " ".join((line, *words))


def _runs(client: str, hook: Mapping[str, object]) -> bool:
    ours = re.compile(rf"(?:^|[\s/'\"])vfcc(?:\.exe)?['\"]?\s+hook\s+{client}(?!\w)")
    return any(ours.search(line) for line in command_lines(hook))


def _entry(client: str, event: str) -> Mapping[str, Json]:
    line = f"vfcc hook {client}"
    if client == "copilot":
        # Without its last words, Copilot would refuse every call of a tool where vfcc is not installed.
        return {"type": "command", "bash": f"{line} {event} || true", "timeoutSec": TIMEOUT_S}
    if client == "cursor":
        return {"command": line, "timeout": TIMEOUT_S}
    if client == "gemini":
        return {"hooks": [{"type": "command", "command": line, "timeout": TIMEOUT_S * 1000}]}
    if client == "codex":
        timeout = CODEX_END_S if event == "SessionEnd" else TIMEOUT_S
        return {"hooks": [{"type": "command", "command": line, "timeout": timeout}]}
    # As one line, though Claude Code takes arguments apart: other clients read its file too, and one that ignored them
    # would run `vfcc` alone, whose exit code for a command that is none keeps their agents from every tool.
    return {"hooks": [{"type": "command", "command": line, "timeout": TIMEOUT_S}]}
