"""`vfcc --version`, `status` and `context show`, beside bare Python and a Typer hello-world, in one run.

    python benchmarks/commands.py [--runs N] [--entries N] [--data FOLDER] [--json]

`--data` names a folder of Markdown files that become the decisions of the large tree, instead of generated ones.
"""

import argparse
import itertools
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, measure, report

VFCC = str(Path(sys.executable).with_name("vfcc"))
HELLO = '''
import typer

app = typer.Typer(rich_markup_mode=None)


@app.command()
def hello(name: str = "world") -> None:
    """Say hello."""
    print("hello", name)


app()
'''
WORDS = [
    "queue",
    "retry",
    "timeout",
    "ledger",
    "cache",
    "token",
    "index",
    "schema",
    "release",
    "deploy",
    "cluster",
    "service",
    "gateway",
    "client",
    "stream",
    "batch",
    "worker",
    "lease",
    "budget",
    "route",
    "policy",
    "secret",
    "audit",
    "metric",
    "trace",
    "alert",
    "region",
    "backup",
    "restore",
    "tenant",
    "quota",
    "session",
    "event",
]
TASK = "Add a retry with a timeout to the queue worker and record it in the audit trace"


def main() -> None:
    """Make the trees, time the commands, print the figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hello = folder / "hello.py"
        hello.write_text(HELLO, encoding="utf-8")
        size = f"{options.entries:,} entries" if options.data is None else options.data.name
        trees = {
            "example": example_tree(folder / "example"),
            size: _large(folder / "large", options.entries, options.data),
        }
        commands = [
            Command("python -c pass", [sys.executable, "-c", "pass"], folder),
            Command("typer hello-world", [sys.executable, str(hello)], folder),
            Command("vfcc --version", [VFCC, "--version"], folder),
            Command("vfcc status", [VFCC, "status"], trees["example"]),
        ]
        for name, tree in trees.items():
            commands += _shows(name, tree, folder / f"{tree.name}-cold")
        figures = measure(commands, options.runs)
        targets = {
            "vfcc --version": ("python -c pass", 2.0),
            "vfcc status": ("python -c pass", 3.0),
            "context show, example, warm": ("typer hello-world", 2.0),
            f"context show, {size}, warm": ("context show, example, warm", 3.0),
        }
        report(figures, "python -c pass", targets, as_json=options.json)


def _shows(name: str, tree: Path, copy: Path) -> list[Command]:
    """Nothing cached; one file changed; another task on the same files; the same question again."""
    shutil.copytree(tree, copy)
    show = [VFCC, "context", "show", "--agent", "coder"]
    numbers = itertools.count()
    changed = copy / ".memory" / "project" / "conventions" / "testing.md"
    task = tree.parent / f"{tree.name}-task"  # a new file of the project would be another question

    def ask_anew() -> None:
        task.write_text(f"{TASK} number {next(numbers)}", encoding="utf-8")

    def touch() -> None:
        changed.write_text(f"{changed.read_text(encoding='utf-8').rstrip()}\n- and {next(numbers)}\n", encoding="utf-8")

    asking = ["sh", "-c", f'exec {shlex.join(show)} --task "$(cat {shlex.quote(str(task))})"']
    return [
        Command(f"context show, {name}, cold", show, copy, before=lambda: _forget(copy)),
        Command(f"context show, {name}, another task", asking, tree, before=ask_anew),
        Command(f"context show, {name}, one file changed", show, copy, before=touch),
        Command(f"context show, {name}, warm", show, tree),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def example_tree(folder: Path) -> Path:
    """Make a project with the worked example and a snapshot of its status."""
    folder.mkdir()
    _vfcc(folder, "init", "--worked-example")
    _vfcc(folder, "status")
    return folder


def _large(folder: Path, entries: int, data: Path | None) -> Path:
    example_tree(folder)
    decisions = folder / ".memory" / "project" / "decisions"
    if data is not None:
        for number, path in enumerate(sorted(data.rglob("*.md"))):
            shutil.copyfile(path, decisions / f"{number:05}-{path.name}")
        return folder
    source = random.Random(1)
    for number in range(entries):
        (decisions / f"{number:05}-{source.choice(WORDS)}.md").write_text(decision(source, number), encoding="utf-8")
    return folder


def decision(source: random.Random, number: int) -> str:
    """Return a decision of random words."""
    title = " ".join(source.choices(WORDS, k=4))
    day = f"20{10 + number // 1000:02}-{1 + number // 84 % 12:02}-{1 + number % 28:02}"
    paragraphs = "\n\n".join(" ".join(source.choices(WORDS, k=40)).capitalize() + "." for _ in range(3))
    return f"---\ntype: decision\ntitle: {title}\ncreated: {day}\n---\n\n# {title}\n\n{paragraphs}\n"


def _forget(tree: Path) -> None:
    shutil.rmtree(tree / ".memory" / "local", ignore_errors=True)


def _vfcc(folder: Path, *arguments: str) -> None:
    subprocess.run([VFCC, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
