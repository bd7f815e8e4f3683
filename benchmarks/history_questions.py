"""What it takes to ask a history of 100,000 events, in process and as whole processes, beside DuckDB on the same files.

    python benchmarks/history_questions.py [--events N] [--data FOLDER] [--runs N] [--json]

The history is generated (see `history_events.py`), or the JSON lines of a folder are taken. Tables are made from
nothing in a process of its own, each time; a question is asked on tables that are there, and after one more event.
DuckDB keeps nothing: it reads the files anew in each process, so what it takes is reading and asking. Both answers are
compared.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.history_events import write_history
from benchmarks.history_in_process import asked_for
from benchmarks.measure import Command, Figures, machine, measure
from verifflowcc.base.use.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[1]
VFCC = str(Path(sys.executable).with_name("vfcc"))
BARE, HELLO = "python -c pass", "vfcc --version"
BUILD_S, ASK_MS = 5.0, 50.0


@dataclass(frozen=True)
class Done:
    """What processes of one mode gave: medians of their milliseconds, and their highest peak in KiB."""

    mode: str
    runs: int
    ms: dict[str, float]
    peak_kib: int


@dataclass(frozen=True)
class Sizes:
    """The history: its events, files and bytes, and the bytes of the tables made of it."""

    events: int
    files: int
    bytes: int
    tables: int


def main() -> None:
    """Make the history, ask it, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        root = _project(Path(scratch) / "project", options.events, options.data)
        done = [
            _mode(root, "build", options.runs, fresh=True),
            _mode(root, "ask", 1, inside=options.runs * 3),
            _mode(root, "duckdb", options.runs, inside=3),
            _mode(root, "plain", options.runs, inside=1),
        ]
        (agree,) = _run(root, "agree", 1, 1)
        sizes = _sizes(root)
        whole = measure(_commands(root), options.runs)
        done.append(_mode(root, "after", 1, inside=options.runs * 3))
    goals = _goals(done, sizes)
    _report(sizes, done, agree, whole, goals, as_json=options.json)
    if agree["differ"]:
        raise SystemExit("the answers differ")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--data", type=Path, help="a folder of JSON lines, instead of a generated history")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _project(root: Path, events: int, data: Path | None) -> Path:
    root.mkdir()
    for command in (["git", "init", "--quiet"], [VFCC, "init"]):
        subprocess.run(command, cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    folder = root / ".memory" / "local" / "history"
    if data is None:
        write_history(folder, events, int(time.time() * 1000))
    else:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(data.glob("*.jsonl")):
            shutil.copyfile(path, folder / path.name)
    return root


def _mode(root: Path, mode: str, runs: int, *, inside: int = 1, fresh: bool = False) -> Done:
    """Run processes of a mode, each of which asks `inside` times; with `fresh`, without tables that are there."""
    answers = []
    for _ in range(runs):
        if fresh:
            for path in (root / ".memory" / "local").glob("history.db*"):
                path.unlink()
        answers += _run(root, mode, 1, inside)
    names = answers[0]["ms"]
    medians = {name: round(statistics.median(each["ms"][name] for each in answers), 2) for name in names}
    return Done(mode, runs, medians, max(each["peak_kib"] for each in answers))


def _run(root: Path, mode: str, runs: int, inside: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.history_in_process", str(root), mode, str(inside)]
    return [
        json.loads(subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout)
        for _ in range(runs)
    ]


def _sizes(root: Path) -> Sizes:
    files = sorted((root / ".memory" / "local" / "history").glob("*.jsonl"))
    texts = [path.read_bytes() for path in files]
    tables = sum(path.stat().st_size for path in (root / ".memory" / "local").glob("history.db*"))
    return Sizes(sum(text.count(b"\n") for text in texts), len(files), sum(map(len, texts)), tables)


def _commands(root: Path) -> list[Command]:
    path, words = asked_for(Workspace(root))
    part = path.rpartition("/")[0].rpartition("/")[2] or path
    asked = {
        "show --by file": ["show", "--by", "file", path],
        "show --by file, a part of a path": ["show", "--by", "file", part],
        "show --by coedit": ["show", "--by", "coedit", "--limit", "20"],
        "show --by tool": ["show", "--by", "tool"],
        "show --by task": ["show", "--by", "task"],
        "show --by pattern": ["show", "--by", "pattern", "--limit", "20"],
        "similar": ["similar", words],
        "sql, tools": ["sql", "SELECT tool_name, COUNT(*) AS n FROM tool_executions GROUP BY tool_name"],
    }
    bare = [Command(BARE, [sys.executable, "-c", "pass"], root), Command(HELLO, [VFCC, "--version"], root)]
    return [*bare, *(Command(f"history {name}", [VFCC, "history", *words], root) for name, words in asked.items())]


def _goals(done: Sequence[Done], sizes: Sizes) -> list[dict[str, object]]:
    """Return what was aimed for: the time of making the tables, in proportion to the events, and of each question."""
    took = {each.mode: each.ms for each in done}
    most = BUILD_S * 1000 * max(sizes.events, 1) / 100_000
    goals = [("made from nothing", took["build"]["made from nothing"], most)]
    goals += [(name, ms, ASK_MS) for name, ms in took["ask"].items()]
    goals += [(name, ms, ASK_MS) for name, ms in took["after"].items()]
    return [
        {"what": f"{name}, ms", "reached": ms, "most": round(limit), "met": ms <= limit} for name, ms, limit in goals
    ]


def _report(
    sizes: Sizes,
    done: Sequence[Done],
    agree: dict[str, Any],
    whole: Sequence[Figures],
    goals: Sequence[dict[str, object]],
    *,
    as_json: bool,
) -> None:
    about = {**machine(), "duckdb": f"duckdb {version('duckdb')}"}
    if as_json:
        content = {
            "machine": about,
            "history": asdict(sizes),
            "in process": [asdict(each) for each in done],
            "answers": {"differ": agree["differ"], "compared": agree["agreed"]},
            "whole processes": [asdict(each) for each in whole],
            "targets": list(goals),
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(about.values()))
    print(
        f"{sizes.events:,} events in {sizes.files} files, {sizes.bytes / 1e6:.1f} MB; "
        f"tables {sizes.tables / 1e6:.1f} MB\n"
    )
    for each in done:
        print(f"{each.mode} (peak {each.peak_kib / 1024:.1f} MB)")
        for name, ms in each.ms.items():
            print(f"  {name:42} {ms:10,.1f} ms")
    print(f"\nanswers of SQLite and DuckDB: {', '.join(agree['differ']) or 'the same'}")
    for name, count in agree["agreed"].items():
        print(f"  {name}: {count:,}")
    print(f"\n{'whole process':44} {'median':>11} {'lowest':>11} {'cpu':>11} {'peak':>9}")
    for one in whole:
        print(
            f"{one.name:44} {one.median_ms:8,.1f} ms {one.lowest_ms:8,.1f} ms {one.cpu_ms:8,.1f} ms "
            f"{one.peak_kib / 1024:6.1f} MB"
        )
    for goal in goals:
        met = "met" if goal["met"] else "MISSED"
        print(f"target: {goal['what']}: {goal['reached']:,} of {goal['most']:,} ({met})")


if __name__ == "__main__":
    main()
