"""A driver that kills itself at a named point: `python -m tests.run_killed ROOT POINTS_FILE AGENT [UNTIL]`.

`VFCC_TEST_POINT` names the point (`spawn coder-1#2`: the second time that it is reached), `never` none, and with
`note` those that are reached are written to the file. With `each`, one driver after another is forked until none dies:
a driver dies at the first point whose kind (`spawn`) is not in the file yet, and notes it; with `all`, at the first
that is not in the file itself. With `VFCC_TEST_PARALLEL`, the run is a parallel one.
"""

import os
import signal
import sys
from collections import Counter
from pathlib import Path

from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.run.use.run_machinery import RunMachinery
from verifflowcc.run.use.run_opening import RunOrder, resume_run, start_run
from verifflowcc.run.use.run_reading import all_runs

MOST_KILLS = 100
FORKS = ("each", "all")


def main(root: str, points: str, agent: str, until: str | None) -> None:
    """Open a run, or continue the one that is there, and die."""
    file, wanted = Path(points), os.environ.get("VFCC_TEST_POINT")
    seen = Counter[str]()

    def reached(point: str) -> None:
        seen[point] += 1
        known = file.read_text().splitlines() if file.exists() else []
        name = point.partition(" ")[0] if wanted == "each" else point if wanted == "all" else f"{point}#{seen[point]}"
        dies = name not in known if wanted in FORKS else name == wanted
        if dies or wanted == "note":
            with file.open("a") as notes:  # as one write: two agents may end at the same moment
                notes.write(f"{name}\n")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)

    tools = replace(RunMachinery(), reached=reached)
    workspace = open_workspace(Path(root))
    if all_runs(workspace):
        state = resume_run(workspace, None, {}, tools)
    else:
        parallel = "VFCC_TEST_PARALLEL" in os.environ
        order = replace(RunOrder(), clients={"*": (agent,)}, until=until, parallel=parallel)
        state = start_run(workspace, None, order, tools)
    print(state.status, flush=True)


def fork_until_none_dies(root: str, points: str, agent: str, until: str | None) -> None:
    """Run one driver after another, each forked from this process, which has imported what they need."""
    for _ in range(MOST_KILLS):
        process = os.fork()
        if process == 0:
            main(root, points, agent, until)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(os.waitstatus_to_exitcode(status))
    sys.exit(f"{MOST_KILLS} drivers died")


if __name__ == "__main__":
    drive = fork_until_none_dies if os.environ.get("VFCC_TEST_POINT") in FORKS else main
    drive(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
