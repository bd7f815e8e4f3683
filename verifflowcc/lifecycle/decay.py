"""How much an item still counts: less with time, more slowly where it is used. For `memory maintain` alone.

Whole thousandths, so that every machine says the same. The constants:

- An item counts for its importance on the day it was made or last used, and for half of that one half-life later, for
  a quarter after two; between these days it falls along a straight line.
- The half-life is half of its time to live, and longer where it was used: by a quarter for 1 use, two for 3, three for
  7, and four quarters, twice as long, from 15 uses on.
- What never runs out does not fade either.
- Below `FADED` an item is archived, but not before `GRACE_DAYS` have passed since it was made or used.
"""

from datetime import date

from verifflowcc.domain.items import Item
from verifflowcc.lifecycle.evict import evictable
from verifflowcc.lifecycle.expire import NO_LIFETIMES, Lifetimes, lifetime_days

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
    """Say whether an item counts for too little to be kept at hand.

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
    days = [each for said in (item.created, item.uses.last) if said and (each := _day(said))]
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
