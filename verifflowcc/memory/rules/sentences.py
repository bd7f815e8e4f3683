"""A turn's text as sentences: as the rules read them, and as they were written.

Code blocks, code that was pasted without a fence, quoted lines and pasted diffs are left out. A line that is only
wrapped, an exception that follows as a sentence of its own (`Except in tests.`) and the points of a list below `Never
do this:` stay with what they belong to: alone, they would mean something else.
"""

import re
from collections.abc import Iterator
from enum import IntEnum

from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.qualifiers import qualifiers
from verifflowcc.memory.rules.sentence_doubt import is_pasted

# Whether a sentence is rather talk than a statement that somebody wants to be kept: long, hedged, about a mood.

_MOST_WORDS = 16
_HEDGED = re.compile(
    r"\b(?:I (?:guess|suppose|think|feel|believe|find|realize|hope|wonder)|guess|suppose|maybe|perhaps|might|could|"
    r"definitely|certainly|honestly|overwhelmed|worry|bit of|sort of|kind of|sounds?|looks? like|can't wait|no doubts?|"
    r"excit\w+|impress\w+|wonderful|amazing|great|fantastic|love the|happy|glad|enjoy\w*|proud|feel(?:s|ing)?)\b|!",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^(?:(?:and|but|so|also|well|oh|yes|now|additionally),? )*(?:it(?:'s)?(?! (?:is )?(?:important|essential|"
    r"mandatory|required|forbidden|crucial|vital|critical) (?:that|to)\b)|this|that(?:'s)?|these|those|they(?:'re)?|"
    r"keep them|one key|the key|you're|your|following|moving on|shifting|understanding|i'm an?|focus on)\b|"
    r"\b(?:in that|about that|of them|with it|like that|these things|keep (?:it|them))\b",
    re.IGNORECASE,
)
_MOOD = re.compile(
    r"\b(?:cultur\w+|journey|growth|impact|mindset|values|lifestyle|inclusi\w+|diversity|wellness|morale|dynamics|"
    r"power of|collaborat\w+|transparen\w+|empower\w*|trust|potential|opportunit\w+|challeng\w+|improvement|feedback|"
    r"satisfaction|confident\w*|comfortabl\w+|role in|errors? in my code|appraisals?|invaluable|"
    r"cornerstone|progressing)\b",
    re.IGNORECASE,
)


def is_chatter(sentence: str) -> bool:
    """Say whether a sentence should wait for a person, though its form is that of a statement.

    >>> is_chatter("I prefer tabs to spaces."), is_chatter("I guess I tend to overthink these things!")
    (False, True)
    """
    return len(sentence.split()) > _MOST_WORDS or is_soft(sentence)


def is_soft(sentence: str) -> bool:
    """Say whether a sentence hedges, points back in its talk, or is about a mood, whatever its length."""
    return any(pattern.search(sentence) for pattern in (_HEDGED, _POINTS_BACK, _MOOD))


_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)
_LINE = re.compile(r"^[^\n]+$", re.MULTILINE)
_DIFF = re.compile(r"^(?:diff --git |@@ |(?:---|\+\+\+) \S)", re.MULTILINE)
_DIFF_LINE = re.compile(r"^(?:[-+@ \t]|diff |index )[^\n]*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?:^[ \t]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
_CODE_LINE = re.compile(r"[;{}][ \t]*$", re.MULTILINE)
_PROMPT = re.compile(
    r"^[ \t]*(?:\$|[\w.-]+@[\w.-]+:\S*[$#]) \S[^\n]*\n(?:[^\n]*[^\s.!?][ \t]*(?:\n|\Z))*", re.MULTILINE
)
"""A command at a prompt, with what it printed below it."""
_REPLACED_LINE = re.compile(r"^(?:-[^\n]*\n)+(?:\+[^\n]*(?:\n|\Z))+", re.MULTILINE)
_POINT, _HEADING, _EMPHASIS = "\x01", "\x02", "\x03"
"""Each stands for a character of markup, so that a place in what is read is the same place in what was written."""
_MARKUP = re.compile(
    r"(?P<point>^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+)|(?P<heading>^[ \t]*#{1,6}[ \t]+)|\*\*|__(?=\w[^_\n]*__)",
    re.MULTILINE,
)
_UNMARKED = dict.fromkeys(map(ord, (_POINT, _HEADING, _EMPHASIS)))
_CURLY = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_END = re.compile(
    r"(?<=[.!?…])[\"')\]\x03]*\s+(?=\x03*[\"'(\[]?\x03*[A-Z0-9@`_])|\s*\n\s*|(?<=[a-z]{2}[!?])(?=[A-Z][a-z])|"
    r"(?<=[a-z]{2}\.)(?=(?:The|This|That|These|Those|There|It|We|You|He|She|They|If|When|While|Once|And|But|So|Also|Now|Then|As|"
    r"By|In|On|At|For|From|With|After|Before|Please|Always|Never|Do|Don't|Use|Avoid|Make|Let|Let's|Keep|Remember|Our|Your|My|"
    r"All|Every|Each|No|Yes|Not|What|Why|How|Thanks|Thank|Just|Another|Next|Finally|First|Additionally|However)\b[ ,'])"
)
"""Where a sentence ends; without a space behind it only before a word that starts one: `asyncio.Lock` is a name."""
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Mrs|Ms|Dr|St|No)|\b[A-Z])\.$")
_OPEN_ENDED = re.compile(
    r"(?:,|-|\b(?:a|an|the|and|or|but|not|never|in|on|at|of|for|to|by|with|from|as|than|if|when|unless|until|except|"
    r"only|that|which|is|are|be|must|should|use))$",
    re.IGNORECASE,
)
_ADDS_LIMIT = re.compile(
    r"[(\[]?(?:and |but )?(?:except|unless|apart from|aside from|other than|with the exception|excluding|"
    r"not (?:in|on|for|at|if|when|during)|only (?:in|on|for|at|if|when|during|within))\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\b(?:don'?ts?|bad|wrong|anti-?patterns?|deprecated|old|before|removed|rejected)\b|^(?:in|on|under|within)\b",
    re.IGNORECASE,
)
_MOST_OF_LABEL = 6
LONGEST = 700
"""Characters of the longest sentence that is looked at; what is longer is no statement that somebody made."""


class _Lead(IntEnum):
    """What a line qualifies: nothing below it, the list below it, or all up to the next heading."""

    NONE = 0
    LIST = 1
    SECTION = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as the rules read it, with straight quotes on one line, and where it is in its text."""

    plain: str
    start: int
    end: int


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each on one line, with straight quotes.

    >>> sentences("Use Vim, e.g. Neovim. Why? “It is fast.”")
    ['Use Vim, e.g. Neovim.', 'Why?', 'It is fast.']
    """
    return [each.plain for each in spoken(text)]


def spoken(text: str) -> list[Sentence]:
    """Return the sentences of a text in order, with their places in it."""
    marked = _marked(text)
    found = ((_plain(marked[start:end]), start, end) for start, end in _whole(marked))
    return [Sentence(plain, start, end) for plain, start, end in found if plain and len(plain) <= LONGEST]


def quote(text: str, start: int, end: int) -> str:
    """Return a piece of a text as it was written, on one line, without quotation marks or emphasis around it.

    >>> quote("- **Never** do “that”.", 2, 22), quote("“Use it.” Why?", 0, 8)
    ('**Never** do “that”.', 'Use it.')
    """
    written = " ".join(text[start:end].split())
    if written.count("**") % 2:
        written = written.removeprefix("**") if written.startswith("**") else written.removesuffix("**")
    first, last = _inside(written.translate(_CURLY))
    return written[first:last].strip()


def follows(text: str, before: Sentence, after: Sentence) -> bool:
    """Say whether nothing that was written is left out between two sentences of a text."""
    return not re.search(r"\w", text[before.end : after.start])


def _marked(text: str) -> str:
    """Return a text of the same length with quoted parts blank and markup marked."""
    plain = text.translate(_CURLY)
    if "```" in plain or "~~~" in plain:
        plain = _FENCE.sub(_blank, plain)
    if ">" in plain:
        plain = _QUOTED.sub(_blank, plain)
    if _CODE_LINE.search(plain):
        plain = _PARAGRAPH.sub(_blank_code, plain)
    if "$" in plain or "#" in plain:
        plain = _PROMPT.sub(_blank, plain)
    plain = _LINE.sub(lambda line: _blank(line) if is_pasted(line[0].strip()) else line[0], plain)
    if _DIFF.search(plain):
        plain = _DIFF_LINE.sub(_blank, plain)
    return _MARKUP.sub(_mark, _REPLACED_LINE.sub(_blank, plain))


def _blank_code(paragraph: re.Match[str]) -> str:
    """Blank a paragraph with two lines that end as code does: somebody pasted it, without a fence around it."""
    return _blank(paragraph) if len(_CODE_LINE.findall(paragraph[0])) > 1 else paragraph[0]


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _mark(found: re.Match[str]) -> str:
    kind = {"point": _POINT, "heading": _HEADING}.get(found.lastgroup or "", _EMPHASIS)
    return kind * len(found[0])


def _plain(marked: str) -> str:
    written = " ".join(marked.translate(_UNMARKED).split())
    first, last = _inside(written)
    return written[first:last]


def _inside(written: str) -> tuple[int, int]:
    """Return where a sentence starts and ends without quotation marks of speech; those around a word in it stay."""
    marks = written.count('"')
    if marks % 2:
        return (1, len(written)) if written.startswith('"') else (0, len(written) - written.endswith('"'))
    whole = marks == 2 and len(written) > 1 and written[0] == written[-1] == '"'
    return (1, len(written) - 1) if whole else (0, len(written))


def _whole(marked: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences start and end, those together that one of them alone would misrepresent."""
    pieces = list(_pieces(marked))
    at = 0
    while at < len(pieces):
        start, end = pieces[at]
        led = _Lead.NONE
        while at + 1 < len(pieces):
            gap = marked[end : pieces[at + 1][0]]
            led = _still_led(led, gap) or _lead(marked, start, end, gap)
            if not led and not _belongs(marked, start, end, gap, pieces[at + 1 : at + 4]):
                break
            at, end = at + 1, pieces[at + 1][1]
        closes = marked[start:end].count('"') % 2 and marked[end : end + 1] == '"'
        yield start, end + 1 if closes else end
        at += 1


def _pieces(marked: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in (*_END.finditer(marked), None):
        end = found.start() if found else len(marked)
        piece = marked[start:end]
        if piece.translate(_UNMARKED).strip():
            yield end - len(piece.lstrip(f" \t\r\n{_POINT}{_HEADING}")), start + len(piece.rstrip())
        start = found.end() if found else end


def _lead(marked: str, start: int, end: int, gap: str) -> _Lead:
    """Return how far a line says what is below it: `Never do this:`, `In tests:`, a heading `Don't`."""
    line = marked[start:end]
    if "\n" not in gap or gap.count("\n") > 2 or "\n" in line:
        return _Lead.NONE
    written = line.translate(_UNMARKED).strip()
    heading = marked[max(start - 1, 0) : start] == _HEADING
    if not (heading or written.endswith(":") or (_POINT in gap and not written.endswith((".", "!", "?")))):
        return _Lead.NONE
    if not (qualifiers(written) or (len(written.split()) <= _MOST_OF_LABEL and _LABEL.search(written))):
        return _Lead.NONE
    return _Lead.SECTION if heading else _Lead.LIST


def _still_led(led: _Lead, gap: str) -> _Lead:
    if _HEADING in gap or (led is _Lead.LIST and gap.count("\n") > 1 and _POINT not in gap):
        return _Lead.NONE
    return led


def _belongs(marked: str, start: int, end: int, gap: str, following: list[tuple[int, int]]) -> bool:
    """Say whether the next piece of a text is more of a sentence, and no sentence of its own."""
    written = marked[start:end].translate(_UNMARKED)
    first = following[0][0]
    after = marked[slice(*following[0])]
    if _ABBREVIATED.search(written):
        return True
    if gap.count("\n") > 1:
        return False
    if _ADDS_LIMIT.match(after.translate(_UNMARKED)):
        return True
    opened = (written + gap).count('"') % 2 and not written.startswith('"')
    if opened and '"' in marked[first : following[-1][1] + 1]:
        return True
    wrapped = "\n" in gap and _POINT not in gap and _HEADING not in gap + marked[max(start - 1, 0)]
    ended = written.endswith((".", "!", "?", ":", ";"))
    return wrapped and not ended and (after[:1].islower() or bool(_OPEN_ENDED.search(written)))
