"""Trim an entry to a number of tokens, with a visible mark where text is gone.

The head is kept, and the end too where it is whole sections of about a quarter, or belongs to the section in which the
head ends. Between the two stands one mark. What may be cut is the matter of `cuts`; what a token is, of `count`, which
is not taken to be additive: the finished text is counted, and made smaller until it fits.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from verifflowcc.domain.ports import Count
from verifflowcc.packing.cuts import Cut, Outline, outline
from verifflowcc.records import dataclass
from verifflowcc.text.extract import short_form
from verifflowcc.text.markdown import close_fences

MINIMUM_TRIMMED_TOKENS = 256
"""Less than this of an entry is not worth its place."""

ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A trimmed body, its tokens (the mark included), and how many tokens of the entry it leaves out.

    `summary` says that it is the short form: pieces from all of the text, in place of its beginning.
    """

    text: str
    tokens: int
    left_out_tokens: int
    summary: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    outline: Outline
    count: Count
    total_tokens: int
    rest: str
    markdown: bool
    minimum: int


@dataclass(frozen=True, slots=True)
class _Part:
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
) -> Trimmed | None:
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
            return Trimmed(whole, tokens, 0) if tokens >= minimum else None
    job = _Job(outline(text, kind), count, total_tokens, rest, markdown, minimum)
    return _shrink_until_it_fits(job, limit_tokens)


def summarise(
    text: str, limit_tokens: int, count: Count, *, total_tokens: int, rest: str, kind: str = "markdown"
) -> Trimmed | None:
    """Return the short form of `text` in at most `limit_tokens`, under a line that names the whole; None if none fits.

    `total_tokens` is the count of the whole text and `rest` its path.
    """
    line = f"[… a summary of {total_tokens:,} tokens; the whole text: {' '.join(rest.splitlines())}]\n"
    short = short_form(text, kind, lambda form: count(line + form) <= limit_tokens)
    if not short:
        return None
    tokens = count(line + short)
    return Trimmed(line + short, tokens, max(1, total_tokens - tokens), summary=True)


def mark(left_out_tokens: int, total_tokens: int, rest: str) -> str:
    """Return the line that stands where text is gone.

    >>> mark(1234, 2040, "CLAUDE.md")
    '[… 1,234 of 2,040 tokens left out here; the rest: CLAUDE.md]'
    """
    return f"[… {left_out_tokens:,} of {total_tokens:,} tokens left out here; the rest: {' '.join(rest.splitlines())}]"


def _shrink_until_it_fits(job: _Job, limit_tokens: int) -> Trimmed | None:
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
            return Trimmed(text, tokens, left_out) if tokens >= job.minimum else None
        room = min(room * limit_tokens // tokens, room - 1) - attempt
    return None


def _compose(job: _Job, head: _Part, tail: _Part, line: str, gap: str) -> str:
    if tail.text:
        return head.text + gap + line + gap + tail.text
    return head.text + gap + line + ("\n" if job.outline.text.endswith("\n") else "")


def _choose(job: _Job, room: int) -> tuple[_Part, _Part]:
    """Return the head and the tail that fit in `room` tokens; an empty tail where none pays."""
    end = len(job.outline.text)
    nothing = _Part(end, "", 0)
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


def _tail(job: _Job, cuts: Sequence[Cut], room: int) -> _Part | None:
    """Return the longest end of the text that begins at one of `cuts` and fits in `room`."""
    text = job.outline.text

    def part(index: int) -> _Part:
        at = cuts[-1 - index].at
        end = text[at:]
        if job.outline.closing:
            end += ("" if end.endswith("\n") else "\n") + job.outline.closing + "\n"
        return _Part(at, end, job.count(end))

    lengths = [len(text) - cut.at for cut in reversed(cuts)]
    return _longest_that_fits(job, lengths, part, room)


def _head(job: _Job, room: int, tail: _Part) -> _Part:
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
    return best or _Part(0, "", 0)


def _ending_at(job: _Job, cuts: Sequence[Cut], room: int) -> _Part | None:
    return _longest_that_fits(job, [cut.at for cut in cuts], lambda index: _part_before(job, cuts[index]), room)


def _part_before(job: _Job, cut: Cut) -> _Part:
    kept = job.outline.text[: cut.at].rstrip()
    text = f"{kept}\n{cut.closing}" if cut.closing else kept
    return _Part(cut.at, text, job.count(text) if kept else 0)


def _longest_that_fits(job: _Job, lengths: Sequence[int], part: Callable[[int], _Part], room: int) -> _Part | None:
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
