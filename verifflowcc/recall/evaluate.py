"""How well recall finds what is known to answer: recall@k and reciprocal ranks, as exact fractions.

Manning, Raghavan and Schütze (2008), chapter 8. Both are means over questions, so that a question with many answers
counts as much as one with a single one.
"""

from collections.abc import Sequence
from fractions import Fraction

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
