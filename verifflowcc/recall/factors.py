"""What besides its words speaks for an item: bounded shares of the score that its words have."""

from collections.abc import Sequence

from verifflowcc.domain.items import Item
from verifflowcc.domain.recall import Parts

IMPORTANCE, CONFIDENCE, RECENCY, USES = 60, 30, 30, 30
"""The most that each may add to a score, or take off, in thousandths; uses take nothing off."""

MANY_USES = 20
"""From so many on, more uses add nothing."""

NOT_STANDING = -500
"""What is taken off for an item that does not stand any more, in thousandths."""

NEUTRAL = 500
_USUAL_CONFIDENCE = 800


def parts_of(items: Sequence[tuple[Item, int, bool]]) -> list[Parts]:
    """Return the parts of the scores of items, given each with how well its words match and whether it stands.

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
            standing=0 if stands else NOT_STANDING,
        )
        for (item, words, stands), place in zip(items, recent, strict=True)
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
    said = item.recency
    return None if said.kind is None or said.value is None else (said.kind, said.value)
