"""The status words of every screen, and the older words of the program's own records that mean the same."""

import re
from typing import TYPE_CHECKING

from verifflowcc.base.terminal.terminal import SYMBOLS, status_style, status_symbol

if TYPE_CHECKING:
    from rich.text import Text


HEADINGS = frozenset({"status", "verdict", "is", "review", "outcome", "fate"})
"""Columns of tables whose cells begin with a status word."""
_DOUBTED = re.compile(r"(passed|failed|skipped|error)( \((stale|not in the tree|untrusted)\)|, (?!proven\b))")
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
    from verifflowcc.base.terminal.terminal import visible

    status, shown = status_of(text)
    return f"{visible(status_symbol(status))} {shown}" if status else text


def styled(text: str) -> "Text":
    """Return a cell that `with_symbol` made in the colour of its status."""
    from rich.text import Text

    from verifflowcc.base.terminal.terminal import RICH

    status, _ = status_of(text[2:])
    return Text(text, style=RICH.get(status_style(status), ""))
