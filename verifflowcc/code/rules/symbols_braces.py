"""Symbols of languages that write blocks in braces: functions, methods, classes, and tests named by a sentence.

One pass over the bare code keeps the open brackets; what is before a brace tells what its block is. Languages
differ more than this knows: it is there to find a test by its name, and where it ends.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_values import CodeSymbol
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.code.rules.comment_syntax import LANGUAGES, Rule, Syntax

# The comments and strings of a source text, found in one pass that takes time in proportion to its length.

STRING = "\x01"
"""What is in the bare code for each letter of a string."""

_NOT_A_LINE_END = lazy_pattern(r"[^\n]")
_IN_TEMPLATE = lazy_pattern(r"\\.|`|\$\{", re.DOTALL)
_REGEX = lazy_pattern(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*+")
_BEFORE_A_REGEX = lazy_pattern(
    r"(?:^|[(,=:\[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|yield))\s*\Z"
)
_LOOK_BACK = 40
_LONGEST_REGEX = 1_000
_MOST_REFUSED = 10_000
"""So many slashes may turn out to open no pattern; from then on they all divide."""

_DIRECTIVE = lazy_pattern(r"^[ \t]*#[^\n\\]*+(?:\\.[^\n\\]*+)*", re.MULTILINE | re.DOTALL)
_CLOSING_LINE = lazy_pattern(r"^[ \t]*+(\w++)(?=[;,)]*+[ \t]*+$)", re.MULTILINE)
_SCRIPT = lazy_pattern(r"<(script|style)\b[^>]{0,500}>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A comment or a string, from `start` up to `end`."""

    start: int
    end: int
    comment: bool


def spans(text: str, syntax: Syntax) -> tuple[Span, ...]:
    """Return the comments and strings of a text, in order; one that nothing closes reaches to the end."""
    if syntax.name == "markup":
        return tuple(_of_markup(text))
    return tuple(_CommentsScan(text, syntax).run(0, len(text)))


def bare_code(text: str, found: tuple[Span, ...], *, directives: bool = False) -> str:
    """Return the text with blanks for its comments and `STRING` for the letters of its strings: as long, with the same
    lines. Lines for a preprocessor are blank too, where there are `directives`.
    """
    parts, place = [], 0
    for span in found:
        parts.append(text[place : span.start])
        parts.append(_NOT_A_LINE_END.sub(" " if span.comment else STRING, text[span.start : span.end]))
        place = span.end
    parts.append(text[place:])
    bare = "".join(parts)
    return _DIRECTIVE.sub(lambda match: _NOT_A_LINE_END.sub(" ", match[0]), bare) if directives else bare


@lru_cache(maxsize=64)
def _pattern(name: str) -> re.Pattern[str]:
    return LANGUAGES[name].pattern()


class _CommentsScan:
    """One pass over a text."""

    def __init__(self, text: str, syntax: Syntax) -> None:
        self._text = text
        self._syntax = syntax
        self._pattern = _pattern(syntax.name)
        self._lines: dict[str, list[int]] | None = None
        self._refused = 0

    def run(self, place: int, stop: int) -> Iterator[Span]:
        """Yield what lies between two places."""
        depths: list[int] = []
        while (match := self._pattern.search(self._text, place, stop)) is not None:
            kind, start, place = str(match.lastgroup), match.start(), match.end()
            if kind == "brace":
                if self._closes_template(match[0], depths):
                    place = self._template(place, stop, depths)
                    yield Span(start, place, comment=False)
                continue
            if kind == "slash":
                place = self._regex(start, stop)
                if place > start + 1:
                    yield Span(start, place, comment=False)
                continue
            comment = False
            if kind == "template":
                place = self._template(place, stop, depths)
            elif kind in {"heredoc", "q"}:
                place = self._heredoc(match, stop)
            else:
                rule = self._syntax.rules[int(kind[1:])]
                comment = rule.comment
                place = max(self._end(rule, match[0], start, place, stop), place)
            yield Span(start, place, comment)

    def _end(self, rule: Rule, opened: str, start: int, place: int, stop: int) -> int:
        if rule.closes is None:
            return place
        if rule.closes == "":
            found = self._text.find("\n", start, stop)
            return found if found >= 0 else stop
        closes = rule.closes if isinstance(rule.closes, str) else rule.closes(opened)
        if rule.nests:
            return self._nested(rule.nests, closes, place, stop)
        if rule.escapes:
            return self._escaped(closes, place, stop)
        found = self._text.find(closes, place, stop)
        return found + len(closes) if found >= 0 else stop

    def _nested(self, opens: str, closes: str, place: int, stop: int) -> int:
        depth = 1
        for match in re.compile(f"{re.escape(opens)}|{re.escape(closes)}").finditer(self._text, place, stop):
            depth += 1 if match[0] == opens else -1
            if depth == 0:
                return match.end()
        return stop

    def _escaped(self, closes: str, place: int, stop: int) -> int:
        for match in re.compile(rf"\\.|{re.escape(closes)}", re.DOTALL).finditer(self._text, place, stop):
            if match[0] == closes:
                return match.end()
        return stop

    def _template(self, place: int, stop: int, depths: list[int]) -> int:
        """Return where a template ends, or where code begins in it."""
        for match in _IN_TEMPLATE.finditer(self._text, place, stop):
            if match[0] == "`":
                return match.end()
            if match[0] == "${":
                depths.append(0)
                return match.end()
        return stop

    @staticmethod
    def _closes_template(brace: str, depths: list[int]) -> bool:
        """Count a brace; say whether it ends the code in a template."""
        if not depths:
            return False
        depths[-1] += 1 if brace == "{" else -1
        if depths[-1] >= 0:
            return False
        depths.pop()
        return True

    def _regex(self, start: int, stop: int) -> int:
        before = self._text[max(0, start - _LOOK_BACK) : start]
        if self._refused >= _MOST_REFUSED or not _BEFORE_A_REGEX.search(before):
            return start + 1
        match = _REGEX.match(self._text, start, min(stop, start + _LONGEST_REGEX))
        self._refused += match is None
        return match.end() if match else start + 1

    def _heredoc(self, match: re.Match[str], stop: int) -> int:
        """Return the end of the line that closes the text; where none does, nothing was opened."""
        if self._lines is None:
            self._lines = {}
            for line in _CLOSING_LINE.finditer(self._text):
                self._lines.setdefault(line[1], []).append(line.end())
            for ends in self._lines.values():
                ends.reverse()
        ends = self._lines.get(match[0].lstrip("<-~").strip("'\""), [])
        while ends and ends[-1] <= match.end():
            ends.pop()
        return ends[-1] if ends and ends[-1] <= stop else match.end()


def _of_markup(text: str) -> Iterator[Span]:
    """Yield the comments of markup, and those of the scripts and styles in it."""
    both = re.compile(f"<!--|{_SCRIPT.pattern}", re.IGNORECASE)
    lower, place = text.lower(), 0
    while (match := both.search(text, place)) is not None:
        place = match.end()
        if match[0] == "<!--":
            end = text.find("-->", place)
            place = end + 3 if end >= 0 else len(text)
            yield Span(match.start(), place, comment=True)
            continue
        end = lower.find(f"</{match[1].lower()}", place) if len(lower) == len(text) else -1
        end = end if end >= 0 else len(text)
        yield from _CommentsScan(text, LANGUAGES["javascript" if match[1].lower() == "script" else "scss"]).run(
            place, end
        )
        place = end


# Symbols of source texts: the shape that all scanners give, and the digest of a symbol's text.

MOST_SYMBOLS = 5_000
DEEPEST = 20
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A named part of a text: its first and last line, counted from 1."""

    name: str
    line: int
    end: int


def with_digests(blocks: Iterable[Block], text: str) -> tuple[CodeSymbol, ...]:
    """Return the blocks as symbols, by line, the outer ones first; at most 5,000 of them."""
    lines = text.split("\n")
    ordered = sorted(blocks, key=lambda each: (each.line, -each.end, each.name))[:MOST_SYMBOLS]
    # Thousands of functions may share the one line of a minified file.
    digests = {(each.line, each.end): "" for each in ordered}
    for first, last in digests:
        digests[first, last] = symbol_digest(lines, first, last)
    return tuple(CodeSymbol(each.name, each.line, each.end, digests[each.line, each.end]) for each in ordered)


def symbol_digest(lines: list[str], first: int, last: int) -> str:
    """Return the digest of some lines without their common indentation and trailing blanks."""
    own = [line.rstrip() for line in lines[first - 1 : last]]
    blanks = [line[: len(line) - len(line.lstrip())] for line in own if line]
    low, high = (min(blanks), max(blanks)) if blanks else ("", "")
    common = next((place for place, letter in enumerate(low) if letter != high[place : place + 1]), len(low))
    return digest_text("\n".join(line[common:] for line in own).encode("utf-8", "surrogatepass"))


_TOKEN = lazy_pattern(r"[{}();]")
# The name ends where no part can follow: a shorter one would leave `::b` to patterns that go on with a colon.
_NAME = r"~?[^\W\d][\w$]*+(?:(?:::|\.|\\)~?[^\W\d][\w$]*+)*(?!(?:::|\.|\\)~?[^\W\d])"
_BEFORE_PARENTHESIS = lazy_pattern(
    rf"(?<![\w$.@#:])(?<!->)(\$?(?:{_NAME}|`[^`\n]{{1,200}}`))\s*+(?:<[^<>(){{}};]{{0,100}}>)?\s*\Z"
)
_CALLED = lazy_pattern(r"(?<![\w$])([^\W\d][\w$]*+)((?:\.[\w$]++)*)\s*(?:\([^()]{0,100}\)\s*)?\Z")
_TYPE = lazy_pattern(
    r"\b(class|interface|struct|enum|trait|module|namespace|record|object|protocol|extension|mod|union|contract|service)"
    rf"\s+(?:class\s+)?({_NAME})([^=]*)\Z"
)
_LATER_FUNCTION = lazy_pattern(r"\b(?:fun|func|function|def|fn|void|return|new)\b")
_GO_TYPE = lazy_pattern(rf"\btype\s+({_NAME})(?:\[[^\]]{{0,100}}\])?\s+(?:struct|interface)\s*\Z")
_IMPLEMENTS = lazy_pattern(rf"\bimpl\b[^;{{}}]{{0,200}}?({_NAME})\s*(?:<[^{{}}]{{0,100}}>)?\s*(?:\bwhere\b[^{{}}]*)?\Z")
_BARE_FUNCTION = lazy_pattern(rf"\b(?:function|filter|def|sub|proc|workflow)\s+({_NAME})\s*=?\s*\Z")
_ASSIGNED = lazy_pattern(
    rf"({_NAME}|#[\w$]+)\s*(?:!?\??:[^=(){{}};]{{0,100}})?[=:]\s*(?:async\b\s*)?(?:function\b\s*\*?\s*)?\Z"
)
_LONE_ARROW = lazy_pattern(rf"({_NAME})\s*[=:]\s*(?:async\s+)?[^\W\d][\w$]*+\s*=>\s*\Z")
_BEHIND = lazy_pattern(r"[\w\s.,<>\[\]&*?|:'\\!+-]*+(?:=>[\w\s.,<>\[\]&*?|:'\\!+-]*+)*\Z")
_RECEIVER = lazy_pattern(r"([^\W\d]\w*+)(?:\[[^\]]*\])?\s*\Z")
_NOT_A_NAME = frozenset(
    "if for while switch catch return else do try synchronized using lock fixed foreach until unless when match with"
    " select guard case elif sizeof typeof super this await yield throw new in is as defer go loop elseif and or not"
    .split()
)  # fmt: skip
_BEHIND_THE_NAME = frozenset("noexcept throw decltype alignas requires __attribute__ __declspec where pub".split())
_SENTENCES = frozenset(
    "it test describe context specify suite scenario given when then feature should fit xit fdescribe xdescribe bench"
    " beforeEach afterEach TEST_CASE SECTION SCENARIO GIVEN WHEN THEN TEST_CASE_METHOD SUBCASE expect Run Context"
    " Describe It Specify When testWidgets group".split()
)  # fmt: skip
_OWNERS = frozenset({"QUnit", "Deno", "t", "b", "s", "suite", "test", "it", "describe"})
_MACROS = lazy_pattern(r"(?:TYPED_)?TEST(?:_F|_P)?|BOOST_(?:AUTO|FIXTURE)_TEST_(?:CASE|SUITE)|TEST_METHOD|TEST_CLASS")
_ANNOTATION = lazy_pattern(r"\s*(?:@|#\[|\[|template\b)[^{};]*\Z")
_LONGEST_HEADER = 600
_MOST_OPEN = 1_000
"""Deeper is no code; the scan ends there."""


@dataclass(slots=True)
class _OpenBrace:
    """An open brace and what was seen in it: where the present statement starts, its open and closed parentheses."""

    start: int
    name: str = ""
    line: int = 0
    open: list[int] = field(default_factory=list)
    closed: list[tuple[int, int]] = field(default_factory=list)


def brace_blocks(text: str, bare: str) -> tuple[Block, ...]:
    """Return the named blocks of a text; `bare` is its code without comments and strings."""
    return tuple(_Scan(text, bare).run())


class _Scan:
    def __init__(self, text: str, bare: str) -> None:
        self._text = text
        self._bare = bare
        self._starts = [0, *(match.end() for match in re.finditer("\n", bare))]
        self._stack = [_OpenBrace(0)]
        self._named = 0

    def run(self) -> Iterator[Block]:
        """Yield each block where it closes, and those that never do at the end."""
        for match in _TOKEN.finditer(self._bare):
            place, top = match.start(), self._stack[-1]
            if len(self._stack) > _MOST_OPEN:
                break
            if match[0] == "{":
                self._stack.append(self._opened(place))
            elif match[0] == "}":
                yield from self._closed(place)
            elif match[0] == "(":
                top.open.append(place)
            elif match[0] == ")" and top.open:
                before = top.open.pop()
                if not top.open:
                    top.closed.append((before, place))
            elif match[0] == ";" and not top.open:
                top.start = place + 1
                top.closed.clear()
        last = len(self._starts)
        yield from (Block(each.name, each.line, last) for each in self._stack if each.line)

    def _closed(self, place: int) -> Iterator[Block]:
        if len(self._stack) == 1:
            return
        ended = self._stack.pop()
        if ended.line:
            yield Block(ended.name, ended.line, self._line(place))
        top = self._stack[-1]
        if not top.open:  # else the brace stood in a call, which goes on
            top.start = place + 1
            top.closed.clear()

    def _opened(self, place: int) -> _OpenBrace:
        top = self._stack[-1]
        found = None
        if self._named < MOST_SYMBOLS and len(self._stack) <= DEEPEST:
            found = self._in_call(top, place) if top.open else self._declared(top, place)
        if found is None:
            return _OpenBrace(place + 1, top.name)
        self._named += 1
        name, at = " ".join(found[0].split())[:LONGEST_NAME], found[1]
        return _OpenBrace(place + 1, f"{top.name}.{name}" if top.name else name, self._first_line(at))

    def _in_call(self, top: _OpenBrace, place: int) -> tuple[str, int] | None:
        """`it("adds", () => {`: the title, where the brace is that of a function."""
        before = top.open[-1]
        title = self._title(before, place)
        behind = self._bare[max(before, place - _LONGEST_HEADER) : place]
        if title is None or not re.search(r"=>\s*\Z|\bfunc(?:tion)?\b|\|\s*\Z|\bmove\b", behind):
            return None
        return title

    def _title(self, before: int, place: int) -> tuple[str, int] | None:
        """Return the first argument of a call of a test word, and the place of the call."""
        call = _CALLED.search(self._bare[max(0, before - 200) : before])
        if call is None or not (call[1] in _SENTENCES or (call[1] in _OWNERS and call[2])):
            return None
        start = before + 1
        while start < place and self._bare[start].isspace():
            start += 1
        if self._bare[start : start + 1] != STRING:
            return None
        end = start
        while end < place and self._bare[end] == STRING and end - start < LONGEST_NAME + 10:
            end += 1
        title = self._text[start:end].strip().strip("\"'`")
        return (title, max(0, before - 200) + call.start()) if title else None

    def _declared(self, top: _OpenBrace, place: int) -> tuple[str, int] | None:
        start = max(top.start, place - _LONGEST_HEADER)
        header = self._bare[start:place]
        found = self._type(header) or self._function(top, place) or self._without_parentheses(header)
        if found is None or found[0] in _NOT_A_NAME:
            return None
        name, at = found
        return name.replace("::", ".").replace("\\", ".").strip("`$"), at if at >= 0 else start + len(header) + at

    def _type(self, header: str) -> tuple[str, int] | None:
        """Return the name of a class or the like, and its place before the header's end."""
        go = _GO_TYPE.search(header)
        if go:
            return go[1], go.start() - len(header)
        found = next((each for each in [_TYPE.search(header)] if each), None)
        if found and not _LATER_FUNCTION.search(found[3]):
            plain = found[1] not in {"struct", "enum", "union"} or "(" not in found[3]
            if plain:
                return found[2], found.start() - len(header)
        found = _IMPLEMENTS.search(header)
        return (found[1], found.start() - len(header)) if found else None

    def _without_parentheses(self, header: str) -> tuple[str, int] | None:
        found = _BARE_FUNCTION.search(header) or _LONE_ARROW.search(header)
        return (found[1], found.start() - len(header)) if found else None

    def _function(self, top: _OpenBrace, place: int) -> tuple[str, int] | None:
        """Return the name before the last parentheses that a function's body may follow."""
        groups = top.closed[-6:]
        for each in groups:  # the list of a constructor's members has parentheses of its own
            if re.compile(r"\s*:(?!:)").match(self._bare, each[1] + 1) and place - each[1] > 2:
                groups = groups[: groups.index(each) + 1]
                break
        for number in range(len(groups) - 1, -1, -1):
            before, behind = groups[number]
            if place - behind > _LONGEST_HEADER:
                return None
            found = self._named_before(top, groups, number, place)
            if found is None or found[0] in _BEHIND_THE_NAME:
                continue
            if groups[-1] is groups[number] and not self._may_follow(behind, place):
                return None
            return self._title(before, place) or found
        return None

    def _may_follow(self, behind: int, place: int) -> bool:
        rest = self._bare[behind + 1 : place]
        return bool(_BEHIND.match(rest)) or bool(re.match(r"\s*:(?!:)", rest))

    def _named_before(
        self, top: _OpenBrace, groups: list[tuple[int, int]], number: int, place: int
    ) -> tuple[str, int] | None:
        before, behind = groups[number]
        start = max(top.start, before - LONGEST_NAME)
        text = self._bare[start:before]
        arrow = self._bare[behind + 1 : place].rstrip().endswith("=>")
        assigned = _ASSIGNED.search(text) if arrow or re.search(r"\bfunction\b\s*\*?\s*\Z", text) else None
        if assigned:
            return assigned[1], start + assigned.start()
        found = _BEFORE_PARENTHESIS.search(text)
        if found is None:
            quoted = re.search(rf"\bdef\s+({STRING}+)\s*\Z", text)
            return (self._text[start + quoted.start(1) + 1 : start + quoted.end(1) - 1], start) if quoted else None
        name, at = found[1], start + found.start(1)
        words = text[: found.start(1)].split()
        if name in _NOT_A_NAME or name in {"function", "func", "fn", "fun", "def"} or words[-1:] in (["new"], ["="]):
            return None
        if _MACROS.fullmatch(name):
            return ".".join(part.strip() for part in self._bare[before + 1 : behind].split(",")[:2]), at
        if number and re.search(r"\bfunc\s*\Z", self._bare[max(0, groups[number - 1][0] - 10) : groups[number - 1][0]]):
            receiver = _RECEIVER.search(self._bare[groups[number - 1][0] + 1 : groups[number - 1][1]])
            name = f"{receiver[1]}.{name}" if receiver else name
        return name, at

    def _line(self, place: int) -> int:
        return bisect_right(self._starts, place)

    def _first_line(self, place: int) -> int:
        """Return the line of a declaration, or that of the annotations right above it."""
        line = self._line(place)
        for _ in range(20):
            above = self._bare[self._starts[line - 2] : self._starts[line - 1] - 1] if line > 1 else ""
            if not _ANNOTATION.match(above[:400]):
                break
            line -= 1
        return line
