"""A program that imports sessions and is killed before one of its writes.

`python -m tests.import_killed ROOT FOLDER N`: N is the number of the write, from 0; where there are fewer, it
ends well.
"""

import os
import signal
import sys
from pathlib import Path

from typing_extensions import Buffer

from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use import history_import as batches
from verifflowcc.history.use.history_import import import_sessions


def main() -> None:
    """Import in small batches, and die on the way."""
    left = int(sys.argv[3])
    batches.LARGEST_BYTES = 2_000
    write = os.write

    def stop(handle: int, given: Buffer, /) -> int:
        nonlocal left
        data = bytes(given)
        left -= data.startswith((b'{"v":', b'\n{"v":'))
        if left < 0:
            write(handle, data[: len(data) // 2])  # the worst that a full disk or a lost machine leaves behind
            os.kill(os.getpid(), signal.SIGKILL)
        return write(handle, data)

    os.write = stop
    import_sessions(Workspace(Path(sys.argv[1])), [sys.argv[2]])


if __name__ == "__main__":
    main()
