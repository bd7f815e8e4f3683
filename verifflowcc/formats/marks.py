"""Marks in source texts, `vfcc: REQ-a, REQ-b`, and the symbols that they stand in.

A mark counts in a comment or a docstring, never in another string. Its ids are letters, digits, `.`, `_` and `-`; what
stands behind them as punctuation is none of theirs. A mark in backticks or quotes is only mentioned (as above), one
with `…`, `<` or `*` behind it a pattern. Words of nothing but lower-case letters are prose, and so is what has words
behind it and neither a digit nor two capitals in a row: `vfcc: the tool` and `vfcc: V-Model sprints` mark nothing.

Tags of OpenFastTrace (`[impl->dsn~login~1]`) in comments are marks, too, of the item that an import makes of it.

A mark belongs to the symbol whose text it stands in; in a comment right above a symbol, to that symbol, also over blank
lines, save before the first symbol of a file: there it belongs to the file (""). Of a text only the first 1,048,576
characters are looked at.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.domain.trace import CodeMark, CodeSymbol, may_hold_mark
from verifflowcc.formats.comment_syntax import LANGUAGES, Shape, Syntax, language_of, script_language
from verifflowcc.formats.comments import Span, bare_code, spans
from verifflowcc.formats.symbols import with_digests
from verifflowcc.formats.symbols_braces import brace_blocks
from verifflowcc.formats.symbols_indent import indent_blocks
from verifflowcc.formats.symbols_python import PythonSource, parse_python, python_comments
from verifflowcc.records import dataclass

LARGEST_SCANNED = 2**20
"""Characters."""

MOST_IDS = 200
"""In one mark; a longer list is no list of a person's."""

_LONGEST_ID = 200
_MARK = re.compile(r"(?<![\w:./@`\"'‘“-])vfcc:[ \t]*+")
_TAG = re.compile(
    r"(?<![`\"'])\[\s*[a-zA-Z]+(?:~[\w.-]*~\d+)?\s*->\s*([a-zA-Z]+)~(\w[\w.-]*)~\d+\s*(?:>>\s*[a-zA-Z]+(?:\s*,\s*[a-zA-Z]+)*\s*)?\]"
)
_ID = re.compile(r"\w[\w.-]*+")
_NO_ID_BEHIND = re.compile(r"[…<{$*\ufffd]")
_PROSE = re.compile(r"[^\W\d_]++\Z")
_WORDS_BEHIND = re.compile(r"[ \t]+\w")
_ID_LIKE = re.compile(r"[A-Z]{2}|\d")
_NEXT = re.compile(r"[ \t]*+[,;][ \t]*+(?=\w)")
_MATLAB = re.compile(r"^[ \t]*(?:%|function\b|classdef\b)", re.MULTILINE)
_OBJECTIVE_C = re.compile(r"^[ \t]*(?:#|@interface|@implementation|@import|//)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Found:
    """A mark, and the last line of its run of comments; `own_lines`: nothing but comments stands on these lines."""

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
    return _placed(_in_comments(whole, found), symbols), symbols


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
    for said in parsed.docstrings:
        for number, line in enumerate(said.text.split("\n"), said.line):
            found += (_Found(ids, number, number, own_lines=False) for ids in _marks_of(line))
    for said in parsed.pytest_ids:
        ids = tuple(part for each in said.text.split(",") if (part := each.strip()))
        found += [_Found(ids, said.line, said.line, own_lines=False)] if ids else []
    return _placed(found, symbols), symbols


def _marks_of(line: str) -> Iterator[tuple[str, ...]]:
    for match in _MARK.finditer(line):
        ids = _ids_at(line, match.end())
        if ids:
            yield ids
    for match in _TAG.finditer(line) if "->" in line else ():
        yield (f"{match[1]}-{match[2]}",)


def _in_comments(text: str, found: Sequence[Span]) -> Iterator[_Found]:
    """Yield the marks in the comments, each with the last line of the run of comments that it stands in."""
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
                    yield _Found(ids, first[number] + offset, run[number], own[number])


def _alone(text: str, span: Span, starts: Sequence[int]) -> bool:
    """Say whether nothing stands before a comment on its first line."""
    begins = starts[bisect_right(starts, span.start) - 1]
    return not text[max(begins, span.start - 500) : span.start].strip()


def _placed(found: Iterable[_Found], symbols: tuple[CodeSymbol, ...]) -> tuple[CodeMark, ...]:
    places = _Places(symbols)
    marks = {CodeMark(each.ids, each.line, places.symbol(each)): None for each in found}
    return tuple(sorted(marks, key=lambda mark: (mark.line, mark.symbol, mark.ids)))


class _Places:
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

    def symbol(self, found: _Found) -> str:
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
