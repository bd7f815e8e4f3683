"""The progress of long work at a terminal: what is done, how far, since when, and the last lines of a program.

A line appears on stderr once the work has lasted half a second, and goes when it ends. Until then nothing is drawn and
rich is not imported.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from verifflowcc.base.process.clock import observed_by
from verifflowcc.base.records import dataclass
from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.terminal import encodable, live_on_stderr, shows_progress
from verifflowcc.gates.rules.run_outcomes import RunProgress
from verifflowcc.gates.rules.runners import Runner, runner_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


# What a command does while it works, in words; a command that is not listed here shows no progress.

WORK_NAMES = {
    "init": "setting up the project",
    "next": "reading the sprint",
    "sprint": "reading the sprint",
    "report": "writing the report",
    "sprint report": "writing the report",
    "stage": "reading the sprint",
    "stage advance": "checking the gates",
    "context": "compiling the prompt",
    "context diff": "compiling both prompts",
    "context tune": "trying shares",
    "evidence": "comparing evidence with the files",
    "evidence run": "preparing the commands",
    "approve": "reading the sprint",
    "waive": "reading the sprint",
    "baseline": "preparing the base of the sprint",
    "feedback": "reading the sprint",
    "task": "reading tasks",
    "window": "reading windows",
    "memory": "reading the memory",
    "memory ingest": "reading conversations",
    "memory eval": "searching the memory",
    "memory maintain": "looking through the memory",
    "memory import": "importing items",
    "memory export": "exporting items",
    "memory copy": "copying items",
    "memory move": "moving items",
    "check": "checking",
    "check gate": "checking the gate",
    "check trace": "checking the trace",
    "check memory": "checking the memory",
    "prove": "reading the changes",
    "code": "reading the code",
    "history": "reading the history",
    "history import": "looking for sessions",
    "trace": "reading the trace",
    "integrate": "setting up clients",
    "mcp": "serving a client",
    "metrics": "reading the history",
    "workflow": "reading the workflow",
    "config": "reading the configuration",
    "doctor": "looking at the project",
    "migrate": "upgrading the memory",
}
"""By command, else by its group."""


def work_name(arguments: Sequence[str]) -> str:
    """Return what a command line does; "" where it shows no progress.

    >>> work_name(["memory", "eval", "-k", "3"]), work_name(["-C", "shop", "check"]), work_name(["hook"])
    ('searching the memory', 'checking', '')
    """
    words = [word for word in arguments if not word.startswith("-")]
    for at, word in enumerate(words):
        if word in WORK_NAMES:
            return WORK_NAMES.get(" ".join(words[at : at + 2]), WORK_NAMES[word])
    return ""


FIRST_S = 0.5
"""Work that ends sooner shows nothing; so long is the display gone after a line of output, too."""
EVERY_S = 0.1
LAST_LINES = 5
_BAR_CELLS = 20


@dataclass(slots=True)
class _Step:
    """A part of the work."""

    what: str
    started: float
    total: int | None = None
    past: str = ""
    done: int = 0
    summary: str = ""

    def line(self) -> str:
        """Return what is done, and how far it is where that is known."""
        if self.total:
            return f"{self.what} {self.done:,} of {self.total:,}"
        return f"{self.what} {self.done:,}" if self.done else self.what


class Display:
    """An observer of work that draws what it learns below the output, in a thread of its own."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._steps = [_Step(what, self._started)]
        self._program: RunProgress | None = None
        self._show_at = self._started + FIRST_S
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._live: Live | None = None
        self._drawn = self._started
        self._pauses = 0
        self._mid_line = False
        self._thread = threading.Thread(target=self._draw_often, daemon=True)

    def begin(self, what: str, total: int | None, *, past: str) -> None:
        """Show a step."""
        with self._lock:
            self._steps.append(_Step(what, self._clock(), total, past))

    def advance(self, count: int) -> None:
        """Count what is done of the step."""
        self._steps[-1].done += count

    def end(self, *, complete: bool) -> None:
        """Show the step around it again; of a complete one with a name in the past tense, leave a line."""
        with self._lock:
            step = self._steps.pop()
        if complete and step.past and self._drawn > step.started:
            results = f": {step.summary}" if step.summary else ""
            out.say(f"{step.past} in {duration(self._clock() - step.started)}{results}")

    def start_program(self, argv: Sequence[str]) -> None:
        """Show the output of a program that starts."""
        counts = runner_of(argv) in (Runner.PYTEST, Runner.UNITTEST)
        with self._lock:
            self._program = RunProgress(counts)

    def take_output(self, chunk: bytes) -> None:
        """Take output of the program."""
        with self._lock:
            if chunk and self._program:
                self._program.feed(chunk.decode("utf-8", "replace"))

    def end_program(self) -> None:
        """Show its output no longer."""
        with self._lock:
            if self._program:
                self._steps[-1].summary = self._program.summary()
            self._program = None

    def text(self) -> str:
        """Return what is done, how far, and since when."""
        with self._lock:
            what = [step.line() for step in self._steps[1:] or self._steps]
            now = self._clock()
            since = next((step.started for step in self._steps if step.past), self._started)
            summary = self._program.summary() if self._program else ""
        return " · ".join(filter(None, (duration(now - since), *what, summary)))

    def last_lines(self) -> list[str]:
        """Return the last lines of the program, without secrets and without what could steer the terminal."""
        with self._lock:
            lines = self._program.tail(LAST_LINES) if self._program else []
        return [out.plain(line) for line in lines]

    def hide(self, *, mid_line: bool = False) -> None:
        """Take away what is drawn, for other output; it comes back below whole lines while nothing more is written."""
        with self._lock:
            self._mid_line = mid_line
            self._show_at = self._clock() + FIRST_S
            live, self._live = self._live, None
            if live:
                live.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Draw nothing inside, where a person is asked."""
        with self._lock:
            self._pauses += 1
            self.hide()
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                self.hide()

    def start(self) -> None:
        """Begin to look whether there is something to draw."""
        self._thread.start()

    def stop(self) -> None:
        """Take away what is drawn, for good."""
        self._over.set()
        self.hide()
        self._thread.join()

    def _draw_often(self) -> None:
        try:
            while not self._over.wait(EVERY_S):
                if self._is_due():
                    import rich.live  # noqa: F401 - takes long, and must not hold the lock so long
                with self._lock:
                    if self._is_due():
                        self._draw()
        except OSError:
            self._live = None  # the terminal is gone

    def _is_due(self) -> bool:
        return not (self._pauses or self._mid_line or self._over.is_set()) and self._clock() >= self._show_at

    def _draw(self) -> None:
        self._drawn = self._clock()
        if self._live is None:
            self._live = live_on_stderr(self._renderable)
        self._live.refresh()

    def _renderable(self) -> "RenderableType":
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        done, total = self._steps[-1].done, self._steps[-1].total
        bars = [ProgressBar(total, min(done, total), width=_BAR_CELLS, complete_style="cyan")] if total else []
        head = Table.grid(padding=(0, 1))
        head.add_row(*bars, Text(encodable(self.text()), no_wrap=True, overflow="ellipsis"))
        lines = (f"  {encodable(line)}" for line in self.last_lines())
        return Group(head, *(Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in lines))


@contextmanager
def shown(arguments: Sequence[str]) -> Iterator[None]:
    """Show the progress of a command line, where a person looks and it is one that may last."""
    what = work_name(arguments) if shows_progress() else ""
    if not what:
        yield
        return
    display = Display(what)
    with out.below(display), observed_by(display):
        display.start()
        try:
            yield
        finally:
            display.stop()


def duration(seconds: float) -> str:
    """Return a time as people write it.

    >>> duration(9.87), duration(65)
    ('9 s', '1 min 5 s')
    """
    whole = int(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
