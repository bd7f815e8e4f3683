"""A driver that kills itself at a named point: `python -m tests.run_killed ROOT POINTS_FILE WORDS…`.

Each line of the file is a point that some driver has reached. The driver dies at the first point, of those that it
comes to, that is not in the file yet, or at the one that `VFCC_TEST_POINT` names (`note:run_gate#2`: the second).
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


def main(root: str, points: str, agent: str, until: str | None) -> None:
    """Open a run, or continue the one that is there, and die."""
    file, wanted = Path(points), os.environ.get("VFCC_TEST_POINT")
    seen = Counter[str]()

    def reached(point: str) -> None:
        seen[point] += 1
        name = f"{point}#{seen[point]}"
        known = file.read_text().split() if file.exists() else []
        if wanted == "none" or (wanted and wanted != name) or (not wanted and point in known):
            if wanted == "none":
                file.write_text("\n".join([*known, name]))
            return
        file.write_text("\n".join([*known, point]))
        os.kill(os.getpid(), signal.SIGKILL)

    tools = replace(RunMachinery(), reached=reached)
    workspace = open_workspace(Path(root))
    if all_runs(workspace):
        state = resume_run(workspace, None, {}, tools)
    else:
        state = start_run(workspace, None, replace(RunOrder(), clients={"*": (agent,)}, until=until), tools)
    print(state.status)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
