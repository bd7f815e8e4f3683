"""Code fences: one that holds any text, and the closing of one that was left open."""

import re
from collections.abc import Iterable

from verifflowcc.text.markdown import Fence, Kind, read_lines, split_lines

BACKTICKS = re.compile(r"`+")


def fence_for(text: str) -> str:
    """Return a fence of backticks, at least three, that nothing in `text` can close.

    It is longer than every run of backticks in `text`. Runs of tildes need no care: they never close backticks.

    >>> fence_for("plain"), fence_for("a ```` b")
    ('```', '`````')
    """
    longest = max((len(run) for run in BACKTICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def open_fence(lines: Iterable[str]) -> Fence | None:
    """Return the fence that is still open after `lines`, or None."""
    read = read_lines(lines)
    return read[-1].fence if read else None


def close_fences(text: str) -> str:
    """Return `text` with its last fence closed, or `text` itself where none is open.

    >>> close_fences("~~~~ py\\nx = 1")
    '~~~~ py\\nx = 1\\n~~~~\\n'
    """
    fence = open_fence(split_lines(text))
    if fence is None:
        return text
    return text + ("" if text.endswith("\n") else "\n") + fence.closing + "\n"


def fenced_lines(text: str) -> frozenset[int]:
    """Return the numbers, from 0, of the lines that are in a fence or are one.

    >>> sorted(fenced_lines("a\\n```\\nb\\n```\\nc"))
    [1, 2, 3]
    """
    inside = {Kind.OPENS, Kind.INSIDE, Kind.CLOSES}
    return frozenset(number for number, line in enumerate(read_lines(split_lines(text))) if line.kind in inside)
