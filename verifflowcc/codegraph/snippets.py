"""Fill a budget with the pieces of code that bear on a task, and the signatures of what is around them."""

import re
from collections.abc import Callable, Iterable, Sequence

from verifflowcc.codegraph.rank_units import RankedUnit
from verifflowcc.domain.code_views import NotShown, Snippet
from verifflowcc.records import dataclass, replace

Count = Callable[[str], int]

BODIES = 95
"""The percentage of a budget that whole pieces may take, where there are signatures to show beside them."""

LARGEST = 60
"""No piece takes more than this percentage of a budget, so that one long function does not stand for all."""

LOOKED_AT = 1_000
"""So many of the best pieces are tried; further down chance decides."""

TOLD = 12
"""So many of those that are left out are told."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What was chosen, in the order in which it was; what was not; and the tokens of all chosen."""

    snippets: tuple[Snippet, ...]
    not_shown: tuple[NotShown, ...]
    tokens: int


def fill(
    pieces: Sequence[RankedUnit],
    neighbours: Callable[[Sequence[RankedUnit]], Iterable[Snippet]],
    budget_tokens: int,
    count: Count,
    language: Callable[[str], str],
    reserved: int = 0,
) -> Filled:
    """Return what fits, best first; a piece that does not fit does not hide smaller ones.

    `neighbours` yields signatures for the chosen pieces, best first; they get what the pieces leave: `reserved` percent
    or more.
    """
    chosen: list[Snippet] = []
    taken: list[RankedUnit] = []
    left_out: list[NotShown] = []
    room = budget_tokens * min(BODIES, 100 - reserved) // 100
    used = 0
    for piece in pieces[:LOOKED_AT]:
        snippet = snippet_of(piece, count, language(piece.path))
        if used + snippet.tokens <= room and snippet.tokens * 100 <= budget_tokens * LARGEST:
            chosen.append(snippet)
            taken.append(piece)
            used += snippet.tokens
        else:
            why = "longer than what is left" if snippet.tokens * 100 <= budget_tokens * LARGEST else "too long"
            left_out.append(_not_shown(snippet, why))
        if room - used < SMALLEST:
            break
    shown = {(each.path, each.name) for each in chosen}
    for each in neighbours(taken):
        tokens = count(shown_text(each))
        if (each.path, each.name) not in shown and used + tokens <= budget_tokens:
            shown.add((each.path, each.name))
            chosen.append(replace(each, tokens=tokens))
            used += tokens
    return Filled(tuple(chosen), tuple(left_out[:TOLD]), used)


SMALLEST = 24
"""Where fewer tokens are left, nothing that is worth a heading fits."""


def snippet_of(piece: RankedUnit, count: Count, language: str) -> Snippet:
    """Return a piece as it is shown."""
    text = "\n".join(piece.lines)
    first, last = piece.unit.first, piece.unit.last
    snippet = Snippet(piece.path, first, last, piece.name, text, 0, piece.why, language, part=piece.part)
    return replace(snippet, tokens=count(shown_text(snippet)))


def shown_text(snippet: Snippet) -> str:
    """Return a snippet under its heading, in a fence that nothing in it can close.

    >>> print(shown_text(Snippet("a.py", 3, 4, "f", "def f():\\n    pass", 9, "", "python")))
    a.py:3-4 f
    ```python
    def f():
        pass
    ```
    <BLANKLINE>
    """
    heading = f"{snippet.place}{f' {snippet.name}' if snippet.name else ''}"
    if not snippet.whole:
        return f"{heading}: {snippet.text}\n"
    fence = "`" * max(3, _longest_run(snippet.text) + 1)
    return f"{heading}\n{fence}{snippet.language}\n{snippet.text}\n{fence}\n"


def rendered(snippets: Sequence[Snippet]) -> str:
    """Return whole pieces by file and line, then the signatures."""
    whole = sorted((each for each in snippets if each.whole), key=lambda each: (_first(each, snippets), each.first))
    signatures = [each for each in snippets if not each.whole]
    parts = [shown_text(each) for each in whole]
    if signatures:
        parts.append("".join(shown_text(each) for each in signatures))
    return "\n".join(parts)


def _first(snippet: Snippet, snippets: Sequence[Snippet]) -> int:
    """The place of a file's best piece."""
    return next(place for place, each in enumerate(snippets) if each.path == snippet.path)


def _longest_run(text: str) -> int:
    """The longest run of backticks in a text."""
    return max(map(len, re.findall("`+", text)), default=0)


def _not_shown(snippet: Snippet, why: str) -> NotShown:
    return NotShown(snippet.path, snippet.first, snippet.last, snippet.name, snippet.tokens, why)
