"""Tests of JavaScript and TypeScript files: calls such as `it("adds", …)`, with their titles and lines."""

import re
from collections.abc import Iterator

from verifflowcc.proving.targets import TestUnit, words_in

_CALL = re.compile(
    r"(?<![\w$.])(?:x|f)?(?:it|test|specify)(?:\.(?:only|skip|concurrent|failing|sequential|fails|todo))*"
    r"(?:\.(?:each|for|skipIf|runIf)\s*(?:`[^`]*`|\((?:[^()]|\([^()]*\))*\)))?"
    r"\s*\(\s*(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
    re.DOTALL,
)
_SKIPPED = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
    r"|(?<=[=(,:\[!&|?{};])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def title_units(text: str) -> Iterator[TestUnit]:
    """Yield the tests of a file, each with the lines from its call to the parenthesis that closes it.

    >>> [(each.name, each.first, each.last) for each in title_units('it("adds", () => {\\n  f();\\n});\\n')]
    [('adds', 1, 3)]
    """
    bare = _SKIPPED.sub(_blanked, text)
    for found in _CALL.finditer(text):
        if not bare[found.start() : found.start() + 2].strip():
            continue  # it is in a comment or a string
        end = _closing(bare, found.end())
        first = text.count("\n", 0, found.start()) + 1
        title = _ESCAPE.sub(r"\1", found["title"])
        yield TestUnit(
            title, title, first, text.count("\n", 0, end) + 1, True, words_in(text[found.start() : end].split("\n"))
        )


def _blanked(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _closing(bare: str, start: int) -> int:
    """Return the place of the parenthesis that closes the one before `start`; the text's end where there is none."""
    depth = 1
    for place in range(start, len(bare)):
        if bare[place] == "(":
            depth += 1
        elif bare[place] == ")":
            depth -= 1
            if not depth:
                return place
    return len(bare)
