"""Which items stand: what a newer item supersedes, and what is withdrawn, is left out of a prompt with the reason.

Derived anew from the items in view and never stored on the older one, so that two branches rarely touch one file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING

from verifflowcc.base.model.item_values import (
    TURN,
    DecisionStatus,
    Item,
    Relation,
    Status,
    awaits_promotion,
    names_meant,
)
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace

if TYPE_CHECKING:
    from verifflowcc.memory.rules.lifetimes import Lifetimes

# What held on a day: a history as far as the items themselves tell it.
#
# An item is taken to have held from the day it was made to its last day, to the day it was archived, and until a newer
# one that was made by then took its place. What it said before somebody changed its text, and how long it was pending,
# items do not say (git does): they count with what they say now.

Newer = Mapping[str, Sequence[str]]
"""Path → the paths of all items that take its place, whenever they were made."""


def as_of(
    items: Iterable[Item], day: str, *, ttl_days: "Lifetimes | None" = None, newer: Newer | None = None
) -> tuple[Item, ...]:
    """Return items as they were on an ISO day: without those made later, and archived where they had ended by then.

    What is superseded among them is for the caller to derive, as for the items of today. An item that does not say when
    it was made was always there; one that is archived and does not say since when was so from the beginning.
    """
    known = {item.path: item for item in items}
    then = [_as_it_was(item, day, ttl_days or {}) for item in known.values() if was_made(item, day)]
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
    was = item.archived.previous_status.strip("'\" ") if item.archived and item.archived.previous_status else ""
    return Status.PENDING if was == Status.PENDING or "rejected" in item.tags else Status.ACTIVE


def _as_it_was(item: Item, day: str, ttl_days: "Lifetimes") -> Item:
    from verifflowcc.memory.rules.lifetimes import has_ended  # most prompts ask for today

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


# Circles of supersession: items that replace each other, so that none of them is the newest.


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


_NOT_IN_FORCE = frozenset({DecisionStatus.PROPOSED, DecisionStatus.REJECTED})
_NUMBER = lazy_pattern(r"(?:ADR[ #:_-]*|#)?([0-9]{1,6})", re.IGNORECASE)
_WITHDRAWN = frozenset({DecisionStatus.REJECTED, DecisionStatus.DEPRECATED})


@dataclass(frozen=True, slots=True)
class Replacement:
    """`by` is the newer item's path, or what the older one names where that is not in view; None if it names none.

    `newer` are the paths of all items in view that supersede it.
    """

    by: str | None
    why: str
    newer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Supersession:
    """Path → by what an item is superseded, with notices.

    Notices report circles, and names that match no item or too many.
    """

    found: Mapping[str, Replacement]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StaleSummary:
    """A summary that contains an item which another one replaced.

    The summary has its id and path; `original` and `by` are ids.
    """

    summary: str
    path: str
    original: str
    by: str

    @property
    def why(self) -> str:
        """What is wrong with it, as a clause."""
        return f"summarises {self.original}, which {self.by} replaced"

    @property
    def notice(self) -> str:
        """What is wrong with it, and what to do."""
        return f"{self.summary} {self.why}; rebuild it: vfcc memory maintain"


@dataclass(frozen=True, slots=True)
class ExcludedItems:
    """Path → reason for every item that does not stand; `notices` as in `Supersession`."""

    left_out: Mapping[str, str]
    notices: tuple[str, ...]


def excluded_items(items: Sequence[Item]) -> ExcludedItems:
    """Return the items out of force: superseded, rejected, deprecated, pending, archived, and turns that are kept."""
    found = superseded(items)
    turns = {item.path: "a kept turn: only vfcc memory search finds it" for item in items if item.type == TURN}
    reasons = turns | withdrawn(items) | {path: each.why for path, each in found.found.items()}
    stale = (each.notice for each in stale_summaries(items, found.found))
    return ExcludedItems(reasons, (*found.notices, *stale))


def stale_summaries(items: Iterable[Item], found: Mapping[str, Replacement]) -> tuple[StaleSummary, ...]:
    """Return the summaries that tell what a newer item replaced: each summary once, by its id.

    `found` is what is superseded among the items.
    """
    every = list(items)
    put_into = [item for item in every if item.archived and item.archived.into and item.path in found]
    if not put_into:
        return ()
    active = {item.id: item.path for item in every if item.status is Status.ACTIVE}
    ids = {item.path: item.id for item in every}
    stale = {}
    for item in sorted(put_into, key=lambda each: each.id, reverse=True):
        into, by = (item.archived.into if item.archived else "") or "", found[item.path].by or ""
        if item.status is Status.ARCHIVED and into in active:
            stale[into] = StaleSummary(into, active[into], item.id, ids.get(by, by))
    return tuple(stale[name] for name in sorted(stale))


def withdrawn(items: Iterable[Item]) -> dict[str, str]:
    """Return path → reason for the items that say of themselves that they do not hold now."""
    reasons = {}
    for item in items:
        if item.status is not Status.ACTIVE:
            reasons[item.path] = str(item.status)
        elif awaits_promotion(item):
            reasons[item.path] = f"pending: written by {item.source.actor}, not promoted by a person"
        elif item.decision and item.decision.status in _WITHDRAWN:
            instead = f"; see {', '.join(item.decision.instead)}" if item.decision.instead else ""
            reasons[item.path] = f"{item.decision.status}{instead}"
    return reasons


def superseded(items: Sequence[Item]) -> Supersession:
    """Return what is superseded, by what, and why; the same for any order of the items.

    A link counts from an item that is in force: not pending, and no proposed or rejected decision. Items that supersede
    one another in a circle all stand, and the circle is a notice.
    """
    ordered = sorted(items, key=lambda item: item.path)
    names = _NameTable(ordered)
    notices: list[str] = []
    newer: dict[str, set[str]] = {}
    marked: dict[str, str | None] = {}
    for item in ordered:
        for target in _targets(item):
            older = names.find(target, item, notices)
            if older and not _circular(older, item, notices):
                newer.setdefault(older.path, set()).add(item.path)
        if item.decision and item.decision.status is DecisionStatus.SUPERSEDED:
            marked[item.path] = ", ".join(item.decision.superseded_by) or None
            for target in item.decision.superseded_by:
                found = names.find(target, item, [])
                if found and not _circular(item, found, notices):
                    newer.setdefault(item.path, set()).add(found.path)
    circles = _circles(newer)
    notices += [f"{older}: supersedes and is superseded by {new}; both stand" for older, new in sorted(circles)]
    return Supersession(_derive(newer, marked, circles), tuple(dict.fromkeys(notices)))


def names_leading(items: Iterable[Item]) -> tuple[frozenset[str], frozenset[int]]:
    """Return all names by which these items may mean others, and the numbers: more than they do mean, never less."""
    every = tuple(items)
    names = names_meant(every) | {item.archived.into for item in every if item.archived and item.archived.into}
    numbers = (found for name in names if (found := _NUMBER.fullmatch(name)))
    return frozenset(names), frozenset(int(found[1]) for found in numbers)


def _derive(
    newer: Mapping[str, set[str]], marked: Mapping[str, str | None], circles: set[tuple[str, str]]
) -> dict[str, Replacement]:
    in_circle = {path for pair in circles for path in pair}
    found = {}
    for path in sorted(newer.keys() | marked.keys()):
        by = sorted(each for each in newer.get(path, ()) if (path, each) not in circles)
        if by:
            found[path] = Replacement(by[-1], f"superseded by {', '.join(by)}", tuple(by))
        elif path in marked and path not in in_circle:
            named = f"superseded by {marked[path]}" if marked[path] else "superseded"
            found[path] = Replacement(marked[path], f"{named}, as its status says")
    return found


def _targets(item: Item) -> Iterator[str]:
    """Yield what the item supersedes, as written, if the item is in force, or was before it was archived."""
    was = item.archived.previous_status if item.archived else None
    never_held = was is not None and was.strip("'\" ") == str(Status.PENDING)
    if awaits_promotion(item) or never_held or (item.decision and item.decision.status in _NOT_IN_FORCE):
        return
    yield from (link.to for link in item.links if link.relation == Relation.SUPERSEDES)
    yield from item.decision.supersedes if item.decision else ()


def _circular(older: Item, item: Item, notices: list[str]) -> bool:
    if older.path == item.path:
        notices.append(f"{item.path}: supersedes itself; that is ignored")
    return older.path == item.path


class _NameTable:
    """Every name by which an item can be meant: id, path, relative path, file name, number, key, in this order.

    Most links name ids, so that the others are gathered when one is asked for.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    @cached_property
    def _ids(self) -> Mapping[str, list[Item]]:
        found: dict[str, list[Item]] = {}
        for item in self._items:
            found.setdefault(item.id, []).append(item)
        return found

    @cached_property
    def _by(self) -> Mapping[tuple[str, str], list[Item]]:
        found: dict[tuple[str, str], list[Item]] = {}
        for item in self._items:
            for kind, name in _names(item):
                found.setdefault((kind, name), []).append(item)
        return found

    def _named(self, kind: str, name: str) -> Sequence[Item]:
        return self._ids.get(name, ()) if kind == "id" else self._by.get((kind, name), ())

    def find(self, target: str, item: Item, notices: list[str]) -> Item | None:
        """Return the one item that `item` means by `target`; None, and a notice, where none or several fit."""
        folder = item.path.rpartition("/")[0]
        beside = normpath(f"{folder}/{target}") if folder else normpath(target)
        file = target.rpartition("/")[2]
        numbered = _NUMBER.fullmatch(target)
        number = [("number", f"{folder}#{int(numbered[1])}")] if numbered else []
        wanted = [("id", target), ("path", target), ("path", beside), ("name", f"{folder}/{file}"), *number]
        for kind, name in [*wanted, ("file", file), ("key", f"{item.scope} {item.type} {target}"), ("any key", target)]:
            others = [each for each in self._named(kind, name) if each.path != item.path or kind in {"id", "path"}]
            if len(others) == 1:
                return others[0]
            if others:
                notices.append(
                    f"{item.path}: {target} can be {' or '.join(each.path for each in others)}; it is ignored"
                )
                return None
        notices.append(f"{item.path}: {target}, which it supersedes, is not in view")
        return None


def _names(item: Item) -> Iterator[tuple[str, str]]:
    folder, _, file = item.path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    yield "path", item.path
    for name in {file, stem}:
        yield "name", f"{folder}/{name}"
        yield "file", name
    if stem != file:
        yield "path", item.path.removesuffix(file) + stem
    if item.decision and item.decision.number is not None:
        yield "number", f"{folder}#{item.decision.number}"
    if item.key:
        yield "key", f"{item.scope} {item.type} {item.key}"
        yield "any key", item.key


def _circles(newer: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """Return the pairs (older, newer) that lie on a circle."""
    left = {older: set(new) for older, new in newer.items()}
    while ends := {new for news in left.values() for new in news if new not in left}:
        left = {older: rest for older, news in left.items() if (rest := news - ends)}
    return {(older, new) for older, news in left.items() for new in news if _reaches(left, new, older)}


def _reaches(edges: Mapping[str, set[str]], start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for following in edges.get(waiting.pop(), ()):
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return start == goal
