"""What waits for a person: who proposed it, why, from where, and what it would take the place of."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from verifflowcc.base.errors import NotAllowed, UsageError
from verifflowcc.base.formats.item_render import render_archived
from verifflowcc.base.model.item_values import (
    MACHINES,
    TYPES,
    ArchiveNote,
    Item,
    Relation,
    SourceKind,
    Status,
    awaits_promotion,
    is_trace_type,
    may_be_heard,
)
from verifflowcc.base.model.memory_protocol import ChosenItem, Filters, MemoryBackend, StoredItem
from verifflowcc.base.model.people import NO_ROLE, needs_person
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import refuse_secrets, withheld_item
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.editing import demand_same
from verifflowcc.memory.use.item_scope import is_person
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.recording import awaits_adoption, changed, rewritten
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
    line = render_archived(ArchiveNote(today, REJECTED, previous_status=str(Status.PENDING)))
    return changed(after, {"archived": line})


LOW_CONFIDENCE = 500
_OLDEST_LAST = "9999"
_BY_MACHINES: Sequence[Filters] = [
    {"status": str(Status.ACTIVE), "actor": {"$gte": kind, "$lt": f"{kind};"}} for kind in sorted(MACHINES)
]
WAITING: Sequence[Filters] = (
    {"status": str(Status.PENDING)},
    *_BY_MACHINES,
    {"status": str(Status.ACTIVE), "type": [name for name in TYPES if is_trace_type(name)]},
)
"""What can wait, as a store is asked for it: `;` follows `:`, which ends the kind of an actor."""


@dataclass(frozen=True, slots=True)
class ReplacedItem:
    """An item that a proposal would take the place of, or contradicts; `title` is None where it is not there."""

    id: str
    relation: str
    title: str | None
    """Null if there is no such item."""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """An item that waits: who proposed it, why it waits, and `origin`, the text it was read from, "" for none."""

    item: Item
    scope: str
    text: str
    proposed_by: str
    why: str
    origin: str
    """Its source text, or empty."""
    replaces: tuple[ReplacedItem, ...]
    """Items that it would replace or contradict."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits, the oldest first, how many more there are, and what could not be read."""

    waiting: tuple[WaitingItem, ...]
    """Oldest first."""
    notices: tuple[str, ...] = ()
    more: int = 0
    """How many were beyond the limit."""


def open_inbox(workspace: Workspace | None, scopes: Sequence[str], limit: int | None = None) -> Inbox:
    """Return what waits in these scopes, at most the oldest `limit`: only their texts are read.

    Raises UsageError for a limit below 1, WorkspaceError and BackendError where a store cannot be read.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"a limit is a whole number from 1, not {limit}", hint="--limit 20")
    notices: list[str] = []
    with ExitStack() as opened:
        found: list[_Waiting] = []
        for scope in dict.fromkeys(scopes):
            store = opened.enter_context(open_store(workspace, scope))
            found += [_Waiting(scope, store, each) for each in _chosen(store)]
            notices += store.problems
        found.sort(key=lambda each: (each.chosen.item.created or _OLDEST_LAST, each.scope, each.chosen.item.id))
        shown = [(each, stored) for each in found[:limit] if (stored := each.chosen.read()) and _waits(stored)]
        titles: dict[str, dict[str, str]] = {}
        for store in dict.fromkeys(each.store for each, _ in shown):
            targets = [link.to for each, stored in shown if each.store is store for link in stored.item.links]
            titles[store.scope] = _titles(store.replacing(targets)) if targets else {}
    waiting = tuple(_waiting(stored, each.scope, titles[each.scope]) for each, stored in shown)
    return Inbox(waiting, tuple(notices), len(found) - len(found[:limit]))


def count_waiting(workspace: Workspace | None, scopes: Sequence[str]) -> int:
    """Return how many items wait in these scopes. Raises as `open_inbox` does."""
    count = 0
    for scope in dict.fromkeys(scopes):
        with open_store(workspace, scope) as store:
            count += len(_chosen(store))
    return count


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An item that waits in a store that is open."""

    scope: str
    store: MemoryBackend
    chosen: ChosenItem


def _chosen(store: MemoryBackend) -> list[ChosenItem]:
    """Return the items that wait; only those that may be in the trace already are read."""
    return [each for each in store.chosen(WAITING) if awaits_promotion(each.item) or _is_heard(each)]


def _is_heard(each: ChosenItem) -> bool:
    stored = each.read() if may_be_heard(each.item) else None
    return stored is not None and awaits_adoption(stored)


def _waits(stored: StoredItem) -> bool:
    return awaits_promotion(stored.item) or awaits_adoption(stored)


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
