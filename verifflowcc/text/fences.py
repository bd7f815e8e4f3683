"""Code fences: one that holds any text, and the closing of one that was left open."""

import re
from collections.abc import Iterable

from verifflowcc.text.markdown import Fence, read_lines, split_lines

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
