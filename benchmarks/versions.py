"""Two versions of vfcc in turn: processor time of whole commands, and the ratio of each pair.

    python benchmarks/versions.py --old VFCC [--runs N] [--json]

`--old` names the script of another installation. Each version has a project of its own: caches of one version mean
nothing to the other. A run of the one follows a run of the other, so a loaded machine slows both; the figure is the
median of the ratios, with an interval of 95 % by 2,000 resamples of the runs.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import VFCC, example_tree
from benchmarks.measure import Command, machine, run_once

RESAMPLES = 2000
CASES: Mapping[str, Sequence[str]] = {
    "--version": ("--version",),
    "status": ("status",),
    "next": ("next",),
    "stage show": ("stage", "show"),
    "check gate": ("check", "gate"),
    "check trace": ("check", "trace"),
    "trace matrix": ("trace", "matrix"),
    "trace why": ("trace", "why", "REQ-CALENDAR"),
    "memory list": ("memory", "list"),
    "memory search": ("memory", "search", "tides of a harbour"),
    "context show, same question": ("context", "show", "--agent", "coder"),
    "context show, after an edit": ("context", "show", "--agent", "coder"),
    "code refs": ("code", "refs", "height"),
    "feedback list": ("feedback", "list"),
}


def main() -> None:
    """Make two projects, run the commands in turn, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--old", metavar="VFCC", required=True)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trees = {program: _project(Path(scratch) / name) for name, program in (("new", VFCC), ("old", options.old))}
        rows = [_row(name, words, trees, options.old, options.runs) for name, words in CASES.items()]
    if options.json:
        sys.stdout.write(json.dumps({"machine": machine(), "runs": options.runs, "ratios": rows}, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'command':32} {'old':>9} {'new':>9} {'ratio':>7}  95 %")
    for row in rows:
        old, new, ratio, low, high = (row[key] for key in ("old_ms", "new_ms", "ratio", "low", "high"))
        print(f"{row['command']:32} {old:6.1f} ms {new:6.1f} ms {ratio:7.3f}  {low:.3f} to {high:.3f}")


def _project(folder: Path) -> Path:
    example_tree(folder)
    (folder / "tides.py").write_text("def height():\n    return 1\n\n\ndef table():\n    return [height()]\n", "utf-8")
    for words in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def _row(name: str, words: Sequence[str], trees: Mapping[str, Path], old: str, runs: int) -> dict[str, float | str]:
    times: dict[str, list[float]] = {program: [] for program in trees}
    for number in range(2 + runs):
        for program, tree in trees.items():
            if name.endswith("edit"):
                (tree / "NOTES.md").write_text(f"Edit {number}.\n", encoding="utf-8")
            _, processor, _ = run_once(Command(name, [program, *words], tree), ("0", "1", "4"))
            if number >= 2:  # the first makes caches, the second settles them
                times[program].append(processor)
    ratios = [new / was for new, was in zip(times[VFCC], times[old], strict=True)]
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=runs)) for _ in range(RESAMPLES))
    return {
        "command": name,
        "old_ms": round(statistics.median(times[old]), 1),
        "new_ms": round(statistics.median(times[VFCC]), 1),
        "ratio": round(statistics.median(ratios), 3),
        "low": round(medians[RESAMPLES // 40], 3),
        "high": round(medians[-RESAMPLES // 40], 3),
    }


if __name__ == "__main__":
    main()
