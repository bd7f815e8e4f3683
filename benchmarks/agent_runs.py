"""`vfcc run`: what an attempt costs beside its agent, and whether drivers killed at random times are resumed exactly.

    python benchmarks/agent_runs.py overhead
    python benchmarks/agent_runs.py kills 300 600 34  # so many kills, in at most so many seconds, with this seed

The agent is a script that ends at once. Overhead is processor time of vfcc and of git, without the agent's. After each
sprint that was killed, its events, files and merges are compared with those of an undisturbed one.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine
from tests.cli.process import environment
from tests.cli.run.test_run_killed import made, merges, no_process
from tests.forked import start
from tests.run_world import RunWorld, honest
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.run.store.agent_process import run_agent
from verifflowcc.run.use.run_machinery import RunMachinery
from verifflowcc.run.use.run_opening import RunOrder, start_run

ATTEMPTS = 8
TURN_S = 1.0
MOST_PERCENT = 5
SHORTEST_S, LONGEST_S = 0.1, 3.0
MOST_OF_A_SPRINT = 25
PARTS = 12
WAYS: tuple[tuple[str, ...], ...] = ((), ("--parallel",))


def used() -> float:
    """Return the processor time of this process and of the children that ended."""
    return sum(
        each.ru_utime + each.ru_stime
        for each in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def overhead(folder: Path) -> float:
    """Return the seconds of processor time for an attempt of a planner, without the agent's."""
    world = RunWorld(folder, {**honest(), "planner": [{}] * ATTEMPTS})
    os.environ.update(environment(folder))
    os.chdir(world.root)
    agents: list[float] = []

    def run(*arguments: Any, **keywords: Any) -> Any:
        before = used()
        ending = run_agent(*arguments, **keywords)
        agents.append(used() - before)
        return ending

    order = replace(RunOrder(), clients={"*": (world.agent,)}, until="planning", attempts=ATTEMPTS)
    before = used()
    start_run(open_workspace(world.root), None, order, replace(RunMachinery(), run=run))
    return (used() - before - sum(agents)) / len(agents)


def kill_until_done(world: RunWorld, chance: random.Random, most: int, *words: str, longest: float = LONGEST_S) -> int:
    """Drive a sprint to its end, and kill the driver at random times, at most so often; return how often."""
    kills, opening = 0, ("run", "--agent", world.agent, *words)
    command, env = opening, environment(world.root.parent)
    while True:
        limit = chance.uniform(SHORTEST_S, longest) if kills < most else None
        with tempfile.TemporaryFile() as err, Path(os.devnull).open("r+b") as nothing:
            process = start(command, world.root, env, (nothing.fileno(), nothing.fileno(), err.fileno()))
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            except TimeoutError:  # of a forked one, which is ended then
                code = -signal.SIGKILL
            if code == -signal.SIGKILL:
                kills += 1
                command = ("run", "resume")
                continue
            err.seek(0)
            if code == 0:
                return kills
            if b"no run was started here" not in (text := err.read()):  # killed before it opened the run
                raise AssertionError(text.decode())
            command = opening


def kill(folder: Path, most: int, seconds: float, seed: int) -> str:
    """Kill drivers so often, or until the time is over; return what came of it.

    Every other sprint is a parallel one. A kill comes at the latest after a twelfth of the time of an undisturbed run.
    """
    chance = random.Random(seed)
    calm: dict[tuple[str, ...], RunWorld] = {}
    longest = 5 * SHORTEST_S
    for number, words in enumerate(WAYS):
        here = folder / f"calm-{number}"
        here.mkdir()
        calm[words] = RunWorld(here)
        began = time.monotonic()
        assert calm[words].drive(*words).code == 0
        longest = max(longest, (time.monotonic() - began) / PARTS)
    sprints = kills = wrong = 0
    end = time.monotonic() + seconds
    while kills < most and time.monotonic() < end:
        here = folder / str(sprints)
        here.mkdir()
        world, words = RunWorld(here), WAYS[sprints % len(WAYS)]
        kills += kill_until_done(world, chance, min(most - kills, MOST_OF_A_SPRINT), *words, longest=longest)
        sprints += 1
        undisturbed = calm[words]
        is_same = made(world) == made(undisturbed) and merges(world) == merges(undisturbed) and no_process(world)
        wrong += not is_same
        print(f"sprint {sprints}: {kills} kills so far{'' if is_same else ', and it differs'}", file=sys.stderr)
    return f"{kills} kills at random times in {sprints} sprints (seed {seed}): {wrong} differ from the undisturbed one"


def main(part: str, *numbers: str) -> None:
    """Measure one part and print it."""
    print("; ".join(machine().values()))
    with tempfile.TemporaryDirectory() as name:
        if part == "kills":
            print(kill(Path(name), int(numbers[0]), float(numbers[1]), int(numbers[2]) if len(numbers) > 2 else 34))
            return
        seconds = overhead(Path(name))
        percent = 100 * seconds / TURN_S
        met = "met" if percent <= MOST_PERCENT else "missed"
        print(f"an attempt costs {seconds:.3f} s of processor time beside its agent, {percent:.0f} % of a turn of 1 s")
        print(f"target: at most {MOST_PERCENT} % ({met})")


if __name__ == "__main__":
    main(*sys.argv[1:])
