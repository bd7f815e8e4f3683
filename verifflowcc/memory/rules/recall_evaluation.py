"""How well recall finds what is known to answer: recall@k and reciprocal ranks, as exact fractions.

Manning, Raghavan and Schütze (2008), chapter 8. Both are means over questions, so that a question with many answers
counts as much as one with a single one.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest

# A question to memory whose answers are known: a line of a labelled file, for `vfcc memory eval`.


@dataclass(frozen=True, slots=True)
class Expectation:
    """The name of an item that answers a question, and its line in the file.

    The name is an id, a key, a path or a file's name.
    """

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question in words, from a line of a file, and the items that answer it, at least one.

    `scope` is where it is asked, None: where the others are. The rest is as in `domain.recall.Sought`.
    """

    question: str
    expect: tuple[Expectation, ...]
    line: int
    scope: str | None = None
    types: tuple[str, ...] = ()
    as_of: str | None = None
    everything: bool = False
    files: tuple[str, ...] = ()


# A file of questions whose answers are known: a list of `question`, `expect`, and how it is asked.

KEYS = ("question", "expect", "scope", "type", "as_of", "all", "files")
LONGEST_QUESTION = 2_000
Place = tuple[str | int, ...]


def labelled_queries(value: object, lines: Mapping[Place, int], file: str) -> tuple[LabelledQuestion, ...]:
    """Return the questions of a file that was read as plain values; `lines` has the line of each place in it.

    Raises FormatError with every problem, each `file:line: sentence` on a line of its own. No question at all is one.
    """
    reading = _QuestionReader(lines, file)
    if not isinstance(value, list) or not value:
        reading.wrong((), "there is no question in it; write a list of - question: … and expect: […]")
        value = []
    found = [reading.query(each, (index,)) for index, each in enumerate(value)]
    if reading.problems:
        raise FormatError("\n".join(dict.fromkeys(reading.problems)))
    return tuple(found)


class _QuestionReader:
    """Reads values at places and notes every problem."""

    def __init__(self, lines: Mapping[Place, int], file: str) -> None:
        self.problems: list[str] = []
        self._lines = lines
        self._file = file

    def query(self, value: object, place: Place) -> LabelledQuestion:
        if not isinstance(value, Mapping):
            self.wrong(place, f"a question with its answers is expected ({', '.join(KEYS)}), not {_shown(value)}")
            value = {"question": "-", "expect": ["-"]}
        for key in value:
            if key not in KEYS:
                near = nearest(str(key), KEYS)
                ask = f"did you mean {near}?" if near else f"known are {', '.join(KEYS)}"
                self.wrong((*place, key), f"unknown key {key}; {ask}")
        for key in ("question", "expect"):
            if key not in value:
                self.wrong(place, f"{key} is missing")
        expected = self._texts(value, "expect", place)
        if "expect" in value and not value["expect"]:
            self.wrong((*place, "expect"), "expect names no item; a question that nothing answers cannot be counted")
        return LabelledQuestion(
            self._text(value, "question", place) or "",
            tuple(Expectation(name, self.line((*place, "expect", index))) for index, name in expected),
            self.line(place),
            self._text(value, "scope", place),
            tuple(name for _, name in self._texts(value, "type", place)),
            self._text(value, "as_of", place),
            self._flag(value, "all", place),
            tuple(name for _, name in self._texts(value, "files", place)),
        )

    def wrong(self, place: Place, reason: str) -> None:
        self.problems.append(f"{self._file}:{self.line(place)}: {reason}")

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def _text(self, record: Mapping[str, object], key: str, place: Place) -> str | None:
        value = record.get(key)
        if key not in record:
            return None
        if not isinstance(value, str) or not value.strip():
            self.wrong((*place, key), f"{key} must be text, not {_shown(value)}")
            return None
        if len(value) > LONGEST_QUESTION:
            self.wrong((*place, key), f"{key} is longer than {LONGEST_QUESTION:,} characters")
        return value.strip()

    def _texts(self, record: Mapping[str, object], key: str, place: Place) -> list[tuple[int, str]]:
        """The texts of a list, or a text alone, with their places in it."""
        value = record.get(key, [])
        values: Sequence[object] = value if isinstance(value, list) else [value]
        found: list[tuple[int, str]] = []
        for index, each in enumerate(values):
            at = (*place, key, index)
            if not isinstance(each, str) or not each.strip():
                self.wrong(at, f"{key} must be text or a list of texts, not {_shown(each)}")
            elif each.strip() in [name for _, name in found]:
                self.wrong(at, f"{key} names {each.strip()} twice")
            else:
                found.append((index, each.strip()))
        return found

    def _flag(self, record: Mapping[str, object], key: str, place: Place) -> bool:
        value = record.get(key, False)
        if not isinstance(value, bool):
            self.wrong((*place, key), f"{key} must be true or false, not {_shown(value)}")
        return value is True


def _shown(value: object) -> str:
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value[:40])
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else str(value)


Ranks = Sequence[int | None]
"""The rank of each item that answers a question, from 1; None for one that was not found."""


def recall_at(k: int, questions: Sequence[Ranks]) -> Fraction:
    """Return the share of the answers that are among the best `k`, the mean over questions; there is at least one.

    >>> recall_at(3, [[1, 7], [2]])
    Fraction(3, 4)
    """
    return sum((recall_of(ranks, k) for ranks in questions), Fraction(0)) / len(questions)


def recall_of(ranks: Ranks, k: int) -> Fraction:
    """Return the share of a question's answers that are among the best `k`; it has at least one.

    >>> recall_of([1, None, 3], 3)
    Fraction(2, 3)
    """
    return Fraction(sum(rank is not None and rank <= k for rank in ranks), len(ranks))


def mean_reciprocal_rank(questions: Sequence[Ranks]) -> Fraction:
    """Return the mean over questions of 1 / the rank of the first answer, 0 where none was found.

    >>> mean_reciprocal_rank([[4, 2], [None]])
    Fraction(1, 4)
    """
    return sum((reciprocal_rank(ranks) for ranks in questions), Fraction(0)) / len(questions)


def reciprocal_rank(ranks: Ranks) -> Fraction:
    """Return 1 / the rank of the first answer to a question; 0 where none was found."""
    best = min((rank for rank in ranks if rank is not None), default=None)
    return Fraction(1, best) if best else Fraction(0)


def worst_first(k: int, questions: Sequence[Ranks]) -> list[int]:
    """Return the places of questions, those with the least recall@k first, then the least reciprocal rank.

    >>> worst_first(3, [[1], [None], [4], [2]])
    [1, 2, 3, 0]
    """
    return sorted(
        range(len(questions)), key=lambda at: (recall_of(questions[at], k), reciprocal_rank(questions[at]), at)
    )


def basis_points(share: Fraction) -> int:
    """Return hundredths of a percent, cut and not rounded: what is a little below a threshold is not shown to reach it.

    >>> basis_points(Fraction(2, 3))
    6666
    """
    return share.numerator * 10_000 // share.denominator
