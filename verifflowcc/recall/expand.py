"""One step along typed links from what was found: a few more items, behind the direct hits and never in their place."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from verifflowcc.domain.config import ExpansionSettings
from verifflowcc.domain.items import Item
from verifflowcc.domain.recall import Edge
from verifflowcc.records import dataclass

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
