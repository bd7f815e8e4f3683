"""Which evidence came after which, by the parents of the events that name it; no clock is asked."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.actors import is_named_person
from verifflowcc.domain.events import Event, EventType
from verifflowcc.records import dataclass, replace
from verifflowcc.text.slug import is_ulid


@dataclass(frozen=True, slots=True)
class Added:
    """An `evidence_added` event and what it names.

    `order` is its place among the notes. `latest` says whether no evidence of the same stage and criterion is after it;
    `concurrent` are then the ids of the others of which that is true, made on branches apart. `digest` is that of the
    file; `redacted` is the id of the event by which a person took secrets out of it, and gave it this digest.
    """

    event: Event
    order: int
    stage: str
    criterion: str
    evidence: str
    digest: str
    redacted: str = ""
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
    redactions = [event for event in notes if event.type is EventType.EVIDENCE_REDACTED]
    return tuple(_redacted(one, redactions) for one in named) if redactions else tuple(named)


def _redacted(added: Added, redactions: Sequence[Event]) -> Added:
    """Return evidence with the digest that a person gave it last; each redaction follows on the one before."""
    for event in redactions:
        of_it = (event.payload["evidence"], event.payload["was"]) == (added.evidence, added.digest)
        if of_it and is_named_person(event.actor):
            added = replace(added, digest=str(event.payload["digest"]), redacted=event.id)
    return added


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
