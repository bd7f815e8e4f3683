"""Which functions and other pieces of the best files bear on a task."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice
from operator import mul
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.code.rules.graph import CALLABLE, FILE, TYPES, Definition, Mark, SearchedCode, outwards
from verifflowcc.code.rules.task_words import TaskTerms, WordCounter, files_meant, paths_with, words_in

if TYPE_CHECKING:
    from verifflowcc.code.rules.repository_map import FileGraph

# Files are ranked by words in path, names and text (BM25 over fields), by names and paths that the task has verbatim,
# by imports (personalised PageRank), and a little by how many files depend on them and by size. The best of them are
# then ranked by their own name, and by how much of the task is in one of their pieces: words that are together in a
# function say more than the same words all over a file.
#
# Only sums, products, quotients and rounded logarithms are used: others differ in their last bits between machines.


@dataclass(frozen=True, slots=True)
class FileWeights:
    """What each part of the evidence weighs; the best file by a part has 1.0 of it.

    `path`, `names` and `text` are the fields of BM25, `saturation` its k1, `length` its b. `words` is for their sum.
    `links` is for PageRank from what the task speaks of, `central` for the same from everywhere, `size` for long files,
    which change more often; `exact` for a file that defines a name of the task literally, `spoken` for one whose path
    or name is in the task, `piece` for one with a piece that has all words of the task, `called` for one whose own name
    is of words of the task, `earlier` for one that commits of like words changed. `marked` is what is left of a file
    that has a mark, `aside` of one that is beside what the repository is about.
    """

    path: float = 10.0
    names: float = 1.5
    text: float = 0.5
    saturation: float = 6.0
    length: float = 0.35
    words: float = 1.0
    links: float = 0.4
    exact: float = 0.5
    spoken: float = 1.0
    central: float = 0.1
    size: float = 0.3
    piece: float = 0.5
    called: float = 0.2
    earlier: float = 0.3
    marked: float = 0.3
    aside: float = 0.5


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file with its score and the parts of it, by name."""

    path: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


_PARTS = ("central", "exact", "links", "size", "spoken", "words")
"""The parts of a file's score, in the order in which they are summed."""
_TESTS = frozenset({Mark.TEST})


def rank_files(
    asked: TaskTerms,
    code: SearchedCode,
    graph: "FileGraph",
    weights: FileWeights | None = None,
    *,
    unmarked: bool = False,
) -> list[RankedFile]:
    """Return the files that any evidence speaks for, best first, ties by path.

    With `unmarked`, files with a mark (tests, vendored ones) count as the others do.
    """
    return FileEvidence(asked, code, graph, weights or FileWeights()).ranked(unmarked=unmarked)


class FileEvidence:
    """What speaks for each file of a graph; from it files are ranked, with marks and without, by one look at all."""

    def __init__(self, asked: TaskTerms, code: SearchedCode, graph: "FileGraph", by: FileWeights) -> None:
        from verifflowcc.code.rules.repository_map import aside_among  # words alone need no graph of files

        self._paths, self._graph, self._by = graph.paths, graph, by
        words, exact = _shares(by_words(asked, code, by)), _exact(asked, code)
        spoken, size = _spoken(asked, code), _size(code)
        seeds: dict[str, float] = {}
        for weight, given in ((1.0, words), (by.exact, exact), (by.spoken, spoken)):
            for path, value in given.items():
                seeds[path] = seeds.get(path, 0.0) + weight * value
        # By the places of the graph: of a large repository most files are ranked far down, and are to cost little each.
        self._words, self._exact, self._spoken, self._size, self._seeds = (
            [given.get(path, 0.0) for path in self._paths] for given in (words, exact, spoken, size, seeds)
        )
        self._aside = [by.aside if aside else 1.0 for aside in aside_among(self._paths)]
        files = (code.files.get(path) for path in self._paths)
        self._marks = [None if each is None else each.marks for each in files]

    def ranked(self, *, unmarked: bool, most: int | None = None) -> list[RankedFile]:
        """Return the files, best first, ties by path; with `unmarked`, those with a mark count as the others do.

        Where `most` is given, no more than so many.
        """
        scores, rows = self._scored(unmarked=unmarked)
        order = sorted(scores) if most is None else nsmallest(most, scores)
        weights = self._weights()
        return [
            RankedFile(self._paths[at], -score, dict(zip(_PARTS, map(mul, weights, rows[at]), strict=True)))
            for score, at in order
        ]

    def with_tests(self, best: int) -> list[RankedFile]:
        """Return all tests and so many others without a mark, in the order of `ranked` with `unmarked`.

        They come without the parts of their scores.
        """
        order = sorted(self._scored(unmarked=True)[0])
        plain = {at for _, at in islice((each for each in order if not self._marks[each[1]]), best)}
        return [RankedFile(self._paths[at], -score) for score, at in order if self._marks[at] == _TESTS or at in plain]

    def _weights(self) -> tuple[float, ...]:
        return tuple(getattr(self._by, name) for name in _PARTS)

    def _scored(self, *, unmarked: bool) -> tuple[list[tuple[float, int]], list[tuple[float, ...]]]:
        """Return the score below zero and the place of each file that any evidence speaks for, and each file's row.

        So the best is the least: places are in the order of paths. A row has its parts, each not weighed yet.
        """
        factors, weights = self._aside, self._weights()
        if not unmarked:
            factors = [self._by.marked if marks else aside for marks, aside in zip(self._marks, factors, strict=True)]
        from verifflowcc.code.rules.repository_map import page_rank

        walked = page_rank([seed * factor for seed, factor in zip(self._seeds, factors, strict=True)], self._graph.near)
        most = max(walked, default=0.0)
        links = [each / most for each in walked] if most else walked
        rows = list(zip(self._graph.central, self._exact, links, self._size, self._spoken, self._words, strict=True))
        speaks = map(any, zip(self._words, self._exact, self._spoken, links, strict=True))
        every = enumerate(zip(rows, factors, self._marks, speaks, strict=True))
        return [
            (-sum(map(mul, weights, row)) * factor, at)
            for at, (row, factor, marks, any_speaks) in every
            if any_speaks and marks is not None
        ], rows


def by_words(
    asked: TaskTerms, code: SearchedCode, by: FileWeights, among: Container[str] | None = None
) -> dict[str, float]:
    """Return path → BM25 over the fields path, names and text; of files `among` some alone, where these are given."""
    lengths = code.lengths()
    if not lengths or not asked.words:
        return {}
    mean = sum(lengths.values()) / len(lengths) or 1.0
    postings = code.postings(asked.words)
    in_paths = paths_with(asked.words, list(lengths))
    scores: dict[str, float] = {}
    for word in sorted(asked.words):
        posted, named = postings.get(word, ()), in_paths.get(word, ())
        holding = len({path for path, _, _ in posted}.union(named)) if named else len(posted)
        counts: dict[str, float] = {}
        for path, text, names in posted:
            if among is None or path in among:
                norm = 1.0 - by.length + by.length * lengths.get(path, 0) / mean
                counts[path] = (by.text * text + by.names * names) / norm
        for path in named:
            if among is None or path in among:
                counts[path] = counts.get(path, 0.0) + by.path
        rarity = asked.words[word] * idf(holding, len(lengths))
        for path, count in counts.items():
            scores[path] = scores.get(path, 0.0) + rarity * count / (count + by.saturation)
    return scores


def idf(holding: int, of: int) -> float:
    """Return the weight of a word that `holding` of `of` texts have.

    It is rounded, since logarithms differ by machine.
    """
    return round(math.log(1.0 + (of - holding + 0.5) / (holding + 0.5)), 3)


def _exact(asked: TaskTerms, code: SearchedCode) -> dict[str, float]:
    """Files that define names of the task: a name that many define says less of each."""
    found: dict[str, float] = {}
    for name in sorted(asked.names):
        paths = code.defining(name)
        for path in paths:
            found[path] = found.get(path, 0.0) + 1.0 / len(paths)
    return {path: min(1.0, value) for path, value in found.items()}


def _spoken(asked: TaskTerms, code: SearchedCode) -> dict[str, float]:
    found: dict[str, float] = {}
    wanted = dict.fromkeys(given.strip("./") for given in sorted(asked.paths))
    for paths in files_meant(wanted, code.files).values():
        for path in paths:
            found[path] = max(found.get(path, 0.0), 1.0 / len(paths))
    return found


def _size(code: SearchedCode) -> dict[str, float]:
    """How many words each file has, as a share of the digits of the longest: a long file is changed more often."""
    lengths = code.lengths()
    most = max((length.bit_length() for length in lengths.values()), default=0)
    return {path: length.bit_length() / most for path, length in lengths.items()} if most else {}


def _mark_factor(code: SearchedCode, path: str, by: FileWeights, unmarked: bool) -> float:
    each = code.files.get(path)
    if each is not None and each.marks and not unmarked:
        return by.marked
    from verifflowcc.code.rules.repository_map import aside_among

    return by.aside if aside_among((path,))[0] else 1.0


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    """The same scores, the best of them 1.0."""
    best = max(scores.values(), default=0.0)
    return {path: value / best for path, value in scores.items()} if best else {}


# A source file is cut into units, the pieces that a prompt shows: each function whole, and the lines between them.


@dataclass(frozen=True, slots=True)
class CodeUnit:
    """The lines `first` to `last` of a file. `place` is the function, the type whose own lines these are, or FILE."""

    first: int
    last: int
    place: int


def units_of(definitions: Sequence[Definition], lines: Sequence[str]) -> tuple[CodeUnit, ...]:
    """Return the units of a text of so many lines, in order; together they hold every line that is not blank.

    A function holds the functions inside of it, a comment right before it, and up to three lines that follow it and are
    none of another's: `method.is_safe = True`. Long stretches between functions are cut at blank lines.
    """
    owner = [FILE] * (len(lines) + 2)
    for place, each in enumerate(definitions):
        if each.kind in TYPES and not _in_callable(definitions, place):
            _claim(owner, each, place)
    for place, each in enumerate(definitions):
        if each.kind in CALLABLE and not _in_callable(definitions, place):
            _claim(owner, each, place)
    joined = _joined(list(_runs(owner, lines)), lines, definitions)
    return tuple(part for unit in joined for part in _parts(unit, lines, definitions))


_FOLLOWING = 3
_LONGEST, _SHORTEST = 40, 12
"""A stretch of more lines than the first is cut, into parts of the second at least."""
_COMMENT = ("#", "//", "/*", "*", "--")


def _joined(units: Sequence[CodeUnit], lines: Sequence[str], definitions: Sequence[Definition]) -> list[CodeUnit]:
    """Give small pieces between functions to the function that they belong to."""
    found: list[CodeUnit] = []
    for unit in units:
        before = found[-1] if found else None
        if before is not None and _is_comment(before, lines) and _is_function(unit, definitions):
            found[-1] = CodeUnit(before.first, unit.last, unit.place)
        elif before is not None and _follows(before, unit, lines, definitions):
            found[-1] = CodeUnit(before.first, unit.last, before.place)
        else:
            found.append(unit)
    return found


def _parts(unit: CodeUnit, lines: Sequence[str], definitions: Sequence[Definition]) -> Iterator[CodeUnit]:
    """Cut a long stretch that is no function where a blank line comes before one that is not indented further."""
    if _is_function(unit, definitions) or unit.last - unit.first < _LONGEST:
        yield unit
        return
    indent = _indent(lines[unit.first - 1])
    first = last = unit.first
    for number in range(unit.first, unit.last + 1):
        if not lines[number - 1].strip():
            continue
        cut = number > last + 1 and _indent(lines[number - 1]) <= indent and number - first >= _SHORTEST
        if cut and unit.last - number >= _SHORTEST // 2:
            yield CodeUnit(first, last, unit.place)
            first = number
        last = number
    yield CodeUnit(first, last, unit.place)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_function(unit: CodeUnit, definitions: Sequence[Definition]) -> bool:
    return unit.place != FILE and definitions[unit.place].kind in CALLABLE


def _is_comment(unit: CodeUnit, lines: Sequence[str]) -> bool:
    stripped = [line.strip() for line in lines[unit.first - 1 : unit.last]]
    return all(not line or line.startswith(_COMMENT) for line in stripped)


def _follows(before: CodeUnit, unit: CodeUnit, lines: Sequence[str], definitions: Sequence[Definition]) -> bool:
    """Whether a few lines that are no definition come after a function."""
    if not _is_function(before, definitions) or _is_function(unit, definitions) or _is_comment(unit, lines):
        return False
    count = sum(1 for line in lines[unit.first - 1 : unit.last] if line.strip())
    begins = any(unit.first <= each.line <= unit.last and each.kind in TYPES for each in definitions)
    return count <= _FOLLOWING and not begins


def _claim(owner: list[int], each: Definition, place: int) -> None:
    first, last = each.start or each.line, min(each.end, len(owner) - 2)
    for line in range(first, last + 1):
        owner[line] = place


def _in_callable(definitions: Sequence[Definition], place: int) -> bool:
    return any(definitions[around].kind in CALLABLE for around in outwards(definitions, place))


def _runs(owner: Sequence[int], lines: Sequence[str]) -> Iterator[CodeUnit]:
    """Runs of lines of one owner, without blank lines at their ends."""
    first = 0
    last = 0
    for number in range(1, len(lines) + 2):
        blank = number > len(lines) or not lines[number - 1].strip()
        if first and (number > len(lines) or (not blank and owner[number] != owner[first])):
            yield CodeUnit(first, last, owner[first])
            first = 0
        if not blank:
            first = first or number
            last = number


_Term = TypeVar("_Term", str, tuple[str, str])
MAX_LISTED_WORDS = 5
FILES = 20
"""Pieces of so many of the best files are looked at."""


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """What each part of the evidence for a piece weighs; the best piece by words has 1.0, and so has the best file.

    `names` is how much more a word counts in the piece's own name, `around` in the names around it. `length` is BM25's
    b, and no piece counts as shorter than `least` of the mean. `pairs` is for words that are side by side in the task
    and in the piece. `exact` is for a piece that defines a name of the task
    literally, `says` for one whose text has it, `imports` for what a file imports. `further` is what a piece loses
    for each doubling of the pieces of its file up to it: a task is rarely about one file alone, and the words of a long
    file are in many pieces of it.
    """

    file: float = 2.0
    names: float = 3.0
    around: float = 1.5
    length: float = 0.75
    least: float = 0.3
    saturation: float = 5.0
    pairs: float = 0.5
    exact: float = 0.6
    says: float = 0.6
    imports: float = 0.3
    further: float = 0.25


_IMPORTS = 4
"""A piece is of imports where at least one of so many of its lines is one."""
_MEMBER = 0.5
"""What counts of `exact` for a member of a type that the task names."""


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """A piece of a file with its score. `name` is the qualified name of what it is or belongs to; empty for a file.

    `part` is the part of a mix that it belongs to. `named` is a piece of a type that the task names.
    """

    path: str
    unit: CodeUnit
    name: str
    score: float
    lines: tuple[str, ...]
    why: str = ""
    part: str = ""
    named: bool = False


def rank_units(
    asked: TaskTerms, code: SearchedCode, files: Sequence[RankedFile], weights: UnitWeights | None = None
) -> list[RankedUnit]:
    """Return the pieces of the best files, best first; ties by path and line."""
    by = weights or UnitWeights()
    return _units_in_order(_scored(asked, code, files[:FILES], by), {each.path: each.score for each in files}, by)


def rank_code(
    asked: TaskTerms,
    code: SearchedCode,
    graph: "FileGraph | FileEvidence",
    *,
    unmarked: bool = False,
    earlier: Mapping[str, float] | None = None,
    most: int | None = None,
) -> tuple[list[RankedFile], list[RankedUnit]]:
    """Return the files as `rank_files`, the best of them by their pieces too, and the pieces of these in order.

    `earlier` is how well commits that changed a file bear on the task, by path; without it, no more than `most` files
    are returned, which are at least those that pieces are taken of. What speaks for the files may be given where it is
    known.
    """
    by, of_files = UnitWeights(), FileWeights()
    evidence = graph if isinstance(graph, FileEvidence) else FileEvidence(asked, code, graph, of_files)
    files = evidence.ranked(unmarked=unmarked, most=None if earlier or most is None else max(most, FILES))
    if earlier:
        factors = {path: _mark_factor(code, path, of_files, unmarked) for path in earlier}
        files = _with_earlier(files, {path: of_files.earlier * factors[path] * earlier[path] for path in factors})
    scored = _scored(asked, code, files[:FILES], by)
    best: dict[str, float] = {}
    for each in scored:
        best[each.piece.path] = max(best.get(each.piece.path, 0.0), each.held)
    ranked = [*files]
    for place, file in enumerate(files[:FILES]):
        if file.path in best:
            gained = {"piece": of_files.piece * best[file.path], "called": of_files.called * _called(asked, file.path)}
            score = file.score + sum(gained.values()) * _mark_factor(code, file.path, of_files, unmarked)
            parts = {**file.parts, **{name: value for name, value in gained.items() if value}}
            ranked[place] = RankedFile(file.path, score, parts)
    ranked.sort(key=lambda each: (-each.score, each.path))
    return ranked, _units_in_order(scored, {each.path: each.score for each in ranked}, by)


def _with_earlier(files: Iterable[RankedFile], gains: Mapping[str, float]) -> list[RankedFile]:
    found = [
        replace(each, score=each.score + gained, parts={**each.parts, "earlier": gained})
        if (gained := gains.get(each.path, 0.0))
        else each
        for each in files
    ]
    return sorted(found, key=lambda each: (-each.score, each.path))


def _called(asked: TaskTerms, path: str) -> float:
    """Return the share of the words of a file's own name that are words of the task."""
    words = set(words_in(path.rpartition("/")[2].partition(".")[0]))
    return sum(word in asked.words for word in words) / len(words) if words else 0.0


@dataclass(frozen=True, slots=True)
class _Scored:
    """A piece with its share of the best one's score by words, what it holds of the task's words, why it is there."""

    piece: "_Piece"
    words: float
    held: float
    why: str


def _scored(asked: TaskTerms, code: SearchedCode, files: Sequence[RankedFile], by: UnitWeights) -> list[_Scored]:
    code.heads([each.path for each in files])
    wanted = WordCounter(asked.words, asked.pairs)
    pieces = [piece for each in files for piece in _pieces(asked, wanted, code, each.path)]
    if not pieces:
        return []
    rarity = _rarity(asked.words, [piece.counts for piece in pieces])
    mean = sum(piece.words for piece in pieces) / len(pieces) or 1.0
    pairs = _rarity(asked.pairs, [piece.pairs for piece in pieces])
    scores = [_by_words(piece, rarity, pairs, mean, by) for piece in pieces]
    best, whole = max(scores) or 1.0, sum(rarity.values()) or 1.0
    found = []
    for piece, score in zip(pieces, scores, strict=True):
        held = sum(rarity[word] for word in sorted(piece.counts)) / whole
        found.append(_Scored(piece, score / best, held, _why(piece, rarity)))
    return found


def _units_in_order(scored: Sequence[_Scored], files: Mapping[str, float], by: UnitWeights) -> list[RankedUnit]:
    best_file = max(files.values(), default=1.0) or 1.0
    found = []
    for each in scored:
        piece, of_file = each.piece, files[each.piece.path] / best_file
        total = each.words + (by.file + by.imports * piece.imports) * of_file
        total += by.exact * piece.exact + by.says * piece.says
        found.append(RankedUnit(piece.path, piece.unit, piece.name, total, piece.lines, each.why))
    return _in_order(replace(each, score=each.score - lost) for each, lost in _further(_in_order(found), by.further))


def _in_order(pieces: Iterable[RankedUnit]) -> list[RankedUnit]:
    return sorted(pieces, key=lambda each: (-each.score, each.path, each.unit.first))


def _further(pieces: Sequence[RankedUnit], weight: float) -> Iterator[tuple[RankedUnit, float]]:
    """Yield each piece with what it loses by the pieces of its file that come before it."""
    before: dict[str, int] = {}
    for each in pieces:
        before[each.path] = before.get(each.path, 0) + 1
        yield each, weight * round(math.log2(before[each.path]), 9)


@dataclass(frozen=True, slots=True)
class _Piece:
    path: str
    unit: CodeUnit
    name: str
    lines: tuple[str, ...]
    counts: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    own: frozenset[str]
    around: frozenset[str]
    words: int
    exact: float
    says: float
    imports: bool


def _pieces(asked: TaskTerms, wanted: WordCounter, code: SearchedCode, path: str) -> list[_Piece]:
    data = code.text(path)
    if data is None:
        return []
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "replace").split("\n")]
    head = code.head(path)
    definitions = head.definitions
    inside = _defined_in(definitions)
    imported = sorted(each.line for each in head.imports)
    found = []
    for unit in units_of(definitions, lines):
        shown = tuple(lines[unit.first - 1 : unit.last])
        text = "\n".join(shown)
        counts, words = wanted.counts(text)
        names = [definitions[unit.place].name] if unit.place != FILE else []
        names += [each.name for each in inside if unit.first <= each.line <= unit.last]
        outer = [definitions[around].name for around in outwards(definitions, unit.place)][::-1]
        exact = 1.0 if not asked.names.isdisjoint(names) else _MEMBER * (not asked.names.isdisjoint(outer))
        says = sum(name in text for name in asked.names) / (len(asked.names) or 1)
        taken = bisect_right(imported, unit.last) - bisect_left(imported, unit.first)
        found.append(
            _Piece(
                path,
                unit,
                ".".join([*outer, *names[:1]]),
                shown,
                counts,
                wanted.pairs(text, counts),
                frozenset(word for name in names for word in wanted.of[name]),
                frozenset(word for name in outer for word in wanted.of[name]),
                words,
                exact,
                says,
                taken * _IMPORTS >= sum(1 for line in shown if line.strip()),
            )
        )
    return found


def _defined_in(definitions: Sequence[Definition]) -> list[Definition]:
    """Return the named definitions between functions: constants, fields."""
    return [each for each in definitions if each.kind not in CALLABLE and each.kind not in TYPES]


def _why(piece: _Piece, rarity: Mapping[str, float]) -> str:
    """The words of the task that tell most of it, and whether it defines a name of the task."""
    held = piece.counts.keys() | (piece.own & rarity.keys())
    words = sorted(held, key=lambda word: (-rarity[word], word))[:MAX_LISTED_WORDS]
    clauses = [
        *(["it defines a name of the task"] if piece.exact else []),
        *([f"words: {' '.join(words)}"] if words else []),
    ]
    return "; ".join(clauses) or "its file bears on the task"


def _rarity(weights: Mapping[_Term, float], counts: Sequence[Mapping[_Term, int]]) -> dict[_Term, float]:
    """Word or pair → its weight, by how few of the pieces have it."""
    holding: dict[_Term, int] = {}
    for each in counts:
        for term in each:
            holding[term] = holding.get(term, 0) + 1
    return {term: weight * idf(holding.get(term, 0), len(counts)) for term, weight in weights.items()}


def _by_words(
    piece: _Piece, rarity: Mapping[str, float], pairs: Mapping[tuple[str, str], float], mean: float, by: UnitWeights
) -> float:
    norm = 1.0 - by.length + by.length * max(piece.words, by.least * mean) / mean
    score = 0.0
    for word in sorted(piece.counts.keys() | (piece.own & rarity.keys()) | (piece.around & rarity.keys())):
        count = piece.counts.get(word, 0) / norm
        count += by.names * (word in piece.own) + by.around * (word in piece.around)
        score += rarity[word] * count / (count + by.saturation)
    return score + by.pairs * sum(pairs[pair] * n / (n + norm) for pair, n in sorted(piece.pairs.items()))
