"""Who promoted an item, and who vouched for more than it was made from: kept in the item's own details.

Promoting says that an item holds; its trust stays the least of what it was made from. Only a person who vouches for it
in so many words raises it, and that is recorded. Nobody but vfcc writes these details, and nobody brings them along.
"""

from verifflowcc.domain.items import PROMOTED_BY, PROMOTED_ON, VOUCHED_BY, VOUCHED_ON, Item, Trust
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import NotAllowed
from verifflowcc.records import replace
from verifflowcc.services.memory.permission import is_person, trust_of
from verifflowcc.services.memory.rewriting import rewritten

RECORDED = (PROMOTED_BY, PROMOTED_ON, VOUCHED_BY, VOUCHED_ON)


def promoted(item: Item, actor: str, today: str, *, vouch: bool) -> Item:
    """Return an item with who promoted it and when; with `vouch` it is trusted as this person is, and says so."""
    done = _with_details(item, {PROMOTED_BY: actor, PROMOTED_ON: today})
    return vouched(done, actor, today) if vouch else done


def vouched(item: Item, actor: str, today: str) -> Item:
    """Return an item that is trusted as whoever vouches for it, with who that was and when."""
    return replace(_with_details(item, {VOUCHED_BY: actor, VOUCHED_ON: today}), trust=trust_of(actor))


def without_vouching(stored: StoredItem) -> StoredItem:
    """Return an item that says nothing of promotions and vouching: what comes from elsewhere proves nothing here."""
    kept = tuple(pair for pair in stored.item.details if pair[0] not in RECORDED)
    return stored if kept == stored.item.details else rewritten(stored, replace(stored.item, details=kept))


def demand_no_rise(before: Item, after: Item, actor: str) -> None:
    """Raise NotAllowed where anybody but a person makes an item trusted more, or says that it was promoted."""
    if is_person(actor):
        return
    order = list(Trust)
    if order.index(after.trust) < min(order.index(before.trust), order.index(trust_of(actor))):
        raise NotAllowed(f"{actor} cannot vouch for {before.id} as {after.trust}", hint=f"vfcc memory show {before.id}")
    if _recorded(after) != _recorded(before):
        raise NotAllowed(f"{' and '.join(RECORDED)} are written by a promotion", hint=f"vfcc memory show {before.id}")


def _recorded(item: Item) -> dict[str, str]:
    return {name: value for name, value in item.details if name in RECORDED}


def _with_details(item: Item, more: dict[str, str]) -> Item:
    return replace(item, details=tuple({**dict(item.details), **more}.items()))
