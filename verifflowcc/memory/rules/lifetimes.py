"""When items end: by the day that they say, else by their type's time to live in their scope."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from verifflowcc.base.model.item_values import Item, ScopeKind, SourceKind, Status, is_trace_type, item_type
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.plain_words import with_article

# Which items make room when a project remembers too much: never what a person wrote, and nothing that was decided.

SPARED_TYPES = frozenset({"decision", "convention"})
_FOUND = frozenset({SourceKind.EXTRACTED, SourceKind.INFERRED})


def evictable(item: Item) -> bool:
    """Say whether an item counts against the limit, and may make room.

    It was extracted or inferred, and written by no person; it is active, and no decision, convention or trace item.
    What was read out of a conversation was written by none, whoever had it read.
    """
    return (
        item.source.kind in _FOUND
        and (item.source.origin is not None or item.source.actor.partition(":")[0] != "human")
        and item.status is Status.ACTIVE
        and item.type not in SPARED_TYPES
        and not is_trace_type(item.type)
    )


def evicted(items: Iterable[Item], max_items: int) -> tuple[Item, ...]:
    """Return what is to be archived: above `max_items` of those that count, their lowest tenth, one at least.

    The lowest are those of the least importance, the oldest first among equals, then by id; an item that does not say
    when it was made is the oldest.
    """
    counting = sorted(
        filter(evictable, items),
        key=lambda item: (item.importance, (item.created or "")[:10], item.created or "", item.id),
    )
    return tuple(counting[: max(1, len(counting) // 10)]) if len(counting) > max_items else ()


Lifetimes = Mapping[str, int | None]
"""Days that the settings give to types; None: never. A type that is not there has those of the table."""
NO_LIFETIMES: Lifetimes = {}


def last_day(item: Item, ttl_days: Lifetimes = NO_LIFETIMES) -> str | None:
    """Return the last ISO day on which an item holds; None where it has no end.

    What the item says goes before its type's time to live. That runs from the day on which the item was made, in the
    project and its parts; what is known of a person does not run out. A task's items end with it, so that a type that
    is at home there has no time to live elsewhere, unless the item was imported.
    """
    if item.expires is not None:
        return item.expires[:10]
    days = lifetime_days(item, ttl_days)
    if days is None or item.created is None:
        return None
    try:
        return (date.fromisoformat(item.created[:10]) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None


def lifetime_days(item: Item, ttl_days: Lifetimes = NO_LIFETIMES) -> int | None:
    """Return the days that an item lives without saying so itself; None where it does not run out.

    A project's settings say nothing of what is known of a person, wherever `ttl_days` has their types. A task's item in
    another scope was promoted, and lasts; one that was imported had no task here that could end it.
    """
    found = item_type(item.type)
    here = item.scope.partition("/")[0]
    if here == ScopeKind.USER:
        return None
    if found.scope is ScopeKind.TASK and here != ScopeKind.TASK and item.source.kind is not SourceKind.IMPORTED:
        return None
    if item.type in ttl_days:
        return ttl_days[item.type]
    return None if found.scope is ScopeKind.USER else found.ttl_days


def has_ended(item: Item, today: str, ttl_days: Lifetimes = NO_LIFETIMES) -> bool:
    """Say whether the last day of an item is over; `today` is an ISO day in UTC."""
    last = last_day(item, ttl_days)
    return last is not None and last < today


def why_ended(item: Item, ttl_days: Lifetimes = NO_LIFETIMES) -> str:
    """Return why an item has ended, as a clause."""
    if item.expires is not None:
        return f"it holds until {item.expires[:10]}, as it says"
    days = lifetime_days(item, ttl_days)
    setting = " (memory.lifecycle.type_ttl_days)" if item.type in ttl_days else ""
    made = (item.created or "")[:10]
    return f"{with_article(item.type)} holds for {days} days{setting}, and this one was made on {made}"


# How much an item still counts: less with time, more slowly where it is used. For `memory maintain` alone.
#
# Whole thousandths, so that every machine says the same. The constants:
#
# - An item counts for its importance on the day it was made or last used, and for half of that one half-life later, for
#   a quarter after two; between these days it falls along a straight line.
# - The half-life is half of its time to live, and longer where it was used: by a quarter for 1 use, two for 3, three
#   for 7, and four quarters, twice as long, from 15 uses on.
# - What never runs out does not fade either.
# - Below `FADED` an item is archived, but not before `GRACE_DAYS` have passed since it was made or used.

FADED = 150
"""Thousandths below which an item has faded."""
GRACE_DAYS = 30
_MOST_HALVINGS = 10


def strength(item: Item, today: str, ttl_days: Lifetimes = NO_LIFETIMES) -> int:
    """Return how much an item still counts on an ISO day, in thousandths: from 0 to its importance.

    It never grows with time, and never falls with more or later uses.
    """
    life, age = lifetime_days(item, ttl_days), idle_days(item, today)
    if life is None or age is None:
        return item.importance
    half = max(1, life * (4 + _quarters(item.uses.count)) // 8)
    halvings, rest = divmod(age, half)
    if halvings >= _MOST_HALVINGS:
        return 0
    return item.importance * (2 * half - rest) // (2 * half << halvings)


def has_faded(item: Item, today: str, ttl_days: Lifetimes = NO_LIFETIMES) -> bool:
    """Say whether an item counts for too little to stay active.

    Only what was extracted or inferred fades: never what a person wrote, no decision, convention or trace item.
    """
    if not evictable(item) or lifetime_days(item, ttl_days) is None:
        return False
    age = idle_days(item, today)
    return age is not None and age >= GRACE_DAYS and strength(item, today, ttl_days) < FADED


def why_faded(item: Item, today: str, ttl_days: Lifetimes = NO_LIFETIMES) -> str:
    """Return why an item has faded, as a clause."""
    uses = "no uses" if item.uses.count == 0 else "1 use" if item.uses.count == 1 else f"{item.uses.count} uses"
    since = "used" if item.uses.last and item.uses.last[:10] >= (item.created or "")[:10] else "made"
    return (
        f"it counts for {strength(item, today, ttl_days)} of 1000, below {FADED}: "
        f"{since} {idle_days(item, today)} days ago, {uses}"
    )


def idle_days(item: Item, today: str) -> int | None:
    """Return the days since an item was made or last used, from 0; None where it says neither."""
    days = [each for moment in (item.created, item.uses.last) if moment and (each := _day(moment))]
    now = _day(today)
    return max(0, (now - max(days)).days) if days and now else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _quarters(uses: int) -> int:
    """Return by how many quarters uses make a half-life longer, four at most."""
    return min(4, (uses + 1).bit_length() - 1)


# What an item says, in one line, and several such lines without what is said twice.

LONGEST = 400
"""Characters of a statement; what is longer ends with …, and stands whole in its item."""
_WORDS = lazy_pattern(r"\w+")


def statement(item: Item, body: str) -> str:
    """Return the first paragraph of an item's text as one line; its title where there is no text.

    A heading at its beginning is left out where there is more.
    """
    for part in re.split(r"\n[ \t]*\n", body.strip()):
        lines = [line for line in part.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        line = " ".join(" ".join(lines).split()).removeprefix("- ")
        if line:
            return _cut(line)
    return _cut(" ".join(item.title.split()))


def without_repeats(statements: Sequence[str]) -> tuple[str, ...]:
    """Return statements in order, without those whose words stand in another one.

    >>> without_repeats(["The cache is cold.", "the cache is cold", "At start the cache is cold."])
    ('At start the cache is cold.',)
    """
    folded = [f" {' '.join(_WORDS.findall(each.casefold()))} " for each in statements]
    kept = []
    for place, words in enumerate(folded):
        longer = any(words in other and (len(other) > len(words) or at < place) for at, other in enumerate(folded))
        if not longer:
            kept.append(statements[place])
    return tuple(kept)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    return (head.rpartition(" ")[0] or head) + "…"
