"""Whether a text says something, or only holds the place for a text that is still to be written.

Headings, front matter, comments, list marks, table rules and labels (`Goal:`) say nothing by themselves. What is left
is a placeholder where it is nothing but words such as TODO, TBD or "to be written", a field (`<goal>`, `{{goal}}`),
mock Latin or punctuation. A sentence that mentions TODO is a sentence.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.markdown import Line, LineKind, headings, read_lines, sections, split_lines

# Words that only hold a place: TODO, "to be written", "your text here", and the mock Latin of printers.

LONGEST_PHRASE = 12
"""No stock phrase, nor two of them, has more words; what is longer was written for this place."""

FEWEST_LATIN = 5
"""Fewer words may be Latin by chance, unless they begin as the mock Latin begins."""

_DONE = "written|done|defined|determined|decided|completed|added|provided|announced|confirmed|specified|described"
_BEFORE = r"(?:(?:this|the) )?(?:\w+ )?(?:(?:is|are|has|have|needs|still|yet) )*"
_PHRASES = (
    r"todo|to do|tbd|t b d|tbc|tba|fixme|xxx+|wip|na|n a|null|placeholder|changeme|(?:change|replace) me",
    r"work in progress|coming soon|to follow",
    rf"{_BEFORE}to be (?:{_DONE}|documented|filled(?: in)?)(?: (?:later|soon|here))?",
    rf"not (?:yet )?(?:{_DONE}|documented)(?: yet)?",
    r"(?:please )?(?:still )?(?:to )?fill (?:(?:me|this|it|them|these) )?in(?: (?:here|later|this|the blanks?))?",
    r"(?:your|insert|add|write|put|enter|describe|type)(?: \w+){0,5} here",
    r"(?:\w+ )?(?:text|content|details|description) goes here",
)
_ONE = "|".join(f"(?:{phrase})" for phrase in _PHRASES)
_STOCK = lazy_pattern(rf"(?:{_ONE})(?: (?:{_ONE}))*")
_LAST = frozenset(
    f"{_DONE}|documented|filled|in|later|soon|here|yet|this|blank|blanks|todo|do|tbd|d|tbc|tba|fixme|wip|na|a|null|"
    "placeholder|changeme|me|progress|follow".split("|")
)
"""The last words of the phrases, beside `xxx`: a text that ends otherwise is none, and no expression is asked."""
_LATIN = frozenset(
    "ad adipiscing aliqua aliquip amet anim aute cillum commodo consectetur consequat culpa cupidatat deserunt do "
    "dolor dolore duis ea eiusmod elit enim esse est et eu ex excepteur exercitation fugiat id in incididunt ipsum "
    "irure labore laboris laborum lorem magna minim mollit nisi non nostrud nulla occaecat officia pariatur proident "
    "qui quis reprehenderit sed sint sit sunt tempor ullamco ut velit veniam voluptate".split()
)


def is_stock(words: Sequence[str]) -> bool:
    """Say whether `words`, in lower case, are stock phrases and nothing else.

    >>> is_stock(["todo"]), is_stock("this is to be written later".split()), is_stock("the todo list".split())
    (True, True, False)
    """
    if not 0 < len(words) <= LONGEST_PHRASE:
        return False
    text = " ".join(words)
    last = text.rpartition(" ")[2]
    return (last in _LAST or last.startswith("xxx")) and _STOCK.fullmatch(text) is not None


def is_mock_latin(words: Sequence[str]) -> bool:
    """Say whether `words`, in lower case, begin with "lorem ipsum", or are mock Latin in four of five.

    >>> is_mock_latin("lorem ipsum dolor".split()), is_mock_latin("sed ut magna dolore velit".split())
    (True, True)
    >>> is_mock_latin("sed in".split())
    False
    """
    if list(words[:2]) == ["lorem", "ipsum"]:
        return True
    return len(words) >= FEWEST_LATIN and sum(word in _LATIN for word in words) * 5 >= len(words) * 4


_COMMENT = lazy_pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARK = lazy_pattern(r"\s*(?:(?:[-+*•]|\d{1,9}[.)]|>)(?:\s+|$)|\[[ xX]\](?:\s+|$))*")
_RULE_ROW = lazy_pattern(r"\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*\|?")
_FIELD = lazy_pattern(r"\{\{[^{}\n]{0,200}\}\}|</?[A-Za-z][^<>\n=\"@:]{0,200}>|<\.{3}>|<…>")
_BRACKET = lazy_pattern(r"(?<!!)\[(\s*|\.{3}|…|[^\W\d_][^\[\]\n]{0,200})\](?![\[(:])")
_LABEL = lazy_pattern(r"[^:：=|]{1,60}(?:[:：=]|\s[-–—](?=\s))(.*)")
_TO_DO = r"[\W_]*+(?:todo|fixme|tbd|tbc|xxx|wip)"
_MARKS, _LABEL_ENDS = frozenset("-+*•>["), frozenset(":：=-–—")
_NOTE = lazy_pattern(_TO_DO + r"\b[\])*_`]*(?:\([^()\n]{0,60}\))?[*_`]*\s*(?:[:：–—]|-\s)", re.IGNORECASE)
_TAG = lazy_pattern(r"[\W_]*\[(?:todo|fixme|tbd|tbc|xxx|wip)\]", re.IGNORECASE)
_TO_DO_WORDS, _OTHER_I = ("todo", "fixme", "tbd", "tbc", "xxx", "wip"), ("\u0131", "i\u0307")

# An expression takes longer to compile than an artifact to read, so it is asked only where it could find something.


def _without_mark(text: str) -> str:
    """Return a line without the marks of lists, quotes and tasks before it."""
    rest = text.lstrip()
    return _MARK.sub("", text, count=1) if rest[:1] in _MARKS or rest[:1].isdecimal() else rest


def _label(text: str) -> re.Match[str] | None:
    return None if _LABEL_ENDS.isdisjoint(text) else _LABEL.fullmatch(text)


def _is_note(text: str) -> bool:
    """Say whether a line begins as a note of what is to be done."""
    lower = text.lower()
    if not any(word in lower for word in (*_TO_DO_WORDS, *_OTHER_I)):
        return False
    return bool(_NOTE.match(text) or _TAG.match(text))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def says_something(text: str, *, markdown: bool = True) -> bool:
    """Say whether `text` holds any content; JSON is judged by the values in it.

    With `markdown` off, each line is judged as it is, as in YAML: `#` begins a comment, and `[a, b]` is a list.

    >>> says_something("# Plan\\n\\nTODO\\n"), says_something("# Plan\\n\\nKeep the TODO list in one file.\\n")
    (False, True)
    """
    return any(says for _, says in _judged(text, markdown))


def placeholder_line(text: str, *, markdown: bool = True) -> int | None:
    """Return the line (from 1) of the first placeholder in a text without content.

    None where the text has content, and where it is only headings, comments and marks.

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
    """Yield (line number, whether it has content) for content and placeholders."""
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
        if _has_word(flat):
            label = _label(_without_mark(flat).strip())
            rest = label[1].strip() if label else flat
            if _has_word(rest):
                yield number, not _stock(rest)


def _of_markdown(text: str) -> Iterator[tuple[int, bool]]:
    blank = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text) if "<!--" in text else text
    lines = read_lines(split_lines(blank))
    left_out = _without_content(lines)
    paragraph: list[str] = []
    for number, line in enumerate(lines):
        if number in left_out or not line.text.strip():
            paragraph = []
            continue
        body = line.text if line.kind in {LineKind.INSIDE, LineKind.CODE} else _without_mark(line.text)
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
        if line.kind is LineKind.UNDERLINE:
            left_out |= set(range(start, number + 1))
        elif line.kind in {
            LineKind.FRONT,
            LineKind.COMMENT,
            LineKind.HEADING,
            LineKind.RULE,
            LineKind.OPENS,
            LineKind.CLOSES,
            LineKind.BLANK,
        }:
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
    if _is_note(text):
        return False
    plain = _FIELD.sub(" ", text) if "<" in text or "{{" in text else text
    plain = _BRACKET.sub(_bracket, plain) if "[" in plain else plain
    if not _has_word(plain) or _stock(plain):
        return False
    label = _label(plain.strip().replace("**", "").replace("__", ""))
    return not (label and (_stock(label[1]) if _has_word(label[1]) else True))


def _bracket(found: re.Match[str]) -> str:
    """Drop what a person is to fill in, `[the goal]`; keep what may be a reference, `[REQ-1]`."""
    inside = found[1].strip()
    fill_in = not inside or inside in {"...", "…"} or _stock(inside) or (" " in inside and not re.search(r"\d", inside))
    return " " if fill_in else found[0]


def _stock(text: str) -> bool:
    return is_stock(_words(text))


def _words(text: str) -> list[str]:
    return "".join([each if each.isalnum() else " " for each in text.casefold()]).split()


# The parts that an artifact must fill: headings of a Markdown text, top-level keys of JSON and YAML.

_NUMBER = lazy_pattern(r"(?:\d{1,4}\.)*\d{1,4}[.)]?\s+")
_YAML_KEY = lazy_pattern(r"""(["']?)([^\s#"'-][^"'#:]{0,200}?)\1\s*:(?=\s|$)(.*)""")


def has_part(path: str, text: str | None, part: str) -> bool:
    """Return whether the file has the part, and content in it.

    A file that is no text has none.

    Names are compared without case, emphasis, numbering and a final colon. Of several parts of one name, one will do.

    >>> has_part("plan.md", "# Plan\\n\\n## 1. Risks\\n\\nThe tide.\\n", "risks")
    True
    """
    if text is None:
        return False
    if path.lower().endswith(".json"):
        return _has_key(text, _plain(part))
    if path.lower().endswith((".yaml", ".yml")):
        return _has_yaml_key(text.removeprefix("\ufeff"), _plain(part))
    return _has_section(text.removeprefix("\ufeff"), _plain(part))


def part_word(path: str, count: int) -> str:
    """Return what a part of such a file is called."""
    word = "key" if path.lower().endswith((".json", ".yaml", ".yml")) else "heading"
    return word if count == 1 else f"{word}s"


def _plain(title: str) -> str:
    words = " ".join(title.replace("*", "").replace("_", " ").replace("`", "").split())
    return _NUMBER.sub("", words, count=1).rstrip(":：").strip().casefold()


def _has_section(text: str, wanted: str) -> bool:
    parts = sections(text)
    for index, part in enumerate(parts):
        if part.level and _plain(part.title) == wanted:
            end = next((later.start for later in parts[index + 1 :] if later.level <= part.level), len(text))
            if says_something(text[part.start : end]):
                return True
    return False


def _has_key(text: str, wanted: str) -> bool:
    try:
        value = read_json(text)
    except ValueError:
        return False
    return isinstance(value, dict) and any(
        _plain(key) == wanted and value_says_something(one) for key, one in value.items()
    )


def _has_yaml_key(text: str, wanted: str) -> bool:
    inside, values = False, []
    for line in text.split("\n"):
        if key := _YAML_KEY.match(line):
            inside = _plain(key[2]) == wanted
        elif line.startswith(("---", "...")):
            inside = False
        if inside:
            values.append(key[3] if key else line)
    return says_something("\n".join(values), markdown=False)
