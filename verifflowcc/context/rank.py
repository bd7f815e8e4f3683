"""Put the candidates of a layer in order: by relevance to the task, importance, confidence and recency.

All scores are integers and the order is total, so that every clone of a commit ranks alike. The relevance is BM25 in
integer arithmetic (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.75), scaled so that the best candidate has 1,000.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RELEVANCE_WEIGHT = 6
IMPORTANCE_WEIGHT = 2
CONFIDENCE_WEIGHT = 1
RECENCY_WEIGHT = 2
IN_PLAY_BONUS = 2_000
"""For an entry that cites a file that the task names."""

NEUTRAL = 500


@dataclass(frozen=True, slots=True)
class Ranked:
    """What ranking needs to know of one candidate.

    `importance` and `confidence` in thousandths. `recency` is an ISO date or a number with the kind before it, compared
    only within its kind; None is neutral. `matches` holds the occurrences of the task's terms, `length` all terms.
    """

    key: str
    importance: int
    confidence: int
    recency: tuple[str, str | int] | None
    matches: Mapping[str, int]
    length: int
    in_play: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """A candidate's place: `index` into what was ranked, the whole score and what it is made of."""

    index: int
    total: int
    why: str


def rank(candidates: Sequence[Ranked], *, with_task: bool) -> list[Score]:
    """Return all candidates, best first; ties by key."""
    relevance = _relevance(candidates) if with_task else [0] * len(candidates)
    recency = _recency(candidates)
    scores = [
        _score(index, candidate, relevance[index], recency[index], with_task)
        for index, candidate in enumerate(candidates)
    ]
    scores.sort(key=lambda score: (-score.total, candidates[score.index].key))
    return scores


def _score(index: int, candidate: Ranked, relevance: int, recency: int, with_task: bool) -> Score:
    total = (
        RELEVANCE_WEIGHT * relevance
        + IMPORTANCE_WEIGHT * candidate.importance
        + CONFIDENCE_WEIGHT * candidate.confidence
        + RECENCY_WEIGHT * recency
        + (IN_PLAY_BONUS if candidate.in_play else 0)
    )
    relevant = f"relevance {relevance}, " if with_task else ""
    in_play = ", cites a file of the task" if candidate.in_play else ""
    why = f"{relevant}importance {candidate.importance}, confidence {candidate.confidence}, recency {recency}{in_play}"
    return Score(index, total, why)


def _recency(candidates: Sequence[Ranked]) -> list[int]:
    """Thousandths from the oldest to the newest of the same kind."""
    kinds: dict[str, set[str | int]] = {}
    for candidate in candidates:
        if candidate.recency is not None:
            kinds.setdefault(candidate.recency[0], set()).add(candidate.recency[1])
    places: dict[tuple[str, str | int], int] = {}
    for kind, values in kinds.items():
        ordered = sorted(values)
        for place, value in enumerate(ordered):
            places[kind, value] = place * 1000 // (len(ordered) - 1) if len(ordered) > 1 else NEUTRAL
    return [NEUTRAL if one.recency is None else places[one.recency] for one in candidates]


def _relevance(candidates: Sequence[Ranked]) -> list[int]:
    total = len(candidates)
    containing: dict[str, int] = {}
    for candidate in candidates:
        for term in candidate.matches:
            containing[term] = containing.get(term, 0) + 1
    mean = max(1, sum(candidate.length for candidate in candidates) // max(1, total))
    weight = {term: _log2_thousandths((total - n) * 2 + 1, n * 2 + 1) for term, n in containing.items()}
    raw = [_bm25(candidate, weight, mean) for candidate in candidates]
    best = max(raw, default=0)
    return [value * 1000 // best if best else 0 for value in raw]


def _bm25(candidate: Ranked, weight: Mapping[str, int], mean: int) -> int:
    norm = 300 + 900 * candidate.length // mean
    return sum(
        weight[term] * (count * 2200) // (count * 1000 + norm) for term, count in sorted(candidate.matches.items())
    )


def _log2_thousandths(numerator: int, denominator: int) -> int:
    """log2(1 + numerator / denominator) in thousandths, by integers alone: the same on every machine."""
    value = (1 << 20) + ((numerator << 20) // denominator)
    whole = value.bit_length() - 1
    fraction = ((value - (1 << whole)) * 1000) >> whole
    return (whole - 20) * 1000 + fraction
