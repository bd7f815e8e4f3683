"""Which functions and other pieces of the best files bear on a task."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.codegraph.asked import Asked
from verifflowcc.codegraph.rank_files import RankedFile, idf
from verifflowcc.codegraph.units import Unit, units_of
from verifflowcc.codegraph.words import Wanted
from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Definition, SearchedCode, outwards
from verifflowcc.records import dataclass, replace

WORDS_TOLD = 5
FILES = 20
"""Pieces of so many of the best files are looked at."""


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """What each part of the evidence for a piece weighs; the best piece by words has 1.0, and so has the best file.

    `names` is how much more a word counts in the piece's own name, `around` in the names around it. `length` is BM25's
    b, and no piece counts as shorter than `least` of the mean. `exact` is for a piece that defines a name of the task
    as it stands, `says` for one whose text has it. `further` is what a piece loses for each doubling of the pieces of
    its file up to it: a task is rarely about one file alone, and the words of a long file are in many pieces of it.
    """

    file: float = 0.8
    names: float = 1.0
    around: float = 1.5
    length: float = 0.9
    least: float = 0.3
    saturation: float = 10.0
    exact: float = 1.0
    says: float = 0.6
    further: float = 0.05


_MEMBER = 0.5
"""What counts of `exact` for a member of a type that the task names."""


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """A piece of a file with its score. `name` is the qualified name of what it is or belongs to; empty for a file.

    `part` is the part of a mix that it belongs to. `named` is a piece of a type that the task names.
    """

    path: str
    unit: Unit
    name: str
    score: float
    lines: tuple[str, ...]
    why: str = ""
    part: str = ""
    named: bool = False


def rank_units(
    asked: Asked, code: SearchedCode, files: Sequence[RankedFile], weights: UnitWeights | None = None
) -> list[RankedUnit]:
    """Return the pieces of the best files, best first; ties by path and line."""
    by = weights or UnitWeights()
    rarity = _rarity(asked, code)
    code.heads([each.path for each in files[:FILES]])
    wanted = Wanted(asked.words)
    pieces = [piece for each in files[:FILES] for piece in _pieces(asked, wanted, code, each)]
    if not pieces:
        return []
    mean = sum(piece.words for piece in pieces) / len(pieces) or 1.0
    scores = [_by_words(piece, rarity, mean, by) for piece in pieces]
    best = max(scores) or 1.0
    best_file = files[0].score or 1.0
    found = []
    for piece, score in zip(pieces, scores, strict=True):
        total = score / best + by.file * piece.file.score / best_file + by.exact * piece.exact + by.says * piece.says
        found.append(RankedUnit(piece.file.path, piece.unit, piece.name, total, piece.lines, _why(piece, rarity)))
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
    file: RankedFile
    unit: Unit
    name: str
    lines: tuple[str, ...]
    counts: Mapping[str, int]
    own: frozenset[str]
    around: frozenset[str]
    words: int
    exact: float
    says: float


def _pieces(asked: Asked, wanted: Wanted, code: SearchedCode, file: RankedFile) -> list[_Piece]:
    data = code.text(file.path)
    if data is None:
        return []
    lines = [line.removesuffix("\r") for line in data.decode("utf-8", "replace").split("\n")]
    definitions = code.head(file.path).definitions
    inside = _defined_in(definitions)
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
        found.append(
            _Piece(
                file,
                unit,
                ".".join([*outer, *names[:1]]),
                shown,
                counts,
                frozenset(word for name in names for word in wanted.of[name]),
                frozenset(word for name in outer for word in wanted.of[name]),
                words,
                exact,
                says,
            )
        )
    return found


def _defined_in(definitions: Sequence[Definition]) -> list[Definition]:
    """What stands between functions and has a name: constants, fields, types."""
    return [each for each in definitions if each.kind not in CALLABLE and each.kind not in TYPES]


def _why(piece: _Piece, rarity: Mapping[str, float]) -> str:
    """The words of the task that tell most of it, and whether it defines a name of the task."""
    held = piece.counts.keys() | (piece.own & rarity.keys())
    words = sorted(held, key=lambda word: (-rarity[word], word))[:WORDS_TOLD]
    said = [
        *(["it defines a name of the task"] if piece.exact else []),
        *([f"words: {' '.join(words)}"] if words else []),
    ]
    return "; ".join(said) or "its file bears on the task"


def _rarity(asked: Asked, code: SearchedCode) -> dict[str, float]:
    of = len(code.lengths())
    postings = code.postings(asked.words)
    return {word: weight * idf(len(postings.get(word, ())), of) for word, weight in asked.words.items()}


def _by_words(piece: _Piece, rarity: Mapping[str, float], mean: float, by: UnitWeights) -> float:
    norm = 1.0 - by.length + by.length * max(piece.words, by.least * mean) / mean
    score = 0.0
    for word in sorted(piece.counts.keys() | (piece.own & rarity.keys()) | (piece.around & rarity.keys())):
        count = piece.counts.get(word, 0) / norm
        count += by.names * (word in piece.own) + by.around * (word in piece.around)
        score += rarity[word] * count / (count + by.saturation)
    return score
