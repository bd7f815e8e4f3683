"""What `red-first` costs beside one run of the same tests, on the last changes of a repository.

    python benchmarks/red_first_cost.py REPOSITORY [--changes N] [--command "python -m pytest -q"]

Each of the last commits that change product and tests is proven as the criterion proves it (as a whole, no outcome of
an earlier proof), then its tests run once in a checkout of it. Run it on a quiet machine.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VFCC = str(Path(sys.executable).with_name("vfcc"))


def git(folder: Path, *words: str) -> str:
    """Run git, and return what it printed."""
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout


def proven(folder: Path, commit: str, command: str) -> dict[str, object]:
    """Return the proof of a commit, as `prove --json` has it."""
    words = [VFCC, "prove", commit, "--whole", "--fresh", "--yes", "--json", "--full", "--command", command]
    ran = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, "CI": "true"}, check=False
    )
    found: dict[str, object] = json.loads(ran.stdout)["data"]["changes"][0]
    return found


def once(folder: Path, commit: str, command: str, tests: list[str]) -> float:
    """Return the seconds that these tests of a commit take."""
    git(folder, "checkout", "-q", "--detach", commit)
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    started = time.monotonic()
    subprocess.run([*shlex.split(command), *tests], cwd=folder, capture_output=True, env=env, check=False)
    return time.monotonic() - started


def main() -> None:
    """Prove, run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--changes", type=int, default=10)
    parser.add_argument("--command", default="python -m pytest -q")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "clone"
        git(asked.repository, "clone", "-q", "--shared", str(asked.repository.resolve()), str(folder))
        ratios = []
        for commit in git(folder, "rev-list", "--no-merges", "--max-count=200", "HEAD").split():
            proof = proven(folder, commit, asked.command)
            listed = proof["tests"]
            assert isinstance(listed, list)
            tests = [each["test"] for each in listed]
            if not tests:
                continue
            alone, total = once(folder, commit, asked.command, tests), int(str(proof["duration_ms"])) / 1000
            ratios.append(total / alone)
            words = f"{proof['verdict']}, {proof['runs']} runs"
            print(f"{commit[:9]}  {len(tests):4} tests  {alone:6.1f} s  {total:6.1f} s  {total / alone:4.1f}x  {words}")
            if len(ratios) == asked.changes:
                break
        print(f"median {sorted(ratios)[len(ratios) // 2]:.1f}x, worst {max(ratios):.1f}x of {len(ratios)} changes")


if __name__ == "__main__":
    main()
