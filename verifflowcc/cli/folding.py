"""Lines folded between words to the terminal's width, and how many fit; in a pipe they stay as they are."""

import os
import sys
from collections.abc import Iterator, Sequence

from verifflowcc.cli.output import without_secrets
from verifflowcc.cli.table import UNBOUNDED, width_of
from verifflowcc.cli.terminal import visible

SCREEN = 40
"""The most lines of a page that is to be read at one glance; a terminal with fewer rows gets fewer."""
LONGEST = 150
"""Characters of a sentence on such a page; the whole list has all of it."""
_LEAST = 23
_PROMPT = 1


def screen_lines() -> int:
    """Return how many lines of stdout a person sees at once, above the next prompt; `SCREEN` in a pipe."""
    if not sys.stdout.isatty():
        return SCREEN
    try:
        rows = os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return SCREEN
    return min(SCREEN, max(_LEAST, rows - _PROMPT)) if rows else SCREEN


def height(text: str) -> int:
    """Return how many rows of stdout a text takes: a terminal breaks a line with a word that is too long."""
    width = width_of(sys.stdout)
    return sum(max(1, -(-len(line) // width)) for line in visible(text).split("\n"))


def shortened(sentence: str) -> str:
    """Return a sentence of at most `LONGEST` characters, cut between words."""
    if len(sentence) <= LONGEST:
        return sentence
    return f"{sentence[: LONGEST - 2].rpartition(' ')[0].rstrip(',;:')} …"


def cut(line: str) -> str:
    """Return `line` cut to the width of stdout, with a mark where something is missing."""
    width = width_of(sys.stdout)
    return line if len(line) <= width else f"{without_secrets(line)[: width - 1].rstrip()}…"


def folded(line: str, hang: int) -> str:
    """Return `line` folded to the width of stdout, further lines indented by `hang` columns; no word is cut."""
    width = width_of(sys.stdout)
    if width >= UNBOUNDED or len(line) <= width:
        return line
    import textwrap

    return textwrap.fill(
        without_secrets(line),
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def part(heading: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield an empty line, a heading and folded lines below it; nothing where there are no lines."""
    if lines:
        yield ""
        yield heading
        yield from (folded(f"  {line}", 4) for line in lines)
