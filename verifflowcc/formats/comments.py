"""The comments and strings of a source text, found in one pass that takes time in proportion to its length."""

import re
from collections.abc import Iterator
from functools import lru_cache

from verifflowcc.formats.comment_syntax import LANGUAGES, Rule, Syntax
from verifflowcc.records import dataclass

STRING = "\x01"
"""What stands in the bare code for each letter of a string."""

_NOT_A_LINE_END = re.compile(r"[^\n]")
_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*+")
_BEFORE_A_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|yield))\s*\Z")
_LOOK_BACK = 40
_LONGEST_REGEX = 1_000
_MOST_REFUSED = 10_000
"""So many slashes may turn out to open no pattern; from then on they all divide."""

_DIRECTIVE = re.compile(r"^[ \t]*#[^\n\\]*+(?:\\.[^\n\\]*+)*", re.MULTILINE | re.DOTALL)
_CLOSING_LINE = re.compile(r"^[ \t]*+(\w++)(?=[;,)]*+[ \t]*+$)", re.MULTILINE)
_SCRIPT = re.compile(r"<(script|style)\b[^>]{0,500}>", re.IGNORECASE)


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
    return tuple(_Scan(text, syntax).run(0, len(text)))


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


class _Scan:
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
        yield from _Scan(text, LANGUAGES["javascript" if match[1].lower() == "script" else "scss"]).run(place, end)
        place = end
