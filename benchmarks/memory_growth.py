"""What one item costs among many: `memory list --limit 20`, `memory inbox`, `memory show` and a prompt for a new task.

    python benchmarks/memory_growth.py [--sizes 1000,10000] [--only list,inbox] [--beside NAME=PROGRAM]… [--runs N]

Whole processes by processor time, in turn with bare Python and a Typer hello-world. Each program has projects of its
own, since another version rebuilds its index. Of two sizes that lie a decade apart the exponent is printed: 1 is as
many times the time as the items, 0 the same time. More than half of the items wait in the inbox.
"""

import argparse
import itertools
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.daily import HELLO
from benchmarks.measure import Command, machine, run_once
from benchmarks.memory_items import made
from benchmarks.memory_stores import own_home
from verifflowcc.base.files.layout import SETTLED_AFTER_NS

OURS = str(Path(sys.executable).with_name("vfcc"))
BARE, TYPER = "python -c pass", "typer hello-world"
WORK: Mapping[str, Sequence[str]] = {
    "list": ("memory", "list", "--limit", "20"),
    "inbox": ("memory", "inbox"),
    "show": ("memory", "show", "ID"),
    "prompt": ("context", "show", "--agent", "coder", "--task", "Add a retry with a timeout, number NUMBER"),
}
"""`ID` is the beginning of an id, `NUMBER` another one each time."""
CONFIG = "format: 2\n"


def main() -> None:
    """Make the projects, time the commands in turn, print the figures."""
    options = _options()
    programs = {"now": OURS, **dict(each.split("=", 1) for each in options.beside)}
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        home = own_home(Path(scratch, "home"))
        for name in os.environ.keys() - {"PATH", "LANG", "TMPDIR"}:
            del os.environ[name]  # marks of agents
        os.environ |= home
        hello = Path(scratch, "hello.py")
        hello.write_text(HELLO, encoding="utf-8")
        commands = [
            Command(BARE, [sys.executable, "-c", "pass"], Path(scratch)),
            Command(TYPER, [sys.executable, str(hello)], Path(scratch)),
        ]
        for size in map(int, options.sizes.split(",")):
            for name, program in programs.items():
                folder = _project(Path(scratch), name, size)
                for work in options.only.split(","):
                    words = [each.replace("ID", _an_id(size)) for each in WORK[work]]
                    commands.append(Command(f"{work} {name} {size}", [program, *words], folder))
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        _report(_timed(commands, options.runs), options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--only", default=",".join(WORK))
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", help="where the projects are made (default: the system's)")
    return parser.parse_args()


def _project(scratch: Path, name: str, size: int) -> Path:
    folder = scratch / f"{name}-{size}"
    for stored in made(size):
        path = folder / stored.item.path.replace("/conventions/", "/items/rule/")  # a thousand are always loaded else
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stored.text, encoding="utf-8")
    (folder / ".memory" / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return folder


def _an_id(size: int) -> str:
    """Return an id without its last letter; the number in it keeps it apart from all others."""
    return next(itertools.islice(made(size), size // 2, None)).item.id[:-1]


def _timed(commands: Sequence[Command], runs: int) -> dict[str, tuple[float, float]]:
    """Return processor time in milliseconds and peak memory in MB by name; two runs first fill what is kept."""
    taken: dict[str, list[tuple[float, int]]] = {each.name: [] for each in commands}
    numbers = itertools.count()
    for run in range(runs + 2):
        for each in commands:
            words = [word.replace("NUMBER", str(next(numbers))) for word in each.arguments]
            _, processor, peak = run_once(Command(each.name, words, each.folder), ("0", "1", "2"))
            if run >= 2:
                taken[each.name].append((processor, peak))
    return {
        name: (statistics.median(ms for ms, _ in rows), max(peak for _, peak in rows) / 1024)
        for name, rows in taken.items()
    }


def _report(found: Mapping[str, tuple[float, float]], options: argparse.Namespace) -> None:
    print("; ".join(machine().values()))
    print(f"{'work, version, items':32} {'processor time':>14} {'× bare':>8} {'× Typer':>8} {'peak':>9}  exponent")
    for name, (ms, peak) in found.items():
        *head, last = name.rsplit(" ", 1)
        smaller = found.get(f"{head[0]} {int(last) // 10}") if head and last.isdecimal() else None
        grown = f"{math.log10(ms / smaller[0]):9.2f}" if smaller else ""
        line = f"{name:32} {ms:11.1f} ms {ms / found[BARE][0]:8.1f} {ms / found[TYPER][0]:8.1f} {peak:6.1f} MB {grown}"
        print(line.rstrip())


if __name__ == "__main__":
    main()
