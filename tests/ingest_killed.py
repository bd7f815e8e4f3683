"""A program that ingests and is killed at one of its calls that give, move or take away a name on the disk.

`python -m tests.ingest_killed ROOT N`: N is the number of the call, from 0; where there are fewer, it ends well.
"""

import os
import signal
import sys
from pathlib import Path

from tests.ingested_world import learn, talk
from verifflowcc.base.use.workspace import Workspace

CALLS = ("os.link", "os.rename", "os.remove", "os.mkdir")
SAID = (
    "From now on, always start function names with 'a_'. Always use a debugger.",
    "I prefer bullet points over prose. The client is Acme Corp.",
    "Please start function names with 'b_' instead.",
)


def main() -> None:
    """Ingest, and die on the way."""
    left = int(sys.argv[2])

    def stop(event: str, _: object) -> None:
        nonlocal left
        if event in CALLS:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    here = Workspace(Path(sys.argv[1]))
    sys.addaudithook(stop)
    learn(here, talk(*SAID))


if __name__ == "__main__":
    main()
