"""Which past tasks are most like a text: BM25 over their words, in whole numbers, so that every machine ranks alike."""

from collections.abc import Mapping, Sequence
from math import isqrt

from verifflowcc.records import dataclass

K1_TENTHS = 12
"""k1 is 1.2, and b a half."""


@dataclass(frozen=True, slots=True)
class Posting:
    """How often a term is in a task."""

    task: str
    count: int


def ranked(
    postings: Mapping[str, Sequence[Posting]], lengths: Mapping[str, int], tasks: int, limit: int
) -> tuple[tuple[str, int], ...]:
    """Return the tasks that share words with a text, best first, with their scores; ties by id.

    `postings` are those of the text's terms, `lengths` the terms in each task, `tasks` how many there are in all.
    """
    mean = max(sum(lengths.values()) // max(len(lengths), 1), 1)
    scores: dict[str, int] = {}
    for found in postings.values():
        weight = _rarity(len(found), tasks)
        for each in found:
            length = lengths.get(each.task, mean)
            damping = K1_TENTHS * (mean + length) // (2 * mean)
            scores[each.task] = scores.get(each.task, 0) + weight * each.count * 1000 // (each.count * 10 + damping)
    best = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
    return tuple(best[:limit])


def _rarity(holding: int, tasks: int) -> int:
    """How much a term says: the square root of how many times more tasks there are than hold it, in tenths.

    As the usual logarithm it falls with each task that holds the term, and needs no floating point.
    """
    return isqrt(100 * (tasks + 1) // (holding + 1))
