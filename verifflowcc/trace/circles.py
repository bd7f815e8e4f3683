"""Circles in a graph, in time proportional to its size, however deep it is."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence

Edges = Mapping[str, Sequence[str]]


def circles(edges: Edges) -> tuple[tuple[str, ...], ...]:
    """Return one circle for each group of nodes that all lead to each other, sorted.

    A circle begins at the first node of its group by name and is one of the shortest through it; the first node is not
    told again at the end. A node that leads to itself alone is no circle.

    >>> circles({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []})
    (('a', 'b', 'c'),)
    """
    left = _pruned(edges)
    return tuple(sorted(_shortest(min(group), group, edges) for group in _groups(left)))


def _pruned(edges: Edges) -> dict[str, list[str]]:
    """Return the graph without what only leads into circles, which is nearly all of it in a sound project."""
    into: dict[str, int] = {}
    for targets in edges.values():
        for target in targets:
            into[target] = into.get(target, 0) + 1
    free = [node for node in edges if node not in into]
    gone = set(free)
    while free:
        for target in edges.get(free.pop(), ()):
            into[target] -= 1
            if not into[target]:
                gone.add(target)
                free.append(target)
    return {
        node: [each for each in targets if each not in gone and each != node]
        for node, targets in edges.items()
        if node not in gone
    }


def _groups(edges: Edges) -> Iterator[frozenset[str]]:
    """Yield the strongly connected groups of two or more nodes: Tarjan's way, with a stack of its own."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    held: list[str] = []
    on_hold: set[str] = set()
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        held.append(root)
        on_hold.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    held.append(target)
                    on_hold.add(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target in on_hold:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = _taken(node, held)
                    on_hold -= group
                    if len(group) > 1:
                        yield group


def _taken(node: str, held: list[str]) -> frozenset[str]:
    group: list[str] = []
    while not group or group[-1] != node:
        group.append(held.pop())
    return frozenset(group)


def _shortest(start: str, group: Collection[str], edges: Edges) -> tuple[str, ...]:
    """Return a shortest way from `start` back to it within the group; of several the first by name at each step."""
    came: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in sorted(edges.get(node, ())):
            if target == start and node != start:
                way = [node]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return tuple(reversed(way))
            if target in group and target not in came and target != start:
                came[target] = node
                queue.append(target)
    return (start,)
