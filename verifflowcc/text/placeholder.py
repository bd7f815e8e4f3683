"""Whether a text says something, or only holds the place for a text that is still to be written.

Headings, front matter, comments, list marks, table rules and labels (`Goal:`) say nothing by themselves. What is left
is a placeholder where it is nothing but words such as TODO, TBD or "to be written", a field (`<goal>`, `{{goal}}`),
mock Latin or punctuation. A sentence that mentions TODO is a sentence.
"""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from verifflowcc.text.filler import is_mock_latin, is_stock
from verifflowcc.text.markdown import Kind, Line, read_lines, split_lines
from verifflowcc.text.sections import headings

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARK = re.compile(r"\s*(?:(?:[-+*•]|\d{1,9}[.)]|>)(?:\s+|$)|\[[ xX]\](?:\s+|$))*")
_RULE_ROW = re.compile(r"\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*\|?")
_FIELD = re.compile(r"\{\{[^{}\n]{0,200}\}\}|</?[A-Za-z][^<>\n=\"@:]{0,200}>|<\.{3}>|<…>")
_BRACKET = re.compile(r"(?<!!)\[(\s*|\.{3}|…|[^\W\d_][^\[\]\n]{0,200})\](?![\[(:])")
_LABEL = re.compile(r"[^:：=|]{1,60}(?:[:：=]|\s[-–—](?=\s))(.*)")
_TO_DO = r"[\W_]*+(?:todo|fixme|tbd|tbc|xxx|wip)"
_NOTE = re.compile(_TO_DO + r"\b[\])*_`]*(?:\([^()\n]{0,60}\))?[*_`]*\s*(?:[:：–—]|-\s)", re.IGNORECASE)
_TAG = re.compile(r"[\W_]*\[(?:todo|fixme|tbd|tbc|xxx|wip)\]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def says_something(text: str, *, markdown: bool = True) -> bool:
    """Say whether `text` holds any content; JSON is judged by the values in it.

    With `markdown` off, each line is judged as it stands, as in YAML: `#` begins a comment, and `[a, b]` is a list.

    >>> says_something("# Plan\\n\\nTODO\\n"), says_something("# Plan\\n\\nKeep the TODO list in one file.\\n")
    (False, True)
    """
    return any(says for _, says in _judged(text, markdown))


def placeholder_line(text: str, *, markdown: bool = True) -> int | None:
    """Return the number (from 1) of the first line that holds the place of a text, where nothing else is said.

    None where the text says something, and where nothing is left of it but headings, comments and marks.

    >>> placeholder_line("# Plan\\n\\nTODO\\n"), placeholder_line("# Plan\\n")
    (3, None)
    """
    first = None
    for number, says in _judged(text, markdown):
        if says:
            return None
        first = number if first is None else first
    return first


def read_json(text: str) -> object:
    """Return the value that `text` spells. Raises ValueError where it is not JSON, as NaN is not."""
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def value_says_something(value: object) -> bool:
    """Say whether a JSON value holds content: a number, a truth value, or a text that says something, at any depth."""
    return any(says for _, says in _leaves(value))


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _judged(text: str, markdown: bool) -> Iterator[tuple[int, bool]]:
    """Yield (number of its line, whether it says something) for all that is content or stands for it."""
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in {"{", "[", '"'} or text.strip() == "null":
        try:
            value = read_json(text)
        except ValueError:
            pass  # not JSON after all: a Markdown text may begin with these too
        else:
            yield from ((_line_of(leaf, text), says) for leaf, says in _leaves(value))
            return
    yield from _of_markdown(text) if markdown else _of_lines(text)


def _leaves(value: object) -> Iterator[tuple[str, bool]]:
    below = [value]
    while below:
        one = below.pop()
        if isinstance(one, dict):
            below += reversed(one.values())
        elif isinstance(one, list):
            below += reversed(one)
        elif isinstance(one, str):
            if one.strip():
                yield one, any(map(_says, one.splitlines())) and not is_mock_latin(_words(one))
        elif one is not None:
            yield str(one), True


def _line_of(leaf: str, text: str) -> int:
    place = max(text.find(json.dumps(leaf, ensure_ascii=False)), text.find(json.dumps(leaf)), 0)
    return text.count("\n", 0, place) + 1


def _of_lines(text: str) -> Iterator[tuple[int, bool]]:
    for number, line in enumerate(text.split("\n"), start=1):
        flat = re.sub(r"(?:^|\s)#.*", "", line)
        if _WORD.search(flat):
            label = _LABEL.fullmatch(_MARK.sub("", flat, count=1).strip())
            rest = label[1].strip() if label else flat
            if _WORD.search(rest):
                yield number, not _stock(rest)


def _of_markdown(text: str) -> Iterator[tuple[int, bool]]:
    blank = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = read_lines(split_lines(blank))
    left_out = _without_content(lines)
    paragraph: list[str] = []
    for number, line in enumerate(lines):
        if number in left_out or not line.text.strip():
            paragraph = []
            continue
        body = line.text if line.kind in {Kind.INSIDE, Kind.CODE} else _MARK.sub("", line.text, count=1)
        if not body.strip():
            continue
        paragraph.append(body)
        yield number + 1, _says(body) and not is_mock_latin(_words(" ".join(paragraph[-8:])))


def _without_content(lines: tuple[Line, ...]) -> set[int]:
    """The numbers of the lines that say nothing by themselves: front matter, headings, fences, heads of tables."""
    left_out = set()
    starts = {number: title for number, _, title in headings(lines)}
    start = 0
    for number, line in enumerate(lines):
        if number in starts:
            start = number
        if line.kind is Kind.UNDERLINE:
            left_out |= set(range(start, number + 1))
        elif line.kind in {Kind.FRONT, Kind.COMMENT, Kind.HEADING, Kind.RULE, Kind.OPENS, Kind.CLOSES, Kind.BLANK}:
            left_out.add(number)
        elif number and "|" in lines[number - 1].text and "-" in line.text and _RULE_ROW.fullmatch(line.text.strip()):
            left_out |= {number - 1, number}
    return left_out


def _says(line: str) -> bool:
    """Say whether one line says something; a row of a table does if one of its cells does."""
    if "|" in line:
        return any(_cell_says(cell) for cell in line.split("|"))
    return _cell_says(line)


def _cell_says(text: str) -> bool:
    if _NOTE.match(text) or _TAG.match(text):
        return False
    plain = _BRACKET.sub(_bracket, _FIELD.sub(" ", text))
    if not _WORD.search(plain) or _stock(plain):
        return False
    label = _LABEL.fullmatch(plain.strip().replace("**", "").replace("__", ""))
    return not (label and (_stock(label[1]) if _WORD.search(label[1]) else True))


def _bracket(found: re.Match[str]) -> str:
    """Drop what a person is to fill in, `[the goal]`; keep what may be a reference, `[REQ-1]`."""
    inside = found[1].strip()
    fill_in = not inside or inside in {"...", "…"} or _stock(inside) or (" " in inside and not re.search(r"\d", inside))
    return " " if fill_in else found[0]


def _stock(text: str) -> bool:
    return is_stock(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
