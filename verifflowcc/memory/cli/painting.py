"""Colour for texts at a terminal: prompts as Markdown with code, changes as diffs. No character of them changes."""

from functools import cache
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern

if TYPE_CHECKING:
    from rich.syntax import ANSISyntaxTheme


_CHANGES = {"+": 32, "-": 31, "~": 33, "@": 36}
"""The colour of a line by its first sign: green, red, yellow, cyan."""
_SECTION = lazy_pattern(r"=== (changes in )?")


def markdown(text: str) -> str:
    """Return Markdown with its headings, and the code in it, in colour."""
    from rich.console import Console
    from rich.segment import Segments
    from rich.syntax import Syntax

    console = Console(force_terminal=True, highlight=False)
    # a tab of size 0 stays a tab; a wrapped or padded line could not be copied as it is
    marked = Syntax("", "markdown", theme=_theme(), tab_size=0).highlight(text)
    with console.capture() as capture:
        console.print(Segments(marked.render(console)), soft_wrap=True, end="")
    return capture.get()


def changes(text: str) -> str:
    """Return lines with those that begin with a sign of a change in its colour, however far they are indented.

    >>> changes("  +new\\n   same")
    '\\x1b[32m  +new\\x1b[0m\\n   same'
    """
    return "\n".join(map(_changed, text.split("\n")))


def approval(text: str) -> str:
    """Return the page of an approval with the changes in it in colour, and the texts as they are."""
    inside, lines = False, []
    for line in text.split("\n"):
        section = _SECTION.match(line)
        inside = bool(section[1]) if section else inside
        lines.append(f"\x1b[1m{line}\x1b[0m" if section else _changed(line) if inside else line)
    return "\n".join(lines)


def _changed(line: str) -> str:
    colour = _CHANGES.get(line.lstrip(" ")[:1])
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line


@cache
def _theme() -> "ANSISyntaxTheme":
    """Return a theme in the terminal's own colours that is legible on a light and on a dark ground."""
    from rich.style import Style
    from rich.syntax import ANSI_DARK, ANSISyntaxTheme

    legible = {"bright_blue": "magenta"}
    return ANSISyntaxTheme(
        {
            token: Style.parse(" ".join(legible.get(word, word.removeprefix("bright_")) for word in str(style).split()))
            for token, style in ANSI_DARK.items()
            if token[-1:] != ("Whitespace",)
        }
    )
