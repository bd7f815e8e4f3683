"""How things reach the terminal: data to stdout, everything else to stderr.

Data that is piped is UTF-8 whatever the locale; a console that cannot show a character gets a `?` for it.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import TextIO

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def emit(text: str) -> None:
    """Write data to stdout, ending with one newline."""
    write(sys.stdout, text if text.endswith("\n") else text + "\n")


def emit_json(value: object) -> None:
    """Write a value to stdout as JSON: objects by field name, sorted keys, two spaces of indentation."""
    emit(json_text(value))


def json_text(value: object) -> str:
    """Return a value as the JSON that `emit_json` writes."""
    import json

    return json.dumps(plain(value), indent=2, sort_keys=True, ensure_ascii=False)


def say(text: str) -> None:
    """Write a message for the person to stderr; what a name in it could do to a terminal is taken out."""
    shown = "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
    write(sys.stderr, shown if shown.endswith("\n") else shown + "\n")


def warn(text: str) -> None:
    """Write a warning for the person to stderr."""
    say(f"warning: {text}")


def write(stream: TextIO, text: str) -> None:
    """Write `text` so that no console and no pipe can fail on a character, and at once, so that streams keep order."""
    encoding = (stream.encoding or "ascii").replace("-", "").lower()
    buffer = getattr(stream, "buffer", None)
    if encoding == "utf8" or buffer is None:
        stream.write(text.encode("utf-8", "replace").decode("utf-8"))
    elif stream.isatty():
        stream.write(text.encode(encoding, "replace").decode(encoding))
    else:
        stream.flush()
        buffer.write(text.encode("utf-8", "replace"))
    stream.flush()


def plain(value: object) -> Json:
    """Return a value as JSON can hold it: dataclasses and mappings as objects, enums by value, paths as text."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, PurePath):
        return value.as_posix()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain(one) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def person_is_looking() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr.isatty()


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Return rows under headings, aligned; columns in `right` are numbers.

    On a terminal it keeps to the terminal's width: it folds between words, and where that is not enough each row is a
    block of lines. In a pipe nothing is folded or cut.
    """
    cells = [[_plain_cell(cell) for cell in row] for row in rows]
    least = [_least(index, index == 0 or index in right, [headings, *cells]) for index in range(len(headings))]
    width = _width()
    if sum(least) + 2 * len(least) - 2 > width:
        return "\n".join(_block(headings, row) for row in cells)
    return _grid(headings, cells, right, least, width)


def _grid(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], least: Sequence[int], width: int
) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="")
    for index, heading in enumerate(headings):
        grid.add_column(
            heading,
            justify="right" if index in right else "left",
            overflow="fold",
            min_width=least[index],
        )
    for row in rows:
        grid.add_row(*row)
    out = StringIO()
    Console(file=out, width=width, no_color=True, highlight=False, markup=False, emoji=False).print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _least(index: int, whole: bool, rows: Sequence[Sequence[str]]) -> int:
    """The width below which a column would be cut within a word, or at all where it must stay `whole`."""
    from rich.cells import cell_len

    return max(cell_len(part) for row in rows for part in ([row[index]] if whole else row[index].split() or [""]))


def _block(headings: Sequence[str], row: Sequence[str]) -> str:
    """A row as lines: its first cells up to the first that has a heading, then `heading: cell`."""
    first = next((index for index, heading in enumerate(headings) if heading), 0)
    lines = [" ".join(cell for cell in row[: first + 1] if cell)]
    lines += [f"  {heading}: {cell}" for heading, cell in zip(headings[first + 1 :], row[first + 1 :], strict=True)]
    return "\n".join(lines)


def _plain_cell(cell: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in cell)


def _width() -> int:
    from shutil import get_terminal_size

    looking = sys.stdout.isatty() or sys.stderr.isatty()
    return max(20, get_terminal_size().columns) if looking else 1_000
