"""What each line of a Markdown text is: heading, fence, item, paragraph and so on.

Follows CommonMark where a wrong answer would break a cut or hide a heading: fences, lists around fences, both kinds of
heading, comments. Two things beyond it: YAML front matter is recognised, and text inside a quote is not looked into.
Only LF ends a line; a CR before it is ignored.
"""

import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass


class LineKind(Enum):
    """What a line is."""

    BLANK = auto()
    FRONT = auto()
    COMMENT = auto()
    HEADING = auto()
    UNDERLINE = auto()
    RULE = auto()
    PARAGRAPH = auto()
    QUOTE = auto()
    CODE = auto()
    OPENS = auto()
    INSIDE = auto()
    CLOSES = auto()


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence: character, length, column, and column of its list item."""

    char: str
    length: int
    column: int
    container: int

    @property
    def closing(self) -> str:
        """The line, without its end, that closes this fence."""
        return " " * self.column + self.char * self.length


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end. `depth` counts the list items that it continues, `item` says that it begins one.

    `fence` is the fence that is open after the line.
    """

    text: str
    kind: LineKind
    depth: int = 0
    item: bool = False
    fence: Fence | None = None


ITEM = lazy_pattern(r"([-+*]|\d{1,9}[.)])( +|$)")
_RULES, _UNDERLINES, _BULLETS, _FENCES = map(frozenset, ("-*_", "=-", "-+*", "`~"))
_AFTER_HASHES = frozenset(("", " "))
OPENING = lazy_pattern(r"(`{3,})[^`]*$|(~{3,})")
FRONT_KEY = lazy_pattern(r"[A-Za-z_][\w .-]*:(?:\s|$)")


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` with their ends; joined they are `text`.

    >>> split_lines("a\\n\\nb")
    ['a\\n', '\\n', 'b']
    """
    lines = [part + "\n" for part in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def read_lines(lines: Iterable[str]) -> tuple[Line, ...]:
    """Return each line with what it is, in order."""
    source = list(lines)
    done = [Line(line, LineKind.FRONT) for line in source[: _front_matter(source)]]
    reader, comment_end = _Reader(), -1
    last_end = max((number for number, line in enumerate(source) if "-->" in line), default=-1)
    for number in range(len(done), len(source)):
        line = source[number]
        if number > comment_end and number <= last_end and reader.may_comment(line):
            comment_end = next((at for at in range(number, last_end + 1) if "-->" in source[at]), -1)
        if number <= comment_end:
            reader.paragraph = False
            done.append(Line(line, LineKind.COMMENT))
        else:
            done.append(reader.read(line))
    return tuple(done)


def _front_matter(lines: list[str]) -> int:
    if len(lines) < 2 or lines[0].rstrip() != "---" or not FRONT_KEY.match(lines[1]):
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def _kind_of(body: str) -> LineKind:
    if body.startswith(">"):
        return LineKind.QUOTE
    if _is_rule(body):
        return LineKind.RULE
    return LineKind.HEADING if _is_heading(body) else LineKind.PARAGRAPH


def _starts_block(body: str) -> bool:
    return body.startswith(">") or bool(_item(body) or _is_heading(body) or _opening(body) or _is_rule(body))


# What begins a line is looked at before an expression is asked: most artifacts need none of them compiled.


def _is_rule(body: str) -> bool:
    first = body[:1]
    return first in _RULES and body.count(first) >= 3 and not body.strip(f"{first} ")


def _is_heading(body: str) -> bool:
    rest = body.lstrip("#")
    return 1 <= len(body) - len(rest) <= 6 and rest[:1] in _AFTER_HASHES


def _is_underline(body: str) -> bool:
    first = body[:1]
    return first in _UNDERLINES and not body.rstrip(" ").strip(first)


def _item(body: str) -> re.Match[str] | None:
    return ITEM.match(body) if body[:1] in _BULLETS or body[:1].isdecimal() else None


def _opening(body: str) -> re.Match[str] | None:
    return OPENING.match(body) if body[:1] in _FENCES else None


class _Reader:
    """The state between two lines: the columns of the open list items, the open fence, and an unfinished paragraph."""

    __slots__ = ("columns", "fence", "paragraph", "quote")

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.fence: Fence | None = None
        self.paragraph = False
        self.quote = False

    def may_comment(self, line: str) -> bool:
        """Say whether `line` begins a comment at the left edge."""
        return self.fence is None and line[:8].lstrip(" ").startswith("<!--") and not line.startswith("    ")

    def read(self, line: str) -> Line:
        flat = line.rstrip("\r\n")
        flat = flat.expandtabs(4) if "\t" in flat else flat
        body = flat.lstrip(" ")
        indent = len(flat) - len(body)
        if not body:
            self.paragraph = self.quote = False
            return self._line(line, LineKind.INSIDE if self.fence else LineKind.BLANK, len(self.columns))
        if self.fence is not None and indent >= self.fence.container:
            return self._inside(line, body, indent, self.fence)
        self.fence = None
        return self._outside(line, body, indent)

    def _inside(self, line: str, body: str, indent: int, fence: Fence) -> Line:
        run = body.rstrip(" ")
        closes = indent - fence.container <= 3 and len(run) >= fence.length and run == fence.char * len(run)
        if closes:
            self.fence = None
        return self._line(line, LineKind.CLOSES if closes else LineKind.INSIDE, len(self.columns))

    def _outside(self, line: str, body: str, indent: int) -> Line:
        depth = sum(indent >= column for column in self.columns)
        base = self.columns[depth - 1] if depth else 0
        starts = indent - base <= 3 and _starts_block(body)
        if ((self.paragraph and depth < len(self.columns)) or self.quote) and not starts:
            return self._line(line, LineKind.QUOTE if self.quote else LineKind.PARAGRAPH, len(self.columns))
        self.quote = False
        if depth < len(self.columns):
            del self.columns[depth:]
            self.paragraph = False
        item = False
        while (marker := self._marker(body, indent - base)) is not None:
            base = self._enter_item(marker, indent)
            item, self.paragraph = True, False
            body, indent = body[marker.end() :], indent + marker.end()
        return self._line(line, self._kind(body, indent, base), depth, item)

    def _marker(self, body: str, relative: int) -> re.Match[str] | None:
        if relative > 3 or _is_rule(body):
            return None
        marker = _item(body)
        if marker is None or not self.paragraph:
            return marker
        # In a running paragraph an empty item, or a list that does not begin with 1, is only text.
        interrupts = marker.end() < len(body) and (not marker[1][0].isdigit() or int(marker[1][:-1]) == 1)
        return marker if interrupts else None

    def _enter_item(self, marker: re.Match[str], indent: int) -> int:
        gap = len(marker[2]) if 1 <= len(marker[2]) <= 4 and marker.end() < len(marker.string) else 1
        self.columns.append(indent + len(marker[1]) + gap)
        return self.columns[-1]

    def _kind(self, body: str, indent: int, base: int) -> LineKind:
        was_paragraph, self.paragraph = self.paragraph, False
        if indent - base > 3 and body:
            self.paragraph = was_paragraph
            return LineKind.PARAGRAPH if was_paragraph else LineKind.CODE
        if opening := _opening(body):
            run = opening[1] or opening[2]
            self.fence = Fence(run[0], len(run), indent, base)
            return LineKind.OPENS
        kind = LineKind.UNDERLINE if was_paragraph and _is_underline(body) else _kind_of(body)
        self.paragraph = kind is LineKind.PARAGRAPH and bool(body)
        self.quote = kind is LineKind.QUOTE and bool(body.strip("> "))
        return kind

    def _line(self, line: str, kind: LineKind, depth: int, item: bool = False) -> Line:
        return Line(line, kind, depth, item, self.fence)


# Code fences: one that holds any text, and the closing of one that was left open.

BACKTICKS = lazy_pattern(r"`+")


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
    inside = {LineKind.OPENS, LineKind.INSIDE, LineKind.CLOSES}
    return frozenset(number for number, line in enumerate(read_lines(split_lines(text))) if line.kind in inside)


# The sections of a Markdown text: what is under each heading, subsections apart.

CLOSING_HASHES = lazy_pattern(r"(?:^|[ \t]+)#+$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it, up to the next heading of any level: `text[start:end]`.

    `level` is 1 to 6, or 0 with an empty title for what is before the first heading.
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
        if line.kind is LineKind.HEADING and line.depth == 0 and not line.item:
            found.append((number, *_atx(line.text)))
        elif line.kind is LineKind.UNDERLINE and paragraph is not None:
            title = " ".join(part.text.strip() for part in lines[paragraph:number])
            found.append((paragraph, 1 if line.text.strip()[0] == "=" else 2, title))
        if line.kind is not LineKind.PARAGRAPH or line.depth or line.item:
            paragraph = None
        elif paragraph is None:
            paragraph = number
    return found


def _atx(line: str) -> tuple[int, str]:
    body = line.strip()
    level = len(body) - len(body.lstrip("#"))
    title = body[level:].strip()
    return level, CLOSING_HASHES.sub("", title) if title.endswith("#") else title
