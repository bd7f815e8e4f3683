"""One line at a terminal that says how a command gets on: time, counts, the last line that it wrote."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from verifflowcc.cli import output as out
from verifflowcc.domain.evidence import Command
from verifflowcc.proving.run_progress import RunProgress
from verifflowcc.proving.runners import Runner, runner_of

_EVERY_S = 0.2
_FIRST_S = 1.0
"""A command that ends sooner shows no line."""
_ERASE = "\r\x1b[K"


def can_erase() -> bool:
    """Whether stderr is a terminal on which a line can be erased."""
    return out.person_is_looking() and os.environ.get("TERM", "dumb") != "dumb"


class LiveLine:
    """A line on stderr that is rewritten some times a second, and erased at the end."""

    def __init__(self, counts: bool) -> None:
        self._progress = RunProgress(counts)
        self._started = time.monotonic()
        self._shown = self._started + _FIRST_S - _EVERY_S

    def take(self, chunk: bytes) -> None:
        """Take output of the command; empty where only time passed."""
        self.feed(chunk.decode("utf-8", "replace"))
        now = time.monotonic()
        if now - self._shown >= _EVERY_S:
            self._shown = now
            out.write(sys.stderr, _ERASE + self.text(int(now - self._started), shutil.get_terminal_size().columns))

    def feed(self, text: str) -> None:
        """Take a part of the output; nothing is shown."""
        self._progress.feed(text)

    def text(self, elapsed_s: int, columns: int) -> str:
        """Return the line, cut to the terminal's width."""
        parts = (_lasting(elapsed_s), self._progress.summary(), self._progress.last)
        shown = out.plain(" · ".join(filter(None, parts)))
        return shown if len(shown) < columns else f"{shown[: columns - 2]}…"

    def end(self) -> None:
        """Take the line away, where one was shown."""
        if self._shown >= self._started + _FIRST_S:
            out.write(sys.stderr, _ERASE)


@contextmanager
def live(command: Command) -> Iterator[Callable[[bytes], None]]:
    """Show how a command gets on while it runs."""
    line = LiveLine(runner_of(command.argv) in (Runner.PYTEST, Runner.UNITTEST))
    try:
        yield line.take
    finally:
        line.end()


def _lasting(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
