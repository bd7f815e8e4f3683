"""Two versions of vfcc in turn: processor time of whole commands, and the ratio of each pair.

    python benchmarks/versions.py --old VFCC [--runs N] [--only WORDS] [--items N] [--events N] [--data FOLDER] [--json]

`--old` names the script of another installation. Each version has projects of its own with the same committed files:
caches of one version mean nothing to the other. A run of the one follows a run of the other, so a loaded machine slows
both; the figure is the median of the ratios, with an interval of 95 % by 2,000 resamples of the runs.

What is asked is what the benchmarks `commands`, `hooks`, `gates`, `trace`, `recall_speed` and `code_speed` ask: a small
project, hooks, `--events` events of a sprint, `--items` items of the trace and of the memory, and the source of a
program (`--data`; without it this package's own). `--only` takes the rows whose names begin so.
"""

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import verifflowcc
from benchmarks.commands import VFCC, example_tree
from benchmarks.gates import add_events
from benchmarks.hook_words import environment, project, words
from benchmarks.measure import Command, machine, run_once
from benchmarks.memory_items import made
from benchmarks.trace_tree import make, write_vfcc
from verifflowcc.base.files.layout import SETTLED_AFTER_NS

RESAMPLES = 2000
SPRINT = "sprint-02"
"""The open one of the worked example."""
WARM_UP = 2
"""The first run makes caches, the second settles them."""


class Case(NamedTuple):
    """A row: what a version is asked in one of its projects, and what is done to the project before each run."""

    name: str
    tree: str
    words: Sequence[str]
    before: Callable[[Path, int], object] = lambda tree, number: None
    given: str = ""
    """The event whose words the command gets on stdin."""


def main() -> None:
    """Make the projects, run the commands in turn, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--old", metavar="VFCC", type=lambda path: str(Path(path).absolute()), required=True)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--only", default="")
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--data", type=Path, default=Path(verifflowcc.__file__).parent)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cases = [case for case in _cases() if case.name.startswith(options.only)]
        trees = _trees(Path(scratch), {case.tree for case in cases}, options)
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        rows = [_row(case, trees, {"new": VFCC, "old": options.old}, options.runs) for case in cases]
    if options.json:
        sys.stdout.write(json.dumps({"machine": machine(), "runs": options.runs, "ratios": rows}, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'command':40} {'old':>9} {'new':>9} {'ratio':>7}  95 %")
    for row in rows:
        old, new, ratio, low, high = (row[key] for key in ("old_ms", "new_ms", "ratio", "low", "high"))
        print(f"{row['command']:40} {old:6.1f} ms {new:6.1f} ms {ratio:7.3f}  {low:.3f} to {high:.3f}")


def _cases() -> Iterator[Case]:
    for line in ("--version", "status", "next", "stage show", "check gate", "check trace", "trace matrix"):
        yield Case(line, "small", line.split())
    for line in ("trace why REQ-CALENDAR", "memory list", "code refs height", "feedback list"):
        yield Case(line, "small", line.split())
    yield Case("memory search", "small", ("memory", "search", "tides of a harbour"))
    coder = ("context", "show", "--agent", "coder")
    yield Case("context show, same question", "small", coder)
    yield Case("context show, after an edit", "small", coder, partial(_write, "NOTES.md"))
    for event in ("PostToolUse of Edit", "PreToolUse of Bash", "UserPromptSubmit", "SessionStart"):
        yield Case(f"hook: {event}", "hooks", ("hook", "claude"), given=event)
    yield Case("events: check gate, cold", "events", ("check", "gate"), _forget)
    yield Case("events: check gate, warm", "events", ("check", "gate"))
    yield Case("events: stage list, warm", "events", ("stage", "list"))
    yield Case("events: status, warm", "events", ("status",))
    trace = ("check", "trace")
    need = ".memory/project/items/need/NEED000001.md"
    yield Case("trace: check trace, cold", "trace", trace, _forget)
    yield Case("trace: check trace, warm", "trace", trace)
    yield Case("trace: check trace, one changed", "trace", trace, partial(_write, need))
    yield Case("trace: trace why", "trace", ("trace", "why", "NEED000007"))
    search = ("memory", "search", "harbour gauge")
    yield Case("memory: search, cold", "memory", search, _forget)
    yield Case("memory: search, warm", "memory", search)
    yield Case("memory: list", "memory", ("memory", "list", "--limit", "20"))
    yield Case("memory: context show, new task", "memory", (*coder, "--task", "Fix the gauge"))
    yield Case("code: refs, cold", "code", ("code", "refs", "main"), _forget)
    yield Case("code: refs, warm", "code", ("code", "refs", "main"))
    yield Case("code: refs, one changed", "code", ("code", "refs", "main"), partial(_write, "changing.py"))


def _write(name: str, tree: Path, number: int) -> None:
    """Write a file that differs each time; a file that is there gets a last line."""
    path = tree / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    head, _, _ = text.partition("\n# Edit ")
    path.write_text(f"{head}\n# Edit {number}\n" if text else f"\n# Edit {number}\n", encoding="utf-8")


def _forget(tree: Path, _: int) -> None:
    shutil.rmtree(tree / ".memory" / "local", ignore_errors=True)


def _trees(scratch: Path, wanted: set[str], options: argparse.Namespace) -> dict[str, dict[str, Path]]:
    """Return version → tree → its folder; the old version has copies without what the new one has cached."""
    makers: Mapping[str, Callable[[Path], object]] = {
        "small": _small,
        "hooks": project,
        "events": lambda folder: add_events(_small(folder), SPRINT, options.events),
        "trace": lambda folder: write_vfcc(_begun(folder), make(options.items)),
        "memory": lambda folder: _remember(_begun(folder), options.items),
        "code": lambda folder: shutil.copytree(options.data, _begun(folder) / options.data.name),
    }
    found: dict[str, dict[str, Path]] = {"new": {}, "old": {}}
    for name in sorted(wanted):
        new, old = scratch / "new" / name, scratch / "old" / name
        new.parent.mkdir(parents=True, exist_ok=True)
        makers[name](new)
        if not (new / ".git").exists():
            subprocess.run(["git", "init", "--quiet"], cwd=new, check=True)
        subprocess.run(["git", "add", "--all"], cwd=new, check=True, capture_output=True)
        shutil.rmtree(new / ".memory" / "local", ignore_errors=True)
        shutil.copytree(new, old, symlinks=True)
        found["new"][name], found["old"][name] = new, old
    return found


def _small(folder: Path) -> Path:
    example_tree(folder)
    (folder / "tides.py").write_text("def height():\n    return 1\n\n\ndef table():\n    return [height()]\n", "utf-8")
    return folder


def _begun(folder: Path) -> Path:
    folder.mkdir()
    subprocess.run([VFCC, "init"], cwd=folder, check=True, capture_output=True)
    return folder


def _remember(folder: Path, items: int) -> None:
    for item in made(items):
        path = folder / ".memory" / item.item.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(item.text, encoding="utf-8")


def _row(
    case: Case, trees: Mapping[str, Mapping[str, Path]], programs: Mapping[str, str], runs: int
) -> dict[str, float | str]:
    times: dict[str, list[float]] = {version: [] for version in programs}
    for number in range(WARM_UP + runs):
        for version, program in programs.items():
            tree = trees[version][case.tree]
            case.before(tree, number)
            command = _command(case, program, tree)
            _, processor, _ = run_once(command, ("0", "1", "4"))
            if number >= WARM_UP:
                times[version].append(processor)
    ratios = [new / was for new, was in zip(times["new"], times["old"], strict=True)]
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=runs)) for _ in range(RESAMPLES))
    return {
        "command": case.name,
        "old_ms": round(statistics.median(times["old"]), 1),
        "new_ms": round(statistics.median(times["new"]), 1),
        "ratio": round(statistics.median(ratios), 3),
        "low": round(medians[RESAMPLES // 40], 3),
        "high": round(medians[-RESAMPLES // 40], 3),
    }


def _command(case: Case, program: str, tree: Path) -> Command:
    arguments = [program, *case.words]
    if not case.given:
        return Command(case.name, arguments, tree)
    given = tree.with_name(f"{tree.name}-{case.given}.json")
    given.write_text(json.dumps(words(tree)[case.given]), encoding="utf-8")
    shell = ["/bin/sh", "-c", 'exec "$@" < "$0"', str(given), *arguments]
    return Command(case.name, shell, tree, environment=environment())


if __name__ == "__main__":
    main()
