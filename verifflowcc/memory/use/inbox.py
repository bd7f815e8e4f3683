"""What waits for a person: who proposed it, why, from where, and what it would take the place of."""

from collections.abc import Iterator, Sequence

from verifflowcc.base.errors import NotAllowed, UsageError
from verifflowcc.base.formats.item_render import render_archived
from verifflowcc.base.model.item_values import (
    ArchiveNote,
    Item,
    Relation,
    SourceKind,
    Status,
    awaits_promotion,
    may_be_heard,
)
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.model.people import NO_ROLE, needs_person
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import refuse_secrets, withheld_item
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.store.item_edits import edit_item
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.editing import demand_same
from verifflowcc.memory.use.item_scope import is_person
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.recording import awaits_adoption, rewritten
from verifflowcc.memory.use.stores import open_store

# Reject what was proposed: it is kept, archived and marked, so that it is known and not proposed again.

REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """A rejected item with its reason, "" without one."""

    item: Item
    scope: str
    reason: str


def reject_item(
    workspace: Workspace | None, found: ScopedItem, *, actor: str, today: str, reason: str = ""
) -> RejectedItem:
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
    return RejectedItem(after.item, found.scope, why)


def demand_may_reject(found: ScopedItem, actor: str) -> None:
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
    line = render_archived(ArchiveNote(today, REJECTED, was=str(Status.PENDING)))
    return stored_item(item.path, edit_item(item.path, after.text.encode("utf-8"), {"archived": line}))


LOW_CONFIDENCE = 500
_OLDEST_LAST = "9999"


@dataclass(frozen=True, slots=True)
class ReplacedItem:
    """An item that a proposal would take the place of, or contradicts; `title` is None where it is not there."""

    id: str
    relation: str
    title: str | None
    """Null if there is no such item."""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """An item that waits: `who` proposed it, `why` it waits, and `origin`, the text it was read from, "" for none."""

    item: Item
    scope: str
    text: str
    who: str
    why: str
    origin: str
    """Its source text, or empty."""
    replaces: tuple[ReplacedItem, ...]
    """Items that it would replace or contradict."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """All that waits, the oldest first, and what could not be read."""

    waiting: tuple[WaitingItem, ...]
    """Oldest first."""
    notices: tuple[str, ...] = ()


def open_inbox(workspace: Workspace | None, scopes: Sequence[str]) -> Inbox:
    """Return what waits in these scopes. Raises WorkspaceError and BackendError where a store cannot be read."""
    found: list[WaitingItem] = []
    notices: list[str] = []
    for scope in dict.fromkeys(scopes):
        with open_store(workspace, scope) as store:
            stored = _stored(store)
            notices += store.problems
            titles = _titles(store.linked(_targets(stored)) if stored else ())
        found += [_waiting(each, scope, titles) for each in stored]
    found.sort(key=lambda each: (each.item.created or _OLDEST_LAST, each.scope, each.item.id))
    return Inbox(tuple(found), tuple(notices))


def count_waiting(workspace: Workspace | None, scopes: Sequence[str]) -> int:
    """Return how many items wait in these scopes. Raises as `open_inbox` does."""
    count = 0
    for scope in dict.fromkeys(scopes):
        with open_store(workspace, scope) as store:
            count += len(_stored(store))
    return count


def _stored(store: MemoryBackend) -> list[StoredItem]:
    ids = [item.id for item in store.items() if awaits_promotion(item) or may_be_heard(item)]
    return [each for name in ids if (each := store.get(name)) and _waits(each)]


def _waits(stored: StoredItem) -> bool:
    return awaits_promotion(stored.item) or awaits_adoption(stored)


def _targets(stored: Sequence[StoredItem]) -> list[str]:
    return [link.to for each in stored for link in each.item.links]


def _titles(items: Sequence[Item]) -> dict[str, str]:
    return {name: item.title for item in items for name in (item.path, item.key or "", item.id) if name}


def _waiting(stored: StoredItem, scope: str, titles: dict[str, str]) -> WaitingItem:
    item = stored.item
    source = item.source
    parts = (source.origin, source.turn and f"turn {source.turn}", source.session and f"session {source.session}")
    replaces = tuple(
        ReplacedItem(link.to, str(link.relation), _title(titles.get(link.to)))
        for link in item.links
        if link.relation in (Relation.SUPERSEDES, Relation.CONTRADICTS)
    )
    return WaitingItem(
        withheld_item(item),
        scope,
        withhold(stored.body.strip("\n")),
        source.actor,
        "; ".join(_why(item, stored.body)),
        ", ".join(part for part in parts if part),
        replaces,
    )


def _title(title: str | None) -> str | None:
    return None if title is None else withhold(title)


def _why(item: Item, text: str) -> Iterator[str]:
    """Yield the way why an item waits, as far as it records them."""
    source = item.source
    way = {
        SourceKind.EXPLICIT: "proposed",
        SourceKind.EXTRACTED: "extracted",
        SourceKind.INFERRED: "inferred",
        SourceKind.IMPORTED: "imported",
    }[source.kind]
    yield f"{way} by {source.actor}" + (f", spoken by {source.speaker}" if source.speaker else "")
    if may_be_heard(item):
        yield "it is memory until a person adopts it into the trace"
    elif item.status is Status.ACTIVE:
        yield "it arrived as active, but no person promoted it"
    if reason := dict(item.details).get("waits"):
        yield withhold(reason)
    elif item.confidence < LOW_CONFIDENCE:
        yield (_doubt(text) if source.kind is SourceKind.EXTRACTED else "") or "its confidence is low"


def _doubt(text: str) -> str:
    """Return the words of a text that qualify it, as a reason to wait; "" for none."""
    from verifflowcc.memory.rules.qualifiers import doubt_about, qualifiers  # its package compiles many patterns

    return doubt_about(text) if qualifiers(text) else ""
