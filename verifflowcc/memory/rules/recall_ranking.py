"""Put the candidates of a layer in order: by relevance to the task, importance, confidence and recency.

All scores are integers and the order is total, so that every clone of a commit ranks alike. The relevance is that of
`scoring`, scaled so that the best candidate has 1,000.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from verifflowcc.base.model.config_values import ExpansionSettings
from verifflowcc.base.model.item_values import NOTE, TRIGGER, TURN, DecisionStatus, Item, Status, awaits_promotion
from verifflowcc.base.model.recall_values import FIELDS, NOTHING, Corpus, Edge, Extent, KeptUnit, Parts, Traits, Unit
from verifflowcc.base.records import dataclass, field
from verifflowcc.memory.rules.recall_scoring import QuestionTerms, length_of, score, score_alone

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


def recency(values: Sequence[tuple[str, str | int] | None], more: Sequence[str | int | None] = ()) -> list[int]:
    """Return thousandths from the oldest to the newest of the same kind; half-way for what says nothing.

    `more` are further ones, of which text is a date.

    >>> recency([("date", "2026-01-02"), ("date", "2026-01-01"), None, ("number", 4)])
    [1000, 0, 500, 500]
    >>> recency([("date", "2026-01-02")], ["2026-01-01", 4, None])
    [1000, 0, 500, 500]
    """
    kinds: dict[str, set[Any]] = {}
    for value in values:
        if value is not None:
            kinds.setdefault(value[0], set()).add(value[1])
    dates = {value for value in more if isinstance(value, str)}
    for kind, further in (("date", dates), ("number", set(more) - dates - {None})):
        if further:
            kinds[kind] = kinds.get(kind, set()) | further
    places: dict[str, dict[Any, int]] = {}
    for kind, held in kinds.items():
        last = len(held) - 1
        places[kind] = {each: place * 1000 // last if last else NEUTRAL for place, each in enumerate(sorted(held))}
    known: dict[Any, int] = {None: NEUTRAL}
    for those in places.values():
        known.update(those)
    return [
        *(NEUTRAL if value is None else places[value[0]][value[1]] for value in values),
        *map(known.__getitem__, more),
    ]


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


ALONE, PARTED, WAITING = 1, 2, 3
"""Kinds of items without relations: of one unit without a speaker, of other units, and those that await promotion."""

_SURE_CHARS = 16
"""A text of so many characters has a token, whatever counts them."""
_LARGEST_NUMBER = 1 << 53
_IN_FORCE = (None, DecisionStatus.ACCEPTED, DecisionStatus.PROPOSED)


def traits_of(item: Item, body: str, units: Sequence[Unit], extent: Extent) -> Traits | None:
    """Return the traits of an item without relations, of which no prompt says more than of an ordinary one.

    It leads to no other item and no code, and nothing in it depends on the task or the day. None for all others.
    """
    decision, recent = item.decision, item.recency.value
    if item.archived or item.type in (NOTE, TURN) or not item.path.endswith(".md") or len(body.strip()) < _SURE_CHARS:
        return None
    if decision and (decision.status not in _IN_FORCE or decision.supersedes or decision.superseded_by):
        return None
    if isinstance(recent, int) and recent >= _LARGEST_NUMBER:
        return None
    if awaits_promotion(item):
        kind = WAITING
    elif item.status is not Status.ACTIVE or item.links or item.refs or TRIGGER in dict(item.details):
        return None
    else:
        kind = ALONE if len(units) == 1 and units[0].place is None and not units[0].speaker else PARTED
    number, first = decision.number if decision else None, units[0]
    found = Traits(
        *(kind, item.importance, item.confidence, recent if item.recency.kind else None, length_of(extent)),
        *(item.id, item.key, number, first.day, first.timed),
    )
    return found if all(each.isascii() for each in found if isinstance(each, str)) else None


@dataclass(frozen=True, slots=True)
class PlainItems:
    """Items that are ranked by their traits alone, a column for each trait: what they say was not read.

    `keys` are their places among the others, `numbers` those of the index. `alone` are those with a single unit without
    a speaker. `last`: it comes behind all others where no word of the task is in it. `postings` has where the terms of
    the task are, and how often. `units_of` reads the units of the items at some places, by these; `times_of`, by
    number, the day and time of those that are alone.
    """

    keys: Sequence[str] = ()
    numbers: Sequence[int] = ()
    importance: Sequence[int] = ()
    confidence: Sequence[int] = ()
    recency: Sequence[str | int | None] = ()
    units: Sequence[int] = ()
    lengths: Sequence[int] = ()
    alone: Sequence[bool] = ()
    last: Sequence[bool] = ()
    postings: Mapping[str, tuple[Sequence[int], Sequence[int]]] = field(default_factory=dict)
    units_of: Callable[[Sequence[int]], Mapping[int, tuple[Unit, ...]]] = lambda _: {}
    times_of: Callable[[Sequence[int]], Mapping[int, tuple[str, bool]]] = lambda _: {}


NO_ITEMS = PlainItems()


def rank(
    candidates: Sequence[RankingInput],
    task: QuestionTerms | None,
    plain: PlainItems = NO_ITEMS,
    most: int = 0,
    read: Callable[[Sequence[int]], Sequence[RankingInput]] | None = None,
) -> list[Score]:
    """Return all candidates, best first; ties by key. Without a task nothing is relevant.

    `plain` items compete with them: those that can be among the first `most` of these, or from which links are
    followed, are read, and follow the candidates in what `index` counts.
    """
    count = len(candidates)
    relevance = _relevance(candidates, task, plain) if task else [0] * (count + len(plain.keys))
    recent = recency([candidate.recency for candidate in candidates], plain.recency)
    every, places = list(candidates), list(range(count))
    if read is not None and plain.keys:
        chosen = _best(plain, relevance[count:], recent[count:], most, task)
        every += read(chosen)
        places += (count + index for index in chosen)
    scores = [
        _score(index, candidate, relevance[place], recent[place], task)
        for index, (candidate, place) in enumerate(zip(every, places, strict=True))
    ]
    scores.sort(key=lambda score: (-score.total, every[score.index].key))
    return scores


def _best(
    items: PlainItems, relevance: Sequence[int], recent: Sequence[int], most: int, task: QuestionTerms | None
) -> list[int]:
    """Return the places of the items that can be among the first `most`, and of those that links are followed from."""
    columns = zip(relevance, items.importance, items.confidence, recent, strict=True)
    totals = [
        RELEVANCE_WEIGHT * relevant
        + IMPORTANCE_WEIGHT * important
        + CONFIDENCE_WEIGHT * confident
        + RECENCY_WEIGHT * new
        for relevant, important, confident, new in columns
    ]
    if task is not None and any(items.last):
        totals = [
            _LAST + total if last and not relevant else total
            for total, last, relevant in zip(totals, items.last, relevance, strict=True)
        ]

    def first(places: Sequence[int], number: int) -> list[int]:
        if not 0 < number < len(places):
            return sorted(places, key=lambda place: (-totals[place], items.keys[place])) if number > 0 else []
        least = sorted([totals[place] for place in places])[-number]
        among = [place for place in places if totals[place] >= least]
        return sorted(among, key=lambda place: (-totals[place], items.keys[place]))[:number]

    hits = [place for place, relevant in enumerate(relevance) if relevant]
    return list(dict.fromkeys((*first(range(len(totals)), most), *first(hits, FROM_BEST))))


_LAST = -(1 << 60)
"""What puts an item behind all others."""


def _total(one: RankingInput, relevance: int, recent: int) -> int:
    known = IMPORTANCE_WEIGHT * one.importance + CONFIDENCE_WEIGHT * one.confidence
    return RELEVANCE_WEIGHT * relevance + RECENCY_WEIGHT * recent + known


def _score(index: int, candidate: RankingInput, relevance: int, recent: int, task: QuestionTerms | None) -> Score:
    total = _total(candidate, relevance, recent) + (IN_PLAY_BONUS if candidate.in_play else 0)
    relevant = f"relevance {relevance}, " if task else ""
    in_play = ", cites a file of the task" if candidate.in_play else ""
    why = f"{relevant}importance {candidate.importance}, confidence {candidate.confidence}, recency {recent}{in_play}"
    return Score(index, total, why, relevance)


def _relevance(candidates: Sequence[RankingInput], task: QuestionTerms, plain: PlainItems = NO_ITEMS) -> list[int]:
    """Return the relevance of the candidates, then of the plain items."""
    kept: list[KeptUnit] = []
    owner: list[int] = []

    def keep(index: int, key: str, units: Sequence[Unit]) -> None:
        for part, unit in enumerate(units):
            kept.append(KeptUnit(len(owner), key, part, unit))
            owner.append(index)

    for index, candidate in enumerate(candidates):
        keep(index, candidate.key, candidate.units)
    count = len(candidates)
    alone, parted = _plain_places(plain, count)
    if parted:
        units = plain.units_of([place - count for place in parted])
        for place in parted:
            keep(place, plain.keys[place - count], units.get(place - count, ()))
    found = [0] * (count + len(plain.keys))
    if not kept and not alone:
        return found
    held = _containing(kept, task.terms)
    for term, (numbers, _) in plain.postings.items():
        held[term] += len(alone.keys() & numbers)
    corpus = Corpus(
        sum(candidate.extent.units for candidate in candidates) + sum(plain.units),
        tuple(map(sum, zip(NOTHING.lengths, *(candidate.extent.lengths for candidate in candidates), strict=True))),
        held,
        sum(plain.lengths),
    )
    speakers = _speakers(kept, task)
    for scored in score(task, corpus, kept, speakers=speakers):
        index = owner[scored.kept.number]
        found[index] = max(found[index], scored.score)
    times = plain.times_of(list(alone)) if alone and (task.asks_time or task.is_dated) else {}
    lengths = {number: plain.lengths[place - count] for number, place in alone.items()}
    for number, value in score_alone(task, corpus, lengths, plain.postings, times, speakers).items():
        found[alone[number]] = value
    best = max(found, default=0)
    return [max(1, value * 1000 // best) if value else 0 for value in found]


def _plain_places(plain: PlainItems, first: int) -> tuple[dict[int, int], list[int]]:
    """Return number → place of the plain items that are alone, and the places of others that hold a term.

    Places are counted from `first`.
    """
    alone = {
        number: place for place, (number, one) in enumerate(zip(plain.numbers, plain.alone, strict=True), first) if one
    }
    if len(alone) == len(plain.numbers):
        return alone, []
    held = {number for numbers, _ in plain.postings.values() for number in numbers}
    return alone, [place for place, number in enumerate(plain.numbers, first) if number in held and number not in alone]


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
