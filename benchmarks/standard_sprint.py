"""How many files, commits and typed commands the sprint of the tutorial takes, in `standard`.

    python benchmarks/standard_sprint.py --data FOLDER [--checkout FOLDER] [--json]

`--data` is the unpacked source distribution of inflection 0.5.1. The page of a checkout of vfcc (default: this one) is
replayed with the interpreter in the checkout's `.venv`. Files are those that the commits after the one that allows
`standard` added below `.memory/`; commands are those that a person types, with their characters (an agent's blocks are
marked in the page).
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/tutorials/first-sprint.md", "docs/how-to/a-whole-sprint.md")
"""The tutorial, and its place in version 0.1."""
WITHIN = "within"
"""The argument with which this file is run by the checkout's own interpreter."""
SET_UP = "vfcc: the standard workflow"


def main() -> None:
    """Replay the page of a checkout, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--checkout", type=Path, default=ROOT, metavar="FOLDER")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.data / "inflection").is_dir():
        parser.error(f"{options.data} is not inflection 0.5.1; unpack its source distribution")
    checkout = options.checkout.resolve()
    python = checkout / ".venv" / "bin" / "python"
    command = [python, __file__, WITHIN, options.data.resolve()]
    done = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    if options.json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return
    for name, value in found.items():
        sys.stdout.write(f"{name:<12}{value:>8,}\n")


def _within(data: Path) -> None:
    """Replay the page of the folder that this runs in; write the counts as JSON."""
    sys.path.insert(0, str(Path.cwd()))
    from tests.transcript.replay import prepare, replay, sessions

    def begin(folder: Path, start: str) -> None:
        if start == "inflection":
            shutil.copytree(data, folder, dirs_exist_ok=True)
        else:
            prepare(folder, start)

    page = next(path for path in map(Path, PAGES) if path.is_file()).read_text(encoding="utf-8")
    typed = [step.command for each in sessions(page) if not getattr(each, "agent", None) for step in each.steps]
    with tempfile.TemporaryDirectory() as scratch:
        wrong = replay(page, Path(scratch), begin)
        here = Path(scratch) / "session-0"
        start = _git(here, "log", "--format=%H", "--fixed-strings", f"--grep={SET_UP}").split()[-1]
        added = _git(here, "diff", "--name-only", "--diff-filter=A", start, "HEAD", "--", ".memory").splitlines()
        commits = int(_git(here, "rev-list", "--count", f"{start}..HEAD"))
    found = {
        "commands": len(typed),
        "characters": sum(len(line) + 1 for command in typed for line in command.split("\n")),
        "files": len(added),
        "commits": commits,
        "differing": len(wrong),
    }
    sys.stdout.write(json.dumps(found))


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    if sys.argv[1:2] == [WITHIN]:
        _within(Path(sys.argv[2]))
    else:
        main()
