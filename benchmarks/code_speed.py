"""Speed and size of the code graph: made from nothing, after one changed file, and asked when nothing changed.

    python benchmarks/code_speed.py --data FOLDER [FOLDER …] [--runs N] [--cold N] [--symbol NAME] [--json]

Each folder (the source of a program, as it is distributed) is copied and made a git repository with a project of vfcc
in it. All figures are of whole processes, in turn: questions beside a Typer program of one command, a changed file
beside bare Python; it is changed right before its run. What was just written is read again until its stamp has settled,
so the first runs come after that. The size is that of the index beside the source files that it is of.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, Figures, machine, measure
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.code.use.indexing import bring_up

VFCC = str(Path(sys.executable).with_name("vfcc"))
HELLO = '''
import typer

app = typer.Typer()


@app.command()
def hello(name: str) -> None:
    """Say hello."""
    print("hello", name)


app()
'''
PASS, TYPER = "python -c pass", "typer hello-world"
COLD_MS, CHANGED_MS, CONTEXT_MS, SIZE = 5_000, 100, 300, 2
_TASK = "Fix {} where the value that it is given is empty, and say so in the error"


@dataclass(frozen=True)
class Source:
    """A repository that is measured: files and bytes of source, what is looked for, and the index's bytes."""

    name: str
    root: Path
    files: int
    bytes: int
    symbol: str
    changing: Path

    @property
    def index(self) -> Path:
        """The index's file."""
        return self.root / ".memory" / "local" / "code.db"


@dataclass(frozen=True)
class Goal:
    """What was aimed for, in the unit that `what` names."""

    what: str
    reached: float
    most: float


def main() -> None:
    """Make the repositories, time the commands, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sources = [_made(Path(data), folder, options.symbol) for data in options.data]
        (folder / "hello.py").write_text(HELLO, encoding="utf-8")
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)
        cold = measure([_cold(source) for source in sources], options.cold, warm_up=0)
        hello = Command(TYPER, [sys.executable, str(folder / "hello.py"), "you"], folder)
        warm = measure([hello, *[each for source in sources for each in _asked(source)]], options.runs, warm_up=2)
        bare = Command(PASS, [sys.executable, "-c", "pass"], folder)
        warm += measure([bare, *[_changed(source) for source in sources]], options.runs, warm_up=2)
        sizes = {source.name: source.index.stat().st_size for source in sources}
    goals = list(_goals(sources, {each.name: each for each in (*cold, *warm)}, sizes))
    _report(sources, [*cold, *warm], sizes, goals, as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", required=True, help="folders with the source of programs")
    parser.add_argument("--runs", type=int, default=15, help="runs of each command on an index that is there")
    parser.add_argument("--cold", type=int, default=3, help="runs of the index made from nothing")
    parser.add_argument("--symbol", help="what is looked for; a method in the middle of the largest file, if left out")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _made(data: Path, scratch: Path, symbol: str | None) -> Source:
    root = scratch / data.name
    shutil.copytree(data, root, symlinks=True)
    person = ("-c", "user.name=You", "-c", "user.email=you@example.org")
    _run(("git", "init", "--quiet"), root)
    _run((VFCC, "init"), root)
    _run(("git", "add", "--all"), root)
    _run(("git", *person, "commit", "--quiet", "-m", "all"), root)
    with bring_up(open_workspace(root)).code as code:
        paths = list(code.files)
        sizes = {path: (root / path).stat().st_size for path in paths}
        python = [path for path in paths if code.files[path].language == "python" and not code.files[path].marks]
        largest = max(python or paths, key=lambda path: (sizes[path], path))
        named = [each.name for each in code.head(largest).definitions if each.kind.value in ("function", "method")]
    return Source(data.name, root, len(paths), sum(sizes.values()), symbol or named[len(named) // 2], root / python[0])


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def _cold(source: Source) -> Command:
    def lose() -> None:
        for path in source.index.parent.glob("code.db*"):
            path.unlink()

    return Command(f"{source.name}: made from nothing", [VFCC, "code", "index"], source.root, lose)


def _asked(source: Source) -> list[Command]:
    """Questions, with nothing changed since the last time."""
    return [
        Command(f"{source.name}: code find", [VFCC, "code", "find", source.symbol], source.root),
        Command(f"{source.name}: code refs", [VFCC, "code", "refs", source.symbol], source.root),
        Command(f"{source.name}: code context", [VFCC, "code", "context", _TASK.format(source.symbol)], source.root),
    ]


def _changed(source: Source) -> Command:
    def change() -> None:
        with source.changing.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef added_{time.monotonic_ns()}():\n    return {source.symbol}\n")

    return Command(f"{source.name}: one changed file", [VFCC, "code", "index"], source.root, change)


def _goals(sources: Sequence[Source], figures: dict[str, Figures], sizes: dict[str, int]) -> Iterator[Goal]:
    start, hello = figures[PASS].median_ms, figures[TYPER].median_ms
    for source in sources:
        name = source.name
        yield Goal(f"{name}: made from nothing, ms", figures[f"{name}: made from nothing"].median_ms, COLD_MS)
        changed = figures[f"{name}: one changed file"].median_ms
        yield Goal(f"{name}: one changed file, ms", changed, round(3 * start + CHANGED_MS, 1))
        yield Goal(f"{name}: code refs, times hello", round(figures[f"{name}: code refs"].median_ms / hello, 2), 1.5)
        context = figures[f"{name}: code context"].median_ms
        yield Goal(f"{name}: code context, ms more than hello", round(context - hello, 1), CONTEXT_MS)
        yield Goal(f"{name}: index, times its source", round(sizes[name] / source.bytes, 2), SIZE)


def _report(
    sources: Sequence[Source],
    figures: Sequence[Figures],
    sizes: dict[str, int],
    goals: Sequence[Goal],
    *,
    as_json: bool,
) -> None:
    if as_json:
        content = {
            "machine": machine(),
            "sources": [{"name": each.name, "files": each.files, "bytes": each.bytes} for each in sources],
            "figures": [asdict(each) for each in figures],
            "index bytes": sizes,
            "goals": [asdict(goal) for goal in goals],
        }
        sys.stdout.write(json.dumps(content, indent=2) + "\n")
        return
    print("; ".join(machine().values()))
    for each in sources:
        index = sizes[each.name] / 1e6
        print(f"{each.name}: {each.files:,} files, {each.bytes / 1e6:.1f} MB, index {index:.1f} MB, {each.symbol}")
    print(f"{'whole process':44} {'median':>12} {'lowest':>12} {'highest':>12} {'cpu':>12} {'peak':>9}")
    for one in figures:
        print(
            f"{one.name:44} {one.median_ms:9,.1f} ms {one.lowest_ms:9,.1f} ms {one.highest_ms:9,.1f} ms "
            f"{one.cpu_ms:9,.1f} ms {one.peak_kib / 1024:6.1f} MB"
        )
    for goal in goals:
        print(f"target: {goal.what}: {goal.reached:,} of {goal.most:,} ({_met(goal)})")


def _met(goal: Goal) -> str:
    return "met" if goal.reached <= goal.most else "MISSED"


if __name__ == "__main__":
    main()
