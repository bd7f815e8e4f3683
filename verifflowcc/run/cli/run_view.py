"""The live view of a run at a terminal: on stderr, below what is printed, and gone when the run ends."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.terminal import RICH, SYMBOLS, encodable, has_unicode, live_on_stderr, shows_progress
from verifflowcc.run.rules.run_fold import AgentActivity, PictureLine, picture

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text

    from verifflowcc.base.model.sprint_state import SprintState
    from verifflowcc.run.rules.agent_port import AgentStep
    from verifflowcc.run.rules.run_fold import RunState

EVERY_S = 0.2


class RunView:
    """Draws a run in a thread of its own; the driver reports to it what is new."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._activities: dict[str, AgentActivity] = {}
        self._seen: tuple[RunState, SprintState] | None = None
        self._live: Live | None = None
        self._mid_line = False
        self._thread = threading.Thread(target=self._draw_often, daemon=True)

    def take_state(self, run: "RunState", sprint: "SprintState") -> None:
        """Show another state of the run."""
        with self._lock:
            self._seen = run, sprint

    def take_step(self, attempt: str, step: "AgentStep") -> None:
        """Show what an agent does."""
        with self._lock:
            self._activities.setdefault(attempt, AgentActivity(time.monotonic())).take(step)

    def lines(self) -> tuple[PictureLine, ...]:
        """Return what is drawn."""
        with self._lock:
            return picture(*self._seen, self._activities, time.monotonic()) if self._seen else ()

    def hide(self, *, mid_line: bool = False) -> None:
        """Take the view away for some output; it comes back below whole lines."""
        with self._lock:
            self._mid_line = mid_line
            live, self._live = self._live, None
            if live:
                live.stop()

    def start(self) -> None:
        """Begin to draw."""
        self._thread.start()

    def stop(self) -> None:
        """Take the view away for good."""
        self._over.set()
        self._thread.join()
        self.hide()

    def _draw_often(self) -> None:
        try:
            while not self._over.wait(EVERY_S):
                with self._lock:
                    if self._seen and not self._mid_line:
                        self._draw()
        except OSError:
            self._live = None  # the terminal is gone

    def _draw(self) -> None:
        if self._live is None:
            self._live = live_on_stderr(self._renderable)
        self._live.refresh()

    def _renderable(self) -> "RenderableType":
        from rich.console import Group

        return Group(*(_line(each) for each in self.lines()))


def _line(line: PictureLine) -> "Text":
    from rich.text import Text

    full, ascii_only, style = SYMBOLS.get(line.status, ("", "", ""))
    symbol = full if has_unicode(sys.stderr) else ascii_only
    indent = len(line.text) - len(line.text.lstrip())
    text = f"{' ' * indent}{symbol} {line.text.lstrip()}" if symbol else line.text
    shown = encodable(out.plain(text).replace("\n", " "))
    return Text(shown, style=RICH.get(style, ""), no_wrap=True, overflow="ellipsis")


@contextmanager
def run_view() -> Iterator[RunView | None]:
    """Show a run where a person looks; None elsewhere."""
    if not shows_progress():
        yield None
        return
    view = RunView()
    with out.below(view):
        view.start()
        try:
            yield view
        finally:
            view.stop()
