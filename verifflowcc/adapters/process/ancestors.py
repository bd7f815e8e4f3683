"""Which known agent client is among the processes that started this one.

The environment is the command's own to change; its ancestors are not. A process that starts another one and ends before
it leaves no trace here: docs/explanation/security.md names that limit.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from verifflowcc.domain.agent_clients import PROGRAMS
from verifflowcc.records import dataclass

CLIENTS = frozenset(
    (
        *PROGRAMS.values(),
        *("opencode", "aider", "cline", "goose", "amp", "auggie", "crush", "droid", "kiro-cli", "openhands", "qwen"),
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
