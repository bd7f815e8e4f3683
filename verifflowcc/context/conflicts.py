"""Which items that stand say what cannot both hold: two of one key, or one that says it contradicts the other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from verifflowcc.domain.items import Item, Relation


def conflicts(items: Iterable[Item]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of paths, each once and in order, whatever the order of the items.

    A key is that of a scope and type: what a person and a project say under one key is no conflict. A link is followed
    to an id among these items.
    """
    ordered = sorted(items, key=lambda item: item.path)
    found = {*_of_one_key(ordered), *_by_links(ordered)}
    return tuple(sorted(found))


def _of_one_key(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for item in items:
        if item.key:
            groups.setdefault((item.scope, item.type, item.key), []).append(item.path)
    for paths in groups.values():
        yield from combinations(paths, 2)


def _by_links(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    paths = {item.id: item.path for item in items}
    for item in items:
        for link in item.links:
            if link.relation == Relation.CONTRADICTS and paths.get(link.to, item.path) != item.path:
                first, second = sorted((item.path, paths[link.to]))
                yield first, second
