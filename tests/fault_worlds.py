"""Projects in which each writing command is stopped, and what must hold of one whatever was stopped in it."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.cli.process import environment, settings_of
from tests.cli.trees import everything
from tests.fault_runs import Fault, Run, run
from verifflowcc.base.model.command_classes import COMMANDS, QUERY
from verifflowcc.base.records import dataclass
from verifflowcc.cli.cli.examples import EXAMPLES
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.history.use.hooks_health import CLIENTS_AREA

_ID = re.compile(r"[0-9A-Z]{26}|[0-9a-f]{12,64}")
_WHOLE = (".json", ".jsonl", ".md", ".yaml", ".xml")
_DERIVED = re.compile(
    r"/\.memory/local/|/\.git/|progress\.json$|/scratch/|\.lock$|/\.vfcc-|\.cache/|\.db(-\w+)?$|/lock$",
)
_CUT_SHORT = ("it has goals.md and no event", "is gone, and its hooks with it", f"{CLIENTS_AREA}: ")
"""Doctor's words for a start, or an integration of clients, that was cut short; the same command mends both."""

KILLED_ELSEWHERE = {"run"}
"""A run drives other processes and keeps worktrees beside the project: `tests/cli/run/test_run_killed.py` stops it."""

_ALLOWED = ".local/share/vfcc/allowed.json"
SCRATCH = "scratch"
"""The folder of a home for temporary files."""


def lines(more: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return each writing command with the lines that run it: those of `more`, else the examples of the help."""
    writing = [name for name in EXAMPLES if name in more or COMMANDS.get(name, QUERY) != QUERY]
    writing = [name for name in writing if name.split()[0] not in KILLED_ELSEWHERE]
    return [(name, line) for name in writing for line in more.get(name, EXAMPLES[name]) if "|" not in line]


@dataclass(frozen=True, slots=True)
class Place:
    """A home with a project in it, of which copies are made."""

    home: Path
    project: str

    def copy(self, to: Path) -> Path:
        """Return the project in a copy of its home at `to`, where nothing else is."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.home, to, symlinks=True)
        allowed = to / _ALLOWED
        if allowed.exists():
            allowed.write_text(allowed.read_text("utf-8").replace(str(self.home), str(to)), encoding="utf-8")
        return to / self.project


def ran(root: Path, line: str, fault: Fault | None = None) -> Run:
    """Run a line in a project; its home, the folder around it, holds all else that it may write."""
    (root.parent / SCRATCH).mkdir(exist_ok=True)
    env = environment(root.parent, GIT_CONFIG_GLOBAL=settings_of("You"), TMPDIR=str(root.parent / SCRATCH))
    line, _, given = line.partition(" < ")
    return run(words_of(root, line), root, env, (root, root.parent), fault, given=root / given if given else None)


def words_of(root: Path, line: str) -> list[str]:
    """Return the words of an example, with ids of this project in the place of those that it shows."""
    events = {path.stem: path.read_text("utf-8") for path in root.glob(".memory/sprint/*/events/*.json")}
    known = {
        "4K7M": [path.stem[-4:] for path in root.glob(".memory/stage/*/*/evidence/*.json")],
        "01M8": [path.stem for path in root.glob(".memory/local/windows/**/*.json")],
        "T6BY": [name[-4:] for name, text in events.items() if "feedback_added" in text],
        "7PXF": [name for name, text in events.items() if "stage_reopened" in text],
    }
    for shown, names in known.items():
        if names:
            line = line.replace(shown, min(names))
    return shlex.split(line)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a project holds: the files that people keep, the number of its events, and what doctor finds."""

    files: Mapping[str, str | bytes]
    events: int
    findings: frozenset[str]


def seen(root: Path) -> Seen:
    """Look at a project and at the home around it."""
    files = {path: data for path, data in everything(root.parent).items() if data != "folder" and _is_kept(path)}
    events = len(set[str]().union(*(_events(path, data) for path, data in files.items())))
    findings = (f"{each.subject}: {each.text}".replace(str(root), "*") for each in diagnose(root).findings)
    return Seen(files, events, frozenset(_ID.sub("*", each) for each in findings))


def _is_kept(path: str) -> bool:
    """Say whether people keep a file: what vfcc makes again, and git's own files, are left out."""
    derived = _DERIVED.search(f"/{path}")
    return derived is None


def _events(path: str, data: str | bytes) -> set[str]:
    """Return the ids of the events in a file: after a close that was cut short, one is in two files."""
    if "/events/" not in path or not isinstance(data, bytes) or path.endswith("packed.json"):
        return set()
    return {str(json.loads(line)["id"]) for line in data.splitlines()}


def wrong(before: Seen, done: Seen, now: Seen, stopped: Run, code: int) -> Iterator[str]:
    """Yield what must not be after a run was stopped; `done` and `code` are what it comes to where it is not."""
    yield from _badly_ended(stopped)
    for path, data in before.files.items():
        if path not in now.files and path in done.files and not _moves(path, before, done):
            yield f"lost: {path}"
        elif path in now.files and now.files[path] != data and done.files.get(path) == data:
            yield f"changed: {path}"
    for path, data in now.files.items():
        if before.files.get(path) != data and not _is_whole(path, data):
            yield f"half written: {path}"
    if not min(before.events, done.events) <= now.events <= max(before.events, done.events):
        yield f"{now.events} events, of {before.events} before and {done.events} in the end"
    if stopped.code == code == 0 and now.events != done.events:
        yield f"exit 0 with {now.events} events, of {done.events}"
    if stopped.code in {2, 3} and now.events > before.events and done.events == before.events + 1:
        yield f"exit {stopped.code}, and it happened: {stopped.err[-300:]}"
    for each in now.findings - before.findings - done.findings:
        if not any(known in each for known in _CUT_SHORT):
            yield f"doctor: {each}"


def unfinished(before: Seen, done: Seen, now: Seen) -> Iterator[str]:
    """Yield what doctor still finds after the stopped command was run again."""
    for each in now.findings - before.findings - done.findings:
        yield f"then, doctor: {each}"


def _badly_ended(stopped: Run) -> Iterator[str]:
    if stopped.code in {70, 71} or "Traceback" in stopped.err:
        yield f"a crash: {stopped.err[-600:]}"
    if not stopped.killed and stopped.code not in {0, 1, 2, 3, 4, 5, 130}:
        yield f"exit {stopped.code}"
    if stopped.code == 3 and "error: " not in stopped.err:
        yield f"exit 3 without an error: {stopped.err[-300:]}"


def _moves(path: str, before: Seen, done: Seen) -> bool:
    return path.endswith(".json") and "/events/" in path and len(done.files) < len(before.files)


def _is_whole(path: str, data: str | bytes) -> bool:
    if not isinstance(data, bytes) or not path.endswith(_WHOLE):
        return True
    try:
        text = data.decode()
        for each in [text] if path.endswith(".json") else text.splitlines() if path.endswith(".jsonl") else []:
            json.loads(each)
    except ValueError:
        return False
    return bool(data)


def sprint_findings(root: Path) -> list[str]:
    """Return what doctor finds about ledgers and evidence."""
    return [each.text for each in diagnose(root).findings if ".memory/sp" in each.text or ".memory/stage" in each.text]


def record_names(root: Path) -> frozenset[str]:
    """Return the ids of all events, also of those in packs, and the paths of all evidence and items."""
    found = {path.relative_to(root).as_posix() for path in root.glob(".memory/stage/*/*/evidence/[0-9A-Z]*.json")}
    found |= {path.relative_to(root).as_posix() for path in root.glob(".memory/project/items/*/*.md")}
    for path in root.glob(".memory/sprint/*/events/*"):
        if path.suffix == ".jsonl":
            found |= {json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()}
        elif path.suffix == ".json" and path.name != "packed.json":
            found.add(path.stem)
    return frozenset(found)
