"""The graph of a ledger's events: its order, its heads, and what cannot be placed in it.

Whether its transitions form a chain is in `chain.py`. The clock orders nothing. Parents come before children; where
that leaves a choice, the content part of the id decides.
"""

import heapq
from collections.abc import Iterable, Mapping

from verifflowcc.domain.events import Event, EventType
from verifflowcc.records import dataclass
from verifflowcc.text.slug import content_part

LOST_PARENT = "is missing or broken"
"""How the reason ends why an event has no place whose past is not there."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Events in order, and those that cannot be placed.

    `ordered` holds every event whose whole past is there. `heads` are the ids that no event of `ordered` names as a
    parent, sorted. `misplaced` are events with no place of their own, each with the reason; what stands on them is in
    neither.
    """

    ordered: tuple[Event, ...]
    heads: tuple[str, ...]
    misplaced: tuple[tuple[Event, str], ...]


def arrange(events: Iterable[Event]) -> Graph:
    """Return the graph of `events`; the order in which they are given does not matter."""
    known = {event.id: event for event in events}
    misplaced = [(event, reason) for event in known.values() if (reason := _misfit(event, known))]
    ordered = _in_order(known, {event.id for event, _ in misplaced})
    inner = {parent for event in ordered for parent in event.parents}
    heads = tuple(sorted(event.id for event in ordered if event.id not in inner))
    return Graph(tuple(ordered), heads, tuple(sorted(misplaced, key=lambda pair: pair[0].id)))


def _misfit(event: Event, known: Mapping[str, Event]) -> str | None:
    first = event.type is EventType.SPRINT_STARTED
    if first and event.parents:
        return "a sprint_started has no parents"
    if not first and not event.parents:
        return f"a {event.type} needs parents"
    missing = [parent for parent in event.parents if parent not in known]
    return f"its parent {missing[0]} {LOST_PARENT}" if missing else None


def _in_order(known: Mapping[str, Event], without: set[str]) -> list[Event]:
    waiting = {name: len(event.parents) for name, event in known.items()}
    children: dict[str, list[str]] = {name: [] for name in known}
    for name, event in known.items():
        for parent in event.parents:
            children.setdefault(parent, []).append(name)
    ready = [(content_part(name), name) for name, count in waiting.items() if not count and name not in without]
    heapq.heapify(ready)
    ordered = []
    while ready:
        _, name = heapq.heappop(ready)
        ordered.append(known[name])
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child] and child not in without:
                heapq.heappush(ready, (content_part(child), child))
    return ordered
