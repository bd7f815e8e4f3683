"""Fill a budget with the pieces of code that bear on a task, and the signatures of what is around them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace
from verifflowcc.code.rules.code_views import OmittedPiece, Snippet
from verifflowcc.code.rules.graph import CALLABLE, FILE, Definition, Mark, SearchedCode
from verifflowcc.code.rules.rank_units import CodeUnit, RankedFile, RankedUnit, rank_units
from verifflowcc.code.rules.task_words import TaskTerms

# What sorts of code a prompt shows, and in what order: functions, the tests of them, interfaces, or a map.

FLOOR = 10
"""Pieces with less than this percentage of the best one's score are not offered, however much room there is."""

LONGEST_SIGNATURE = 30
"""Of a signature with more lines, the first one is shown; of more lines above it, none."""

LONGEST_DOCSTRING = 10
"""An interface shows so many lines of a docstring at most."""

NEARLY_WHOLE = 80
"""From this percentage of a file on, its other pieces follow at once: a whole file reads better than one with gaps."""

TEST_FILES = 10
"""Pieces of so many of the best test files are looked at."""

FILES_SHOWN_FIRST = 5
"""Of so many of the best test files, a short test comes first."""

SHORT_TEST = 50
"""A short test has at least this percentage of the score of the best one in its file."""

NAMESAKE = 0.5
"""What a test file named after the best file gains, or an n-th of it after the n-th; the best test file has 1.0."""

_T = TypeVar("_T")
NAMESAKES = 5
_DOCSTRING = lazy_pattern(r"""\s*[rR]?(\"{3}|'{3})""")
_TEST_NAME = lazy_pattern(r"^test_|^tests?$|_tests?$|\.(?:test|spec)$|Tests?$", re.IGNORECASE)


def pieces_of_tests(asked: TaskTerms, code: SearchedCode, files: Sequence[RankedFile]) -> list[RankedUnit]:
    """Return the pieces of the tests that bear on a task, best first; `files` are ranked with tests as the others."""
    ranked = test_files(code, files)
    return _one_of_each_first(above_floor(rank_units(asked, code, ranked[:TEST_FILES])), code) if ranked else []


def test_files(code: SearchedCode, files: Sequence[RankedFile]) -> list[RankedFile]:
    """Return the test files among ranked ones, best first, those named after the best other files with a gain."""
    marked = [each for each in files if code.files[each.path].marks == {Mark.TEST}]
    if not marked:
        return []
    plain = [each.path for each in files if not code.files[each.path].marks][:NAMESAKES]
    namesakes = {_stem(path): NAMESAKE / (place + 1) for place, path in reversed(list(enumerate(plain)))}
    best = marked[0].score or 1.0
    ranked = [
        replace(each, score=each.score / best + namesakes.get(_TEST_NAME.sub("", _stem(each.path)), 0.0))
        for each in marked
    ]
    ranked.sort(key=lambda each: (-each.score, each.path))
    return ranked


def _one_of_each_first(pieces: Sequence[RankedUnit], code: SearchedCode) -> list[RankedUnit]:
    """Put a short test of each of the best files before the rest: it shows where and how the subject is tested."""
    by_file: dict[str, list[RankedUnit]] = {}
    for each in pieces:
        if each.unit.place != FILE and code.head(each.path).definitions[each.unit.place].kind in CALLABLE:
            by_file.setdefault(each.path, []).append(each)
    near = [[one for one in those if one.score >= those[0].score * SHORT_TEST / 100] for those in by_file.values()]
    first = [min(those, key=size_of) for those in near[:FILES_SHOWN_FIRST]]
    places = {(each.path, each.unit.first) for each in first}
    return [*first, *(each for each in pieces if (each.path, each.unit.first) not in places)]


def above_floor(pieces: Sequence[RankedUnit]) -> list[RankedUnit]:
    """Return the pieces not too far below the best one, those of named types, and the rest of nearly whole files."""
    least = pieces[0].score * FLOOR / 100 if pieces else 0.0
    by_file: dict[str, list[RankedUnit]] = {}
    for each in pieces:
        by_file.setdefault(each.path, []).append(each)
    chars = {path: sum(map(size_of, rest)) for path, rest in by_file.items()}
    taken = dict.fromkeys(by_file, 0)
    found: dict[tuple[str, int], RankedUnit] = {}
    for each in pieces:
        if (each.score < least and not each.named) or (each.path, each.unit.first) in found:
            continue
        found[each.path, each.unit.first] = each
        taken[each.path] += size_of(each)
        if taken[each.path] * 100 >= chars[each.path] * NEARLY_WHOLE:
            for one in by_file[each.path]:
                found.setdefault((one.path, one.unit.first), one)
    return list(found.values())


def interface(piece: RankedUnit, definitions: Sequence[Definition]) -> RankedUnit | None:
    """Return the piece without the body of a function: its comment, decorators, signature, first lines of docstring.

    None for lines that belong to no definition. The lines of a type between its functions, which are its fields, stay
    as they are.
    """
    last = _signature_end(piece, definitions)
    if last is None:
        return None if piece.unit.place == FILE else piece
    above = _place_of(piece, definitions)
    return _cut(piece, 0 if above <= LONGEST_SIGNATURE else above, _docstring_end(piece.lines, last))


def signature(piece: RankedUnit, definitions: Sequence[Definition]) -> RankedUnit | None:
    """Return the lines of a function's signature alone; as `interface` for what is no function."""
    last = _signature_end(piece, definitions)
    if last is None:
        return None if piece.unit.place == FILE else piece
    return _cut(piece, _place_of(piece, definitions), last)


def _cut(piece: RankedUnit, first: int, last: int) -> RankedUnit:
    unit = CodeUnit(piece.unit.first + first, piece.unit.first + last, piece.unit.place)
    return replace(piece, unit=unit, lines=piece.lines[first : last + 1])


def _place_of(piece: RankedUnit, definitions: Sequence[Definition]) -> int:
    return definitions[piece.unit.place].line - piece.unit.first


def _signature_end(piece: RankedUnit, definitions: Sequence[Definition]) -> int | None:
    """Return the place of the line on which a function's brackets are closed again; None for what is no function."""
    if piece.unit.place == FILE or definitions[piece.unit.place].kind not in CALLABLE:
        return None
    lines, first, depth = piece.lines, _place_of(piece, definitions), 0
    for place in range(first, min(first + LONGEST_SIGNATURE, len(lines))):
        depth += sum(lines[place].count(each) for each in "([") - sum(lines[place].count(each) for each in ")]")
        if depth <= 0:
            return place
    return min(first, len(lines) - 1)


def _docstring_end(lines: Sequence[str], last: int) -> int:
    """Return the place of the last line to show of the docstring after line `last`; else `last`."""
    begin = _DOCSTRING.match(lines[last + 1]) if last + 1 < len(lines) else None
    if begin is None or begin[1] in lines[last + 1][begin.end() :]:
        return last + (begin is not None)
    for place in range(last + 2, min(last + 1 + LONGEST_DOCSTRING, len(lines))):
        if begin[1] in lines[place]:
            return place
    return min(last + LONGEST_DOCSTRING, len(lines) - 1)


def size_of(piece: RankedUnit) -> int:
    """Return the length of a piece in characters."""
    return sum(map(len, piece.lines))


def mixed(parts: Sequence[tuple[int, Sequence[_T]]], size: Callable[[_T], int]) -> Iterator[_T]:
    """Yield all pieces so that, wherever it is cut off, each part has about its share of the whole size.

    Each part is a share and its pieces, in an order that is kept. Next is the part that would be furthest below its
    share with half of its next piece, so that a large piece waits until its part has saved for it; of a tie, the
    earlier part. A part that has run out leaves its share to the others.
    """
    left = [list(reversed(pieces)) for _, pieces in parts]
    used, whole = [0] * len(parts), sum(share for share, _ in parts)

    def lacks(number: int) -> int:
        following = size(left[number][-1])
        return 2 * parts[number][0] * (sum(used) + following) - whole * (2 * used[number] + following)

    while any(left):
        open_parts = (number for number, pieces in enumerate(left) if pieces)
        next_part = max(open_parts, key=lambda number: (lacks(number), -number))
        piece = left[next_part].pop()
        used[next_part] += size(piece)
        yield piece


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0].strip("_")


# Pieces of one file as one text: in source order, inside the headers they belong to, with every gap marked.

GAP = "…"


def page(
    ranges: Collection[tuple[int, int]],
    definitions: Collection[tuple[int, int]],
    lines: Sequence[str],
    *,
    bodies: bool = True,
) -> str:
    """Return the lines of `ranges`, under the first line of each definition around them, as one text.

    Numbers count from 1 and name both ends. `…12-40` marks lines that are left out; blank lines between two shown
    ones, and a single line, are shown instead. Without `bodies` a single line is left out as any other.

    >>> print(page([(5, 6)], [(1, 6)], ["class A:", "  x = 1", "", "  y = 2", "  def f(self):", "    pass", "", "z"]))
    class A:
    …2-4
      def f(self):
        pass
    …8
    """
    shown = {number for first, last in ranges for number in range(first, last + 1)}
    shown |= {line for line, end in definitions if any(line < first and last <= end for first, last in ranges)}
    return "\n".join(_lines(sorted(number for number in shown if 0 < number <= len(lines)), lines, bodies=bodies))


def _lines(shown: Sequence[int], lines: Sequence[str], *, bodies: bool) -> Iterator[str]:
    before = 0
    for number in shown:
        yield from _gap(before + 1, number - 1, lines, most_shown=int(bodies) if before else -1)
        yield lines[number - 1]
        before = number
    yield from _gap(before + 1, len(lines), lines, most_shown=-1)


def _gap(first: int, last: int, lines: Sequence[str], *, most_shown: int) -> Iterator[str]:
    """Yield the lines where at most so many are not blank, else a mark; never the lines where it is below zero."""
    full = [number for number in range(first, last + 1) if lines[number - 1].strip()]
    if len(full) <= most_shown:
        yield from lines[first - 1 : last]
    elif full:
        yield f"{GAP}{full[0]}-{full[-1]}" if full[0] != full[-1] else f"{GAP}{full[0]}"


Count = Callable[[str], int]

BODIES = 95
"""The percentage of a budget that whole pieces may take, where there are signatures to show beside them."""

LARGEST = 60
"""No piece takes more than this percentage of a budget, so that one long function does not stand for all."""

LOOKED_AT = 1_000
"""So many of the best pieces are tried; further down chance decides."""

MAX_LISTED_PIECES = 12
"""So many of those that are left out are told."""


@dataclass(frozen=True, slots=True)
class SnippetSelection:
    """What was chosen, in the order in which it was; what was not; and the tokens of all chosen."""

    snippets: tuple[Snippet, ...]
    not_shown: tuple[OmittedPiece, ...]
    tokens: int


def fill(
    pieces: Sequence[RankedUnit],
    neighbours: Callable[[Sequence[RankedUnit]], Iterable[Snippet]],
    budget_tokens: int,
    count: Count,
    language: Callable[[str], str],
    reserved: int = 0,
) -> SnippetSelection:
    """Return what fits, best first; a piece that does not fit does not hide smaller ones.

    `neighbours` yields signatures for the chosen pieces, best first; they get what the pieces leave: `reserved` percent
    or more.
    """
    chosen: list[Snippet] = []
    taken: list[RankedUnit] = []
    left_out: list[OmittedPiece] = []
    room = budget_tokens * min(BODIES, 100 - reserved) // 100
    used = 0
    shown_of: dict[str, list[Snippet]] = {}
    for piece in pieces[:LOOKED_AT]:
        of_file = shown_of.setdefault(piece.path, [])
        snippet = snippet_of(piece, count, language(piece.path), of_file)
        if used + snippet.tokens <= room and snippet.tokens * 100 <= budget_tokens * LARGEST:
            chosen.append(snippet)
            taken.append(piece)
            of_file.append(snippet)
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
    return SnippetSelection(tuple(chosen), tuple(left_out[:MAX_LISTED_PIECES]), used)


HUNK = "@@"
"""Begins the line over each piece of a file that is shown with several."""

SMALLEST = 24
"""Where fewer tokens are left, nothing that is worth a heading fits."""


def snippet_of(piece: RankedUnit, count: Count, language: str, shown: Sequence[Snippet] = ()) -> Snippet:
    """Return a piece with the tokens that it adds to the pieces of its file that are shown: it shares their heading."""
    text = "\n".join(piece.lines)
    first, last = piece.unit.first, piece.unit.last
    snippet = Snippet(piece.path, first, last, piece.name, text, 0, piece.why, language, part=piece.part)
    if not shown:
        return replace(snippet, tokens=count(shown_text(snippet)))
    tokens = count(_under_mark(snippet))
    if len(shown) == 1:
        tokens += count(f"{snippet.path}\n{_mark_of(shown[0])}") - count(_heading(shown[0]))
    return replace(snippet, tokens=tokens)


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
    if not snippet.whole:
        return f"{_heading(snippet)}: {snippet.text}\n"
    return _fenced(_heading(snippet), snippet.language, f"{snippet.text}\n")


def _heading(snippet: Snippet) -> str:
    return f"{snippet.place} {snippet.name}" if snippet.name else snippet.place


def _under_mark(snippet: Snippet) -> str:
    return f"{_mark_of(snippet)}\n{snippet.text}\n"


def _mark_of(snippet: Snippet) -> str:
    """Return the line over one of several pieces of a file, with its lines and name, as a diff has over a hunk."""
    return f"{HUNK} {_heading(snippet).removeprefix(f'{snippet.path}:')}"


def _fenced(heading: str, language: str, text: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{heading}\n{fence}{language}\n{text}{fence}\n"


def rendered(snippets: Sequence[Snippet]) -> str:
    """Return whole pieces by file and line, those of one file under one heading, then the signatures.

    >>> one = Snippet("a.py", 3, 4, "f", "def f():\\n    pass", 9, "", "python")
    >>> print(rendered([one, Snippet("a.py", 9, 9, "g", "def g(): ...", 9, "", "python")]))
    a.py
    ```python
    @@ 3-4 f
    def f():
        pass
    @@ 9 g
    def g(): ...
    ```
    <BLANKLINE>
    """
    signatures = [each for each in snippets if not each.whole]
    by_file: dict[str, list[Snippet]] = {}
    for each in snippets:
        if each.whole:
            by_file.setdefault(each.path, []).append(each)
    parts = [_of_file(sorted(those, key=lambda each: each.first), several=len(those) > 1) for those in by_file.values()]
    if signatures:
        parts.append("".join(shown_text(each) for each in signatures))
    return "\n".join(parts)


def _of_file(pieces: Sequence[Snippet], *, several: bool) -> str:
    if not several:
        return shown_text(pieces[0])
    return _fenced(pieces[0].path, pieces[0].language, "".join(map(_under_mark, pieces)))


def _longest_run(text: str) -> int:
    """The longest run of backticks in a text."""
    return max(map(len, re.findall("`+", text)), default=0)


def _not_shown(snippet: Snippet, why: str) -> OmittedPiece:
    return OmittedPiece(snippet.path, snippet.first, snippet.last, snippet.name, snippet.tokens, why)
