"""When items end: by the day that they say, else by their type's time to live in their scope."""

from collections.abc import Mapping
from datetime import date, timedelta

from verifflowcc.domain.items import Item, ScopeKind, SourceKind, item_type
from verifflowcc.text.article import with_article

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
    said = " (memory.lifecycle.type_ttl_days)" if item.type in ttl_days else ""
    made = (item.created or "")[:10]
    return f"{with_article(item.type)} holds for {days} days{said}, and this one was made on {made}"
