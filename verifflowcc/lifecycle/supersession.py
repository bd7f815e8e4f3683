"""Circles of supersession: items that replace each other, so that none of them is the newest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.domain.items import Item, Relation


def supersession_circles(items: Iterable[Item]) -> Mapping[str, str]:
    """Return the id of each item that supersedes itself through others, and the next id on the way.

    Links count whatever the status of their item is, so that a proposal in a circle is found before it is promoted.
    """
    every = [item for item in items if any(link.relation == Relation.SUPERSEDES for link in item.links)]
    ids = {item.path: item.id for item in every}
    older = {
        item.id: [ids.get(link.to, link.to) for link in item.links if link.relation == Relation.SUPERSEDES]
        for item in every
    }
    return {start: by for start in older if (by := next(_ways_back(older, start), None)) is not None}


def _ways_back(older: Mapping[str, Sequence[str]], start: str) -> Iterator[str]:
    """Yield each id that `start` supersedes and that leads back to it."""
    for first in older[start]:
        seen: set[str] = set()
        waiting = [first]
        while waiting:
            here = waiting.pop()
            if here == start:
                yield first
                break
            if here not in seen:
                seen.add(here)
                waiting += older.get(here, ())
