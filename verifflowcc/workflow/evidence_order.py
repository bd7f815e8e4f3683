"""Which evidence came after which, by the parents of the events that name it; no clock is asked."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Event, EventType
from verifflowcc.records import dataclass, replace
from verifflowcc.text.slug import is_ulid


@dataclass(frozen=True, slots=True)
class Added:
    """An `evidence_added` event and what it names.

    `order` is its place among the notes. `latest` says whether no evidence of the same stage and criterion is after it;
    `concurrent` are then the ids of the others of which that is true, made on branches apart.
    """

    event: Event
    order: int
    stage: str
    criterion: str
    evidence: str
    digest: str
    latest: bool = False
    concurrent: tuple[str, ...] = ()


def added_evidence(notes: Sequence[Event], parents: Mapping[str, Sequence[str]]) -> tuple[Added, ...]:
    """Return every event of `notes` that names an evidence file, in their order, which is a causal one.

    `parents` holds the parents of all events of the sprint, transitions too. The past of an event is kept as the bits
    of one number, so that 10,000 events cost as many small unions.
    """
    named = [one for order, event in enumerate(notes) if (one := _named(order, event))]
    before = _pasts([one.event.id for one in named], parents)
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(named):
        groups.setdefault((one.stage, one.criterion), []).append(place)
    for places in groups.values():
        latest = _latest(places, before)
        for place in latest:
            others = tuple(named[other].evidence for other in latest if other != place)
            named[place] = replace(named[place], latest=True, concurrent=others)
    return tuple(named)


def _named(order: int, event: Event) -> Added | None:
    """Return the event as one that names a file; None for any other."""
    payload, name = event.payload, event.payload.get("evidence")
    if event.type is not EventType.EVIDENCE_ADDED or not isinstance(name, str) or not is_ulid(name):
        return None
    stage, criterion, digest = str(payload["stage"]), str(payload.get("criterion", "")), str(payload["digest"])
    return Added(event, order, stage, criterion, name, digest)


def _latest(places: Sequence[int], before: Sequence[int]) -> list[int]:
    """Return those of `places` that no other has in its past."""
    known = 0
    for place in places:
        known |= before[place]
    return [place for place in places if not known >> place & 1]


def _pasts(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[int]:
    """Return for each of `names` which of them lie in its past, as bits."""
    own = {name: 1 << place for place, name in enumerate(names)}
    seen: dict[str, int] = {}
    for name in names:
        waiting = [name]
        while waiting:
            event = waiting[-1]
            unseen = [parent for parent in parents[event] if parent not in seen]
            if unseen:
                waiting += unseen
                continue
            past = own.get(event, 0)
            for parent in parents[event]:
                past |= seen[parent]
            seen[event] = past
            waiting.pop()
    return [seen[name] & ~own[name] for name in names]
