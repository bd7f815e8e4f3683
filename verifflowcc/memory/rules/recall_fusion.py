"""How much the meaning of a unit adds to how well its words match, in whole numbers.

What is nearest to the question in meaning, alone or because of what stands beside it, gets `MEANING` of what the best
by words has; what is farthest gets nothing. So the two orders are summed, each from its lowest to its highest. Fusing
ranks instead (reciprocal rank fusion) made the good order by words far worse where it was measured.

Vectors may differ in their last places between machines, so this is for searching, and never for prompts.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from verifflowcc.base.model.recall_values import KeptUnit, Unit
from verifflowcc.memory.rules.recall_scoring import QUESTION, SPEAKER, ScoredUnit

MEANING = 45, 55
"""What meaning counts, and what words count beside it."""

BESIDE = 50
"""What the nearness of the unit before, and of that after, counts in the mean that is taken; the unit itself 100."""

WHOLE = 1_000_000
ALONE = 1_000_000
"""What the best would have by its words, where no word of the question is anywhere."""

Place = tuple[str, int]
"""A unit: its scope, and its number there."""


class SimilarUnit(NamedTuple):
    """A unit with its place and the similarity of its meaning to a question.

    The similarity is in millionths.
    """

    unit: Place
    thread: str
    place: int | None
    similarity: int


def nearness(compared: Sequence[SimilarUnit]) -> dict[Place, int]:
    """Return unit → how near its meaning is: 0 for the farthest of these, `WHOLE` for the nearest.

    Of several units at one place, as two facts of one turn, the nearest counts for those beside it.

    >>> nearness([SimilarUnit(("a", 1), "", None, 800_000), SimilarUnit(("a", 2), "", None, 900_000)])
    {('a', 1): 0, ('a', 2): 1000000}
    """
    if not compared:
        return {}
    mean = sum(each.similarity for each in compared) // len(compared)
    at: dict[tuple[str, str, int], int] = {}
    for each in compared:
        if each.place is not None:
            key = each.unit[0], each.thread, each.place
            at[key] = max(each.similarity - mean, at.get(key, -WHOLE))
    near = {}
    for each in compared:
        total, shares = WHOLE * (each.similarity - mean), 100
        for step in (-1, 1) if each.place is not None else ():
            beside = at.get((each.unit[0], each.thread, (each.place or 0) + step))
            if beside is not None:
                total, shares = total + WHOLE * beside * BESIDE // 100, shares + BESIDE
        near[each.unit] = total // shares
    lowest, highest = min(near.values()), max(near.values())
    return {unit: (value - lowest) * WHOLE // max(1, highest - lowest) for unit, value in near.items()}


def fused(
    scored: Sequence[tuple[str, ScoredUnit]],
    units: Sequence[tuple[str, KeptUnit]],
    near: Mapping[Place, int],
    best: int,
    speakers: frozenset[str] = frozenset(),
) -> list[tuple[str, ScoredUnit]]:
    """Return items with their scopes, by words and meaning together, best first; each has a score above zero.

    `scored` are those that words found, each by its best unit. `units` are all units of those, and of the items that
    are found by their meaning alone; an item's meaning is that of its nearest unit. `best` is the score of the best by
    words of all that is compared; 0 for none.
    """
    found = {(scope, one.kept.path): one for scope, one in scored}
    for scope, kept in units:
        meaning = _meaning(near.get((scope, kept.number), 0), best or ALONE, kept.unit, speakers)
        one = found.get((scope, kept.path))
        if one is None:
            found[scope, kept.path] = ScoredUnit(kept, max(1, meaning), {}, max(1, meaning))
        elif meaning > one.meaning:
            words = one.score - one.meaning
            found[scope, kept.path] = ScoredUnit(one.kept if words else kept, words + meaning, one.matched, meaning)
    summed = [(scope, one) for (scope, _), one in found.items()]
    summed.sort(key=lambda each: (-each[1].score, each[1].kept.path))
    return summed


def _meaning(near: int, best: int, unit: Unit, speakers: frozenset[str]) -> int:
    """What meaning adds; as for words, a turn that ends asking counts less, and one of who is named counts more."""
    meaning, words = MEANING
    added = near * best * meaning // (WHOLE * words)
    if unit.ends_asking and unit.place is not None:
        added = added * QUESTION // 100
    if speakers and set(unit.speaker.split()) >= speakers:
        added = added * SPEAKER // 100
    return added
