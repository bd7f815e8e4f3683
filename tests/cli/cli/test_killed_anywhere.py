"""`stage advance`, stopped at its calls that change the disk: killed there, or told that the call failed.

strace records the calls of one run and then stops one run at each of a sample of them. Afterwards the sprint is where
it was or one stage further, every file is whole, the next command works, and `vfcc doctor` finds nothing.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.process import VFCC, Ran, environment, vfcc
from tests.cli.trees import half_written
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import progress_text, show_sprint

CALLS = (
    *("openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "flock", "rename", "renameat", "renameat2"),
    *(
        "mkdir",
        "mkdirat",
        "unlink",
        "unlinkat",
        "chmod",
        "fchmod",
        "fchmodat",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
    ),
)
ERRORS = ("ENOSPC", "EIO", "EACCES")
LINE = re.compile(r"(\w+)\((.*)\)\s+= ")
PLACE = re.compile(r"/\.memory/[^\s\">,]*")
DRAWN = re.compile(r"\.vfcc-\d+-\w+|[0-9A-Z]{26}|[0-9a-f]{16,}")
RUNS = 12
DRAWN_POINTS = 8
STEADY = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
"""So that each run makes the same calls in the same order."""


@dataclass(frozen=True, slots=True)
class Point:
    """A call that changes the disk: its name, and how many calls of that name the process makes up to it."""

    call: str
    number: int
    what: str


def _strace(folder: Path, *options: str) -> Ran:
    return vfcc(folder, "stage", "advance", env=STEADY, program=("strace", "-qq", *options, sys.executable, str(VFCC)))


def _points(folder: Path, log: Path) -> list[Point]:
    """Run the command to its end and return the calls of its main thread that change what lies below `.memory/`."""
    ran = _strace(folder, "-y", "-o", str(log), "-e", f"trace={','.join(f'?{name}' for name in CALLS)}")
    if ran.code != 0:
        pytest.skip(f"strace cannot trace here: {ran.err[:200]}")
    seen: Counter[str] = Counter()
    found = []
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        call = LINE.match(line)
        if call is None:
            continue
        seen[call[1]] += 1
        reads = call[1] == "openat" and "O_CREAT" not in call[2]
        if "/.memory/" in call[2] and not reads:
            found.append(Point(call[1], seen[call[1]], call[2]))
    return found


def _chosen(points: Sequence[Point]) -> list[Point]:
    """From the lock on, all of them but those of the items' index; before it lie caches, of which the first stands for
    all.

    The index is a database that may be deleted at any time and writes some hundred pages: of each kind of call on each
    of its files, the first and the last are stopped at.
    """
    lock = next(index for index, point in enumerate(points) if point.call == "flock")
    after = points[lock - 1 :]
    of_index = [point for point in after if "/index.db" in point.what]
    first = {_kind(point): point for point in reversed(of_index)}
    last = {_kind(point): point for point in of_index}
    ends = {*first.values(), *last.values()}
    return [*points[:7], *(point for point in after if "/index.db" not in point.what or point in ends)]


def _sample(points: Sequence[Point], seed: str) -> list[Point]:
    """Of the points, the first, the last, and each at which a file comes to be there under its name; and of as many
    equal stretches between them as are drawn, one each: a test has its own seed, and with it its own points.
    """
    draw = random.Random(seed)
    taken = {0, len(points) - 1, *(number for number, point in enumerate(points) if point.call == "rename")}
    others = [number for number in range(len(points)) if number not in taken]
    cuts = [len(others) * each // DRAWN_POINTS for each in range(DRAWN_POINTS + 1)]
    taken.update(draw.choice(others[start:end]) for start, end in pairwise(cuts))
    return [points[number] for number in sorted(taken)]


def _kind(point: Point) -> tuple[str, ...]:
    return point.call, *_places(point.what)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worked example with what `coding` owes; it is copied, never run in."""
    if shutil.which("strace") is None:
        pytest.skip("there is no strace")
    folder = tmp_path_factory.mktemp("ready") / "example"
    folder.mkdir()
    assert vfcc(folder, "init", "--worked-example").code == 0
    shutil.rmtree(folder / ".memory/local", ignore_errors=True)
    changes = folder / ".memory/stage/sprint-02/coding/artifacts/changes.md"
    changes.write_text("The export writes one event for each tide.\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def points(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    """The points to stop at."""
    home = tmp_path_factory.mktemp("recorded")
    compiled = vfcc(shutil.copytree(ready, home / "first" / "example"), "stage", "advance")
    assert compiled.code == 0, "this run leaves compiled modules, so that all that follow open the same files"
    diagnose(home / "first" / "example")  # what it builds at its first use is not to be built by two threads at once
    found = _points(shutil.copytree(ready, home / "example"), home / "log")
    calls = {point.call for point in found}
    assert {"openat", "write", "fsync", "rename", "mkdir", "ftruncate", "flock"} <= calls, calls
    return _chosen(found)


def _state_of(folder: Path, code: int) -> list[str]:
    """What is wrong with the tree after a run that was stopped, as sentences; and carry it on to see that it works."""
    here = open_workspace(folder)
    state = show_sprint(here, "sprint-02")
    wrong = [f"problem: {problem}" for problem in state.problems]
    if state.fork or state.current not in ("coding", "testing"):
        return [*wrong, f"it is {state.status} in {state.current}"]
    if state.current == "coding":
        wrong += ["exit 0 with nothing moved"] if code == 0 else []
        state = advance_stage(here, "sprint-02", actor="ci").state
    else:
        json.loads((folder / ".memory/stage/sprint-02/coding/metrics.json").read_bytes())
    summary = (folder / ".memory/stage/sprint-02/coding/summary.md").read_bytes()
    if state.stages[2].summary != digest_text(summary):
        wrong.append("the summary is not the one in the ledger")
    return wrong


def _mended(folder: Path) -> list[str]:
    """What is wrong after one more move."""
    ran = vfcc(folder, "stage", "reopen", "planning", "--reason", "again")
    wrong = [] if ran.code == 0 else [f"the next move failed: {ran}"]
    wrong += [f"left behind: {path}" for path in half_written(folder)]
    progress = (folder / ".memory/sprint/sprint-02/progress.json").read_text(encoding="utf-8")
    if progress != progress_text(open_workspace(folder), "sprint-02"):
        wrong.append("progress.json is not up to date")
    return wrong + [str(remark) for remark in diagnose(folder).findings]


def _places(what: str) -> list[str]:
    """The paths below `.memory/` that a call names, without what is drawn or counted anew in each run."""
    return [DRAWN.sub("*", place) for place in PLACE.findall(what)]


def _stopped(ready: Path, folder: Path, point: Point, how: str) -> Ran | None:
    """Stop a run at a point. Where it came to other calls, it is run again, and stopped at the nearest call on the same
    path: files that grew old enough since are remembered, so that a slow run writes more than a quick one. None where
    only the slow run that was recorded made such a call.
    """
    log, number = folder.parent / "calls", point.number
    for _ in range(RUNS):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ready, folder)
        inject = f"inject={point.call}:{how}:when={number}"
        ran = _strace(folder, "-y", "-o", str(log), "-e", f"trace={point.call}", "-e", inject)
        calls = (LINE.match(line) for line in log.read_text(encoding="utf-8", errors="replace").splitlines())
        made = [call[2] for call in calls if call and call[1] == point.call]
        same = [at for at, what in enumerate(made, 1) if _places(what) == _places(point.what)]
        if number in same:
            return ran
        number = min(same, key=lambda at: abs(at - point.number)) if same else number + 1
    return None


def _each(points: Sequence[Point], look: Callable[[int, Point], list[str]]) -> list[tuple[Point, str]]:
    """Look at all points, some at a time, and return what is wrong at which."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(look, range(len(points)), points)
        return [(point, each) for point, wrong in zip(points, found, strict=True) for each in wrong]


@pytest.mark.sweep
def test_killed_at_any_call_it_has_happened_or_not(ready: Path, points: list[Point], tmp_path: Path) -> None:
    points = _sample(points, "killed")
    ends: dict[int, str] = {}

    def look(index: int, point: Point) -> list[str]:
        folder = tmp_path / str(index) / "example"
        ran = _stopped(ready, folder, point, "signal=KILL")
        if ran is None:
            return []
        wrong = [] if ran.code in (-signal.SIGKILL, 128 + signal.SIGKILL) else [f"not killed: {ran}"]
        wrong += [str(remark) for remark in diagnose(folder).findings]
        ends[index] = str(show_sprint(open_workspace(folder), "sprint-02").current)
        return wrong + _state_of(folder, ran.code) + (_mended(folder) if index % 4 == 0 else [])

    assert _each(points, look) == []
    reached = [ends[index] for index in sorted(ends)]
    assert len(reached) > len(points) * 3 // 4, "most of what was recorded is done again"
    assert (reached[0], reached[-1]) == ("coding", "testing")
    assert reached == sorted(reached), "it happened at one call, and stayed so"


@pytest.mark.sweep
def test_where_a_call_fails_the_exit_code_tells_whether_it_has_happened(
    ready: Path, points: list[Point], tmp_path: Path
) -> None:
    points = _sample(points, "failed")
    stopped: list[Point] = []

    def look(index: int, point: Point) -> list[str]:
        folder = tmp_path / str(index) / "example"
        ran = _stopped(ready, folder, point, f"error={ERRORS[index % len(ERRORS)]}")
        if ran is None:
            return []
        stopped.append(point)
        moved = show_sprint(open_workspace(folder), "sprint-02").current == "testing"
        wrong = [f"exit {ran.code}, moved: {moved}: {ran}"] if (ran.code == 0) != moved else []
        wrong += [f"not told as an error: {ran}"] if ran.code and not ran.err.startswith("error: ") else []
        wrong += [f"a traceback: {ran}"] if "Traceback" in ran.err else []
        wrong += [f"left behind: {path}" for path in half_written(folder)]
        return wrong + _state_of(folder, ran.code)

    assert _each(points, look) == []
    assert len(stopped) > len(points) * 3 // 4, "most of what was recorded is done again"


@pytest.mark.sweep
def test_strace_stops_what_it_is_told_to(ready: Path, tmp_path: Path) -> None:
    """The two tests above would be empty if injection did nothing."""
    folder = shutil.copytree(ready, tmp_path / "example")
    try:
        done = subprocess.run(
            [
                "strace",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "inject=rename:error=EIO",
                sys.executable,
                VFCC,
                "stage",
                "advance",
            ],
            cwd=folder,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except PermissionError:
        pytest.skip("strace may not be run")
    if b"ptrace" in done.stderr:
        pytest.skip("ptrace is refused")

    assert done.returncode == 3
    assert b"Input/output error" in done.stderr
