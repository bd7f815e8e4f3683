"""A history to measure with: what hooks would have recorded of agents at work, the same for the same seed.

Each line is made by the function that makes a hook's lines. Tasks stay in one area of the sources, so that its files
are edited together; one session in twenty is of a client that names no tasks; one task in nine is not ended.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifflowcc.history.rules.event_shape import line_of, moment

ROOT = "/home/you/project"
DAY_MS = 86_400_000
DAYS = 90
NOUNS = (
    "queue retry timeout ledger cache token index schema release cluster service gateway client stream batch worker "
    "lease budget route policy secret audit metric trace alert region backup tenant quota session event invoice order "
    "payment refund cart catalogue price discount stock supplier parcel address login password profile avatar message "
    "thread mention search filter report chart export import template locale calendar reminder upload thumbnail"
).split()
PARTS = "model view form store parser writer errors settings".split()
VERBS = (
    "Add Fix Rename Remove Document Test Simplify Speed-up Split Explain Extend Check Restrict Log Validate Merge "
    "Retry Paginate Translate Encrypt"
).split()
REASONS = (
    "when it is empty",
    "after the second attempt",
    "for people without an account",
    "before it is written to disk",
    "because the nightly build is red",
    "so that two of them may run at once",
    "as the review asked",
    "on slow connections",
)
COMMANDS = (
    "python -m pytest -q tests/test_{0}.py",
    "ruff check src/{0}",
    "git diff --stat",
    "sed -n '1,80p' src/{0}/{1}.py",
    "cat src/{0}/{1}.py",
    "ls src/{0}",
    "grep -rn {1} src/{0}",
    "make check",
)
ERRORS = (
    "Exit code 1\nE   AssertionError: assert {2} == {3}\nFAILED tests/test_{0}.py::test_{1} - AssertionError",
    "Exit code 1\nE   KeyError: '{1}_{2}'\n1 failed, {3} passed in 0.{2}s",
    "Exit code 2\nsrc/{0}/{1}.py:{2}: error: Name '{1}' is not defined",
    "Exit code 1\nModuleNotFoundError: No module named 'src.{0}.{1}'",
    "Exit code 1\nsrc/{0}/{1}.py:{2}:{3}: F401 imported but unused",
    "Exit code 127\nsh: 1: {1}: not found",
)
TOOLS = {"Read": 30, "Bash": 30, "Edit": 22, "Grep": 8, "apply_patch": 4, "Write": 3, "Glob": 3}
_TEXT = "def {1}(given):\n    return given\n"
Said = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A line of the history, and the day whose file it belongs to."""

    day: str
    text: bytes


@dataclass(frozen=True)
class Size:
    """How many events there are, and of which kinds: of 100,000, 300 sessions, 2,500 tasks and 70,000 executions."""

    events: int

    @property
    def sessions(self) -> int:
        """Sessions."""
        return max(self.events * 3 // 1000, 1)

    @property
    def tasks(self) -> int:
        """Tasks, in order divided among the sessions."""
        return max(self.events // 40, 1)

    @property
    def tools(self) -> int:
        """Executions of tools."""
        return self.events * 7 // 10

    @property
    def starts(self) -> int:
        """Announcements of executions: whatever is left."""
        ended = self.tasks - (self.tasks + 8) // 9
        closed = self.sessions - (self.sessions + 9) // 10
        return max(self.events - self.sessions - closed - self.tasks - ended - self.tools, 0)


def history(events: int, until_ms: int, seed: int = 1) -> Iterator[Line]:
    """Yield the lines of a history of so many events (100 at least) in 90 days, the last at `until_ms` about."""
    work = _Work(Size(events), random.Random(seed))
    source = random.Random(seed + 1)
    for at_ms, said in work.said(until_ms - DAYS * DAY_MS):
        client = "codex" if said.get("tool_name") == "apply_patch" else "claude"
        line = line_of(said, client, ROOT, at_ms, source.randbytes(10), {"role": "coder"})
        if line is not None:
            yield Line(moment(at_ms)[:10], line)


def write_history(folder: Path, events: int, until_ms: int) -> int:
    """Write a history, a file for each day, and return its bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    days: dict[str, list[bytes]] = {}
    for line in history(events, until_ms):
        days.setdefault(line.day, []).append(line.text)
    for day, lines in days.items():
        (folder / f"{day}.jsonl").write_bytes(b"".join(lines))
    return sum(len(line) for lines in days.values() for line in lines)


class _Work:
    """Agents at work: what their client says, in order of time within each session."""

    def __init__(self, size: Size, source: random.Random) -> None:
        self.size, self.source = size, source
        self.executed = 0

    def said(self, begin_ms: int) -> Iterator[tuple[int, Said]]:
        """Yield the time and the words of each event."""
        size = self.size
        for session in range(size.sessions):
            at = begin_ms + DAYS * DAY_MS * session // size.sessions
            name = {"session_id": f"{session:08x}-0000-4000-8000-{self.source.getrandbits(48):012x}", "cwd": ROOT}
            yield at, {**name, "hook_event_name": "SessionStart", "source": "startup"}
            for task in range(size.tasks * session // size.sessions, size.tasks * (session + 1) // size.sessions):
                about = name if session % 20 == 7 else {**name, "prompt_id": f"task-{task}"}
                for after, said in self._task(task):
                    at += after
                    yield at, {**about, **said}
            if session % 10:
                yield at + 500, {**name, "hook_event_name": "SessionEnd", "reason": "other"}

    def _task(self, number: int) -> Iterator[tuple[int, Said]]:
        """Yield the words of a task's events, each with the milliseconds since the one before."""
        area, other = self.source.choices(NOUNS, k=2)
        verb, reason = self.source.choice(VERBS), self.source.choice(REASONS)
        files = self.source.sample([f"src/{area}/{part}.py" for part in PARTS] + [f"tests/test_{area}.py"], k=4)
        part = self.source.choice(PARTS)
        asked = f"{verb} the {part} of the {area} {reason}, and tell the {other} of it; see {files[0]}"
        yield 60_000, {"hook_event_name": "UserPromptSubmit", "prompt": asked}
        for _ in range(self._tools(number)):
            yield from self._call(area, part, files)
        if number % 9:
            answer = f"The {area} does so now, {reason}; {len(files)} files were changed.\n\nThe tests pass."
            yield 4_000, {"hook_event_name": "Stop", "last_assistant_message": answer}

    def _tools(self, number: int) -> int:
        """Return how many tools a task runs: some more than others, and all of them together what is asked for."""
        size = self.size
        mean = size.tools * (number + 1) // size.tasks - size.tools * number // size.tasks
        pair = number // 2
        some = random.Random(pair).randrange(max(size.tools // size.tasks - 2, 1))
        if pair * 2 + 1 >= size.tasks:
            return mean
        return mean - some if number % 2 else mean + some

    def _call(self, area: str, part: str, files: list[str]) -> Iterator[tuple[int, Said]]:
        (tool,) = self.source.choices(list(TOOLS), list(TOOLS.values()))
        number, path = self.executed, self.source.choice(files)
        self.executed += 1
        given, answer = self._asked(tool, area, part, path, files)
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{number:024}"}
        size = self.size
        if (number + 1) * size.starts // size.tools > number * size.starts // size.tools:
            yield 200, {**call, "hook_event_name": "PreToolUse"}
        took = {"duration_ms": self.source.randrange(5, 4_000)}
        after = self.source.randrange(1_000, 40_000)
        if tool == "Bash" and self.source.random() < 0.12:
            error = self.source.choice(ERRORS).format(area, part, self.source.randrange(400), self.source.randrange(80))
            yield after, {**call, **took, "hook_event_name": "PostToolUseFailure", "error": error}
            return
        yield after, {**call, **took, "hook_event_name": "PostToolUse", "tool_response": answer}

    def _asked(self, tool: str, area: str, part: str, path: str, files: list[str]) -> tuple[Mapping[str, Any], Any]:
        """Return what a tool is given, and what it answers."""
        whole, line = f"{ROOT}/{path}", self.source.randrange(1, 300)
        text = _TEXT.format(area, part) * 20
        match tool:
            case "Read":
                return {"file_path": whole, "offset": line, "limit": 60}, {"file": {"content": text}}
            case "Edit":
                new = f"{part}_{line % 7}"
                hunk = {"newStart": line, "newLines": 2, "lines": [f"-    {part} = 1", f"+    {new} = 1"]}
                given = {"file_path": whole, "old_string": f"{part} = 1", "new_string": f"{new} = 1"}
                return given, {"structuredPatch": [hunk]}
            case "Write":
                return {"file_path": whole, "content": text}, {"type": "create"}
            case "Grep":
                return {"pattern": part, "path": f"src/{area}"}, {"content": f"{path}:{line}:{part}"}
            case "Glob":
                return {"pattern": f"src/{area}/*.py"}, {"filenames": files}
            case "apply_patch":
                changed = "".join(f"*** Update File: {each}\n@@\n-{part}\n+{part}_{line}\n" for each in files[:3])
                return {"input": f"*** Begin Patch\n{changed}*** End Patch\n"}, "Success."
        command = self.source.choice(COMMANDS).format(area, part)
        return {"command": command, "description": f"look at the {area}"}, {"stdout": text, "stderr": ""}
