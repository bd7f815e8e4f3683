"""The day by which a sprint judges what ends: that of the clock, and no earlier than its ledger shows."""

from collections.abc import Sequence

from verifflowcc.domain.actors import is_named_person
from verifflowcc.domain.events import Event
from verifflowcc.workflow.graph import arrange


def ledger_day(events: Sequence[Event], today: str) -> str:
    """Return `today`, or the day of the newest event where the clock was set back behind it.

    An event that is ahead of the clock by mistake would end all waivers for good, so it no longer counts once a person
    has written an event after it with an earlier time: who may do that may also waive again.
    """
    ahead = [event for event in events if event.time[:10] > today]
    if not ahead:
        return today
    corrected = corrected_later(events)
    return max([today, *(event.time[:10] for event in ahead if event.id not in corrected)])


def corrected_later(events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the events that come before an event of a person whose time is earlier than theirs."""
    earliest: dict[str, str] = {}
    found = set[str]()
    for event in reversed(arrange(events).ordered):
        after = earliest.get(event.id, "")
        if after and after < event.time:
            found.add(event.id)
        known = [each for each in (after, event.time if is_named_person(event.actor) else "") if each]
        for parent in event.parents if known else ():
            earliest[parent] = min([*known, earliest.get(parent, known[0])])
    return frozenset(found)
