"""The hunks of a file between two contents, and the content with some of them put back. Lines count from 1."""

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of lines that a change replaced: `before` lines from `old`, by `after` lines from `new`.

    A stretch without lines is before the line that it names.
    """

    path: str
    old: int
    before: tuple[str, ...]
    new: int
    after: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last new line; where lines only went, the one after which they were."""
        return self.new + len(self.after) - 1

    @property
    def size(self) -> int:
        """How many lines it adds and removes, without blank ones."""
        return sum(1 for line in (*self.before, *self.after) if line.strip())


def lines_of(content: bytes | None) -> list[str] | None:
    """Return the lines of a text with their ends, each byte a letter; None for what is binary.

    >>> lines_of(b"a\\nb"), lines_of(None), lines_of(b"\\0")
    (['a\\n', 'b'], [], None)
    """
    if content is None:
        return []
    if b"\0" in content:
        return None
    parts = content.decode("latin-1").split("\n")  # not splitlines, which also breaks at form feeds
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def hunks_of(path: str, before: bytes | None, after: bytes | None) -> tuple[Hunk, ...]:
    """Return the hunks between two contents of a text file, in order; none where one of them is binary."""
    old, new = lines_of(before), lines_of(after)
    if old is None or new is None:
        return ()
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(inner_old) * len(inner_new) > _MOST_PAIRS:
        return (Hunk(path, head + 1, tuple(inner_old), head + 1, tuple(inner_new)),)
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
    return tuple(
        Hunk(
            path,
            head + first + 1,
            tuple(old[head + first : head + last]),
            head + start + 1,
            tuple(new[head + start : head + end]),
        )
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    )


_MOST_PAIRS = 40_000_000
"""Lines before times lines after: with more, comparing takes minutes, and the stretch is one hunk."""


def put_back(after: bytes, hunks: Collection[Hunk]) -> bytes:
    """Return a content with these of its hunks as they were before."""
    lines = lines_of(after) or []
    for hunk in sorted(hunks, key=lambda each: each.new, reverse=True):
        lines[hunk.new - 1 : hunk.last] = hunk.before
    return "".join(lines).encode("latin-1")


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
