"""The sections of a Markdown text: what stands under each heading, subsections apart."""

import re
from collections.abc import Sequence

from verifflowcc.records import dataclass
from verifflowcc.text.markdown import Kind, Line, read_lines, split_lines

CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it, up to the next heading of any level: `text[start:end]`.

    `level` is 1 to 6, or 0 with an empty title for what stands before the first heading.
    """

    level: int
    title: str
    start: int
    end: int


def sections(text: str) -> tuple[Section, ...]:
    """Return the sections of `text` in order; joined they are `text`. The empty text has none.

    Headings count at the left edge only: not in fences, lists, quotes, comments or front matter.

    >>> [(part.level, part.title) for part in sections("intro\\n# One\\ntext\\nTwo\\n---\\n")]
    [(0, ''), (1, 'One'), (2, 'text Two')]
    """
    lines = read_lines(split_lines(text))
    starts = headings(lines)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line.text))
    if not lines:
        return ()
    if not starts or starts[0][0] > 0:
        starts = [(0, 0, ""), *starts]
    ends = [number for number, _, _ in starts[1:]] + [len(lines)]
    return tuple(
        Section(level, title, offsets[number], offsets[end])
        for (number, level, title), end in zip(starts, ends, strict=True)
    )


def headings(lines: Sequence[Line]) -> list[tuple[int, int, str]]:
    """Return (number of its first line, level, title) of every heading at the left edge, in order."""
    found, paragraph = [], None
    for number, line in enumerate(lines):
        if line.kind is Kind.HEADING and line.depth == 0 and not line.item:
            found.append((number, *_atx(line.text)))
        elif line.kind is Kind.UNDERLINE and paragraph is not None:
            title = " ".join(part.text.strip() for part in lines[paragraph:number])
            found.append((paragraph, 1 if line.text.strip()[0] == "=" else 2, title))
        if line.kind is not Kind.PARAGRAPH or line.depth or line.item:
            paragraph = None
        elif paragraph is None:
            paragraph = number
    return found


def _atx(line: str) -> tuple[int, str]:
    body = line.strip()
    level = len(body) - len(body.lstrip("#"))
    return level, CLOSING_HASHES.sub("", body[level:].strip())
