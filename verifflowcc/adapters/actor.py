"""Who is acting: a person at a terminal, an agent, a CI job, or a program. One function decides, for every command.

A marker counts for more than a name: inside an agent's shell the actor is not a human, whatever git is called.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from verifflowcc.adapters.process.ancestors import client_above
from verifflowcc.domain.actors import NO_ROLE, PROGRAM, UNKNOWN
from verifflowcc.records import dataclass

AGENT_MARKERS = (
    "VFCC_AGENT",
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "COPILOT_CLI",
    "COPILOT_AGENT_SESSION_ID",
    "OPENCODE",
    "OPENCODE_CLIENT",
    "AIDER_MODEL",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
    "AMP_THREAD_ID",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
)
AGENT_PREFIXES = ("CODEX_",)
_OFF = frozenset({"", "0", "false", "no", "off"})
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, as events name them, and how an agent was recognised (a clause; empty for everybody else)."""

    name: str
    why: str = ""


def actor_here(root: Path, *, piped: bool = False) -> Actor:
    """Return who runs this process, with git's name in `root` where it is a person.

    Where a text may be `piped` in, any of the three streams shows a person at a terminal: who pipes an own text in
    would else pass for a program, and could approve it.
    """
    streams = (sys.stdin, sys.stdout, sys.stderr) if piped else (sys.stdin,)
    terminal = any(stream.isatty() for stream in streams)
    return acting(os.environ, terminal=terminal, client=client_above, name=lambda: git_user(root))


def acting(
    env: Mapping[str, str], *, terminal: bool, client: Callable[[], str | None], name: Callable[[], str | None]
) -> Actor:
    """Decide who acts; `client` and `name` are asked only where the answer depends on them.

    An agent is one that the environment marks (`VFCC_AGENT` names its role), or that a known client started. Else it is
    `ci` where `CI` is set, a program without a terminal, and a person.
    """
    marked = marker(env)
    if marked is not None:
        return marked
    above = client()
    if above:
        return Actor(UNKNOWN, f"{above} is among the processes that started it")
    if _set(env, "CI"):
        return Actor("ci")
    if not terminal:
        return Actor(PROGRAM)
    return Actor(f"human:{clean_name(name() or '') or 'unknown'}")


def marker(env: Mapping[str, str]) -> Actor | None:
    """Return the agent that the environment alone names; None where nothing in it does."""
    role = env.get("VFCC_AGENT", "")
    if role.lower() not in _OFF:
        name = f"agent:{clean_name(role) or 'unknown'}"
        return Actor(UNKNOWN if name in NO_ROLE else name, "VFCC_AGENT is set")
    for each in sorted(env):
        if (each in AGENT_MARKERS or each.startswith(AGENT_PREFIXES)) and _set(env, each):
            return Actor(UNKNOWN, f"{each} is set")
    return None


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
