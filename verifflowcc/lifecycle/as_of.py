"""What held on a day: a history as far as the items themselves tell it.

An item is taken to have held from the day it was made to its last day, to the day it was archived, and until a newer
one that was made by then took its place. What it said before somebody changed its text, and how long it was pending,
items do not say (git does): they count with what they say now.
"""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.domain.items import DecisionStatus, Item, Status
from verifflowcc.lifecycle.expire import NO_LIFETIMES, Lifetimes, has_ended
from verifflowcc.records import replace

Newer = Mapping[str, Sequence[str]]
"""Path → the paths of all items that take its place, whenever they were made."""


def as_of(
    items: Iterable[Item], day: str, *, ttl_days: Lifetimes = NO_LIFETIMES, newer: Newer | None = None
) -> tuple[Item, ...]:
    """Return items as they were on an ISO day: without those made later, and archived where they had ended by then.

    What is superseded among them is for the caller to derive, as for the items of today. An item that does not say when
    it was made was always there; one that is archived and does not say since when was so from the beginning.
    """
    known = {item.path: item for item in items}
    then = [_as_it_was(item, day, ttl_days) for item in known.values() if was_made(item, day)]
    return tuple(_not_yet_replaced(item, day, known, newer or {}) for item in then)


def was_made(item: Item, day: str) -> bool:
    """Say whether an item was there on a day."""
    made = item.created or (item.decision.date if item.decision else None)
    return made is None or made[:10] <= day


def archived_on(item: Item) -> str | None:
    """Return the day since which an archived item is archived; None where it does not say."""
    if item.archived is not None:
        return item.archived.on
    return item.updated[:10] if item.updated else None


def status_before(item: Item) -> Status:
    """Return what an archived item was before: pending where it says so, or was rejected; else active."""
    was = item.archived.was.strip("'\" ") if item.archived and item.archived.was else ""
    return Status.PENDING if was == Status.PENDING or "rejected" in item.tags else Status.ACTIVE


def _as_it_was(item: Item, day: str, ttl_days: Lifetimes) -> Item:
    if item.status is Status.ARCHIVED:
        since = archived_on(item)
        if since is None or since <= day:
            return item
        item = replace(item, status=status_before(item), archived=None)
    return replace(item, status=Status.ARCHIVED) if has_ended(item, day, ttl_days) else item


def _not_yet_replaced(item: Item, day: str, known: Mapping[str, Item], newer: Newer) -> Item:
    """A decision whose own text says that it is superseded was in force until the one that took its place was made."""
    if item.decision is None or item.decision.status is not DecisionStatus.SUPERSEDED:
        return item
    by = [known[path] for path in newer.get(item.path, ()) if path in known]
    if not by or any(was_made(each, day) for each in by):
        return item
    return replace(item, decision=replace(item.decision, status=DecisionStatus.ACCEPTED, superseded_by=()))
