"""The short form of an artifact: its headings with first sentences, decisions, open points; a JSON file's keys.

Nothing is rewritten: each line is a piece of the text as it was written, cut at the end of a sentence or of a word.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence

from verifflowcc.records import dataclass
from verifflowcc.text.breaks import sentence_ends, word_ends
from verifflowcc.text.markdown import Kind, read_lines, split_lines
from verifflowcc.text.sections import Section, sections

LONGEST = 240
"""Characters of one line; a longer sentence is cut at a word, with a mark."""

DECIDES = re.compile(
    r"\b(?:decisions?|decided|chose|chosen|must|shall|never|always|instead of|rejected)\b", re.IGNORECASE
)
WEIGHTY = re.compile(r"(?:decisions?|decided|open|questions?|risks?|unresolved|unknowns?)\b", re.IGNORECASE)
"""How a heading or a label begins below which each line counts."""
_LABEL = re.compile(r"[-*+\s]*(\w[^:.*]{0,30})[:.*]")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
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
        running = line.kind is Kind.PARAGRAPH and not line.text.lstrip().startswith("|")
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
