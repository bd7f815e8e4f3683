"""Clocks, limits of time, and the observer that long work reports its progress to."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from types import FrameType
from typing import Protocol, TypeVar

from verifflowcc.base.records import dataclass

# The observer of long work: it gets the name of each step, how far that is, and what a running program writes.
#
# `observed_by` names it for the work inside; without one, reporting costs next to nothing. Services and adapters
# report here and do not know how it is shown.

_T = TypeVar("_T")
Advance = Callable[[int], None]


class Observer(Protocol):
    """What is called while work lasts; steps are nested, and so are programs within them."""

    def begin(self, what: str, total: int | None, *, past: str) -> None:
        """Note the start of a step: its name, its total, and its name in the past tense if a line should remain."""

    def advance(self, count: int) -> None:
        """Note that so many more of the innermost step's are done."""

    def end(self, *, complete: bool) -> None:
        """Note the end of the innermost step, and whether no exception ended it."""

    def start_program(self, argv: Sequence[str]) -> None:
        """Note the start of a program."""

    def take_output(self, chunk: bytes) -> None:
        """Note what the program wrote."""

    def end_program(self) -> None:
        """Note the end of the program."""

    def paused(self) -> AbstractContextManager[None]:
        """Draw nothing inside."""


_OBSERVER: ContextVar[Observer | None] = ContextVar("observer", default=None)


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Have the work inside reported to an observer."""
    token = _OBSERVER.set(observer)
    try:
        yield
    finally:
        _OBSERVER.reset(token)


@contextmanager
def step(what: str, total: int | None = None, *, past: str = "") -> Iterator[Advance]:
    """Report the work inside as a step; gives what is called with how many more are done.

    Of a step with a name in the `past` tense, a line with its time remains where it was shown.
    """
    observer = _OBSERVER.get()
    if observer is None:
        yield _ignore
        return
    observer.begin(what, total, past=past)
    complete = False
    try:
        yield observer.advance
        complete = True
    finally:
        observer.end(complete=complete)


def observed(what: str, things: Iterable[_T]) -> Iterable[_T]:
    """Return the same things; a loop over them is reported as a step.

    >>> list(observed("counting", (1, 2)))
    [1, 2]
    """
    return things if _OBSERVER.get() is None else _observed(what, things)


def _observed(what: str, things: Iterable[_T]) -> Iterator[_T]:
    with step(what, len(things) if isinstance(things, Sized) else None) as advance:
        for thing in things:
            yield thing
            advance(1)


@contextmanager
def program(argv: Sequence[str]) -> Iterator[Callable[[bytes], None]]:
    """Report a program that runs inside; gives what takes its output."""
    observer = _OBSERVER.get()
    if observer is None:
        yield _ignore
        return
    observer.start_program(argv)
    try:
        yield observer.take_output
    finally:
        observer.end_program()


def terminal_in_use() -> AbstractContextManager[None]:
    """Pause the drawing of progress while a person is asked or another program uses the terminal."""
    observer = _OBSERVER.get()
    return nullcontext() if observer is None else observer.paused()


def _ignore(_: object) -> None:
    """Accept output where nothing observes."""


# A limit within which something is done, or given up: for answers that are worth nothing when they come late.


class OutOfTimeError(Exception):
    """The time was over before the work was done."""


@contextmanager
def within(processor_s: float, reserve_s: float = 0.0) -> Iterator[None]:
    """Raise OutOfTimeError in the block after some processor time, or shortly before an alarm that is already set.

    `processor_s` are seconds of this process alone, in which waiting does not count. An alarm that was set before is
    wall time: the block ends `reserve_s` before it, and the alarm holds on after the block. For the main thread alone.
    OutOfTimeError is no OSError, which much of the program has an answer to.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    profiled = signal.signal(signal.SIGPROF, end)
    alarmed = signal.signal(signal.SIGALRM, end)
    left, every = signal.getitimer(signal.ITIMER_REAL)
    early = max(left - reserve_s, 0.001) if left else 0.0  # 0 would switch the timer off
    try:
        signal.setitimer(signal.ITIMER_REAL, early)
        signal.setitimer(signal.ITIMER_PROF, processor_s)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = early - signal.setitimer(signal.ITIMER_REAL, 0)[0]
        signal.signal(signal.SIGALRM, alarmed)
        signal.signal(signal.SIGPROF, profiled)
        if left:  # the caller's alarm continues with the rest of its time
            signal.setitimer(signal.ITIMER_REAL, max(left - spent, 0.001), every)


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that always shows the same time."""

    at: datetime

    def now(self) -> datetime:
        """Return the moment that the clock was given."""
        return self.at
