"""What can be reached from an item over links, and by which way: nearest first, each item once, circles ended."""

from collections import deque
from collections.abc import Callable, Iterable

from verifflowcc.domain.items import Link
from verifflowcc.domain.trace import TraceItem
from verifflowcc.records import dataclass
from verifflowcc.trace.view import TraceView

Step = Callable[[TraceItem], Iterable[tuple[TraceItem, Link]]]


@dataclass(frozen=True, slots=True)
class Reached:
    """An item that was reached.

    `way` are the ids from the item that was asked about to this one, both ends included; `relations` are those of the
    links between them, one fewer.
    """

    id: str
    type: str
    title: str
    path: str
    way: tuple[str, ...]
    """Ids from the item to this one, both included."""
    relations: tuple[str, ...]

    @property
    def steps(self) -> int:
        """How many links away it is."""
        return len(self.relations)


def reach(start: TraceItem, step: Step) -> tuple[Reached, ...]:
    """Return all that `step` leads to from `start`, without `start`: by distance, then by id; a shortest way to each.

    Of several ways of one length it is the first by the ids on it, so that the order of files never shows.
    """
    found: dict[str, Reached] = {}
    queue = deque([(start, Reached(start.id, start.type, start.title, start.path, (start.id,), ()))])
    while queue:
        item, here = queue.popleft()
        for other, link in sorted(step(item), key=lambda pair: (pair[0].id, pair[1].relation)):
            if other.id != start.id and other.id not in found:
                way, relations = (*here.way, other.id), (*here.relations, link.relation)
                found[other.id] = Reached(other.id, other.type, other.title, other.path, way, relations)
                queue.append((other, found[other.id]))
    return tuple(sorted(found.values(), key=lambda each: (each.steps, each.id)))


def below(view: TraceView, item: TraceItem) -> tuple[Reached, ...]:
    """Return what stands on an item: whatever would be touched by a change of it."""
    return reach(item, view.children)


def above(view: TraceView, item: TraceItem) -> tuple[Reached, ...]:
    """Return what an item stands on, up to the needs."""
    return reach(item, view.parents)
