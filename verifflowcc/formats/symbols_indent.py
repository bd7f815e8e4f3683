"""Symbols of languages whose blocks end with a word (`end`, `fi`) or with a dedent: by the words that begin a line.

A block ends before the next line that is not further in; a closing word there belongs to it. Code that is not indented
has symbols of one line.
"""

import re
from collections.abc import Iterator

from verifflowcc.formats.comments import STRING
from verifflowcc.formats.symbols import DEEPEST, LONGEST_NAME, MOST_SYMBOLS, Block
from verifflowcc.records import dataclass

_NAME = r"[^\W\d][\w$]*+(?:[.:]{1,2}[^\W\d][\w$]*+)*[?!]?"
_MODIFIERS = (
    r"(?:(?:local|public|private|protected|static|async|export|recursive|pure|elemental|impure|override|shared|friend"
    r"|overridable|create|or|replace|alter|temporary|abstract|final|overloaded|integer|real|logical|inline|unsafe"
    r"|separate|generic|default)\s++)*"
)
_DECLARED = re.compile(
    rf"{_MODIFIERS}(?:defp?|defmodule|defmacrop?|defimpl|defprotocol|class|module|function|sub|func|procedure|subroutine"
    r"|program|package|task|proc|method|struct|interface|entity|architecture|trigger|property|protocol|enum|macro|let"
    rf"|type|template|begin)\b(?:\s++(?:body|rec|mutable|type))*\s++(?:self\.)?({_NAME})",
    re.IGNORECASE,
)
_NO_DECLARATION = re.compile(r"(?:let|type)\b(?![^\n]*=\s*(?:fun\b|function\b|$))", re.IGNORECASE)
_SHELL = re.compile(r"(?:function\s+)?([\w.:-]+)\s*\(\s*\)\s*[{(]")
_ASSIGNED = re.compile(rf"(?:local\s+)?({_NAME})\s*(?:<-|=)\s*function\b")
_SENTENCE = re.compile(
    r"@?(?:RSpec\.)?(?:it|test|describe|context|specify|scenario|feature|shared_examples|testset|should|property"
    rf"|test_that|setup|subtest)\b[ (]*({STRING}+)"
)
_LISP = re.compile(r"\((?:def[\w-]*|define[\w-]*|ert-deftest|test|ns)\s+\(?([^\s()\[\]\"']+)")
_CLAUSE = re.compile(r"([a-z]\w*)(?:\(.*->|\s*::)")
_CLOSING = re.compile(r"(?:end\b|\}|\)|done\b|fi\b|esac\b|go\b)", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    name: str
    line: int
    indent: int


def indent_blocks(text: str, bare: str) -> tuple[Block, ...]:
    """Return the named blocks of a text; `bare` is its code without comments and strings."""
    return tuple(_blocks(text.split("\n"), bare.split("\n")))


def _blocks(lines: list[str], bare: list[str]) -> Iterator[Block]:
    stack: list[_Open] = []
    named, last = 0, 0
    for number, line in enumerate(bare, 1):
        code = line.strip()
        if not code:
            continue
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs(8))
        while stack and stack[-1].indent >= indent:
            ended = stack.pop()
            closes = ended.indent == indent and _CLOSING.match(code)
            yield Block(ended.name, ended.line, number if closes else max(last, ended.line))
        last = number
        name = _name(code[:1000], lines[number - 1].strip()) if named < MOST_SYMBOLS and len(stack) < DEEPEST else ""
        if name:
            named += 1
            stack.append(_Open(f"{stack[-1].name}.{name}" if stack else name, number, indent))
    yield from (Block(each.name, each.line, max(last, each.line)) for each in stack)


def _name(code: str, line: str) -> str:
    """Return the name of what a line begins; "" where it begins nothing."""
    sentence = _SENTENCE.match(code)
    if sentence:
        return line[sentence.start(1) : sentence.end(1)].strip("\"'")[:LONGEST_NAME]
    found = _LISP.match(code) if code.startswith("(") else _SHELL.match(code) or _ASSIGNED.match(code)
    if found is None and not _NO_DECLARATION.match(code):
        found = _DECLARED.match(code)
    found = found or _CLAUSE.match(code)
    return found[1][:LONGEST_NAME] if found else ""
