"""What can be refused in a prompt template before it is parsed: its size, its depth, its tags and its constants.

Jinja's parser calls itself for each bracket, block and `not`; a source that passed this scan cannot exhaust the stack.
"""

import re
from collections.abc import Iterator

from verifflowcc.context.template_language import (
    ESCAPES,
    MAX_BRACKETS,
    MAX_NUMBER_DIGITS,
    MAX_SOURCE_BYTES,
    MAX_STRING_CHARS,
    MAX_TAG_DEPTH,
    MAX_TAG_TOKENS,
    TAGS,
    reading_environment,
)
from verifflowcc.records import dataclass, field
from verifflowcc.text.article import nearest

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SILENT = {"whitespace", "comment", "comment_begin", "comment_end", "data"}
_ENDS = {"variable_end", "block_end"}
Token = tuple[int, str, str]


@dataclass(slots=True)
class Scan:
    """Problems as (line, sentence). `parsable` is false where the parser must not see the source.

    `excused` holds the names inside refused tags (`set x = …`), so that their uses are not reported again.
    """

    problems: list[tuple[int, str]] = field(default_factory=list)
    parsable: bool = True
    excused: set[str] = field(default_factory=set)

    def refuse(self, line: int, sentence: str, *, parsable: bool = True) -> None:
        self.problems.append((line, sentence))
        self.parsable = self.parsable and parsable


def scan(source: str) -> Scan:
    """Look through the tokens of `source`."""
    from jinja2 import TemplateSyntaxError

    found = Scan()
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        found.refuse(1, f"a template has at most {MAX_SOURCE_BYTES:,} bytes; this one has {size:,}", parsable=False)
        return found
    if "\0" in source:
        line = source[: source.index("\0")].count("\n") + 1
        found.refuse(line, "a template is text; this line holds a NUL character", parsable=False)
        return found
    try:
        _scan_tags(list(reading_environment().lexer.tokeniter(source, None)), found)
    except TemplateSyntaxError as error:
        found.refuse(error.lineno, f"{error.message or 'this is not Jinja'}", parsable=False)
    return found


def _scan_tags(tokens: list[Token], found: Scan) -> None:
    depth = 0
    for tag in _tags(tokens, found):
        line, word = tag[0][0], tag[0][2] if tag[0][1] == "name" else ""
        _scan_constants(tag, found)
        if len(tag) > MAX_TAG_TOKENS:
            found.refuse(line, f"one tag has at most {MAX_TAG_TOKENS} words and signs", parsable=False)
        if _bracket_depth(tag) > MAX_BRACKETS:
            found.refuse(line, f"brackets nest at most {MAX_BRACKETS} deep", parsable=False)
        depth += (word in {"if", "for"}) - (word in {"endif", "endfor"})
        if depth == MAX_TAG_DEPTH + 1 and word in {"if", "for"}:
            found.refuse(line, f"`if` and `for` nest at most {MAX_TAG_DEPTH} deep", parsable=False)


def _tags(tokens: list[Token], found: Scan) -> Iterator[list[Token]]:
    """Yield the inner tokens of each tag, a last one that never ends too.

    A block's begin with its word, an output's with an operator `{{`.
    """
    tag: list[Token] = []
    inside = False
    for line, kind, text in tokens:
        if kind == "raw_begin":
            _refuse_tag(line, "raw", found)
        elif kind in {"variable_begin", "block_begin"}:
            inside, tag = True, [(line, "operator", "{{")] if kind == "variable_begin" else []
        elif kind in _ENDS:
            inside = False
            if tag:
                _scan_word(tag, found)
                yield tag
        elif inside and kind not in _SILENT:
            tag.append((line, kind, text))
    if inside and tag:
        yield tag


def _scan_word(tag: list[Token], found: Scan) -> None:
    line, kind, word = tag[0]
    if kind != "name" or word in TAGS:
        return
    if not word.startswith("end"):
        _refuse_tag(line, word, found)
    found.excused.update(text for _, kind, text in tag if kind == "name")


def _refuse_tag(line: int, word: str, found: Scan) -> None:
    near = nearest(word, TAGS)
    meant = f"; did you mean `{near}`?" if near else ""
    found.refuse(line, f"the tag `{word[:40]}` is not allowed; allowed: if, elif, else, for, include{meant}")


def _scan_constants(tag: list[Token], found: Scan) -> None:
    for line, kind, text in tag:
        if kind == "integer" and len(text) > MAX_NUMBER_DIGITS:
            found.refuse(line, f"a number has at most {MAX_NUMBER_DIGITS} digits", parsable=False)
        elif kind == "float":
            found.refuse(line, "numbers with a fraction or an exponent are not allowed; whole ones are", parsable=False)
        elif kind == "string" and len(text) - 2 > MAX_STRING_CHARS:
            found.refuse(line, f"a constant text has at most {MAX_STRING_CHARS} characters")
        elif kind == "string" and any(match[1] not in ESCAPES for match in _ESCAPE.finditer(text)):
            found.refuse(
                line, "in a constant, `\\` is allowed only before n, t, a quote or another `\\`", parsable=False
            )


def _bracket_depth(tag: list[Token]) -> int:
    depth = deepest = 0
    for _, kind, text in tag:
        if kind == "operator":
            depth += (text in "([{") - (text in ")]}")
            deepest = max(deepest, depth)
    return deepest
