"""What a terminal shows of the bytes that were written to it, as far as a region that is redrawn needs it."""

import re
from io import StringIO

_PART = re.compile(r"\x1b\[(\d*)(?:;\d+)*([A-Za-z])|\x1b\[\?\d+[hl]|[\r\n]|[^\x1b\r\n]+")


def screen_of(written: str) -> list[str]:
    """Return the lines that are left on the screen, without empty ones at the end. No line is wrapped."""
    lines, row, column = [""], 0, 0
    for part in _PART.finditer(written):
        number, letter = int(part[1] or 1), part[2]
        if letter == "A":
            row = max(row - number, 0)
        elif letter == "K":
            lines[row] = "" if part[1] == "2" else lines[row][:column]
        elif letter == "B" or part[0] == "\n":
            row += number if letter else 1
            lines += [""] * (row + 1 - len(lines))
        elif part[0] == "\r":
            column = 0
        elif not part[0].startswith("\x1b"):
            lines[row] = lines[row].ljust(column)[:column] + part[0] + lines[row][column + len(part[0]) :]
            column += len(part[0])
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]


class Screen(StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True
