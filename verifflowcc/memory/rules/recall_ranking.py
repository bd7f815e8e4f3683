"""Put the candidates of a layer in order: by relevance to the task, importance, confidence and recency.

All scores are integers and the order is total, so that every clone of a commit ranks alike. The relevance is that of
`scoring`, scaled so that the best candidate has 1,000.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from verifflowcc.base.model.config_values import ExpansionSettings
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.recall_values import FIELDS, NOTHING, Corpus, Edge, Extent, KeptUnit, Parts, Unit
from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.recall_scoring import QuestionTerms, score

# One step along typed links from what was found: a few more items, behind the direct hits and never in their place.

_T = TypeVar("_T")
FROM_BEST = 5
"""Links are followed from so many of the best direct hits."""

SHARE = 3
"""An item that a link brought in has a third of the score of the hit that brought it."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An item at the other end of a link of a hit, with the scope that it is in."""

    item: Item
    scope: str
    edge: Edge


def expanded(
    hits: Sequence[_T],
    known: Iterable[tuple[str, str]],
    around: Callable[[_T], Iterable[Neighbour]],
    settings: ExpansionSettings,
) -> Iterator[tuple[Neighbour, _T]]:
    """Yield what the best direct hits lead to, in their order and each once, with the hit that leads there.

    `known` are the (scope, path) of all direct hits, which are there already; `around` tells what is one link away.
    """
    if not settings.enabled:
        return
    seen, left = set(known), settings.max_items
    for hit in hits[:FROM_BEST]:
        for found in sorted(around(hit), key=lambda each: (each.edge.relation, each.item.path)):
            if left <= 0:
                return
            place = (found.scope, found.item.path)
            if place not in seen and found.item.confidence >= settings.min_confidence:
                seen.add(place)
                left -= 1
                yield found, hit


def edge_between(hit: Item, other: Item) -> Edge | None:
    """Return the link between two items of which one may name the other by id, path or key; None where there is none.

    A link that the hit holds goes before one that leads to it.
    """
    for link in hit.links:
        if link.to in names_of(other):
            return Edge(hit.id, str(link.relation), outward=True)
    for link in other.links:
        if link.to in names_of(hit):
            return Edge(hit.id, str(link.relation), outward=False)
    return None


def names_of(item: Item) -> tuple[str, ...]:
    """Return the names by which a link means an item."""
    return (item.id, item.path, *((item.key,) if item.key else ()))


# What besides its words speaks for an item: bounded shares of the score that its words have.

IMPORTANCE, CONFIDENCE, RECENCY, USES = 60, 30, 30, 30
"""The most that each may add to a score, or take off, in thousandths; uses take nothing off."""

MANY_USES = 20
"""From so many on, more uses add nothing."""

NOT_IN_FORCE = -500
"""What is taken off for an item that does not stand any more, in thousandths."""

NEUTRAL = 500
_USUAL_CONFIDENCE = 800


def parts_of(items: Sequence[tuple[Item, int, bool]]) -> list[Parts]:
    """Return the parts of the scores of items.

    Each item is given with how well its words match and whether it is in force.

    An item's recency is its place from the oldest to the newest of these.
    """
    recent = recency([_recency_of(item) for item, _, _ in items])
    return [
        Parts(
            words,
            importance=(item.importance - 500) * IMPORTANCE // 500,
            confidence=max(-CONFIDENCE, (item.confidence - _USUAL_CONFIDENCE) * CONFIDENCE // 200),
            recency=(place - NEUTRAL) * RECENCY // NEUTRAL,
            uses=min(item.uses.count, MANY_USES) * USES // MANY_USES,
            validity=0 if in_force else NOT_IN_FORCE,
        )
        for (item, words, in_force), place in zip(items, recent, strict=True)
    ]


def recency(values: Sequence[tuple[str, str | int] | None]) -> list[int]:
    """Return thousandths from the oldest to the newest of the same kind; half-way for what says nothing.

    >>> recency([("date", "2026-01-02"), ("date", "2026-01-01"), None, ("number", 4)])
    [1000, 0, 500, 500]
    """
    kinds: dict[str, set[str | int]] = {}
    for value in values:
        if value is not None:
            kinds.setdefault(value[0], set()).add(value[1])
    places: dict[tuple[str, str | int], int] = {}
    for kind, held in kinds.items():
        ordered = sorted(held)
        for place, each in enumerate(ordered):
            places[kind, each] = place * 1000 // (len(ordered) - 1) if len(ordered) > 1 else NEUTRAL
    return [NEUTRAL if value is None else places[value] for value in values]


def _recency_of(item: Item) -> tuple[str, str | int] | None:
    recency = item.recency
    return None if recency.kind is None or recency.value is None else (recency.kind, recency.value)


RELEVANCE_WEIGHT = 6
IMPORTANCE_WEIGHT = 2
CONFIDENCE_WEIGHT = 1
RECENCY_WEIGHT = 2
IN_PLAY_BONUS = 2_000
"""For an entry that cites a file that the task names."""


@dataclass(frozen=True, slots=True)
class RankingInput:
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


def rank(candidates: Sequence[RankingInput], task: QuestionTerms | None) -> list[Score]:
    """Return all candidates, best first; ties by key. Without a task nothing is relevant."""
    relevance = _relevance(candidates, task) if task else [0] * len(candidates)
    recent = recency([candidate.recency for candidate in candidates])
    scores = [
        _score(index, candidate, relevance[index], recent[index], task) for index, candidate in enumerate(candidates)
    ]
    scores.sort(key=lambda score: (-score.total, candidates[score.index].key))
    return scores


def _score(index: int, candidate: RankingInput, relevance: int, recent: int, task: QuestionTerms | None) -> Score:
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


def _relevance(candidates: Sequence[RankingInput], task: QuestionTerms) -> list[int]:
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
    held, asked = dict.fromkeys(terms, 0), frozenset(terms)
    for each in kept:
        fields = each.unit.terms
        for term in asked.intersection(" ".join((*fields[:speaker], *fields[speaker + 1 :])).split()):
            held[term] += 1
    return held


def _speakers(kept: Sequence[KeptUnit], task: QuestionTerms) -> frozenset[str]:
    speakers = {word for each in kept for word in each.unit.speaker.split()}
    return task.names.intersection(speakers)
