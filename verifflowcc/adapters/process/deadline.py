"""A limit within which something is done, or given up: for answers that are worth nothing when they come late."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTimeError(Exception):
    """The time was over before the work was done."""


@contextmanager
def within(processor_s: float, reserve_s: float = 0.0) -> Iterator[None]:
    """Raise OutOfTimeError in the block when it has computed for so long, or when an earlier limit is near.

    `processor_s` are seconds of this process alone, in which waiting does not count. An alarm that was set before is
    wall time: the block ends `reserve_s` before it, and the alarm holds on after the block. For the main thread alone.
    OutOfTimeError is no OSError, which much of the program has an answer to.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    profiled = signal.signal(signal.SIGPROF, end)
    alarmed = signal.signal(signal.SIGALRM, end)
    left, every = signal.getitimer(signal.ITIMER_REAL)
    early = max(left - reserve_s, 0.001) if left else 0.0
    try:
        signal.setitimer(signal.ITIMER_REAL, early)
        signal.setitimer(signal.ITIMER_PROF, processor_s)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = early - signal.setitimer(signal.ITIMER_REAL, 0)[0]
        signal.signal(signal.SIGALRM, alarmed)
        signal.signal(signal.SIGPROF, profiled)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, 0.001), every)
