"""Where an entry may be cut: before a section, before a block, or within the text of a block."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from verifflowcc.records import dataclass
from verifflowcc.text.extract import sentence_ends, word_ends
from verifflowcc.text.markdown import Kind, Line, headings, read_lines, split_lines

TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
DIVISIBLE = {Kind.PARAGRAPH, Kind.QUOTE, Kind.CODE, Kind.INSIDE}
RUNNING = {Kind.QUOTE, Kind.PARAGRAPH}
"""Lines of these kinds run on until a blank line; paragraphs are parted again at items and table rows."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A position before a line, where a text may end or begin again.

    `section` is true before a heading. `closing` is the line that closes the fence which the cut opens, or empty.
    `tail` says that the text may begin again here.
    """

    at: int
    section: bool = False
    closing: str = ""
    tail: bool = True


@dataclass(frozen=True, slots=True)
class Stretch:
    """A line `text[start:end]`, without its end, that may be cut within; `closing` as in `Cut`."""

    start: int
    end: int
    closing: str = ""
    prose: bool = True


@dataclass(frozen=True, slots=True)
class Outline:
    """The cuts of a text, ascending, none at its beginning or end, and the lines that may be cut within.

    `closing` is the line that closes a fence which the text leaves open, or empty.
    """

    text: str
    cuts: tuple[Cut, ...]
    stretches: tuple[Stretch, ...]
    closing: str = ""

    @property
    def last_section(self) -> int:
        """Where the last section begins; 0 where the text has only one."""
        return max((cut.at for cut in self.cuts if cut.section), default=0)

    def next_cut(self, at: int) -> int:
        """Return the first cut behind `at`, or the text's length."""
        index = bisect_right(self.cuts, at, key=lambda cut: cut.at)
        return self.cuts[index].at if index < len(self.cuts) else len(self.text)

    def sentences(self, start: int, end: int) -> tuple[Cut, ...]:
        """Return the ends of sentences within `text[start:end]`, ascending."""
        return tuple(
            Cut(at, closing=line.closing, tail=False)
            for line in self._within(start, end)
            if line.prose
            for at in sentence_ends(self.text, line.start, line.end)
        )

    def words(self, start: int, end: int) -> tuple[Cut, ...]:
        """Return the ends of words within `text[start:end]`, ascending; an item's bullet alone is no word."""
        found = []
        for line in self._within(start, end):
            spoken = (at for at in range(line.start, line.end) if _is_spoken(self.text[at]))
            first = next(spoken, line.end)
            ends = (*word_ends(self.text, line.start, line.end), line.end)
            found += [Cut(at, closing=line.closing, tail=False) for at in ends if at > first]
        return tuple(found)

    def _within(self, start: int, end: int) -> tuple[Stretch, ...]:
        first = bisect_left(self.stretches, start, key=lambda line: line.start)
        last = bisect_left(self.stretches, end, key=lambda line: line.start)
        return self.stretches[first:last]


@dataclass(frozen=True, slots=True)
class _Form:
    """A Markdown text read: its lines, where they begin, places in tables, first lines of sections, heading lines."""

    lines: tuple[Line, ...]
    offsets: list[int]
    tables: dict[int, int]
    section_firsts: set[int]
    heading_lines: set[int]


def outline(text: str, kind: str) -> Outline:
    """Return where a text of this kind may be cut: `markdown` by its structure, all else by its lines."""
    return _markdown(text) if kind == "markdown" else _plain(text)


def _is_spoken(char: str) -> bool:
    return char.isalnum() or char > "\u2600"


def _plain(text: str) -> Outline:
    lines = split_lines(text)
    offsets = _offsets(lines)
    return Outline(
        text,
        tuple(Cut(at) for at, line in zip(offsets[1:], lines[1:], strict=False) if line.strip()),
        tuple(Stretch(at, at + len(line.rstrip())) for at, line in zip(offsets, lines, strict=False)),
    )


def _offsets(lines: list[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets


def _markdown(text: str) -> Outline:
    source = split_lines(text)
    lines, offsets = read_lines(source), _offsets(source)
    firsts = {number for number, _, _ in headings(lines)}
    form = _Form(lines, offsets, _tables(lines), firsts, _heading_lines(lines, firsts))
    closing = lines[-1].fence.closing if lines and lines[-1].fence else ""
    return Outline(text, tuple(_cuts(form)), tuple(_stretches(form)), closing)


def _heading_lines(lines: tuple[Line, ...], firsts: set[int]) -> set[int]:
    found: set[int] = set()
    for first in firsts:
        last = first
        while lines[last].kind not in {Kind.HEADING, Kind.UNDERLINE}:
            last += 1
        found.update(range(first, last + 1))
    return found


def _tables(lines: tuple[Line, ...]) -> dict[int, int]:
    """Return every line of a table with its place in it: 0 the head, 1 the rule, 2 and on the rows."""
    places: dict[int, int] = {}
    for number, line in enumerate(lines):
        if line.kind is not Kind.PARAGRAPH:
            continue
        above = places.get(number - 1)
        if above is not None and not line.item:
            places[number] = above + 1
        elif number + 1 < len(lines) and "|" in line.text and _is_rule(lines[number + 1]):
            places[number] = 0
    return places


def _is_rule(line: Line) -> bool:
    return line.kind is Kind.PARAGRAPH and "|" in line.text and TABLE_RULE.match(line.text) is not None


def _cuts(form: _Form) -> Iterator[Cut]:
    before = None
    for number, line in enumerate(form.lines):
        if not line.text.strip():
            continue
        if before is not None and before not in form.heading_lines and _is_boundary(form, number, before):
            open_fence = form.lines[before].fence
            yield Cut(
                form.offsets[number],
                section=number in form.section_firsts,
                closing=open_fence.closing if open_fence else "",
                tail=line.depth == 0 and line.kind is not Kind.INSIDE and form.tables.get(number, 0) == 0,
            )
        before = number


def _is_boundary(form: _Form, number: int, before: int) -> bool:
    """Say whether a block begins at line `number`; `before` is the last line above it that is not blank."""
    line, above = form.lines[number], form.lines[before]
    if line.item:
        return True
    if line.kind in {Kind.CLOSES, Kind.UNDERLINE}:
        return False
    if line.kind is Kind.INSIDE:
        return above.kind is Kind.INSIDE
    place = form.tables.get(number, 0)
    if place > 0:
        return place > 2
    together = line.kind in {Kind.FRONT, Kind.COMMENT} or (line.kind in RUNNING and before == number - 1)
    return not (together and above.kind is line.kind)


def _stretches(form: _Form) -> Iterator[Stretch]:
    for number, line in enumerate(form.lines):
        # The beginning of a line that only mentions a fence may open one; in a quote nobody looks for them.
        mentions_fence = line.kind in RUNNING and ("```" in line.text or "~~~" in line.text)
        whole = number in form.tables or number in form.heading_lines or mentions_fence
        if line.kind in DIVISIBLE and not whole:
            closing = line.fence.closing if line.kind is Kind.INSIDE and line.fence else ""
            end = form.offsets[number] + len(line.text.rstrip())
            yield Stretch(form.offsets[number], end, closing, prose=line.kind in RUNNING)
