"""`vfcc status --watch`: the board, drawn again when `.memory/` changes."""

import os
import signal
import sys
import time
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from verifflowcc.cli.terminal import can_draw, revealed, wants_color
from verifflowcc.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from rich.text import Text

    from verifflowcc.services.workspace import Workspace

EVERY_S = 1.0
"""How often `.memory/` is looked at; one stat per file."""
AT_LEAST_S = 15.0
"""How often the board is drawn although nothing changed there: files of the project may have."""
_DERIVED = "local"
_WATCHED_LOCAL = ("tasks", "history")


def watch_board(workspace: "Workspace", *, as_json: bool) -> None:
    """Draw the board until Ctrl-C. Raises UsageError where stdout is no terminal that can be redrawn."""
    if as_json:
        raise UsageError("--watch draws a board, and --json prints one document; give one", hint="vfcc status --json")
    if not can_draw():
        raise UsageError("--watch needs a terminal that can be redrawn; this output is a pipe, a dumb terminal or CI")
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stdout, no_color=not wants_color(), highlight=False, legacy_windows=False)
    with (
        until_told_to_end() as wait,
        Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live,
    ):
        seen, drawn_at = "", 0.0
        while True:
            now = f"{memory_stamp(workspace.memory)} {os.get_terminal_size(sys.stdout.fileno())}"
            if now != seen or time.monotonic() - drawn_at >= AT_LEAST_S:
                live.update(_page(workspace), refresh=True)
                seen, drawn_at = now, time.monotonic()
            if wait(EVERY_S):
                return


@contextmanager
def until_told_to_end() -> "Iterator[Callable[[float], bool]]":
    """Give what waits until the time is over, or the person or the system ends the process; only in the main thread."""
    over = Event()

    def end(_number: int, _frame: "FrameType | None") -> None:
        over.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield over.wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _page(workspace: "Workspace") -> "Text":
    from rich.text import Text

    from verifflowcc.cli.board_views import board_page
    from verifflowcc.cli.output import plain, screen_lines
    from verifflowcc.services.board import read_board

    return Text.from_ansi(revealed(plain(board_page(read_board(workspace), screen_lines()))))


def memory_stamp(memory: "Path") -> str:
    """Return what changes when a file of the memory does; derived files, which a drawing may write, do not count."""
    from verifflowcc.text.canonical import digest_text

    return digest_text("\n".join(_stamps(str(memory))))


def _stamps(folder: str, top: bool = True) -> "Iterator[str]":
    with os.scandir(folder) as entries:
        for each in sorted(entries, key=lambda one: one.name):
            if each.is_dir(follow_symlinks=False):
                if top and each.name == _DERIVED:
                    kept = (f"{each.path}/{name}" for name in _WATCHED_LOCAL)
                    yield from (one for path in kept if os.path.isdir(path) for one in _stamps(path, top=False))  # noqa: PTH112
                else:
                    yield from _stamps(each.path, top=False)
            else:
                found = each.stat(follow_symlinks=False)
                yield f"{each.path} {found.st_mtime_ns} {found.st_size}"
