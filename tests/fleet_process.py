"""A coordinator or a worker of a fleet, for tests: `python -m tests.fleet_process ROLE ROOT AGENT NAME`.

ROLE is `coordinator`, which opens a run or continues the one that is there, `worker`, or `queue`: an executor of the
queue alone, whose jobs print what begins and ends and take a byte of the pipe AGENT in between; ROOT is the database.
`VFCC_TEST_JOBS` is the version of the jobs, of an older or newer vfcc. At the point that `VFCC_TEST_STOP` names, the
first process that makes the file `VFCC_TEST_MARK` stops itself until a SIGCONT.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from verifflowcc.base.errors import VfccError
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.run.rules.fleet_work import job_of
from verifflowcc.run.store.fleet_engine import FleetEngine, FleetLimits
from verifflowcc.run.use.fleet_worker import WorkerOrder, work_for_fleet
from verifflowcc.run.use.run_machinery import RunMachinery
from verifflowcc.run.use.run_opening import RunOrder, resume_run, start_run
from verifflowcc.run.use.run_reading import all_runs


def main(role: str, root: str, agent: str, name: str) -> int:
    """Work until the end, or a signal."""

    def reached(point: str) -> None:
        if point == os.environ.get("VFCC_TEST_STOP"):
            with suppress(FileExistsError):
                os.close(os.open(os.environ["VFCC_TEST_MARK"], os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGSTOP)

    if role == "queue":
        return executor(root, agent, name)
    tools = replace(RunMachinery(), say=lambda text: print(text, flush=True), reached=reached)
    tools = replace(tools, jobs=os.environ.get("VFCC_TEST_JOBS", tools.jobs))
    workspace = open_workspace(Path(root))
    try:
        if role == "worker":
            work_for_fleet(workspace, WorkerOrder((agent,), name), tools)
        elif all_runs(workspace):
            print(resume_run(workspace, None, {}, tools).status, flush=True)
        else:
            order = replace(RunOrder(), clients={"*": (agent,)}, fleet=True, until=name or None)
            print(start_run(workspace, None, order, tools).status, flush=True)
    except VfccError as error:
        print(f"error: {error.message}\nhint: {error.hint}", flush=True)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


def executor(url: str, pipe: str, name: str) -> int:
    """Do jobs of the queue, each until the test lets it end."""

    def work(job: object) -> dict[str, object]:
        fence = job_of(job).fence
        print(f"+ {name} {fence}", flush=True)
        with open(pipe, "rb", buffering=0) as file:  # noqa: PTH123 - a pipe
            file.read(1)
        print(f"- {name} {fence}", flush=True)
        return {}

    engine = FleetEngine(url, "shop", name, "vfcc-run-1", FleetLimits(3, 2), work)
    engine.launch()
    print("ready", flush=True)
    signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
