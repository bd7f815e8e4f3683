"""`vfcc status --watch`: the board, drawn again when `.memory/` changes."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.sprint_state import artifacts_folder, with_gaps
from verifflowcc.base.terminal.output import emit, plain, screen_lines
from verifflowcc.base.terminal.terminal import (
    RICH,
    SYMBOLS,
    can_draw,
    drawn,
    has_unicode,
    revealed,
    wants_color,
    width_of,
)
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import counted
from verifflowcc.sprint.rules.workflow_drawing import draw_v

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from rich.console import RenderableType
    from rich.text import Text

    from verifflowcc.base.model.sprint_state import SprintState
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.gates.use.board_record import Board, BoardCheck, SprintBoard


# The board of `vfcc status` at a terminal: one screen, drawn by rich.

WIDEST = 100
"""Columns beyond which a board is not drawn any wider."""
_FRAME = 4
_FEWEST_CHECKS = 2
_AGENTS = 3
_OTHERS = 4
_ORDER = ("failed", "stale", "missing", "waived")
_COMMENT = "  # "


def show_board() -> None:
    """Print the board of the project in the current folder."""
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.use.board_record import read_board

    emit(board_page(read_board(open_workspace()), screen_lines()))


def board_page(board: "Board", rows: int) -> str:
    """Return the board as lines with marks for its colours: at most `rows` lines, unless so many cannot hold it."""
    from rich.console import Group

    width = min(width_of(sys.stdout), WIDEST)
    below = list(_lines_below(board))
    parts: list[RenderableType] = [_head(board, width)]
    if board.sprint:
        parts.append(_sprint(board.sprint, width, rows - len(below) - 1))
    parts.append(_grid(below))
    return drawn(Group(*parts), width)


def _text(text: str, style: str = "") -> "Text":
    """Return a text of rich that is cut to one line; no secret and no control character is in it."""
    from rich.text import Text

    return Text(plain(text).replace("\n", " "), style=RICH.get(style, ""), no_wrap=True, overflow="ellipsis")


def _symbol(word: str) -> str:
    return SYMBOLS[word][not has_unicode()]


def _status(word: str, shown: str = "") -> "Text":
    return _text(f"{_symbol(word)} {shown or word}", SYMBOLS[word][2])


def _head(board: "Board", width: int) -> "RenderableType":
    from rich.table import Table

    head = Table.grid(expand=True)
    head.add_column(ratio=1)
    head.add_column(justify="right")
    counts = f"{counted(len(board.status.open), 'sprint')} open, {board.status.closed} closed"
    head.add_row(_text(f" {board.project}", "strong"), _text(f"{counts} ", "quiet"))
    return head


def _sprint(board: "SprintBoard", width: int, rows: int) -> "RenderableType":
    from rich import box
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    line = board.line
    passed = f"{line.passed} of {counted(line.stages, 'stage')} passed{with_gaps(line.gaps)}"
    state = "" if line.status == "open" else f" ({line.status})"
    checks = list(_checks(board))
    v = _v(board.state, width - _FRAME, rows - 2 - 1 - min(len(checks), _FEWEST_CHECKS + 1))
    room = rows - 2 - len(v) - 1
    body = [*v, Text(), *_shortened(checks, room - 1)]
    return Panel(
        Group(*body),
        title=_text(f"{line.id}: {line.title}{state}", "strong"),
        title_align="left",
        subtitle=_text(passed),
        subtitle_align="right",
        box=box.ROUNDED,
        border_style=_border(board),
        padding=(0, 1),
    )


def _border(board: "SprintBoard") -> str:
    if board.line.problems or board.state.fork or board.problem:
        return "red"
    if board.state.current is None:
        return "green"
    return "yellow" if board.blocking else "none"  # what is not asked here may block: that is not green


def _v(state: "SprintState", width: int, most: int) -> "list[Text]":
    """Return the V with a symbol at each stage; without its slopes where it would take more than `most` lines."""
    from rich.text import Text

    words = {each.stage.id: str(each.status) for each in state.stages}
    marks = {name: _symbol(word) for name, word in words.items()}
    found = draw_v(state.workflow, width, marks, ascii_only=not has_unicode()) if state.workflow else None
    lines = found.split("\n") if found else [f"{marks[name]} {name}" for name in words]
    if found and len(lines) > most:
        lines = lines[::2]
    shown = []
    for line in lines:
        text = Text(line, no_wrap=True, overflow="ellipsis")
        text.highlight_regex(r"[─╲╱╌\\/.-]+(?= |$)|^[ ╲\\]+|─+", style="dim")
        for name, word in words.items():
            style = RICH[SYMBOLS[word][2]]
            style = f"bold {style}" if word == "active" else style
            text.highlight_regex(rf"{re.escape(marks[name])} {re.escape(name)}(?![\w-])", style=style)
        shown.append(text)
    return shown


def _checks(board: "SprintBoard") -> "Iterator[Text]":
    """Yield the gate of the active stage: its head, each check that is not met, and the rest in a line."""
    line, stage = board.line, board.state.current
    if board.problem or line.problems:
        what = board.problem or f"{counted(line.problems, 'event file')} cannot be trusted"
        yield _status("failed", what)
        return
    if board.state.fork:
        yield _status("blocked", f"two moves exclude each other: vfcc sprint resolve {line.id}")
        return
    if stage is None:
        yield _status("passed", "every stage is passed: vfcc sprint close")
        return
    blocking = len(board.blocking)
    if blocking:
        verb = "blocks" if blocking == 1 else "block"
        yield _status("blocked", f"gate of {stage}: {blocking} of {counted(len(board.checks), 'check')} {verb}")
    else:
        yield _status("open", f"gate of {stage}: nothing blocks among {counted(len(board.checks), 'check')} asked here")
    unmet = [each for each in board.checks if each.status != "passed"]
    folder = f"{artifacts_folder(line.id, stage)}/"
    yield from (_check(each, folder) for each in sorted(unmet, key=_rank))
    passed = [each.asked.criterion.id for each in board.checks if each.status == "passed"]
    if passed:
        yield _indented("passed", f"passed: {', '.join(passed)}")
    if board.unasked:
        yield _text(f"  ? vfcc check gate also asks: {', '.join(board.unasked)}", "quiet")


def _rank(each: "BoardCheck") -> tuple[bool, int]:
    return not each.asked.blocks, _ORDER.index(each.status)


def _check(each: "BoardCheck", folder: str) -> "Text":
    """Return a check that is not met; its reason names artifacts below the stage's `folder`."""
    soft = "" if each.asked.blocks or each.asked.met else " (soft)"
    return _indented(
        each.status, f"{each.status}: {each.asked.criterion.id}{soft}: {each.asked.reason.replace(folder, '')}"
    )


def _indented(word: str, shown: str) -> "Text":
    from rich.text import Text

    line = Text("  ", no_wrap=True, overflow="ellipsis")
    head, _, rest = shown.partition(":")
    line.append_text(_status(word, head))
    line.append_text(_text(f":{rest}" if rest else ""))
    return line


def _shortened(lines: "list[Text]", room: int) -> "list[Text]":
    most = max(room, _FEWEST_CHECKS)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], _text(f"  and {len(lines) - most + 1} more: vfcc check gate", "quiet")]


def _grid(lines: "list[tuple[str, Text]]") -> "RenderableType":
    from rich.table import Table

    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=10)
    grid.add_column(ratio=1)
    for label, text in lines:
        grid.add_row(_text(f" {label}", "quiet"), text)
    return grid


def _lines_below(board: "Board") -> "Iterator[tuple[str, Text]]":
    """Yield what is below the sprint, each line with its label."""
    status, sprint = board.status, board.sprint
    label = "also open" if sprint else "open"
    for place, other in enumerate(board.others[:_OTHERS]):
        yield "" if place else label, _strip(other)
    if len(board.others) > _OTHERS:
        yield "", _text(f"and {len(board.others) - _OTHERS} more: vfcc sprint list", "quiet")
    if sprint:
        yield "evidence", _evidence(sprint)
        if sprint.line.comments:
            open_ones = counted(sprint.line.comments, "comment")
            yield "feedback", _text(f"{open_ones} open: vfcc feedback list", "warn")
    yield "memory", _memory(board.waiting)
    for place, each in enumerate(board.agents[:_AGENTS]):
        yield "" if place else "agents", _agent(each.who, each.time, f"{each.tool} {each.about}", each.success)
    if not board.agents:
        yield "agents", _text("none so far", "quiet")
    for name in status.without_events:
        yield "", _status("failed", f"{name} has goals.md and no event: vfcc doctor")
    for notice in board.notices:
        yield "", _status("missing", notice)
    if status.problem:
        yield "choose", _text(status.hint, "warn")
    yield "next", _text(_next(board), "accent")


def _strip(sprint: "SprintBoard") -> "Text":
    """Return a sprint in a line: a symbol for each stage, and the active one by name."""
    from rich.text import Text

    line = Text(no_wrap=True, overflow="ellipsis")
    for each in sprint.state.stages:
        word = str(each.status)
        line.append_text(_text(_symbol(word), SYMBOLS[word][2]))
    where = f", in {sprint.line.stage}" if sprint.line.stage else ""
    line.append_text(_text(f" {sprint.line.id}: {sprint.line.passed} of {sprint.line.stages} passed{where}"))
    return line


def _evidence(sprint: "SprintBoard") -> "Text":
    from rich.text import Text

    found, here = sprint.freshness, f"{sprint.state.current}/"
    stale, missing = (", ".join(name.removeprefix(here) for name in names) for names in (found.stale, found.missing))
    line = Text(no_wrap=True, overflow="ellipsis")
    parts = [_status("passed", f"{found.fresh} fresh")] if found.fresh else []
    parts += [_status("stale", f"{len(found.stale)} stale ({stale})")] if found.stale else []
    parts += [_status("missing", f"{len(found.missing)} missing ({missing})")] if found.missing else []
    for part in parts or [_text("none so far", "quiet")]:
        line.append_text(Text("  ") if line else Text())
        line.append_text(part)
    return line


def _memory(waiting: int) -> "Text":
    if not waiting:
        return _text("nothing waits for review", "quiet")
    verb = "waits" if waiting == 1 else "wait"
    return _text(f"{counted(waiting, 'item')} {verb} for review: vfcc memory inbox", "warn")


def _agent(who: str, time: str, did: str, success: bool | None) -> "Text":
    from rich.text import Text

    line = Text(no_wrap=True, overflow="ellipsis")
    for part in (
        _status("failed", who) if success is False else _text(who),
        _text(f"  {time[:16].replace('T', ' ')}  ", "quiet"),
        _text(did),
    ):
        line.append_text(part)
    return line


def _next(board: "Board") -> str:
    sprint = board.sprint
    steps = (each.asked.step.partition(_COMMENT)[0] for each in sprint.blocking) if sprint else iter(())
    one = len(board.status.open) == 1
    first = next((step for step in steps if step.startswith("vfcc ")), "")
    return first if first and one else "vfcc next" if sprint and one else board.status.next


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
        stop_signal() as wait,
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
def stop_signal() -> "Iterator[Callable[[float], bool]]":
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

    from verifflowcc.gates.use.board_record import read_board

    return Text.from_ansi(revealed(plain(board_page(read_board(workspace), screen_lines()))))


def memory_stamp(memory: "Path") -> str:
    """Return what changes when a file of the memory does; derived files, which a drawing may write, do not count."""

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
