"""Rows under headings, laid out for the terminal or the pipe that they go to; and the status words in them."""

import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.terminal.terminal import (
    RICH,
    SYMBOLS,
    drawn,
    status_style,
    status_symbol,
    visible,
    wants_color,
    width_of,
)
from verifflowcc.base.text.hidden_text import printable, withhold_cells

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


GAP = 2
_CELLS = {"–": "dim", ">": "bold cyan"}
"""Styles of cells that hold a sign alone."""
LONG_WORD = 16
"""A column may be so narrow; a path longer than this is cut where the terminal leaves no room for it."""


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    width: int | None = None,
    stream: TextIO | None = None,
) -> str:
    """Return rows under headings, aligned; columns in `right` are numbers.

    It keeps to `width` columns (default: those of `stream`, and that is stdout by default): it folds between words, and
    where that is not enough each row is a block of lines. Secrets are withheld before anything is cut, after which they
    could not be recognised. Without a `width`, a person who wants colours gets a table drawn by rich.
    """
    shown_on = sys.stdout if stream is None else stream
    colored = width is None and wants_color(shown_on)
    width = width_of(shown_on) if width is None else width
    cells = [[_plain_cell(cell) for cell in row] for row in withhold_cells(rows)]
    if colored:
        cells = _with_symbols(headings, cells)
    columns = list(zip(headings, *cells, strict=True))
    widths = [max(map(_wide, column)) for column in columns]
    room = width - GAP * (len(columns) - 1)
    if sum(widths) > room:
        least = [_least(column, index == 0 or index in right) for index, column in enumerate(columns)]
        if sum(least) > room:
            return "\n".join(_block(headings, row) for row in cells)
        widths = _fit(widths, least, room)
    if colored:
        return drawn(_shape(headings, cells, right, widths), width, shown_on)
    return _grid([headings, *cells], right, widths)


def _with_symbols(headings: Sequence[str], cells: list[list[str]]) -> list[list[str]]:
    """Return the cells with a symbol before each status."""

    return [
        [with_symbol(cell) if name in HEADINGS else cell for name, cell in zip(headings, row, strict=True)]
        for row in cells
    ]


def _shape(
    headings: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[int], widths: Sequence[int]
) -> "Table":
    """Return a table of rich: a rule under the headings, the status in its colour."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shape = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0), header_style="bold")
    for index, (name, columns) in enumerate(zip(headings, widths, strict=True)):
        shape.add_column(
            Text(name), width=columns, overflow="fold", justify="right" if index in right else "left", no_wrap=False
        )
    for row in cells:
        shape.add_row(
            *(
                styled(cell) if name in HEADINGS else Text(cell, style=_CELLS.get(cell, ""))
                for name, cell in zip(headings, row, strict=True)
            )
        )
    return shape


def _grid(rows: Sequence[Sequence[str]], right: Sequence[int], widths: Sequence[int]) -> str:
    lines = []
    for row in rows:
        cells = [_wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (_pad(part, widths[index], index in right) for index, part in enumerate(parts))
            lines.append((" " * GAP).join(padded).rstrip())
    return "\n".join(lines)


def _fit(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return widths that add up to `room` at most: the widest that may be narrower gives way, column by column."""
    widths = list(natural)
    for _ in range(sum(natural) - room):
        index = max((index for index in range(len(widths)) if widths[index] > least[index]), key=widths.__getitem__)
        widths[index] -= 1
    return widths


def _wrap(cell: str, width: int) -> list[str]:
    """Break a cell between words, and within a word only where that is wider than the column."""
    if _wide(cell) <= width and not cell.startswith(" "):
        return [cell]
    from rich.cells import chop_cells

    lines = [""]
    for word in cell.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if _wide(longer) <= width:
            lines[-1] = longer
        else:
            lines += chop_cells(word, width)
    return [line for line in lines if line] or [""]


def _pad(text: str, width: int, to_the_right: bool) -> str:
    blank = " " * (width - _wide(text))
    return blank + text if to_the_right else text + blank


def _least(cells: Sequence[str], whole: bool) -> int:
    """The width below which a column would be cut within a word that is not long, or at all where it stays `whole`."""
    if whole:
        return max(map(_wide, cells))
    return min(max(_wide(word) for cell in cells for word in cell.split() or [""]), LONG_WORD)


def _wide(text: str) -> int:
    """Return the columns that a printable text takes."""
    if text.isascii() or all(each < "\u0300" or "\u2010" <= each <= "\u2027" for each in text):
        return len(text)  # letters with accents, dashes and an ellipsis need no table of widths
    from rich.cells import cell_len

    return cell_len(text)


def _block(headings: Sequence[str], row: Sequence[str]) -> str:
    """A row as lines: its first cells up to the first that has a heading, then `heading: cell`."""
    first = next((index for index, heading in enumerate(headings) if heading), 0)
    lines = [" ".join(cell for cell in row[: first + 1] if cell)]
    lines += [f"  {heading}: {cell}" for heading, cell in zip(headings[first + 1 :], row[first + 1 :], strict=True)]
    return "\n".join(lines)


def _plain_cell(cell: str) -> str:
    if cell.isprintable():
        return cell

    return printable(cell).replace("\n", "<U+000A>")


HEADINGS = frozenset({"status", "verdict", "is", "review", "outcome", "fate"})
"""Columns of tables whose cells begin with a status word."""
_DOUBTED = lazy_pattern(r"(passed|failed|skipped|error)( \((stale|not in the tree|untrusted)\)|, (?!proven\b))")
"""A result that does not count as it is: of other content, of an unknown test, of a report that is trusted less."""
_SHOWN = {
    "pass": ("passed", "passed"),
    "fail": ("failed", "failed"),
    "not evaluable": ("missing", "nothing to evaluate"),
    "not_evaluable": ("missing", "nothing to evaluate"),
    "not reported": ("missing", "not reported"),
    "suspect": ("stale", "suspect"),
    "outgrown": ("stale", "outgrown"),
    "changed": ("stale", "changed"),
    "unreviewed": ("open", "unreviewed"),
    "reviewed": ("passed", "reviewed"),
    "kept": ("passed", "kept"),
    "trimmed": ("stale", "trimmed"),
    "dropped": ("skipped", "dropped"),
}
"""A word of a record, with its status word, which chooses the symbol, and how it is written."""


def status_of(text: str) -> tuple[str, str]:
    """Return the status word that `text` begins with, "" for none, and the text as screens write it.

    >>> status_of("fail"), status_of("passed with 2 gaps"), status_of("something else")
    (('failed', 'failed'), ('passed', 'passed with 2 gaps'), ('', 'something else'))
    >>> status_of("passed (stale); price.py changed")[0]
    'stale'
    """
    if _DOUBTED.match(text):
        return "stale", text
    for word, (status, shown) in _SHOWN.items():
        if text == word or text.startswith((f"{word} ", f"{word},", f"{word}:")):
            return status, shown + text[len(word) :]
    first = text.partition(" ")[0].rstrip(",:;")
    return (first, text) if first in SYMBOLS else ("", text)


def with_symbol(text: str) -> str:
    """Return a status with its symbol before it, without colour: a cell whose width is still to be measured."""

    status, shown = status_of(text)
    return f"{visible(status_symbol(status))} {shown}" if status else text


def styled(text: str) -> "Text":
    """Return a cell that `with_symbol` made in the colour of its status."""
    from rich.text import Text

    status, _ = status_of(text[2:])
    return Text(text, style=RICH.get(status_style(status), ""))
