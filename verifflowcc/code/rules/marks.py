"""Marks in source texts, `vfcc: REQ-a, REQ-b`, and the symbols that they stand in.

A mark counts in a comment or a docstring, never in another string. Its ids are letters, digits, `.`, `_` and `-`; what
is behind them as punctuation is none of theirs. A mark in backticks or quotes is only mentioned (as above), one
with `…`, `<` or `*` behind it a pattern. Words of nothing but lower-case letters are prose, and so is what has words
behind it and neither a digit nor two capitals in a row: `vfcc: the tool` and `vfcc: V-Model sprints` mark nothing.

Tags of OpenFastTrace (`[impl->dsn~login~1]`) in comments are marks, too, of the item that an import makes of it.

A mark belongs to the symbol whose text it is in; in a comment right above a symbol, to that symbol, also over blank
lines, save before the first symbol of a file: there it belongs to the file (""). Of a text only the first 1,048,576
characters are looked at.
"""

import ast
import re
import tokenize
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.base.model.trace_values import CodeMark, CodeSymbol, may_hold_mark
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.comment_syntax import LANGUAGES, Shape, Syntax, language_of, script_language
from verifflowcc.code.rules.symbols_braces import (
    DEEPEST,
    LONGEST_NAME,
    MOST_SYMBOLS,
    STRING,
    Block,
    Span,
    bare_code,
    brace_blocks,
    spans,
    with_digests,
)

# Symbols of languages whose blocks end with a word (`end`, `fi`) or with a dedent: by the words that begin a line.
#
# A block ends before the next line that is not further in; a closing word there belongs to it. Code that is not
# indented has symbols of one line.

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
class _OpenBlock:
    name: str
    line: int
    indent: int


def indent_blocks(text: str, bare: str) -> tuple[Block, ...]:
    """Return the named blocks of a text; `bare` is its code without comments and strings."""
    return tuple(_blocks(text.split("\n"), bare.split("\n")))


def _blocks(lines: list[str], bare: list[str]) -> Iterator[Block]:
    stack: list[_OpenBlock] = []
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
            stack.append(_OpenBlock(f"{stack[-1].name}.{name}" if stack else name, number, indent))
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


# Python's own parser reads Python: it also finds docstrings and pytest marks, which no comment scanner sees.

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """Something that the source says of its requirements: the line that it begins in, and its text or its ids."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class PythonSource:
    """A parsed source. `docstrings` are their texts as written, without the quotes around them; `pytest_ids` the words
    of each `pytest.mark.vfcc(…)`, a comma between two.
    """

    blocks: tuple[Block, ...]
    docstrings: tuple[SourceStatement, ...]
    pytest_ids: tuple[SourceStatement, ...]


def parse_python(text: str, *, marks: bool = True) -> PythonSource | None:
    """Return the symbols and statements of a Python source; None if it does not parse.

    Without `marks`, the symbols alone.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = _split(text) if marks else []
    blocks: list[Block] = []
    docstrings = [text for text in [_docstring(tree, lines)] if text]
    pending: list[tuple[ast.AST, str, int]] = [(tree, "", 0)]
    while pending:
        node, within, depth = pending.pop()
        for child in _statements(node):
            name, level = within, depth
            if isinstance(child, _Definition):
                name, level = f"{within}.{child.name}" if within else child.name, depth + 1
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                blocks.append(Block(name, first, child.end_lineno or child.lineno))
                docstrings += [text for text in [_docstring(child, lines)] if text]
            if level < DEEPEST:
                pending.append((child, name, level))
    return PythonSource(tuple(blocks), tuple(docstrings), tuple(_pytest_ids(tree)) if marks else ())


def python_comments(text: str) -> tuple[Span, ...] | None:
    """Return the comments of a source; None where it is no Python."""
    lines = [line + "\n" for line in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    try:
        return tuple(
            Span(starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1], comment=True)
            for token in tokenize.generate_tokens(iter(lines).__next__)
            if token.type == tokenize.COMMENT
        )
    except (tokenize.TokenError, SyntaxError):
        return None


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may hold definitions: statements, and the arms of `try` and `match`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child


def _docstring(node: _Definition | ast.Module, lines: Sequence[str]) -> SourceStatement | None:
    first = node.body[0] if node.body and lines else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return None
    value = first.value
    if not isinstance(value.value, str) or "vfcc" not in value.value or value.end_lineno is None:
        return None
    own = list(lines[value.lineno - 1 : value.end_lineno])
    # Columns count bytes; a quote is one byte, so cutting from the end first keeps both right.
    own[-1] = own[-1].encode()[: value.end_col_offset].decode("utf-8", "replace")
    own[0] = own[0].encode()[value.col_offset :].decode("utf-8", "replace")
    return SourceStatement(value.lineno, _without_quotes("\n".join(own)))


def _without_quotes(literal: str) -> str:
    body = literal.lstrip("rRuUbBfF")
    quotes = body[:3] if body[:3] in {'"""', "'''"} else body[:1]
    return body.removeprefix(quotes).removesuffix(quotes)


def _pytest_ids(tree: ast.Module) -> Iterator[SourceStatement]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_mark(node.func):
            for value in node.args:
                yield from (SourceStatement(text.lineno, str(text.value)) for text in _texts(value))


def _is_mark(function: ast.expr) -> bool:
    """Say whether this is `pytest.mark.vfcc`, or `mark.vfcc`."""
    if not isinstance(function, ast.Attribute) or function.attr != "vfcc":
        return False
    owner = function.value
    return (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")) == "mark"


def _texts(value: ast.expr) -> Iterator[ast.Constant]:
    within = value.elts if isinstance(value, ast.List | ast.Tuple | ast.Set) else [value]
    return (each for each in within if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _split(text: str) -> list[str]:
    """Return the lines as Python's parser counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ").split("\n")


LARGEST_SCANNED = 2**20
"""Characters."""

MOST_IDS = 200
"""In one mark; a longer list is no list of a person's."""

_LONGEST_ID = 200
_MARK = re.compile(r"(?<![\w:./@`\"'‘“-])vfcc:[ \t]*+")
_TAG = re.compile(
    r"(?<![`\"'])\[\s*[a-zA-Z]+(?:~[\w.-]*~\d+)?\s*->\s*([a-zA-Z]+)~(\w[\w.-]*)~\d+\s*(?:>>\s*[a-zA-Z]+(?:\s*,\s*[a-zA-Z]+)*\s*)?\]"
)
_RELATION = re.compile(r"(?<![`\"'])@relation\(([^()]*\bscope\s*=[^()]*)\)")
_GHERKIN_LINE = re.compile(r"[ \t]*(?:(?P<tags>@\S.*)|(?P<gap>#.*|)|[^:\n]+:[ \t]*(?P<name>.*?)[ \t]*|.*)$")
_GHERKIN_TAG = re.compile(r"(?<!\S)@([A-Z][\w.]*-[\w.-]*\w)(?!\S)")
_ID = re.compile(r"\w[\w.-]*+")
_NO_ID_BEHIND = re.compile(r"[…<{$*\ufffd]")
_PROSE = re.compile(r"[^\W\d_]++\Z")
_WORDS_BEHIND = re.compile(r"[ \t]+\w")
_ID_LIKE = re.compile(r"[A-Z]{2}|\d")
_NEXT = re.compile(r"[ \t]*+[,;][ \t]*+(?=\w)")
_MATLAB = re.compile(r"^[ \t]*(?:%|function\b|classdef\b)", re.MULTILINE)
_OBJECTIVE_C = re.compile(r"^[ \t]*(?:#|@interface|@implementation|@import|//)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _CommentMark:
    """A mark, and the last line of its run of comments.

    `own_lines`: these lines hold nothing but comments.
    """

    ids: tuple[str, ...]
    line: int
    last: int
    own_lines: bool


def read_code(path: str, text: str) -> tuple[tuple[CodeMark, ...], tuple[CodeSymbol, ...]]:
    """Return the marks and the symbols of a source text; none where its language is not known.

    The language is that of the file's name, else that of its `#!`. Never raises; takes time in proportion to the text.
    """
    whole = text[:LARGEST_SCANNED].removeprefix("\ufeff").replace("\r\n", "\n")
    syntax = _syntax(path, whole)
    if syntax is None:
        return (), ()
    if syntax.shape is Shape.PYTHON:
        parsed = parse_python(whole, marks=may_hold_mark(whole))
        if parsed is not None:
            return _of_python(whole, syntax, parsed)
    found = spans(whole, syntax)
    bare = bare_code(whole, found, directives=syntax.directives)
    blocks = {Shape.NONE: _no_blocks, Shape.BRACES: brace_blocks}.get(syntax.shape, indent_blocks)(whole, bare)
    symbols = with_digests(blocks, whole)
    placed = _placed(_in_comments(whole, found), symbols)
    return (*placed, *_gherkin_marks(whole)) if path.lower().endswith(".feature") else placed, symbols


def ids_in(text: str) -> tuple[str, ...]:
    """Return the ids of the first mark in one line of a comment.

    >>> ids_in("vfcc: REQ-a, REQ-b."), ids_in("vfcc: REQ-a checks it"), ids_in("vfcc: a tool")
    (('REQ-a', 'REQ-b'), ('REQ-a',), ())
    """
    match = _MARK.search(text)
    return _ids_at(text, match.end()) if match else ()


def _ids_at(text: str, place: int) -> tuple[str, ...]:
    ids: list[str] = []
    while len(ids) < MOST_IDS and (match := _ID.match(text, place)):
        name, place = match[0].rstrip(".-_"), match.end()
        pattern = match[0].endswith("-...") or _NO_ID_BEHIND.match(text, place)
        prose = _PROSE.match(name) and name == name.lower()
        if prose or len(name) > _LONGEST_ID:
            break
        if name and not pattern:
            ids.append(name)
        following = _NEXT.match(text, place)
        if following is None:
            break
        place = following.end()
    if _WORDS_BEHIND.match(text, place) and not any(map(_ID_LIKE.search, ids)):
        return ()
    return tuple(dict.fromkeys(ids))


def _syntax(path: str, text: str) -> Syntax | None:
    name = language_of(path) or script_language(text)
    if name == "c" and path.endswith(".m") and _MATLAB.search(text) and not _OBJECTIVE_C.search(text):
        name = "matlab"
    return LANGUAGES[name] if name else None


def _no_blocks(_text: str, _bare: str) -> tuple[()]:
    return ()


def _of_python(text: str, syntax: Syntax, parsed: PythonSource) -> tuple[tuple[CodeMark, ...], tuple[CodeSymbol, ...]]:
    symbols = with_digests(parsed.blocks, text)
    if not may_hold_mark(text):
        return (), symbols
    comments = python_comments(text)
    found = list(_in_comments(text, spans(text, syntax) if comments is None else comments))
    for statement in parsed.docstrings:
        for number, line in enumerate(statement.text.split("\n"), statement.line):
            found += (_CommentMark(ids, number, number, own_lines=False) for ids in _marks_of(line))
    for statement in parsed.pytest_ids:
        ids = tuple(part for each in statement.text.split(",") if (part := each.strip()))
        found += [_CommentMark(ids, statement.line, statement.line, own_lines=False)] if ids else []
    return _placed(found, symbols), symbols


def _marks_of(line: str) -> Iterator[tuple[str, ...]]:
    for match in _MARK.finditer(line):
        ids = _ids_at(line, match.end())
        if ids:
            yield ids
    for match in _TAG.finditer(line) if "->" in line else ():
        yield (f"{match[1]}-{match[2]}",)
    for match in _RELATION.finditer(line) if "@relation(" in line else ():
        names = [part.strip() for part in match[1].split(",") if "=" not in part]
        if ids := tuple(dict.fromkeys(name for name in names if _ID.fullmatch(name)))[:MOST_IDS]:
            yield ids


def _gherkin_marks(text: str) -> Iterator[CodeMark]:
    """Yield the tags that look like ids (`@REQ-1`), each with the name of the scenario or feature below it."""
    tags: list[tuple[tuple[str, ...], int]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        found = _GHERKIN_LINE.match(line)
        if found is None or found["gap"] is not None:
            continue
        if found["tags"] is not None:
            ids = tuple(dict.fromkeys(_GHERKIN_TAG.findall(found["tags"].partition(" #")[0])))[:MOST_IDS]
            tags += [(ids, number)] if ids else []
            continue
        yield from (CodeMark(ids, at, found["name"] or "") for ids, at in tags if found["name"])
        tags = []


def _in_comments(text: str, found: Sequence[Span]) -> Iterator[_CommentMark]:
    """Yield the marks in comments, each with the last line of its run of comments."""
    if not may_hold_mark(text):
        return
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    comments = [span for span in found if span.comment]
    first = [bisect_right(starts, span.start) for span in comments]
    last = [bisect_right(starts, max(span.end - 1, span.start)) for span in comments]
    own = [_alone(text, span, starts) for span in comments]
    run = list(last)
    for number in range(len(comments) - 2, -1, -1):
        if own[number] and own[number + 1] and first[number + 1] <= last[number] + 1:
            run[number] = run[number + 1]
    for number, span in enumerate(comments):
        if may_hold_mark(text[span.start : span.end]):
            for offset, line in enumerate(text[span.start : span.end].split("\n")):
                for ids in _marks_of(line):
                    yield _CommentMark(ids, first[number] + offset, run[number], own[number])


def _alone(text: str, span: Span, starts: Sequence[int]) -> bool:
    """Return whether a comment is the first thing on its first line."""
    begins = starts[bisect_right(starts, span.start) - 1]
    return not text[max(begins, span.start - 500) : span.start].strip()


def _placed(found: Iterable[_CommentMark], symbols: tuple[CodeSymbol, ...]) -> tuple[CodeMark, ...]:
    places = _SymbolLines(symbols)
    marks = {CodeMark(each.ids, each.line, places.symbol(each)): None for each in found}
    return tuple(sorted(marks, key=lambda mark: (mark.line, mark.symbol, mark.ids)))


class _SymbolLines:
    """Where lines stand among symbols, which are sorted by line, the outer ones first."""

    def __init__(self, symbols: tuple[CodeSymbol, ...]) -> None:
        self._symbols = symbols
        self._lines = [each.line for each in symbols]
        self._around: list[int] = []
        for place, each in enumerate(symbols):
            outer = place - 1
            while outer >= 0 and symbols[outer].end < each.line:
                outer = self._around[outer]
            self._around.append(outer)

    def symbol(self, found: _CommentMark) -> str:
        """Return the name of the symbol that a mark belongs to; "" for the file."""
        if not self._symbols:
            return ""
        around = self._innermost(found.line)
        if found.own_lines:
            place = bisect_left(self._lines, found.last + 1)
            following = self._symbols[place] if place < len(self._symbols) else None
            if following is not None and following.line == found.last + 1:
                return following.name
            if around is None and following is not None and self._lines[0] < found.line:
                return following.name
        return around.name if around else ""

    def _innermost(self, line: int) -> CodeSymbol | None:
        place = bisect_right(self._lines, line) - 1
        while place >= 0 and self._symbols[place].end < line:
            place = self._around[place]
        return self._symbols[place] if place >= 0 else None
