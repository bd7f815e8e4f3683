"""Keep the code graph up to the files while somebody works; nothing needs it, the next command only has less to do."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from verifflowcc.services.code.indexing import Brought, bring_up
from verifflowcc.services.workspace import Workspace

EVERY_S = 2.0
"""How long to wait between two looks: as long as a stamp takes to settle."""

Wait = Callable[[float], bool]
"""Waits some seconds; returns True, at once, when it is time to end."""


def watch(workspace: Workspace, saw: Callable[[Brought], None], wait: Wait) -> None:
    """Bring the graph up again and again until `wait` says that it is time to end; tell `saw` of each time on which
    something was done, and of the first. The code that it is given is closed after that.

    Raises as `bring_up`.
    """
    first = True
    while True:
        done = bring_up(workspace)
        try:
            if first or done.parsed or done.removed:
                saw(done)
        finally:
            done.code.close()
        first = False
        if wait(EVERY_S):
            return


@contextmanager
def until_told_to_end() -> Iterator[Wait]:
    """Give what waits until the time is over, or the person or the system ends the process; only in the main thread."""
    over = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        over.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield over.wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
