"""Reject what was proposed: it is kept, archived and marked, so that it is known and not proposed again."""

from verifflowcc.adapters.files.items import edit_item
from verifflowcc.adapters.files.stored import stored_item
from verifflowcc.domain.actors import NO_ROLE, needs_person
from verifflowcc.domain.items import Archived, Item, Status, awaits_promotion
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import NotAllowed, UsageError
from verifflowcc.formats.item_render import render_archived
from verifflowcc.records import dataclass, replace
from verifflowcc.services.finding import one_line
from verifflowcc.services.memory.editing import demand_same
from verifflowcc.services.memory.finding import Found
from verifflowcc.services.memory.guarding import refuse_secrets
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import is_person
from verifflowcc.services.memory.rewriting import rewritten
from verifflowcc.services.workspace import Workspace

REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that was rejected, and why, "" where nobody said."""

    item: Item
    scope: str
    reason: str


def reject_item(workspace: Workspace | None, found: Found, *, actor: str, today: str, reason: str = "") -> Rejected:
    """Archive a pending item with the tag `rejected`, and note who rejected it, when and why.

    Raises UsageError for an item that is not pending, NotAllowed where an agent rejects what another proposed,
    SecretError where the reason holds a secret, ConflictError where the item changed meanwhile.
    """
    demand_may_reject(found, actor)
    why = one_line(reason, "--reason")
    refuse_secrets(("--reason", why))
    after = _rejected(found.stored, actor, today, why)
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(found.item.id), found)
        store.add(after)
    return Rejected(after.item, found.scope, why)


def demand_may_reject(found: Found, actor: str) -> None:
    """Raise UsageError for an item that is not pending, NotAllowed where it is not this actor's to reject."""
    item = found.item
    if not awaits_promotion(item):
        raise UsageError(
            f"{item.id} is {item.status}; only what is pending is rejected", hint=f"vfcc memory forget {item.id}"
        )
    if not is_person(actor) and (actor in NO_ROLE or item.source.actor != actor):
        raise NotAllowed(
            needs_person(f"{item.source.actor} proposed {item.id}: rejecting it", actor),
            hint=f"vfcc memory show {item.id}",
        )


def _rejected(stored: StoredItem, actor: str, today: str, why: str) -> StoredItem:
    item = stored.item
    details = {**dict(item.details), "rejected_by": actor, "rejected_on": today}
    if why:
        details["rejected_why"] = why
    after = rewritten(
        stored,
        replace(
            item,
            status=Status.ARCHIVED,
            tags=tuple(dict.fromkeys((*item.tags, REJECTED))),
            details=tuple(details.items()),
            updated=today,
        ),
    )
    line = render_archived(Archived(today, REJECTED, was=str(Status.PENDING)))
    return stored_item(item.path, edit_item(item.path, after.text.encode("utf-8"), {"archived": line}))
