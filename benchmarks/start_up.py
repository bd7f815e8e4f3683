"""How long short commands take in a pipe and at a terminal, beside bare Python, in one run.

    python benchmarks/start_up.py [--runs N] [--old VFCC] [--project FOLDER] [--json]

`--old` names the script of another installation, whose commands run in turn with this one's. `--project` names a
project whose board is drawn as well.
"""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import VFCC, example_tree
from benchmarks.measure import Command, measure, report

SHORT = (("--version",), ("status",), ("next",), ("sprint", "list"))
HOT = ("--version", "status")
TERMINAL = {"TERM": "xterm-256color", "NO_COLOR": "", "CI": ""}


def main() -> None:
    """Make a project, time the commands, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--old", metavar="VFCC")
    parser.add_argument("--project", type=Path, metavar="FOLDER")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        example, other = (example_tree(Path(scratch) / name) for name in ("example", "old"))
        commands = [*_bare(example), *_commands("", VFCC, example)]
        if options.old:
            commands += _commands("old ", options.old, other)  # each leaves a snapshot of its own
        if options.project:
            commands.append(_at_terminal("status of the project, terminal", [VFCC, "status"], options.project))
        figures = measure(commands, options.runs)
    targets: dict[str, tuple[str, float]] = {f"{name}, pipe": ("python -c pass", 2.0) for name in HOT}
    targets["--version, terminal"] = ("python -c pass, terminal", 2.0)
    report(figures, "python -c pass", targets, as_json=options.json)


def _bare(folder: Path) -> Iterator[Command]:
    python = [sys.executable, "-c", "pass"]
    yield Command("python -c pass", python, folder)
    yield _at_terminal("python -c pass, terminal", python, folder)


def _commands(prefix: str, program: str, folder: Path) -> Iterator[Command]:
    for words in SHORT:
        yield Command(f"{prefix}{' '.join(words)}, pipe", [program, *words], folder)
        yield _at_terminal(f"{prefix}{' '.join(words)}, terminal", [program, *words], folder)


def _at_terminal(name: str, words: list[str], folder: Path) -> Command:
    return Command(name, ["script", "-qec", shlex.join(words), "/dev/null"], folder, environment=TERMINAL)


if __name__ == "__main__":
    main()
