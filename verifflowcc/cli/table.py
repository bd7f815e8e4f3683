"""Rows under headings, laid out for the terminal or the pipe that they go to."""

import os
import sys
from collections.abc import Sequence
from typing import TextIO

UNBOUNDED = 1_000
"""Columns in a pipe, where nothing is folded or cut."""
LONG_WORD = 16
"""A column may be so narrow; a path longer than this is cut where the terminal leaves no room for it."""


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: int | None = None
) -> str:
    """Return rows under headings, aligned; columns in `right` are numbers.

    It keeps to `width` columns, those of stdout if not said: it folds between words, and where that is not enough each
    row is a block of lines.
    """
    width = width_of(sys.stdout) if width is None else width
    cells = [[_plain_cell(cell) for cell in row] for row in rows]
    columns = zip(headings, *cells, strict=True)
    least = [_least(column, index == 0 or index in right) for index, column in enumerate(columns)]
    if sum(least) + 2 * (len(least) - 1) > width:
        return "\n".join(_block(headings, row) for row in cells)
    return _grid(headings, cells, right, least, width)


def width_of(stream: TextIO) -> int:
    """Return the columns of the terminal behind `stream`; `UNBOUNDED` where there is none."""
    if not stream.isatty():
        return UNBOUNDED
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdecimal() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def _grid(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], least: Sequence[int], width: int
) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="")
    for index, heading in enumerate(headings):
        justify = "right" if index in right else "left"
        grid.add_column(heading, justify=justify, overflow="fold", min_width=least[index])  # type: ignore[arg-type]
    for row in rows:
        grid.add_row(*row)
    out = StringIO()
    Console(file=out, width=width, no_color=True, highlight=False, markup=False, emoji=False).print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _least(cells: Sequence[str], whole: bool) -> int:
    """The width below which a column would be cut within a word that is not long, or at all where it stays `whole`."""
    from rich.cells import cell_len

    if whole:
        return max(map(cell_len, cells))
    return min(max(cell_len(word) for cell in cells for word in cell.split() or [""]), LONG_WORD)


def _block(headings: Sequence[str], row: Sequence[str]) -> str:
    """A row as lines: its first cells up to the first that has a heading, then `heading: cell`."""
    first = next((index for index, heading in enumerate(headings) if heading), 0)
    lines = [" ".join(cell for cell in row[: first + 1] if cell)]
    lines += [f"  {heading}: {cell}" for heading, cell in zip(headings[first + 1 :], row[first + 1 :], strict=True)]
    return "\n".join(lines)


def _plain_cell(cell: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in cell)
