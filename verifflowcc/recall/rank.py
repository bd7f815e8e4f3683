"""Put the candidates of a layer in order: by relevance to the task, importance, confidence and recency.

All scores are integers and the order is total, so that every clone of a commit ranks alike. The relevance is that of
`scoring`, scaled so that the best candidate has 1,000.
"""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.recall import FIELDS, NOTHING, Corpus, Extent, KeptUnit, Unit
from verifflowcc.recall.factors import recency
from verifflowcc.recall.question import Question
from verifflowcc.recall.scoring import score
from verifflowcc.records import dataclass

RELEVANCE_WEIGHT = 6
IMPORTANCE_WEIGHT = 2
CONFIDENCE_WEIGHT = 1
RECENCY_WEIGHT = 2
IN_PLAY_BONUS = 2_000
"""For an entry that cites a file that the task names."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What ranking needs to know of one candidate.

    `importance` and `confidence` in thousandths. `recency` is an ISO date or a number with the kind before it, compared
    only within its kind; None is neutral. `extent` is how much of it is searched, and `units` what, where it may match.
    """

    key: str
    importance: int
    confidence: int
    recency: tuple[str, str | int] | None
    extent: Extent = NOTHING
    units: tuple[Unit, ...] = ()
    in_play: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """A candidate's place: `index` into what was ranked, the whole score, and what it is made of.

    `relevance` is from 0, where no word of the task is in it, to 1,000, which the best has.
    """

    index: int
    total: int
    why: str
    relevance: int = 0


def rank(candidates: Sequence[Ranked], task: Question | None) -> list[Score]:
    """Return all candidates, best first; ties by key. Without a task nothing is relevant."""
    relevance = _relevance(candidates, task) if task else [0] * len(candidates)
    recent = recency([candidate.recency for candidate in candidates])
    scores = [
        _score(index, candidate, relevance[index], recent[index], task) for index, candidate in enumerate(candidates)
    ]
    scores.sort(key=lambda score: (-score.total, candidates[score.index].key))
    return scores


def _score(index: int, candidate: Ranked, relevance: int, recent: int, task: Question | None) -> Score:
    total = (
        RELEVANCE_WEIGHT * relevance
        + IMPORTANCE_WEIGHT * candidate.importance
        + CONFIDENCE_WEIGHT * candidate.confidence
        + RECENCY_WEIGHT * recent
        + (IN_PLAY_BONUS if candidate.in_play else 0)
    )
    relevant = f"relevance {relevance}, " if task else ""
    in_play = ", cites a file of the task" if candidate.in_play else ""
    why = f"{relevant}importance {candidate.importance}, confidence {candidate.confidence}, recency {recent}{in_play}"
    return Score(index, total, why, relevance)


def _relevance(candidates: Sequence[Ranked], task: Question) -> list[int]:
    kept: list[KeptUnit] = []
    owner: list[int] = []
    for index, candidate in enumerate(candidates):
        for part, unit in enumerate(candidate.units):
            kept.append(KeptUnit(len(owner), candidate.key, part, unit))
            owner.append(index)
    if not kept:
        return [0] * len(candidates)
    corpus = Corpus(
        sum(candidate.extent.units for candidate in candidates),
        tuple(map(sum, zip(*(candidate.extent.lengths for candidate in candidates), strict=True))),
        _containing(kept, task.terms),
    )
    found = [0] * len(candidates)
    for scored in score(task, corpus, kept, speakers=_speakers(kept, task)):
        index = owner[scored.kept.number]
        found[index] = max(found[index], scored.score)
    best = max(found, default=0)
    return [max(1, value * 1000 // best) if value else 0 for value in found]


def _containing(kept: Sequence[KeptUnit], terms: Mapping[str, str]) -> dict[str, int]:
    """Return term → the number of units that hold it, but for those that hold it as a speaker's name alone."""
    speaker = FIELDS.index("speaker")
    held = dict.fromkeys(terms, 0)
    for each in kept:
        words = {word for place, field in enumerate(each.unit.terms) if place != speaker for word in field.split()}
        for term in words.intersection(held):
            held[term] += 1
    return held


def _speakers(kept: Sequence[KeptUnit], task: Question) -> frozenset[str]:
    said = {word for each in kept for word in each.unit.speaker.split()}
    return task.names.intersection(said)
