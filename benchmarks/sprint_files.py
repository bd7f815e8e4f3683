"""How many files, suggested commits and commands a sprint in `light` takes, counted in a temporary git repository.

    python benchmarks/sprint_files.py [--vfcc PROGRAM] [--json]

Two sprints are played by a person at a pseudo-terminal, each in a repository of its own: a whole one, with its five
artifacts, and a trivial one with none. Both change a function and pass its test. A suggested commit is a line that
begins with `to commit:`; it is run where it is printed, so that each file counts once. Commands are those of vfcc from
`sprint start` to `sprint close`, and the suggested commits. `--vfcc` names another version's program.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine

VFCC = str(Path(sys.executable).with_name("vfcc"))
ARTIFACTS = {
    "planning": "plan.md",
    "design": "design.md",
    "coding": "changes.md",
    "testing": "results.md",
    "validation": "acceptance.md",
}
TEXT = "# Tides\n\nThe tide is high where the level is above zero.\n"
CODE = "def high(level):\n    return level > 0\n"
TEST = "from tides import high\n\n\ndef test_high():\n    assert high(1)\n"
OF_AGENTS = ("VFCC_", "CLAUDE", "CODEX", "CURSOR", "GEMINI", "COPILOT", "AI_AGENT", "XDG_DATA_HOME", "CI")
"""How variables begin that would make the person an agent, or name another home."""


@dataclass
class Count:
    """What one sprint took."""

    sprint: str
    files: list[str] = field(default_factory=list)
    commits: int = 0
    commands: int = 0


def main() -> None:
    """Play both sprints, and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vfcc", default=VFCC)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        counts = [
            _play(Path(scratch) / name, name, options.vfcc, artifacts)
            for name, artifacts in (("whole", ARTIFACTS), ("trivial", {}))
        ]
    if options.json:
        sys.stdout.write(json.dumps([asdict(each) for each in counts], indent=2) + "\n")
        return
    sys.stdout.write(
        f"{'; '.join(machine().values())}\n\n{'sprint':<10}{'new files':>10}{'commits':>10}{'commands':>10}\n"
    )
    for each in counts:
        sys.stdout.write(f"{each.sprint:<10}{len(each.files):>10}{each.commits:>10}{each.commands:>10}\n")


def _play(folder: Path, name: str, vfcc: str, artifacts: dict[str, str]) -> Count:
    person = _Person(_project(folder, vfcc), vfcc, Count(name))
    before = set(_tracked(folder))
    person.does("sprint", "start", "Tides")
    for stage in ARTIFACTS:
        if stage in artifacts:
            place = folder / ".memory" / "stage" / "tides" / stage / "artifacts"
            place.mkdir(parents=True, exist_ok=True)
            (place / artifacts[stage]).write_text(TEXT, encoding="utf-8")
        if stage == "coding":
            (folder / "tides.py").write_text(
                f"{CODE}\n\ndef low(level):\n    return not high(level)\n", encoding="utf-8"
            )
        if stage == "testing":
            person.does("evidence", "run")
        person.does("stage", "advance")
    person.does("sprint", "close")
    person.count.files = sorted(set(_tracked(folder)) - before)
    return person.count


def _project(folder: Path, vfcc: str) -> Path:
    """A committed project whose tests vfcc may run."""
    (folder / "tests").mkdir(parents=True)
    (folder / "tides.py").write_text(CODE, encoding="utf-8")
    (folder / "tests" / "test_tides.py").write_text(TEST, encoding="utf-8")
    (folder / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n", encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    _git(folder, "config", "user.name", "Ann")
    _git(folder, "config", "user.email", "ann@example.org")
    setup = _Person(folder, vfcc, Count("setup"))
    setup.does("init", "--yes")
    config = folder / ".memory" / "config.yaml"
    run = f'  commands: {{test: {{run: ["{sys.executable}", -m, pytest, -q, "--junitxml={{junit}}"]}}}}\n'
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.startswith("  commands:"))
    end = next(number for number in range(start + 1, len(lines)) if not lines[number].startswith("    "))
    config.write_text("".join([*lines[:start], run, *lines[end:]]), encoding="utf-8")
    setup.does("allow", "--yes")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "first")
    return folder


@dataclass
class _Person:
    """Somebody at a terminal in `folder`, who runs each commit that is suggested."""

    folder: Path
    vfcc: str
    count: Count

    def does(self, *words: str) -> None:
        code, text = _at_terminal([self.vfcc, *words], self.folder)
        if code:
            sys.exit(f"vfcc {' '.join(words)} ended with {code}:\n{text}")
        self.count.commands += 1
        for line in text.splitlines():
            if line.startswith("to commit: "):
                subprocess.run(
                    line.removeprefix("to commit: "), shell=True, cwd=self.folder, check=True, capture_output=True
                )
                self.count.commits += 1
                self.count.commands += 1


def _at_terminal(command: Sequence[str], folder: Path) -> tuple[int, str]:
    """Run a command with a pseudo-terminal on all three sides; return its exit code and what it printed."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=_environment(folder),
        start_new_session=True,
    )
    os.close(theirs)
    printed = b""
    try:
        while part := os.read(ours, 1 << 16):
            printed += part
    except OSError:  # Linux ends a terminal whose other side is closed with EIO
        pass
    os.close(ours)
    return process.wait(), printed.decode("utf-8", "replace").replace("\r\n", "\n")


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_AGENTS)}
    return {
        **kept,
        "XDG_DATA_HOME": str(folder.parent / "data"),
        "PYTHONPATH": str(folder),
        "COLUMNS": "1000",
        "NO_COLOR": "1",
    }


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def _tracked(folder: Path) -> list[str]:
    """Every file that git tracks, or would: new ones that are not ignored are added first."""
    _git(folder, "add", "--all")
    return _git(folder, "ls-files").splitlines()


if __name__ == "__main__":
    main()
