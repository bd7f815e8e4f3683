"""`vfcc check trace` on generated projects, cold, warm and with one changed file, beside doorstop on the same items.

    python benchmarks/trace.py [--runs N] [--sizes 500,5000,50000] [--doorstop PATH] [--no-doorstop]
                               [--doorstop-seconds N] [--doorstop-largest N] [--older VFCC] [--data FOLDER] [--json]

Cold is without `.memory/local/`; warm is the same question again; for "one changed" a line of one item is changed
before each run. Doorstop comes from the environment in PATH, or is installed into a temporary one; it is run once for
each tree of more than 500 items, with and without reformatting, and given up after so many seconds; larger trees than
--doorstop-largest are left out. --older names the script of another version, which gets the same items in projects of
its own: its runs follow ours in turn, and ours should take no longer. With --data the trees are kept in FOLDER and
used again.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count, zip_longest
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import HELLO
from benchmarks.measure import Command, Figures, machine, measure
from benchmarks.trace_tree import make, write_doorstop, write_vfcc
from verifflowcc.base.files.layout import SETTLED_AFTER_NS

VFCC = str(Path(sys.executable).with_name("vfcc"))
SMALL = 500
OLDER = ", older version"
NOISE = 1.03
"""What two runs of the same version differ by; a ratio above it is slower."""
_ABSOLUTE_MS = {"5,000 items, cold": 2000.0, "5,000 items, warm": 500.0}
_TIMES = {"50,000 items, warm": ("5,000 items, warm", 4.0)}


def main() -> None:
    """Make the trees, time the commands, print the figures."""
    options = _options()
    sizes = [int(size) for size in options.sizes.split(",")]
    with _folder(options.data) as folder, tempfile.TemporaryDirectory() as scratch:
        hello = Path(scratch) / "hello.py"
        hello.write_text(HELLO, encoding="utf-8")
        for size in sizes:
            _trees(folder, size, options.older, with_doorstop=not options.no_doorstop)
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        commands = [
            Command("python -c pass", [sys.executable, "-c", "pass"], folder),
            Command("typer hello-world", [sys.executable, str(hello)], folder),
            *(command for size in sizes for command in _asked(folder, size, Path(scratch), options.older)),
        ]
        figures = measure(commands, options.runs)
        told: list[str] = []
        if not options.no_doorstop:
            program = options.doorstop or _install(Path(scratch))
            left_out = [size for size in sizes if size > options.doorstop_largest]
            told += [f"{size:,} items, doorstop: left out, it would take too long" for size in left_out]
            for size in (size for size in sizes if size not in left_out):
                _doorstop(program, folder / f"doorstop-{size}", size, options, figures, told)
        _report(figures, told, as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="500,5000,50000")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--doorstop", type=Path, help="the folder of an environment that has doorstop")
    parser.add_argument("--no-doorstop", action="store_true")
    parser.add_argument("--doorstop-seconds", type=int, default=300)
    parser.add_argument("--doorstop-largest", type=int, default=5000)
    parser.add_argument("--older", metavar="VFCC", help="the script of another installation")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _trees(folder: Path, size: int, older: str | None, *, with_doorstop: bool) -> None:
    made = make(size)
    theirs = folder / f"doorstop-{size}"
    for ours, program in ((folder / f"vfcc-{size}", VFCC), (folder / f"older-{size}", older)):
        if program and not ours.exists():
            ours.mkdir()
            _run(ours, program, "init")
            write_vfcc(ours, made)
            _commit(ours)
    if with_doorstop and not theirs.exists():
        theirs.mkdir()
        write_doorstop(theirs, made)
        _commit(theirs)


def _asked(folder: Path, size: int, scratch: Path, older: str | None) -> Iterator[Command]:
    """Yield the commands of a size; those of an older version, each behind its own of today."""
    name = f"{size:,} items"
    ours = _checks(name, "", [VFCC, "check", "trace"], folder / f"vfcc-{size}", scratch)
    theirs = _checks(name, OLDER, [older or "", "check", "trace"], folder / f"older-{size}", scratch) if older else ()
    for pair in zip_longest(ours, theirs):
        yield from filter(None, pair)


def _checks(name: str, of: str, check: list[str], tree: Path, scratch: Path) -> Iterator[Command]:
    cold, edited = scratch / f"cold-{tree.name}", scratch / f"edited-{tree.name}"
    for copy in (cold, edited):
        shutil.copytree(tree, copy, symlinks=True)
    item = edited / ".memory" / "project" / "items" / "need" / "NEED000001.md"
    text, numbers = item.read_text(encoding="utf-8"), count()

    def edit() -> None:
        item.write_text(text + f"\n## Notes\n\nLooked at {next(numbers)} times.\n", encoding="utf-8")

    yield Command(f"{name}, cold{of}", check, cold, before=lambda: _forget(cold))
    yield Command(f"{name}, warm{of}", check, tree)
    yield Command(f"{name}, one changed{of}", check, edited, before=edit)


def _forget(tree: Path) -> None:
    shutil.rmtree(tree / ".memory" / "local", ignore_errors=True)


def _doorstop(
    program: Path, tree: Path, size: int, options: argparse.Namespace, figures: list[Figures], told: list[str]
) -> None:
    """Add what doorstop takes for a tree; where it takes too long, say so."""
    for name, words in (("doorstop --no-reformat", ["--no-reformat"]), ("doorstop", [])):
        what = f"{size:,} items, {name}"
        run = [str(program / "bin" / "doorstop"), *words]
        bounded = ["timeout", str(options.doorstop_seconds), *run]
        many = options.runs if size <= SMALL else 1
        try:
            figures += measure([Command(what, bounded, tree)], many, warm_up=1 if size <= SMALL else 0)
        except SystemExit as error:
            if "exit code 124" not in str(error):
                raise
            told.append(f"{what}: given up after {options.doorstop_seconds} s")


def _install(scratch: Path) -> Path:
    folder = scratch / "doorstop"
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "doorstop"], check=True)
    return folder


def _report(figures: list[Figures], told: list[str], *, as_json: bool) -> None:
    medians = {one.name: one.median_ms for one in figures}
    goals = [
        (f"{name} at most {limit / 1000:g} s", medians[name] / limit, f"{medians[name] / 1000:.2f} s")
        for name, limit in _ABSOLUTE_MS.items()
        if name in medians
    ]
    for name, (over, limit) in _TIMES.items():
        if name in medians and over in medians:
            times = medians[name] / medians[over]
            goals.append((f"{name} at most {limit:g} × {over}", times / limit, f"{times:.2f} ×"))
    for one in figures:
        if before := next((each for each in figures if each.name == one.name + OLDER), None):
            times = one.cpu_ms / before.cpu_ms
            ratios = f"{times:.2f} × its processor time, {one.peak_kib / before.peak_kib:.2f} × its memory"
            goals.append((f"{one.name} no slower than the older version", times / NOISE, ratios))
    if as_json:
        content = {"machine": machine(), "figures": [asdict(one) for one in figures], "told": told}
        content["targets"] = [{"target": name, "is": ratios, "met": part <= 1} for name, part, ratios in goals]
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    print(f"{'command':40} {'runs':>4} {'median':>11} {'lowest':>11} {'highest':>11} {'cpu':>11} {'peak':>9}")
    for one in figures:
        columns = (one.median_ms, one.lowest_ms, one.highest_ms, one.cpu_ms)
        print(
            f"{one.name:40} {one.runs:4} {' '.join(f'{ms:8,.0f} ms' for ms in columns)} {one.peak_kib / 1024:6.1f} MB"
        )
    for line in told:
        print(line)
    for name, part, ratios in goals:
        print(f"target: {name}: {ratios} ({'met' if part <= 1 else 'MISSED'})")


def _commit(folder: Path) -> None:
    person = ("-c", "gc.auto=0", "-c", "user.name=You", "-c", "user.email=you@example.org")
    for words in (("init", "--quiet"), ("add", "--all"), (*person, "commit", "--quiet", "--message", "all")):
        _run(folder, "git", *words)


def _run(folder: Path, *command: str) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(folder.parent / "data"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout.decode()}{done.stderr.decode()}")


if __name__ == "__main__":
    main()
