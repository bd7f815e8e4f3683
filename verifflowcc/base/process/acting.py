"""Who is acting: a person at a terminal, an agent, a CI job, or a program. One function decides, for every command.

A marker counts for more than a name: inside an agent's shell the actor is not a human, whatever git is called.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.model.agent_clients import PROGRAMS
from verifflowcc.base.model.people import NO_ROLE, PROGRAM, UNKNOWN
from verifflowcc.base.records import dataclass

# Which known agent client is among the processes that started this one.
#
# The environment is the command's own to change; its ancestors are not. A process that starts another one and ends
# before it leaves no trace here: docs/explanation/security.md names that limit.

CLIENTS = frozenset(
    (
        *PROGRAMS.values(),
        *("aider", "cline", "goose", "amp", "auggie", "crush", "droid", "kiro-cli", "openhands", "qwen"),
    )
)
"""The executables of agent clients, each by its whole name. An editor is none of them: people work in it, too."""
_RUNTIMES = frozenset(("node", "nodejs", "bun", "deno", "python", "pypy"))
"""Programs that run another one, which the first word after their options names."""
DEEPEST = 40
_PS = "/bin/ps"


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process: the id of its parent, the name of what it executes, and its arguments as far as they can be read."""

    parent: int
    name: str
    arguments: Sequence[str]


Read = Callable[[int], "RunningProcess | None"]


def client_above() -> str | None:
    """Return the nearest ancestor that is a known client; None where there is none, or none that can be read."""
    read = read_proc if Path("/proc/self/stat").exists() else _ps_reader()
    return client_from(os.getppid(), read)


def client_from(pid: int, read: Read) -> str | None:
    """Return the first known client from the process `pid` upwards."""
    for _ in range(DEEPEST):
        process = read(pid) if pid > 0 else None
        if process is None:
            return None
        client = client_of(process)
        if client:
            return client
        pid = process.parent
    return None


def client_of(process: RunningProcess) -> str | None:
    """Return the client that a process is; None for every other program.

    >>> client_of(RunningProcess(1, "node", ["node", "--no-warnings", "/usr/bin/gemini"]))
    'gemini'
    >>> client_of(RunningProcess(1, "vim", ["vim", "claude"])) is None
    True
    """
    first = _base(process.arguments[0]) if process.arguments else ""
    names = [_base(process.name), first]
    if any(name.rstrip("0123456789.") in _RUNTIMES for name in names):
        names += [_base(word) for word in process.arguments[1:] if not word.startswith("-")][:1]
    return next((name for name in names if name in CLIENTS), None)


def read_proc(pid: int) -> RunningProcess | None:
    """Read a process where `/proc` has it; None where it is gone or another user's and hidden."""
    try:
        stat = os.fsdecode(Path(f"/proc/{pid}/stat").read_bytes())
        arguments = os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return None
    name = stat[stat.find("(") + 1 : stat.rfind(")")]  # it may hold both, and blanks
    return RunningProcess(int(stat[stat.rfind(")") + 1 :].split()[1]), name, arguments.split("\0"))


def _ps_reader() -> Read:
    """Return what reads a process from the table of `ps`, where there is no `/proc`."""
    import subprocess

    def table(columns: str) -> dict[int, str]:
        # by its whole path and without an environment: a command could bring a `ps` of its own
        done = subprocess.run([_PS, "-A", "-o", columns], capture_output=True, env={}, check=False)
        rows = (os.fsdecode(line).split(None, 1) for line in done.stdout.splitlines())
        return {int(row[0]): row[1] for row in rows if len(row) == 2 and row[0].isdecimal()}

    try:
        names, words = table("pid=,ppid=,comm="), table("pid=,args=")
    except OSError:
        names, words = {}, {}

    def read(pid: int) -> RunningProcess | None:
        parent, _, name = names.get(pid, "").strip().partition(" ")
        return RunningProcess(int(parent), name.strip(), words.get(pid, "").split()) if parent.isdecimal() else None

    return read


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].lstrip("-")


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
    from verifflowcc.base.errors import WorkspaceError
    from verifflowcc.base.git.git_command import ask_git

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
