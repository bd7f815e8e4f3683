"""Weak wording, texts that ask for several things at once, and gaps in sentences.

Made to be silent rather than to guess: only phrases that leave the measure to the reader, and only in sentences that
ask for something (`shall`, `must`). Quotes, code, links, notes and examples ask for nothing.
"""

import re
from collections.abc import Iterator

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.markdown import Line, LineKind, Section, read_lines, sections, split_lines

# The normative part of an item's text: all of it but the sections Rationale, Notes, Comments and History.

_APART = r"(?:rationale|notes?|comments?|history)"
_HINT = lazy_pattern(rf"^ {{0,3}}(?:#{{1,6}}[ \t]+)?{_APART}\b", re.IGNORECASE | re.MULTILINE)
_TITLE = lazy_pattern(rf"{_APART}[ \t:.]*", re.IGNORECASE)


def normative(body: str) -> str:
    """Return the normative part of a body, without sections that explain it.

    The body has LF newlines; blank lines around the part are removed.

    >>> normative("It shall end.\\n\\n## Rationale\\n\\nNobody waits.\\n\\n## Limits\\n\\n5 s\\n")
    'It shall end.\\n\\n## Limits\\n\\n5 s'
    """
    return with_rationale(body)[0]


def with_rationale(body: str) -> tuple[str, str]:
    """Return the normative part of a body, and its rationale ("" for none).

    >>> with_rationale("It shall end.\\n\\n## Rationale\\n\\nNobody waits.\\n")
    ('It shall end.', 'Nobody waits.')
    """
    if not _HINT.search(body):
        return _trimmed(body), ""
    kept: list[str] = []
    why: list[str] = []
    for part, apart in _parted(body):
        text = body[part.start : part.end]
        if not apart:
            kept.append(text)
        elif apart == "rationale":
            why.append(_without_heading(text) if part.title.casefold().startswith("rationale") else text)
    return _trimmed("".join(kept)), _trimmed("".join(why))


def _parted(body: str) -> list[tuple[Section, str]]:
    """Return each section with the heading that sets it apart, in lower case.

    It is "" for normative ones.
    """
    found: list[tuple[Section, str]] = []
    level, apart = 0, ""
    for part in sections(body):
        if apart and part.level > level:
            found.append((part, apart))
            continue
        apart = part.title.strip(" \t:.").casefold() if _TITLE.fullmatch(part.title.strip()) else ""
        level = part.level
        found.append((part, apart))
    return found


def _without_heading(text: str) -> str:
    """Return a section's text without its heading, of either style."""
    first, _, rest = text.partition("\n")
    if first.lstrip().startswith("#"):
        return rest
    return rest.partition("\n")[2]


def _trimmed(text: str) -> str:
    """Return a text without outer blank lines; its first line stays indented."""
    text = text.rstrip()
    lead = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, lead) + 1 :]


@dataclass(frozen=True, slots=True)
class WordingMatch:
    """Words found in a text: their line, from 1, and the words as written."""

    line: int
    words: str


_QUANTITY = "fast|soon|quickly|little|few|much|many|simple|small|low|high|short|far|good"
_WEAK = lazy_pattern(
    r"\b(?:user[- ]friendly|easy[- ]to[- ](?:use|understand|learn|read|maintain)|in a timely manner|and so on|"
    r"as (?:appropriate|applicable|necessary|adequate)|"
    r"(?:if|when|where) (?:appropriate|practical|practicable|feasible)|"
    rf"if (?:at all )?possible|to the extent possible|as (?:{_QUANTITY}) as (?:possible|practicable|reasonable)|"
    r"highest possible|without (?:significant|noticeable|undue) \w+|but not limited to|adequate(?:ly)?|reasonabl[ey]|"
    r"state[- ]of[- ]the[- ]art|best[- ]effort|smooth(?:ly)?|intuitive(?:ly)?|seamless(?:ly)?|gracefully|utmost|"
    r"popular|(?:only |no/)minimal|modern|easily|high[- ](?:quality|performance))\b|\betc\b\.?",
    re.IGNORECASE,
)
_UNMEASURED = lazy_pattern(
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
_GAP = lazy_pattern(
    r"(?<![\w/])(?:TBD|TBC|TBA|FIXME|XXX)(?![\w/])(?!\s+(?:item|marker|entr|statement|placeholder|comment|tag|note)\w*)"
    r"|\?\?\?|(?<!\w)TODO:|\[TODO\]"
)
_GAPS = ("TBD", "TBC", "TBA", "FIXME", "XXX", "???", "TODO")
"""What `_GAP` begins with: to look for these words alone is ten times as fast."""
_ASKS = lazy_pattern(r"\b(?:shall|must)\b", re.IGNORECASE)
_TWICE = lazy_pattern(r"\bshall\b[^;:]*?\band(?: \w+){0,3} shall\b", re.IGNORECASE)
_EXAMPLE = lazy_pattern(r"\be\.g\.|\bsuch as\b|\bfor example\b", re.IGNORECASE)
_NUMBER = lazy_pattern(r"\d|\b(?:two|three|four|five|ten)\b")
_NOT_OWN = lazy_pattern(r"``[^`]*``|`[^`]*`|\"[^\"]{1,200}\"|“[^”]{1,200}”|\]\([^()\s]*\)|https?://\S+")
_END = lazy_pattern(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)[.!?][)\"'*_]*\s+(?=[A-Z*(\[])")
_ASIDE = lazy_pattern(r"\W*(?:notes?|examples?|rationale|comment|hint|for example|e\.g\.)\b", re.IGNORECASE)
_CONTINUES = lazy_pattern(
    r"\W*(?:(?:shall|must)\b|(?:this|these|that|those|it|they|otherwise|else|if not|for example|example|"
    r"in (?:the given|this|that) (?:example|case))\b)",
    re.IGNORECASE,
)


def weak_words(text: str) -> tuple[WordingMatch, ...]:
    """Return the wordings of a requirement's text that leave its measure open.

    A number gives the measure of a speed.

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
            found.append(WordingMatch(line + sentence.count("\n", 0, each.start()), " ".join(each[0].split())))
    return tuple(found)


def demands(text: str) -> tuple[int, ...]:
    """Return the line of each thing that a text asks for by itself.

    A sentence that only continues another is not counted, nor is a list that spells out the sentence above it.

    >>> demands("It shall start.\\nIt shall stop.\\nThe tool shall end and the log shall close.")
    (1, 3, 3)
    """
    low = text.lower()
    if low.count("shall") + low.count("must") < 2 or len(_ASKS.findall(text)) < 2:
        return ()
    found: list[int] = []
    for line, sentence, listed in _asking(text):
        if not listed and _ASKS.search(sentence) and (not found or not _CONTINUES.match(sentence)):
            found += [line] * (2 if _TWICE.search(sentence) else 1)
    return tuple(found)


def gaps(text: str) -> tuple[WordingMatch, ...]:
    """Return the words that hold a place within a text: TBD, TBC, ???.

    >>> [each.words for each in gaps("It shall answer within TBD seconds, and list `TBD`.")]
    ['TBD']
    """
    if not any(each in text for each in _GAPS):
        return ()
    plain = _blanked(text)
    return tuple(WordingMatch(plain.count("\n", 0, hit.start()) + 1, hit[0]) for hit in _GAP.finditer(plain))


def _asking(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the demands of a text: line, sentence, whether it details the one above.

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
    """Yield each paragraph and list item: line, whether it is in a list, text."""
    start, item, held = 0, False, list[str]()
    for number, line in enumerate(read_lines(split_lines(text)), start=1):
        prose = line.kind is LineKind.PARAGRAPH and not line.text.lstrip().startswith(("|", ".. "))
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
