"""A driver that is killed anywhere is resumed to what the undisturbed run made."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import environment
from tests.run_world import PATIENCE_S, SPRINT, RunWorld, artifact, honest
from tests.tiers import count
from tests.trees import git
from verifflowcc.run.store.run_tree import place_of

pytestmark = pytest.mark.vfcc("REQ-RUN")

RUN = f"{SPRINT}-1"
BRANCH = f"vfcc/{RUN}/integration"
REPOSITORY = Path(__file__).parents[3]
OF_ONE_RUN = (
    "time",
    "event",
    "stay",
    "base",
    "commit",
    "session",
    "prompt",
    "seconds",
    "head",
    "client",
    "clients",
    "counts",
    "fleet",
)
"""Keys of an event's line that no two runs share."""


def driver(
    world: RunWorld, until: str | None = None, point: str = "never", *, parallel: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a driver that dies at a point; `each` and `all` are those of the module that it runs."""
    env = {**environment(world.root.parent), "PYTHONPATH": str(REPOSITORY), "VFCC_TEST_POINT": point}
    env |= {"VFCC_TEST_PARALLEL": "1"} if parallel else {}
    words = [sys.executable, "-m", "tests.run_killed", str(world.root), str(world.state / "points"), world.agent]
    return subprocess.run(
        [*words, *([until] if until else [])],
        cwd=world.root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def points_of(world: RunWorld) -> list[str]:
    """Return the points that drivers of a world reached, or died at."""
    return (world.state / "points").read_text().splitlines()


def made(world: RunWorld) -> tuple[list[str], dict[str, str]]:
    """Return the events of the run without what is its own, and the files that it made but for the ledger's."""
    lines = [
        json.dumps({name: value for name, value in each.items() if name not in OF_ONE_RUN}, sort_keys=True)
        for each in world.events()
    ]
    files: dict[str, str] = {}
    for line in git(world.root, "ls-tree", "-r", BRANCH).splitlines():
        blob, _, path = line.partition("\t")
        files[path] = blob
    own = (f".memory/sprint/{SPRINT}/events/", f".memory/stage/{SPRINT}/")
    kept = {path: blob for path, blob in files.items() if not path.startswith(own) or "/artifacts/" in path}
    return lines, kept


def merges(world: RunWorld) -> list[str]:
    """Return the attempt of each merge on the integration branch."""
    form = "--format=%(trailers:key=Vfcc-Attempt,valueonly,separator=%x2C)"
    return sorted(git(world.root, "log", "--merges", "--first-parent", form, BRANCH).split())


def no_process(world: RunWorld) -> bool:
    """Whether no process has the marker of the run."""
    marker = f"VFCC_RUN={place_of(world.root, RUN).marker}/".encode()
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            found.append(marker in each.read_bytes())
        except OSError:
            continue
    return not any(found)


def test_a_driver_killed_once_at_every_point_ends_as_the_undisturbed_run(tmp_path: Path) -> None:
    script = {**honest(), "planner": [{}, *honest()["planner"]]}  # with one gate that is closed first
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    calm, world = RunWorld(tmp_path / "calm", script), RunWorld(tmp_path / "killed", script)
    undisturbed = driver(calm, "design", "note")
    assert undisturbed.stdout == "done\n", undisturbed

    ended = driver(world, "design", "each")

    assert ended.stdout == "done\n", ended
    points = {each.partition(" ")[0].partition("#")[0] for each in points_of(calm)}
    assert {"opening", "spawn", "ended", "commit", "merge", "evidence", "advance", "note:run_gate"} <= points
    assert sorted(points_of(world)) == sorted(points)
    assert made(world) == made(calm)
    assert merges(world) == merges(calm) == ["designer-1", "planner-2"]
    assert no_process(world)


def test_a_driver_killed_while_its_agent_works_leaves_nothing_and_the_attempt_is_made_again(tmp_path: Path) -> None:
    plan = honest()["planner"][0]["files"]
    lock = tmp_path / "shop" / ".git" / "vfcc" / "runs" / RUN / "lock"
    half = {"files": {artifact("planning", "half.txt"): "half\n"}, "shell": [f"kill -9 $(cat {lock})", "sleep 60"]}
    world = RunWorld(tmp_path, {**honest(), "planner": [half, {"files": plan}]})

    assert driver(world, "planning", "never").returncode == -9
    assert world.run("status", "--json").data["status"] == "crashed"
    resumed = world.run("resume", "--json")

    assert resumed.code == 0, resumed
    assert [each["outcome"] for each in resumed.data["attempts"]] == ["done"]
    assert merges(world) == ["planner-1"]
    assert artifact("planning", "half.txt") not in git(world.root, "ls-tree", "-r", "--name-only", BRANCH)
    assert "half.txt" in git(world.root, "ls-tree", "-r", "--name-only", f"refs/vfcc/rescue/{RUN}/planner-1")
    assert no_process(world)


def test_of_two_drivers_exactly_one_works_and_a_stop_ends_it_with_its_agent(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    slow = {"shell": [f"echo > {ready}", "sleep 1000"]}
    world = RunWorld(tmp_path, {**honest(), "planner": [slow, *honest()["planner"]]})
    env = environment(world.root.parent)
    command = ["vfcc", "run", "--agent", world.agent, "--until", "planning", "--json"]
    first = subprocess.Popen(command, cwd=world.root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    ready.read_bytes()  # until the agent works

    world.run("resume").refused(5, "held by another vfcc")
    world.drive().refused(5, "has an open run already")
    assert world.run("status", "--json").data["status"] == "working"
    stopped = world.run("stop", "--now")
    out, _ = first.communicate(timeout=PATIENCE_S)

    assert stopped.code == 0, stopped
    assert first.returncode == 130
    assert json.loads(out)["data"]["status"] == "stopped"
    assert no_process(world)
    resumed = world.run("resume", "--json")
    assert resumed.code == 0, resumed
    assert len(world.calls("planner")) == 2
    assert merges(world) == ["planner-1"]


@pytest.mark.sweep
def test_what_lies_outside_of_git_may_be_deleted_at_any_moment(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, {**honest(), "planner": [{}, *honest()["planner"]]})
    assert driver(world, "design", "note:attempt_ended planner-1#1").returncode == -9
    for folder in (world.root / ".git" / "vfcc" / "runs", world.root.parent / "shop.vfcc"):
        subprocess.run(["rm", "-rf", str(folder)], check=True)

    world.run("status").refused(3, f"the worktree of the run {RUN} was removed", f"vfcc run resume {RUN}")
    resumed = world.run("resume", "--json")

    assert resumed.code == 0, resumed
    assert resumed.data["status"] == "done"
    assert merges(world) == sorted({*merges(world)})
    assert {each.partition("-")[0] for each in merges(world)} == {"planner", "designer"}


DRAWN = 6
"""So many points of a whole sprint; each takes two runs of it. With `SWEEP=full` there are five times as many."""


@pytest.mark.sweep
def test_a_whole_sprint_is_resumed_after_a_kill_at_any_point(tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    calm = RunWorld(tmp_path / "calm")
    assert driver(calm, None, "note").stdout == "done\n"
    points = points_of(calm)
    for number, point in enumerate(random.Random(34).sample(points, min(count(DRAWN), len(points)))):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = RunWorld(folder)
        assert driver(world, None, point).returncode == -9, point
        assert driver(world, None, "never").stdout == "done\n", point
        assert made(world) == made(calm), point
        assert merges(world) == merges(calm), point


KILLS = 8
"""So many at random times; benchmarks/agent_runs.py makes 300."""


@pytest.mark.sweep
def test_a_driver_killed_at_random_times_ends_as_the_undisturbed_run(tmp_path: Path) -> None:
    from benchmarks.agent_runs import kill_until_done

    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    calm, world = RunWorld(tmp_path / "calm"), RunWorld(tmp_path / "killed")
    assert calm.drive("--until", "design").code == 0

    kill_until_done(world, random.Random(34), count(KILLS), "--until", "design")

    assert made(world) == made(calm)
    assert merges(world) == merges(calm)
    assert no_process(world)
