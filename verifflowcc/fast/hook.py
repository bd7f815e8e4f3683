"""`vfcc hook CLIENT`: what an agent's client says of its agent is recorded, and answered where there is an answer.

A client runs this before and after each call of a tool, so what only has to be recorded is recorded here, and the rest
of the program is imported only where something must be answered. Whatever fails is written down in
`.memory/local/hook-errors.jsonl` and costs the agent nothing: the exit code is 0 and nothing is printed. What may be
denied, and whether the full program is needed, stands in `.memory/local/hook.json`, which that program leaves behind.
"""

import sys
from os import environ, getcwd, urandom
from os import stat as stat_of
from time import time_ns

from verifflowcc.fast.status import fresh

CLIENTS = ("claude", "codex", "cursor", "gemini", "copilot")
LIMIT_S, LIMIT_AT_END_S = 2.0, 1.0
LARGEST_BYTES = 64 * 1024 * 1024
LOCAL = "/.memory/local"
ERRORS = f"{LOCAL}/hook-errors.jsonl"
_LONGEST_LOG_BYTES = 262_144

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verifflowcc.text.quick_json import Json


def answer(arguments: "list[str]") -> bool:
    """Answer a hook and return True; False where help is asked for.

    Words that nobody understands are a fault like any other: the exit code of a wrong command line would stop an agent.
    """
    if "--help" in arguments or "-h" in arguments:
        return False
    hook = Hook(*[*arguments[:2], "", ""][:2])
    _limit(LIMIT_S, hook)
    try:
        hook.find_root()
        if len(arguments) not in (1, 2) or arguments[0] not in CLIENTS or hook.event.startswith("-"):
            raise ValueError(f"vfcc hook takes a client ({', '.join(CLIENTS)}), not {' '.join(arguments)!r}")  # noqa: TRY301
        if sys.stdin.isatty():
            sys.stderr.write("vfcc hook is for an agent's client, which says on stdin what its agent does\n")
            sys.stderr.write(f"hint: vfcc integrate {hook.client}\n")
        else:
            hook.run()
    except Exception as error:  # noqa: BLE001 - no fault of ours may stop an agent
        hook.fault(f"{type(error).__name__}: {error}")
    _limit(0, hook)  # an interpreter that ends lets go of the handler first, and the signal would be its end
    return True


class Hook:
    """One call of a hook: what was said, by which client, in which project."""

    def __init__(self, client: str, event: str) -> None:
        self.client, self.event = client, event
        self.root = ""
        role = environ.get("VFCC_AGENT", "")
        self._role = role if role.replace("_", "").replace("-", "").isalnum() else ""

    def find_root(self) -> None:
        """Look for the project, from where the client says that it is, or from here."""
        self.root = _root_above(environ.get("CLAUDE_PROJECT_DIR", "")) or _root_above(getcwd())

    def run(self) -> None:
        """Record what is said, and answer it."""
        said = self._said()
        self.event = said.get("hook_event_name") or self.event
        if not self.root:
            return
        if self.event == "SessionEnd":
            _limit(LIMIT_AT_END_S, self)
        from verifflowcc.episodes.permission import wants_the_program

        settings = self._settings()
        if settings is None or wants_the_program(said, settings, self.root, self._told):
            from verifflowcc.cli.hook import answered

            for fault in answered(self.client, said, self.root, self._role or None):
                self.fault(fault)
            return
        if settings.get("record") is not False:
            self.record(said, settings)

    def record(self, said: "dict[str, Json]", settings: "dict[str, Json]") -> None:
        """Add what is said to the history. Raises OSError."""
        from verifflowcc.adapters.files.partitions import add_lines
        from verifflowcc.episodes.shape import line_of, moment

        now = time_ns() // 1_000_000
        line = line_of(said, self.client, self.root, now, urandom(10), settings)
        if line is not None:
            add_lines(self.root + LOCAL, moment(now)[:10], line)

    def fault(self, text: str) -> None:
        """Write down what went wrong, where there is a place for it."""
        if not self.root:
            return
        from verifflowcc.adapters.files.partitions import add_fault
        from verifflowcc.text.quick_json import write
        from verifflowcc.text.secrets import withhold

        client, event, error = (withhold(each[:4000])[:500] for each in (self.client, self.event, text))
        line = {"time": time_ns() // 1_000_000, "client": client, "event": event, "error": error}
        try:
            add_fault(self.root + ERRORS, write(line).encode() + b"\n", _LONGEST_LOG_BYTES)
        except (OSError, ValueError):
            return  # there is nowhere left to tell it

    def _told(self, session: str) -> "list[str]":
        from verifflowcc.adapters.files.partitions import told_file

        try:
            with open(told_file(self.root + LOCAL, session), encoding="utf-8") as file:
                return file.read().split("\n")
        except OSError:
            return []

    def _said(self) -> "dict[str, Json]":
        """Return what the client says, in Claude Code's form. Raises ValueError."""
        from verifflowcc.text.quick_json import read

        data = sys.stdin.buffer.read(LARGEST_BYTES + 1)
        if len(data) > LARGEST_BYTES:
            raise ValueError(f"more than {LARGEST_BYTES} bytes on stdin")
        if self.client not in CLIENTS:
            raise ValueError(f"there is no client {self.client!r}; there is {', '.join(CLIENTS)}")
        value = read(data.decode("utf-8", "replace").removeprefix("\ufeff"))
        if not isinstance(value, dict):
            raise ValueError("no JSON object on stdin")  # noqa: TRY004 - it is what was read that is wrong
        from verifflowcc.clients.decode import normal_form

        said = normal_form(self.client, self.event, value)
        if self.client == "codex":
            said = _with_outcome(said)
        cwd = said.get("cwd")
        if not self.root and isinstance(cwd, str):
            self.root = _root_above(cwd)
        return said

    def _settings(self) -> "dict[str, Json] | None":
        """Return what the full program left behind; None where there is nothing, or not as things are now."""
        from verifflowcc.text.quick_json import read

        name = f"-{self._role}" if self._role else ""
        try:
            with open(f"{self.root}{LOCAL}/hook{name}.json", encoding="utf-8") as file:
                found = read(file.read())
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict) or found.get("format") != 1 or not fresh(self.root, found.get("stamps")):
            return None
        return found


def _with_outcome(said: "dict[str, Json]") -> "dict[str, Json]":
    """Return what Codex says of a command, with how it ended, by the end of the file that it names."""
    from verifflowcc.clients.codex_outcome import TAIL_BYTES, wants_outcome, with_outcome

    path = said.get("transcript_path")
    if not wants_outcome(said) or not isinstance(path, str) or not path.endswith(".jsonl"):
        return said
    try:
        with open(path, "rb") as file:
            file.seek(max(stat_of(path).st_size - TAIL_BYTES, 0))
            return with_outcome(said, file.read(TAIL_BYTES))
    except (OSError, ValueError):
        return said


def _root_above(folder: str) -> str:
    """Return the nearest folder with a `.memory/` in it or above it; empty where there is none."""
    while folder.startswith("/"):
        folder = folder.rstrip("/")
        try:
            stat_of(f"{folder}/.memory")
        except (OSError, ValueError):
            folder = folder.rpartition("/")[0]
        else:
            return folder
    return ""


def _limit(seconds: float, hook: Hook) -> None:
    """End the process, with exit code 0, when it has taken too long: a client waits for it. 0 is no limit."""
    from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
    from os import _exit

    def end(*_: object) -> None:
        try:
            hook.fault(f"took longer than {seconds} s")
        finally:
            _exit(0)

    signal(SIGALRM, end)
    setitimer(ITIMER_REAL, seconds)
