"""Who is acting: a person at a terminal, an agent, or a CI job.

A marker says more than a name: inside an agent's shell the actor is not a human, whatever git is called.
"""

from collections.abc import Mapping
from pathlib import Path

AGENT_MARKERS = (
    "VFCC_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "COPILOT_CLI",
    "COPILOT_AGENT_SESSION_ID",
    "OPENCODE",
    "AIDER_MODEL",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
    "AMP_THREAD_ID",
)
AGENT_PREFIXES = ("CODEX_",)
_OFF = frozenset({"", "0", "false", "no", "off"})
_LONGEST = 200


def acting(env: Mapping[str, str], *, stdin_is_terminal: bool, git_user: str | None) -> str:
    """Return `human:NAME`, `agent:ROLE` or `ci`.

    `VFCC_AGENT` names an agent's role; any other known marker makes it `agent:unknown`, as does the lack of a terminal.
    """
    role = env.get("VFCC_AGENT", "")
    if role.lower() not in _OFF:
        return f"agent:{clean_name(role) or 'unknown'}"
    if any(_set(env, name) for name in env if name in AGENT_MARKERS or name.startswith(AGENT_PREFIXES)):
        return "agent:unknown"
    if _set(env, "CI"):
        return "ci"
    if not stdin_is_terminal:
        return "agent:unknown"
    return f"human:{clean_name(git_user or '') or 'unknown'}"


def git_user(root: Path) -> str | None:
    """Return git's `user.name` as it holds in `root`, or None where git or the name is missing."""
    return _setting(root, "user.name")


def git_email(root: Path) -> str | None:
    """Return git's `user.email` as it holds in `root`, or None where git or the address is missing."""
    found = _setting(root, "user.email")
    return clean_name(found) if found else None


def _setting(root: Path, name: str) -> str | None:
    from verifflowcc.adapters.git.command import ask_git
    from verifflowcc.errors import WorkspaceError

    try:
        done = ask_git(root, "config", name)
    except WorkspaceError:
        return None
    return done.out.decode("utf-8", "replace").strip() or None


def _set(env: Mapping[str, str], name: str) -> bool:
    return env.get(name, "").lower() not in _OFF


def clean_name(name: str) -> str:
    """Return a name as the ledger holds it: printable, no line breaks, at most 200 characters."""
    words = "".join(letter if letter.isprintable() else " " for letter in name).split()
    return " ".join(words)[:_LONGEST].strip()
