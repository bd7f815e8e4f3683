"""What `red-first` costs beside one run of the same tests, on the last changes of a repository.

    python benchmarks/red_first_cost.py REPOSITORY [--changes N] [--command "python -m pytest -q"] [--vfcc PROGRAM]

Each of the last commits that change product and tests is proven as the criterion proves it: as a whole, in four runs at
most, with no outcome of an earlier proof. Beside that its tests run in a checkout of it, as a developer runs them: the
second time counts, for which Python has compiled the modules. Each figure is seconds of the clock, then
seconds of processor time, which other work on the machine moves less. The default command runs pytest by the Python
that runs this script.
"""

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine

TARGET = 2.5
RUNS = 4
"""As many as the criterion allows itself where no hunk is asked for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the clock and of the processor that a process and those it waited for took, and what it printed."""

    wall: float
    processor: float
    out: str

    def __str__(self) -> str:
        return f"{self.wall:6.1f} {self.processor:6.1f}"


def git(folder: Path, *words: str) -> str:
    """Run git, and return what it printed."""
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout


def cost_of(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Cost:
    """Run a command, and return what it cost."""
    began, spent = time.monotonic(), _spent()
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=env, check=False)
    return Cost(time.monotonic() - began, _spent() - spent, ran.stdout)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def proven(vfcc: Sequence[str], folder: Path, commit: str, command: str) -> tuple[Cost, dict[str, object]]:
    """Return what a proof of a commit cost, and the proof as `prove --json` has it."""
    as_criterion = ("--whole", "--fresh", "--runs", str(RUNS))
    words = [*vfcc, "prove", commit, *as_criterion, "--yes", "--json", "--full", "--command", command]
    cost = cost_of(words, folder, {**_environment(), "CI": "true", "XDG_DATA_HOME": str(folder.parent / "allowed")})
    found: dict[str, object] = json.loads(cost.out)["data"]["changes"][0]
    return cost, found


def alone(folder: Path, commit: str, command: str, tests: Sequence[str]) -> Cost:
    """Return what these tests of a commit cost in a checkout, once the modules are compiled."""
    git(folder, "checkout", "-q", "--detach", commit)
    words, env = [*shlex.split(command), *tests], {**_environment(), "PYTHONPATH": str(folder)}
    cost_of(words, folder, env)
    return cost_of(words, folder, env)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    """Prove, run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--changes", type=int, default=10)
    parser.add_argument("--command", default=f"{shlex.quote(sys.executable)} -m pytest -q")
    parser.add_argument("--vfcc", default=shlex.quote(str(Path(sys.executable).with_name("vfcc"))), metavar="PROGRAM")
    asked = parser.parse_args()
    print("; ".join(machine().values()), f"load {os.getloadavg()[0]:.1f}", sep="; ")
    print("commit     tests    tests alone      red-first      ratio")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "clone"
        git(asked.repository, "clone", "-q", "--shared", str(asked.repository.resolve()), str(folder))
        ratios: list[tuple[float, float]] = []
        for commit in git(folder, "rev-list", "--no-merges", "--max-count=200", "HEAD").split():
            total, proof = proven(shlex.split(asked.vfcc), folder, commit, asked.command)
            listed = proof["tests"]
            assert isinstance(listed, list)
            if not listed:
                continue
            tests = [each["test"] for each in listed]
            once = alone(folder, commit, asked.command, tests)
            ratios.append((total.wall / once.wall, total.processor / once.processor))
            figures = f"{once}  {total}  {ratios[-1][0]:4.1f} {ratios[-1][1]:4.1f}"
            words = f"{proof['verdict']}, {proof['runs']} runs"
            print(f"{commit[:9]}  {len(listed):4}  {figures}  {words}", flush=True)
            if len(ratios) == asked.changes:
                break
    for position, name in enumerate(("clock", "processor time")):
        each = sorted(pair[position] for pair in ratios)
        met = sum(ratio <= TARGET for ratio in each)
        print(f"{name}: median {each[len(each) // 2]:.1f}, worst {each[-1]:.1f}; {met} of {len(each)} within {TARGET}")


if __name__ == "__main__":
    main()
