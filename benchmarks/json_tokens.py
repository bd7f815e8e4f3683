"""Tokens (o200k) of what 28 commands print: as text, and with `--json`.

    python benchmarks/json_tokens.py [--vfcc PROGRAM] [--json]

Each command runs twice, in two copies of one temporary git repository: the worked example, with a small Python module,
its tests, trace items and one memory, in the stage `coding` of a sprint in `light`. `--vfcc` names the program of
another version, which then makes its own repository. Acts of a person are done at a
pseudo-terminal. Tokens are those of stdout.
"""

import argparse
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine
from verifflowcc.adapters.tokens.counter import open_counter
from verifflowcc.domain.config import TokenSettings

VFCC = str(Path(sys.executable).with_name("vfcc"))
MOST = 3.0
PATIENCE_S = 60
CODE = '''"""Tides."""


def high(level: float) -> bool:
    """Whether the tide is high."""
    return level > 0


def low(level: float) -> bool:
    """Whether the tide is low."""
    return not high(level)
'''
TEST = "from tides import high, low\n\n\ndef test_high():\n    assert high(1) and low(-1)\n"
CHANGED = CODE.replace("level > 0", "level >= 0")
CHANGED_TEST = TEST.replace("high(1)", "high(0)")
COMMANDS = (
    "status",
    "next",
    "stage show",
    "stage list",
    "stage put changes --file CHANGES.md",
    "check gate",
    "evidence run --all",
    "evidence list",
    "stage advance",
    "sprint start Harbours --goal One",
    "sprint show",
    "sprint list",
    "sprint close --unfinished enough",
    "context show --agent coder",
    "memory add fact Levels-are-in-metres --scope agent/coder --id levels",
    "memory list",
    "memory show levels-are-decimals",
    "memory search decimals",
    "check",
    "check trace",
    "trace list",
    "trace show REQ-CALENDAR",
    "code find high",
    "code refs high",
    "code context tide",
    "history show",
    "prove HEAD --command pytest --yes",
    "allow --check",
)
BEFORE = {"evidence list": ("evidence run --all",)}
"""What is done first, where a command needs it."""
NOT_THERE = 2
"""The exit code of a version that does not know the command."""
OF_AGENTS = ("VFCC_", "CLAUDE", "CODEX", "CURSOR", "GEMINI", "COPILOT", "AI_AGENT", "XDG_DATA_HOME", "CI")


@dataclass(frozen=True)
class Row:
    """A command with its exit code, and the tokens of its text and of its lean JSON."""

    command: str
    exit_code: int
    text: int
    json: int

    @property
    def times(self) -> float:
        """How many times the text's tokens the JSON has."""
        return self.json / max(1, self.text)


def main() -> None:
    """Make the repository, run the commands, print the tokens."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vfcc", default=VFCC, metavar="PROGRAM")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(Path(scratch), options.vfcc)
    if options.json:
        sys.stdout.write(json.dumps([asdict(each) for each in rows], indent=2) + "\n")
        return
    sys.stdout.write("; ".join(machine().values()) + "\n\n")
    sys.stdout.write(f"{'command':<34}{'exit':>5}{'text':>8}{'JSON':>8}{'times':>7}\n")
    for each in rows:
        name = " ".join(word for word in each.command.split()[:2] if not word.startswith("-") and word.islower())
        sys.stdout.write(f"{name:<34}{each.exit_code:>5}{each.text:>8,}{each.json:>8,}{each.times:>7.1f}\n")
    known = [each for each in rows if each.exit_code != NOT_THERE]
    over = [each for each in known if each.times > MOST]
    sys.stdout.write(f"\nabove {MOST:.0f} times: {len(over)} of {len(known)}\n")


def measure(folder: Path, vfcc: str) -> list[Row]:
    """Return a row for each command."""
    count = open_counter(TokenSettings()).count
    person = _Person(folder / "home", vfcc)
    origin = _project(folder / "origin", person)
    found = []
    for number, command in enumerate(COMMANDS):
        texts, code = [], 0
        for form in ((), ("--json",)):
            here = folder / f"{number}-{len(form)}" / origin.name
            shutil.copytree(origin, here, symlinks=True)
            person.does(here, "allow", "--yes")
            for line in BEFORE.get(command, ()):
                person.does(here, *line.split())
            code, text = person.does(here, *command.split(), *form)
            texts.append(text)
        found.append(Row(command, code, count(texts[0]), count(texts[1])))
    return found


@dataclass(frozen=True)
class _Person:
    """Somebody with a terminal, whose commands write to a pipe."""

    home: Path
    vfcc: str

    def does(self, folder: Path, *words: str) -> tuple[int, str]:
        """Run a command, and return its exit code and what it wrote to stdout."""
        self.home.mkdir(exist_ok=True)
        ours, theirs = pty.openpty()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OF_AGENTS)}
        path = f"{Path(sys.executable).parent}{os.pathsep}{inherited['PATH']}"
        done = subprocess.run(
            [self.vfcc, *words],
            cwd=folder,
            env={**inherited, "HOME": str(self.home), "PATH": path},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            text=True,
            check=False,
        )
        os.close(ours)
        os.close(theirs)
        return done.returncode, done.stdout


def _project(folder: Path, person: _Person) -> Path:
    (folder / "tests").mkdir(parents=True)
    files = {"tides.py": CODE, "tests/test_tides.py": TEST, "CHANGES.md": "# Changes\n\nTides in a calendar.\n"}
    _write(folder, {**files, ".gitignore": "__pycache__/\n.pytest_cache/\n", "pytest.ini": "[pytest]\n"})
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    _git(folder, "config", "user.name", "Ann")
    _git(folder, "config", "user.email", "ann@example.org")
    person.does(folder, "init", "--worked-example")
    _name_test_command(folder / ".memory" / "config.yaml")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "first")
    person.does(folder, "allow", "--yes")
    person.does(folder, "memory", "add", "fact", "Levels are decimals", "--id", "levels-are-decimals", "--yes")
    person.does(folder, "code", "index")
    _write(folder, {"tides.py": CHANGED, "tests/test_tides.py": CHANGED_TEST})
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "a level of zero is high")
    person.does(folder, "sprint", "close", "sprint-02", "--unfinished", "enough")
    person.does(folder, "sprint", "start", "Tides", "--workflow", "light")
    for stage, name in (("planning", "plan.md"), ("design", "design.md")):
        artifacts = folder / ".memory" / "stage" / "tides" / stage / "artifacts"
        artifacts.mkdir(parents=True, exist_ok=True)
        _write(artifacts, {name: "# Tides\n\nThe tide is high where the level is not below zero.\n"})
        person.does(folder, "stage", "advance")
    return folder


def _name_test_command(config: Path) -> None:
    """Name the command of the tests, where `init` did not find it."""
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    if any("{junit}" in line and not line.startswith("#") for line in lines):
        return
    run = f'{{run: ["{sys.executable}", -m, pytest, -q, "--junitxml={{junit}}"]}}'
    start = next((number for number, line in enumerate(lines) if line.startswith("  commands:")), None)
    if start is None:
        config.write_text("".join([*lines, f"gates:\n  commands:\n    test: {run}\n"]), encoding="utf-8")
        return
    end = next((number for number in range(start + 1, len(lines)) if not lines[number].startswith("    ")), len(lines))
    changed = [*lines[:start], f"  commands: {{test: {run}}}\n", *lines[end:]]
    config.write_text("".join(changed), encoding="utf-8")


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
