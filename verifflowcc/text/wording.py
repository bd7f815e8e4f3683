"""Wording that no test can decide, texts that ask for several things at once, and gaps left in a sentence.

Made to be silent rather than to guess: only phrases that leave the measure to the reader, and only in sentences that
ask for something (`shall`, `must`). What stands in quotes, code, links, notes and examples asks for nothing.
"""

import re
from collections.abc import Iterator

from verifflowcc.records import dataclass
from verifflowcc.text.markdown import Kind, Line, read_lines, split_lines


@dataclass(frozen=True, slots=True)
class Worded:
    """A wording: the line of the text, from 1, in which it stands, and its words as written."""

    line: int
    words: str


_QUANTITY = "fast|soon|quickly|little|few|much|many|simple|small|low|high|short|far|good"
_WEAK = re.compile(
    r"\b(?:user[- ]friendly|easy[- ]to[- ](?:use|understand|learn|read|maintain)|in a timely manner|and so on|"
    r"as (?:appropriate|applicable|necessary|adequate)|"
    r"(?:if|when|where) (?:appropriate|practical|practicable|feasible)|"
    rf"if (?:at all )?possible|to the extent possible|as (?:{_QUANTITY}) as (?:possible|practicable|reasonable)|"
    r"highest possible|without (?:significant|noticeable|undue) \w+|but not limited to|adequate(?:ly)?|reasonabl[ey]|"
    r"state[- ]of[- ]the[- ]art|best[- ]effort|smooth(?:ly)?|intuitive(?:ly)?|seamless(?:ly)?|gracefully|utmost|"
    r"popular|(?:only |no/)minimal|modern|easily|high[- ](?:quality|performance))\b|\betc\b\.?",
    re.IGNORECASE,
)
_UNMEASURED = re.compile(
    r"\b(?:fast(?:er)?(?!-)|quick(?:ly)?|rapid(?:ly)?|promptly|large (?:number|amount)s? of|efficient(?:ly)?|"
    r"optimal(?:ly)?)\b",
    re.IGNORECASE,
)
_STEMS = (
    *"user easy timely appropriate applicable necessary adequate practica feasible possible significant".split(),
    *"noticeable undue limited reasonab state effort smooth intuitive seamless graceful utmost popular".split(),
    *"minimal modern easily high etc fast quick rapid promptly large efficient optimal".split(),
    "and so on",
)
"""Each of these wordings has one of them in it, in lower case: to look for them alone is ten times as fast."""
_GAP = re.compile(
    r"(?<![\w/])(?:TBD|TBC|TBA|FIXME|XXX)(?![\w/])(?!\s+(?:item|marker|entr|statement|placeholder|comment|tag|note)\w*)"
    r"|\?\?\?|(?<!\w)TODO:|\[TODO\]"
)
_GAPS = ("TBD", "TBC", "TBA", "FIXME", "XXX", "???", "TODO")
"""What `_GAP` begins with: to look for these words alone is ten times as fast."""
_ASKS = re.compile(r"\b(?:shall|must)\b", re.IGNORECASE)
_TWICE = re.compile(r"\bshall\b[^;:]*?\band(?: \w+){0,3} shall\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"\be\.g\.|\bsuch as\b|\bfor example\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|ten)\b")
_NOT_OWN = re.compile(r"``[^`]*``|`[^`]*`|\"[^\"]{1,200}\"|“[^”]{1,200}”|\]\([^()\s]*\)|https?://\S+")
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)[.!?][)\"'*_]*\s+(?=[A-Z*(\[])")
_ASIDE = re.compile(r"\W*(?:notes?|examples?|rationale|comment|hint|for example|e\.g\.)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\W*(?:(?:shall|must)\b|(?:this|these|that|those|it|they|otherwise|else|if not|for example|example|"
    r"in (?:the given|this|that) (?:example|case))\b)",
    re.IGNORECASE,
)


def weak_words(text: str) -> tuple[Worded, ...]:
    """Return the wordings of a requirement's text that leave its measure open; a number gives the measure of a speed.

    >>> [each.words for each in weak_words("The tool shall start fast.\\n\\nNOTE: It is easy to use.")]
    ['fast']
    >>> weak_words("The tool shall start fast: within 2 s.")
    ()
    """
    low = text.lower()
    if not any(stem in low for stem in _STEMS) or not (_WEAK.search(text) or _UNMEASURED.search(text)):
        return ()
    found = []
    for line, sentence, _ in _asking(text):
        patterns = (_WEAK,) if _NUMBER.search(sentence) else (_WEAK, _UNMEASURED)
        for each in sorted((hit for one in patterns for hit in one.finditer(sentence)), key=lambda hit: hit.start()):
            if each[0].startswith("etc") and _EXAMPLE.search(sentence):
                continue
            found.append(Worded(line + sentence.count("\n", 0, each.start()), " ".join(each[0].split())))
    return tuple(found)


def demands(text: str) -> tuple[int, ...]:
    """Return the line of each thing that a text asks for by itself.

    A sentence that only goes on from another is not counted, nor is a list that spells out the sentence above it.

    >>> demands("It shall start.\\nIt shall stop.\\nThe tool shall end and the log shall close.")
    (1, 3, 3)
    """
    low = text.lower()
    if low.count("shall") + low.count("must") < 2 or len(_ASKS.findall(text)) < 2:
        return ()
    found: list[int] = []
    for line, sentence, listed in _asking(text):
        if not listed and _ASKS.search(sentence) and (not found or not _GOES_ON.match(sentence)):
            found += [line] * (2 if _TWICE.search(sentence) else 1)
    return tuple(found)


def gaps(text: str) -> tuple[Worded, ...]:
    """Return the words that hold a place within a text: TBD, TBC, ???.

    >>> [each.words for each in gaps("It shall answer within TBD seconds, and list `TBD`.")]
    ['TBD']
    """
    if not any(each in text for each in _GAPS):
        return ()
    plain = _blanked(text)
    return tuple(Worded(plain.count("\n", 0, hit.start()) + 1, hit[0]) for hit in _GAP.finditer(plain))


def _asking(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, sentence, whether it spells out the sentence above) of what asks for something.

    The list below a sentence that asks and ends with a colon asks too.
    """
    led = False
    for start, item, block in _blocks(text):
        if _ASIDE.match(block):
            led = False
            continue
        asks = _ASKS.search(block) is not None
        if not item:
            led = asks and block.rstrip().endswith(":")
        if asks or (item and led):
            plain = _blanked(block)
            place = 0
            for end in [hit.end() for hit in _END.finditer(plain)] + [len(plain)]:
                sentence = plain[place:end]
                if _ASKS.search(sentence) or (item and led):
                    yield start + plain.count("\n", 0, place), sentence, item and led
                place = end


def _blocks(text: str) -> Iterator[tuple[int, bool, str]]:
    """Yield (line, whether it is part of a list, text) of each paragraph and each item of a list."""
    start, item, held = 0, False, list[str]()
    for number, line in enumerate(read_lines(split_lines(text)), start=1):
        prose = line.kind is Kind.PARAGRAPH and not line.text.lstrip().startswith(("|", ".. "))
        if held and (not prose or line.item):
            yield start, item, "".join(held)
            held = []
        if prose:
            if not held:
                start, item = number, line.item or line.depth > 0 or _numbered(line)
            held.append(line.text)
    if held:
        yield start, item, "".join(held)


def _numbered(line: Line) -> bool:
    return re.match(r"\s*\d+[.)]\s", line.text) is not None


def _blanked(text: str) -> str:
    """Return a text of the same length in which what is not the author's own is blank."""
    return _NOT_OWN.sub(lambda hit: re.sub(r"[^\n]", " ", hit[0]), text)
