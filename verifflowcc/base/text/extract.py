"""The short form of an artifact: its headings with first sentences, decisions, open points; a JSON file's keys.

Nothing is rewritten: each line is a piece of the text as it was written, cut at the end of a sentence or of a word.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from unicodedata import category

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.markdown import LineKind, Section, read_lines, sections, split_lines

# Where a running text may be cut: after a sentence, or between two words, never inside a word or a character.
#
# Scripts that are written without spaces (Han, kana) and emoji may be cut between any two of their characters.

SENTENCE_END = lazy_pattern(r"[.!?…]+[\"'”’)\]»]*(?=\s|\Z)|[。！？]+[」』”’）]*")
SPACELESS = (
    "\u2e80-\u2fdf\u3001-\u3003\u3008-\u3011\u3041-\u3098\u309b-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff66-\uff9d"
    "\u2600-\u27bf\U0001f000-\U0001faff\U00020000-\U000323af"
)
_WORD_END = rf"(?<=\S)(?=\s)|(?<=[{SPACELESS}])(?=\S)|(?<=\S)(?=[{SPACELESS}])|(?<=[,;}}\]])(?=[^\s\d,;.}}\]])"


@cache
def _word_end() -> re.Pattern[str]:
    """Return the pattern of the ends of words; it has large classes, and only a text that is cut needs it."""
    return re.compile(_WORD_END)


ZERO_WIDTH_JOINERS = "\u200c\u200d"


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Return the positions in `text[start:end]`, ascending, that stand right behind a sentence."""
    return [found.end() for found in SENTENCE_END.finditer(text, start, end) if not _breaks_joined(text, found.end())]


def word_ends(text: str, start: int, end: int) -> list[int]:
    """Return the positions in `text[start:end]`, ascending, that stand right behind a word.

    >>> word_ends("one, two", 0, 8)
    [4]
    """
    return [
        found.start() for found in _word_end().finditer(text, start, end) if not _breaks_joined(text, found.start())
    ]


def _breaks_joined(text: str, at: int) -> bool:
    """Say whether the characters around position `at` make one: combining marks, joined emoji, flags."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (
        after in ZERO_WIDTH_JOINERS
        or before in ZERO_WIDTH_JOINERS
        or category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
        or (_is_flag_half(before) and _is_flag_half(after))
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


LONGEST = 240
"""Characters of one line; a longer sentence is cut at a word, with a mark."""

DECIDES = lazy_pattern(
    r"\b(?:decisions?|decided|chose|chosen|must|shall|never|always|instead of|rejected)\b", re.IGNORECASE
)
WEIGHTY = lazy_pattern(r"(?:decisions?|decided|open|questions?|risks?|unresolved|unknowns?)\b", re.IGNORECASE)
"""How a heading or a label begins below which each line counts."""
_LABEL = lazy_pattern(r"[-*+\s]*(\w[^:.*]{0,30})[:.*]")
_ITEM = lazy_pattern(r"(?:[-*+]|\d{1,9}[.)])\s")
_SHORT = 80


@dataclass(frozen=True, slots=True)
class Point:
    """A line of the short form; points of a lower `rank` stay longest where room is short."""

    rank: int
    line: str


def points(text: str, kind: str = "markdown") -> tuple[Point, ...]:
    """Return the points of `text` in its order. `kind` is `markdown`, `json` or another word for plain text.

    >>> [point.line for point in points("# Plan\\nA form. Then tests.\\n## Open points\\n- Who signs?\\n")]
    ['# Plan', 'A form.', '## Open points', '- Who signs?']
    """
    if kind == "json":
        found = tuple(_of_json(text))
        if found:
            return found
    if kind != "markdown":
        return tuple(Point(1, _cut(line)) for line in text.splitlines() if line.strip())
    return tuple(_of_markdown(text))


def short_form(text: str, kind: str, fits: Callable[[str], bool]) -> str:
    """Return the points of `text` that fit, in its order; empty where none does.

    Decisions and open points go in first, then headings with their first sentences.
    """
    every = points(text, kind)
    if fits(whole := _joined(every, range(len(every)))):
        return whole
    kept: list[int] = []
    for index in sorted(range(len(every)), key=lambda index: (every[index].rank, index)):
        if fits(_joined(every, sorted([*kept, index]))):
            kept.append(index)
    return _joined(every, sorted(kept))


def _joined(every: Sequence[Point], chosen: Sequence[int]) -> str:
    return "".join(f"{every[index].line}\n" for index in chosen)


def _of_markdown(text: str) -> Iterator[Point]:
    for section in sections(text):
        blocks = list(_blocks(text[section.start : section.end], section))
        if section.title:
            yield Point(2 if blocks else 4, f"{'#' * section.level} {_cut(section.title)}")
        weighty = bool(WEIGHTY.match(section.title))
        for number, block in enumerate(blocks):
            label = _LABEL.match(block)
            if weighty or (label and WEIGHTY.match(label[1])):
                yield Point(0, _cut(block))
            elif sentence := _deciding(block):
                yield Point(1, sentence)
            elif number == 0 or _ITEM.match(block):
                yield Point(3 if number else 2, _first_sentence(block))


def _blocks(text: str, section: Section) -> Iterator[str]:
    """Yield each paragraph and list item on one line: no heading, code, table rule or comment."""
    lines = read_lines(split_lines(text))
    block: list[str] = []
    for line in lines:
        running = line.kind is LineKind.PARAGRAPH and not line.text.lstrip().startswith("|")
        starts = line.item or not running
        if block and starts:
            yield " ".join(block)
            block = []
        stripped = line.text.strip()
        if running and stripped and stripped != section.title:
            block.append(stripped)
    if block:
        yield " ".join(block)


def _deciding(block: str) -> str:
    """Return the first sentence of `block` that states a decision or a question, or an empty text."""
    for sentence in _sentences(block):
        if DECIDES.search(sentence) or sentence.rstrip().endswith("?"):
            return _cut(sentence)
    return ""


def _sentences(block: str) -> Iterator[str]:
    begin, marker = 0, _ITEM.match(block)
    for end in [*sentence_ends(block, marker.end() if marker else 0, len(block)), len(block)]:
        if sentence := block[begin:end].strip():
            yield sentence
        begin = end


def _first_sentence(block: str) -> str:
    return _cut(next(_sentences(block), block))


def _cut(line: str) -> str:
    flat = " ".join(line.split())
    if len(flat) <= LONGEST:
        return flat
    ends = [end for end in word_ends(flat, 0, LONGEST) if end < LONGEST]
    return f"{flat[: ends[-1] if ends else LONGEST - 1]}…"


def _of_json(text: str) -> Iterator[Point]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(value, dict):
        return
    for key, part in value.items():
        yield Point(1, f"{_cut(key)}: {_shown(part)}")


def _shown(part: object) -> str:
    if isinstance(part, dict):
        return f"{len(part)} key{'' if len(part) == 1 else 's'}"
    if isinstance(part, list):
        listed = json.dumps(part, ensure_ascii=False)
        return listed if len(listed) <= _SHORT else f"{len(part)} items"
    return _cut(json.dumps(part, ensure_ascii=False)) if not isinstance(part, str) else _cut(part)


# A Markdown text by its sections: each heading with the beginning of what is written below it, one line each.

LENGTHS = (640, 520, 400, 280, 200, 140, 100, 70, 40, 0)
"""So many characters of each section, the most that fits; three times as many of decisions and open points."""
_WEIGHT, _LEVELS = 3, (6, 2, 1)


def section_lines(text: str, longest: int, levels: int = 6) -> tuple[str, ...]:
    """Return a line for each section down to a level: its heading, and so many characters of its text.

    >>> section_lines("# Plan\\nA form, then tests.\\n\\n## Open\\n- Who signs?\\n- When?\\n", 10)
    ('# Plan: A form,…', '## Open: - Who signs? - When?')
    """
    found = []
    for section in sections(text):
        if section.level > levels:
            continue
        lines = text[section.start : section.end].splitlines()
        body = " ".join(" ".join(lines[_heading_lines(lines) if section.level else 0 :]).split())
        start = _start(body, longest * (_WEIGHT if WEIGHTY.match(section.title) else 1))
        heading = f"{'#' * section.level} {section.title}" if section.level else ""
        if heading or start:
            found.append(f"{heading}: {start}" if heading and start else heading or start)
    return tuple(found)


def outline(text: str, fits: Callable[[str], bool]) -> str:
    """Return the sections of a text with as much of each as fits; the headings alone, or the upper ones, at the least.

    Empty where not even those fit.
    """
    for longest in LENGTHS:
        if fits(found := "\n".join(section_lines(text, longest))):
            return found
    for levels in _LEVELS[1:]:
        if fits(found := "\n".join(section_lines(text, 0, levels))):
            return found
    return ""


def _heading_lines(lines: Sequence[str]) -> int:
    """Return how many lines a section's heading takes: one, or those down to the rule that underlines it."""
    if lines[0].lstrip().startswith("#"):
        return 1
    rules = (number for number, line in enumerate(lines, 1) if line.strip() and set(line.strip()) <= {"=", "-"})
    return next(rules, 1)


def _start(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    ends = [end for end in word_ends(text, 0, longest) if end <= longest]
    return f"{text[: ends[-1]].rstrip()}…" if ends else ""
