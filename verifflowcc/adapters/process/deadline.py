"""A time within which something is done, or given up: for answers that are worth nothing when they come late."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTimeError(Exception):
    """The time was over before the work was done."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in what is inside when the time is over; a limit that was set before holds on after it.

    For the main thread alone. It is no OSError, which much of the program has an answer to.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, end)
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        spent = seconds - signal.setitimer(signal.ITIMER_REAL, 0)[0]
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, 0.001), every)
