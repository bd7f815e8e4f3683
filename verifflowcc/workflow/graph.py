"""The graph of a ledger's events: its order, its heads, and whether its transitions form a chain.

The clock orders nothing. Parents come before children; where that leaves a choice, the content part of the id decides.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verifflowcc.domain.events import Event, EventType
from verifflowcc.text.ulid import content_part


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


@dataclass(frozen=True, slots=True)
class Chain:
    """The transitions that all sides share, in order, and, under a fork, each side: its first move and its tips."""

    agreed: tuple[Event, ...]
    sides: tuple[tuple[Event, tuple[str, ...]], ...]


def arrange(events: Iterable[Event]) -> Graph:
    """Return the graph of `events`; the order in which they are given does not matter."""
    known = {event.id: event for event in events}
    misplaced = [(event, reason) for event in known.values() if (reason := _misfit(event, known))]
    ordered = _in_order(known, {event.id for event, _ in misplaced})
    inner = {parent for event in ordered for parent in event.parents}
    heads = tuple(sorted(event.id for event in ordered if event.id not in inner))
    return Graph(tuple(ordered), heads, tuple(sorted(misplaced, key=lambda pair: pair[0].id)))


def chain(ordered: Sequence[Event]) -> Chain:
    """Return the transitions up to the first two of which neither is an ancestor of the other.

    Which transitions lie in an event's past is kept as the bits of one number, so that 10,000 events cost as many small
    unions, and no set of ancestors per event.
    """
    moves, before = _pasts(ordered)
    later = [-1] * len(moves)
    for index in range(len(moves) - 2, -1, -1):
        later[index] = later[index + 1] & before[index + 1]
    agreed = 0
    while agreed < len(moves) and later[agreed] >> agreed & 1:
        agreed += 1
    return Chain(tuple(moves[:agreed]), _sides(moves, before, agreed))


def _misfit(event: Event, known: Mapping[str, Event]) -> str | None:
    first = event.type is EventType.SPRINT_STARTED
    if first and event.parents:
        return "a sprint_started has no parents"
    if not first and not event.parents:
        return f"a {event.type} needs parents"
    missing = [parent for parent in event.parents if parent not in known]
    return f"its parent {missing[0]} is missing or broken" if missing else None


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


def _pasts(ordered: Sequence[Event]) -> tuple[list[Event], list[int]]:
    """Return the transitions in order and, for each, the transitions in its past, as bits."""
    moves: list[Event] = []
    before: list[int] = []
    seen: dict[str, int] = {}
    for event in ordered:
        past = 0
        for parent in event.parents:
            past |= seen[parent]
        if event.moves:
            before.append(past)
            past |= 1 << len(moves)
            moves.append(event)
        seen[event.id] = past
    return moves, before


def _sides(moves: Sequence[Event], before: Sequence[int], agreed: int) -> tuple[tuple[Event, tuple[str, ...]], ...]:
    rest = range(agreed, len(moves))
    common = (1 << agreed) - 1
    inner = 0
    for index in rest:
        inner |= before[index]
    tips = [index for index in rest if not inner >> index & 1]
    return tuple(
        (moves[start], tuple(sorted(moves[tip].id for tip in tips if tip == start or before[tip] >> start & 1)))
        for start in rest
        if before[start] == common
    )
