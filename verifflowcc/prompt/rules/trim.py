"""Trim an entry to a number of tokens, with a visible mark where text is gone.

The head is kept, and the end too where it is whole sections of about a quarter, or belongs to the section in which the
head ends. Between the two stands one mark. What may be cut is the matter of `cuts`; what a token is, of `count`, which
is not taken to be additive: the finished text is counted, and made smaller until it fits.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.ports import Count
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.extract import sentence_ends, short_form, word_ends
from verifflowcc.base.text.markdown import Line, LineKind, close_fences, headings, read_lines, split_lines
from verifflowcc.prompt.rules.fill import MINIMUM_TRIMMED_TOKENS, TrimmedBody

# Where an entry may be cut: before a section, before a block, or within the text of a block.

TABLE_RULE = lazy_pattern(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
DIVISIBLE = {LineKind.PARAGRAPH, LineKind.QUOTE, LineKind.CODE, LineKind.INSIDE}
RUNNING = {LineKind.QUOTE, LineKind.PARAGRAPH}
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
class TextCuts:
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


def outline(text: str, kind: str) -> TextCuts:
    """Return where a text of this kind may be cut: `markdown` by its structure, all else by its lines."""
    return _markdown(text) if kind == "markdown" else _plain(text)


def _is_spoken(char: str) -> bool:
    return char.isalnum() or char > "\u2600"


def _plain(text: str) -> TextCuts:
    lines = split_lines(text)
    offsets = _offsets(lines)
    return TextCuts(
        text,
        tuple(Cut(at) for at, line in zip(offsets[1:], lines[1:], strict=False) if line.strip()),
        tuple(Stretch(at, at + len(line.rstrip())) for at, line in zip(offsets, lines, strict=False)),
    )


def _offsets(lines: list[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets


def _markdown(text: str) -> TextCuts:
    source = split_lines(text)
    lines, offsets = read_lines(source), _offsets(source)
    firsts = {number for number, _, _ in headings(lines)}
    form = _Form(lines, offsets, _tables(lines), firsts, _heading_lines(lines, firsts))
    closing = lines[-1].fence.closing if lines and lines[-1].fence else ""
    return TextCuts(text, tuple(_cuts(form)), tuple(_stretches(form)), closing)


def _heading_lines(lines: tuple[Line, ...], firsts: set[int]) -> set[int]:
    found: set[int] = set()
    for first in firsts:
        last = first
        while lines[last].kind not in {LineKind.HEADING, LineKind.UNDERLINE}:
            last += 1
        found.update(range(first, last + 1))
    return found


def _tables(lines: tuple[Line, ...]) -> dict[int, int]:
    """Return every line of a table with its place in it: 0 the head, 1 the rule, 2 and on the rows."""
    places: dict[int, int] = {}
    for number, line in enumerate(lines):
        if line.kind is not LineKind.PARAGRAPH:
            continue
        above = places.get(number - 1)
        if above is not None and not line.item:
            places[number] = above + 1
        elif number + 1 < len(lines) and "|" in line.text and _is_rule(lines[number + 1]):
            places[number] = 0
    return places


def _is_rule(line: Line) -> bool:
    return line.kind is LineKind.PARAGRAPH and "|" in line.text and TABLE_RULE.match(line.text) is not None


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
                tail=line.depth == 0 and line.kind is not LineKind.INSIDE and form.tables.get(number, 0) == 0,
            )
        before = number


def _is_boundary(form: _Form, number: int, before: int) -> bool:
    """Say whether a block begins at line `number`; `before` is the last line above it that is not blank."""
    line, above = form.lines[number], form.lines[before]
    if line.item:
        return True
    if line.kind in {LineKind.CLOSES, LineKind.UNDERLINE}:
        return False
    if line.kind is LineKind.INSIDE:
        return above.kind is LineKind.INSIDE
    place = form.tables.get(number, 0)
    if place > 0:
        return place > 2
    together = line.kind in {LineKind.FRONT, LineKind.COMMENT} or (line.kind in RUNNING and before == number - 1)
    return not (together and above.kind is line.kind)


def _stretches(form: _Form) -> Iterator[Stretch]:
    for number, line in enumerate(form.lines):
        # The beginning of a line that only mentions a fence may open one; in a quote nobody looks for them.
        mentions_fence = line.kind in RUNNING and ("```" in line.text or "~~~" in line.text)
        whole = number in form.tables or number in form.heading_lines or mentions_fence
        if line.kind in DIVISIBLE and not whole:
            closing = line.fence.closing if line.kind is LineKind.INSIDE and line.fence else ""
            end = form.offsets[number] + len(line.text.rstrip())
            yield Stretch(form.offsets[number], end, closing, prose=line.kind in RUNNING)


ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class _Job:
    outline: TextCuts
    count: Count
    total_tokens: int
    rest: str
    markdown: bool
    minimum: int


@dataclass(frozen=True, slots=True)
class _KeptPart:
    """A kept head or tail: where it ends or begins, its text with fences closed, its tokens."""

    at: int
    text: str
    tokens: int


def trim_text(
    text: str,
    limit_tokens: int,
    count: Count,
    *,
    total_tokens: int,
    rest: str,
    kind: str = "markdown",
    minimum: int = MINIMUM_TRIMMED_TOKENS,
) -> TrimmedBody | None:
    """Return `text` cut to at most `limit_tokens` as `count` counts them, mark included; None where that cannot be.

    `total_tokens` is the count of the whole text and `rest` its path; the mark names both. A result keeps at least
    `minimum` tokens of the text itself. No word, table row or code fence is broken; a fence left open in the text, or
    opened by the cut, is closed. A text that fits comes back whole, with nothing left out.
    """
    if limit_tokens < max(1, minimum):
        return None
    markdown = kind == "markdown"
    if total_tokens <= limit_tokens:
        whole = close_fences(text) if markdown else text
        tokens = count(whole)
        if tokens <= limit_tokens:
            return TrimmedBody(whole, tokens, 0) if tokens >= minimum else None
    job = _Job(outline(text, kind), count, total_tokens, rest, markdown, minimum)
    return _shrink_until_it_fits(job, limit_tokens)


def summarise(
    text: str, limit_tokens: int, count: Count, *, total_tokens: int, rest: str, kind: str = "markdown"
) -> TrimmedBody | None:
    """Return the short form of `text` in at most `limit_tokens`, under a line that names the whole; None if none fits.

    `total_tokens` is the count of the whole text and `rest` its path.
    """
    line = f"[… a summary of {total_tokens:,} tokens; the whole text: {' '.join(rest.splitlines())}]\n"
    short = short_form(text, kind, lambda form: count(line + form) <= limit_tokens)
    if not short:
        return None
    tokens = count(line + short)
    return TrimmedBody(line + short, tokens, max(1, total_tokens - tokens), summary=True)


def mark(left_out_tokens: int, total_tokens: int, rest: str) -> str:
    """Return the line that replaces the text left out.

    >>> mark(1234, 2040, "CLAUDE.md")
    '[… 1,234 of 2,040 tokens left out here; the rest: CLAUDE.md]'
    """
    return f"[… {left_out_tokens:,} of {total_tokens:,} tokens left out here; the rest: {' '.join(rest.splitlines())}]"


def _shrink_until_it_fits(job: _Job, limit_tokens: int) -> TrimmedBody | None:
    gap = "\n\n" if job.markdown else "\n"
    room = limit_tokens - job.count(gap + mark(job.total_tokens, job.total_tokens, job.rest) + gap)
    for attempt in range(ATTEMPTS):
        head, tail = _choose(job, room)
        kept = head.tokens + tail.tokens
        if not head.text or kept < job.minimum:
            return None
        left_out = min(job.total_tokens, max(1, job.total_tokens - kept))
        text = _compose(job, head, tail, mark(left_out, job.total_tokens, job.rest), gap)
        tokens = job.count(text)
        if tokens <= limit_tokens:
            return TrimmedBody(text, tokens, left_out) if tokens >= job.minimum else None
        room = min(room * limit_tokens // tokens, room - 1) - attempt
    return None


def _compose(job: _Job, head: _KeptPart, tail: _KeptPart, line: str, gap: str) -> str:
    if tail.text:
        return head.text + gap + line + gap + tail.text
    return head.text + gap + line + ("\n" if job.outline.text.endswith("\n") else "")


def _choose(job: _Job, room: int) -> tuple[_KeptPart, _KeptPart]:
    """Return the head and the tail that fit in `room` tokens; an empty tail where none pays."""
    end = len(job.outline.text)
    nothing = _KeptPart(end, "", 0)
    tail = _tail(job, [cut for cut in job.outline.cuts if cut.section], room // 4) or nothing
    head = _head(job, room - tail.tokens, tail)
    last = job.outline.last_section
    if tail.text or head.at <= last or not head.text:
        return head, tail
    # The head ends within the last section: its own end may follow the mark without a heading above it.
    inner = [cut for cut in job.outline.cuts if cut.tail and cut.at > last]
    tail = _tail(job, inner, room // 4) or nothing
    shorter = _head(job, room - tail.tokens, tail)
    return (shorter, tail) if tail.text and shorter.text and shorter.at > last else (head, nothing)


def _tail(job: _Job, cuts: Sequence[Cut], room: int) -> _KeptPart | None:
    """Return the longest end of the text that begins at one of `cuts` and fits in `room`."""
    text = job.outline.text

    def part(index: int) -> _KeptPart:
        at = cuts[-1 - index].at
        end = text[at:]
        if job.outline.closing:
            end += ("" if end.endswith("\n") else "\n") + job.outline.closing + "\n"
        return _KeptPart(at, end, job.count(end))

    lengths = [len(text) - cut.at for cut in reversed(cuts)]
    return _longest_that_fits(job, lengths, part, room)


def _head(job: _Job, room: int, tail: _KeptPart) -> _KeptPart:
    """Return the beginning of the text that fits in `room`, before `tail`.

    The coarser cut is taken where it keeps enough: a section's end for three quarters of the room, a block's end or a
    sentence's for half of it, a word's end otherwise.
    """
    cuts = [cut for cut in job.outline.cuts if cut.at < tail.at]
    need = job.minimum - tail.tokens
    best = _ending_at(job, cuts, room)
    start = best.at if best else 0
    if best and best.tokens >= max(need, room // 2):
        sections = [cut for cut in cuts if cut.section and cut.at <= best.at]
        whole = _part_before(job, sections[-1]) if sections else best
        return whole if max(need, room * 3 // 4) <= whole.tokens <= room else best
    end = len(job.outline.text[: min(job.outline.next_cut(start), tail.at)].rstrip())
    for finer in (job.outline.sentences, job.outline.words):
        part = _ending_at(job, [cut for cut in finer(start, end) if cut.at < end], room)
        if part and (best is None or part.tokens > best.tokens):
            best = part
        if best and best.tokens >= max(need, room // 2):
            break
    return best or _KeptPart(0, "", 0)


def _ending_at(job: _Job, cuts: Sequence[Cut], room: int) -> _KeptPart | None:
    return _longest_that_fits(job, [cut.at for cut in cuts], lambda index: _part_before(job, cuts[index]), room)


def _part_before(job: _Job, cut: Cut) -> _KeptPart:
    kept = job.outline.text[: cut.at].rstrip()
    text = f"{kept}\n{cut.closing}" if cut.closing else kept
    return _KeptPart(cut.at, text, job.count(text) if kept else 0)


def _longest_that_fits(
    job: _Job, lengths: Sequence[int], part: Callable[[int], _KeptPart], room: int
) -> _KeptPart | None:
    """Return the longest of the parts, whose `lengths` in characters ascend, that has at most `room` tokens.

    Looks where the tokens per character seen so far point to, so that little more than `room` tokens is ever counted at
    once; every third look halves what is left, so that no text makes it look often.
    """
    low, high, best = -1, len(lengths), None
    characters, tokens = max(1, len(job.outline.text)), max(1, job.total_tokens)
    looks = 0
    while high - low > 1 and room > 0:
        looks += 1
        guess = _last_at_most(lengths, room * characters // tokens, low, high)
        middle = (low + high) // 2 if looks % 3 == 0 else guess
        found = part(middle)
        characters, tokens = max(1, lengths[middle]), max(1, found.tokens)
        if found.tokens <= room:
            low, best = middle, found
            if room - found.tokens <= room // 64:
                break
        else:
            high = middle
    return best


def _last_at_most(lengths: Sequence[int], length: int, low: int, high: int) -> int:
    """Return the index of the last length of at most `length`, strictly between `low` and `high`."""
    return min(max(bisect_right(lengths, length) - 1, low + 1), high - 1)
