"""Gates and refusals at a terminal: a panel, drawn by rich, whose border shows whether the gate is open."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from verifflowcc.base.model.gate_values import RECORDED, Assessment, Gate, Side, Verdict
from verifflowcc.base.model.sprint_state import with_gaps
from verifflowcc.base.terminal.output import plain
from verifflowcc.base.terminal.terminal import RICH, SYMBOLS, drawn, has_unicode, width_of
from verifflowcc.base.text.identifiers import shown_ids

if TYPE_CHECKING:
    from rich.text import Text


WIDEST = 120
"""Columns beyond which a panel is not drawn any wider."""
_WORDS = {Verdict.PASS: "passed", Verdict.FAIL: "failed", Verdict.WAIVED: "waived"}
_COMMENT = "  # "
Row = tuple[str, str, list["Text"]]
"""The status word that chooses a symbol, the word that is shown, and the lines beside it."""


def gate_panel(gate: Gate, *, full: bool = False) -> str:
    """Return a gate with all its criteria, and with whole ids where they are to be `full`."""
    ids = shown_ids((name for each in gate.assessments for name in each.used), full=full)
    verb = "leave" if gate.side is Side.EXIT else "enter"
    count = len(gate.assessments)
    if gate.is_open:
        state = f"open{with_gaps(len(gate.findings))}, {count} {'check' if count == 1 else 'checks'}"
    else:
        blocking = len(gate.blockers)
        state = f"closed: {blocking} of {count} {'blocks' if blocking == 1 else 'block'}"
    rows = [_row(each, [ids[name] for name in each.used]) for each in gate.assessments]
    notes = [_text(f"note: {note}", "warn") for note in gate.notes]
    title = f"gate to {verb} {gate.sprint}/{gate.stage}"
    border = "green" if gate.is_open and not gate.findings else "yellow" if gate.is_open else "red"
    return _panel(title, state, rows, notes, border, sys.stdout)


def status_word(each: Assessment) -> str:
    """Return the status word of a criterion: with nothing to evaluate, its evidence is stale, or it has none."""
    return _WORDS.get(each.verdict) or ("stale" if each.used and each.criterion.kind in RECORDED else "missing")


def refusal_panel(head: str, lines: Sequence[str], stream: TextIO) -> str:
    """Return why a move was refused: its head, and a line for each criterion that is not met."""
    rows: list[Row] = [("failed", "", [_text(line)]) for line in lines]
    return _panel(head, "", rows, [], "red", stream)


def _panel(title: str, state: str, rows: Sequence[Row], notes: Sequence["Text"], border: str, stream: TextIO) -> str:
    from rich import box
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for word, shown, lines in rows:
        full, ascii_only, style = SYMBOLS[word]
        symbol = full if has_unicode(stream) else ascii_only
        for place, line in enumerate(lines):
            grid.add_row("" if place else _text(f"{symbol} {shown}".rstrip(), style), line)
    width = min(width_of(stream), WIDEST)
    long = len(title) + len(state) > width - 12
    parts = [_text(title, "strong")] if long else []
    panel = Panel(
        Group(*parts, grid, *notes),
        title=None if long else _text(title, "strong"),
        title_align="left",
        subtitle=_text(state) if state else None,
        subtitle_align="right",
        box=box.ROUNDED,
        border_style=border,
        padding=(0, 1),
        width=width,
    )
    return drawn(panel, width, stream)


def _row(each: Assessment, used: Sequence[str]) -> Row:
    word = status_word(each)
    return word, word, list(_lines(each, used))


def _lines(each: Assessment, used: Sequence[str]) -> Iterator["Text"]:
    """Yield a criterion with its reason, then what is known besides, then the next step."""
    mode = "" if each.met else f" ({each.criterion.mode})"
    yield _text(f"{each.criterion.id}{mode}", "strong", f": {each.reason}")
    yield from (_text(f"note: {note}", "warn") for note in each.notes)
    if used and each.verdict is not Verdict.NOT_EVALUABLE:
        yield _text(f"by: {', '.join(used)}", "quiet")
    if each.step and not each.met:
        command, comment, why = each.step.partition(_COMMENT)
        yield _text(f"{'→' if has_unicode() else '->'} {command}", "accent", f"{comment}{why}", "quiet")


def _text(text: str, style: str = "", more: str = "", more_style: str = "") -> "Text":
    """Return a text of rich in two styles; no secret and no control character is in it."""
    from rich.text import Text

    parts = ((text, style), (more, more_style))
    return Text.assemble(*((plain(part).replace("\n", " "), RICH.get(name, "")) for part, name in parts if part))
