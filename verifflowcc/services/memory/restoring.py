"""Restore what was archived: the originals of a summary, or one item, byte for byte as they were."""

from collections.abc import Iterable

from verifflowcc.adapters.files.consolidated import note_apart
from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.config import MemorySettings
from verifflowcc.domain.items import GUARDED, Item, Status
from verifflowcc.errors import UsageError
from verifflowcc.lifecycle.consolidate import is_consolidation, originals_of
from verifflowcc.lifecycle.expire import has_ended, last_day
from verifflowcc.records import dataclass
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.services.memory.consolidating import told_by, undo
from verifflowcc.services.memory.editing import demand_same
from verifflowcc.services.memory.finding import Found
from verifflowcc.services.memory.opening import memory_settings, open_store
from verifflowcc.services.memory.permission import require_person
from verifflowcc.services.memory.putting_away import WORDS, brought_back
from verifflowcc.services.memory.shelf import Shelf
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Back:
    """An item that is back. `status` is what it has again; `archived` the day on which it was put away, `why` as a
    clause: None and empty where nothing says so."""

    id: str
    title: str
    status: str
    archived: str | None
    """The day on which it was archived, or null."""
    why: str


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, or under `dry_run` would be: `summary` is the id of the summary that is gone for it.

    `notes` are sentences: what was not there to be restored, and what will be archived again.
    """

    scope: str
    summary: str | None
    """The removed summary, or null."""
    items: tuple[Back, ...]
    dry_run: bool
    notes: tuple[str, ...] = ()


def restore(workspace: Workspace | None, found: Found, *, actor: str, today: str, dry_run: bool = False) -> Restored:
    """Bring back the originals of a summary and remove it, or make an archived item what it was before.

    Every byte of an item is as it was, but for uses that were counted since. Raises UsageError for an item that is not
    archived, or whose key another active item has by now; NotAllowed where an agent brings back what the person or the
    project remembered; ConflictError where the item changed meanwhile; FormatError where its front matter cannot be
    edited without risk.
    """
    if not dry_run and found.scope in GUARDED:
        require_person(actor, f"restoring {found.item.id}", hint=f"vfcc memory restore {found.item.id} --dry-run")
    ttl = memory_settings(workspace) if found.scope != USER else MemorySettings()
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(found.item.id), found)
        shelf = Shelf(store, dry_run=dry_run)
        if is_consolidation(found.item) and found.item.status is Status.ACTIVE:
            done = _summary(shelf, found.item, dry_run=dry_run)
        else:
            _demand_archived(found.item)
            after = brought_back(found.stored)
            other = standing_of_key(store, after.item.type, after.item.key)
            _demand_free_key(after.item, other.item if other else None)
            shelf.add(after)
            done = Restored(found.scope, None, (_back(found.item, after.item),), dry_run, _told_by(shelf, found.item))
        ended = [each for item in done.items if (each := store_item(shelf, item.id)) is not None]
    if done.summary and workspace is not None and not dry_run:
        note_apart(workspace.local, (each.id for each in done.items))
    return Restored(done.scope, done.summary, done.items, dry_run, (*done.notes, *_again(ended, today, ttl)))


def store_item(shelf: Shelf, item_id: str) -> Item | None:
    """Return an item without its text."""
    stored = shelf.get(item_id)
    return stored.item if stored else None


def _summary(shelf: Shelf, summary: Item, *, dry_run: bool) -> Restored:
    before = {each.item.id: each.item for each in told_by(shelf, summary)}
    back = undo(shelf, summary)
    notes = []
    for item_id in originals_of(summary):
        if item_id not in before:
            there = store_item(shelf, item_id)
            notes.append(f"{item_id} is {there.status}, and stays so" if there else f"{item_id} is not there any more")
    if summary.updated:
        notes.append(f"{summary.id} was changed on {summary.updated[:10]}; that change is lost with it")
    return Restored(
        shelf.scope, summary.id, tuple(_back(before[item.id], item) for item in back), dry_run, tuple(notes)
    )


def _back(before: Item, after: Item) -> Back:
    said = before.archived
    why = WORDS.get(said.why, said.why) if said else "a person rejected it" if "rejected" in before.tags else ""
    return Back(after.id, after.title, str(after.status), said.on if said else None, why)


def _demand_archived(item: Item) -> None:
    if item.status is not Status.ARCHIVED:
        raise UsageError(
            f"{item.id} is {item.status}; what is restored is archived, or is a summary of what is",
            hint="vfcc memory list --status archived",
        )


def _demand_free_key(item: Item, other: Item | None) -> None:
    """Raise UsageError where two would be active under one key and neither supersedes the other."""
    if other is None or item.status is not Status.ACTIVE or other.id == item.id:
        return
    if not any(link.to in (item.id, item.path) for link in other.links):
        raise UsageError(
            f"the key {item.key} is that of {other.id} now", hint=f"vfcc memory show {other.id}  # forget one of them"
        )


def _told_by(shelf: Shelf, item: Item) -> tuple[str, ...]:
    into = item.archived.into if item.archived else None
    if into is None or shelf.get(into) is None:
        return ()
    return (f"{into} still contains it; to restore all items of the summary: vfcc memory restore {into}",)


def _again(items: Iterable[Item], today: str, settings: MemorySettings) -> list[str]:
    return [
        f"{item.id} ended on {last_day(item, settings.ttl_days)}: the next vfcc memory maintain archives it again; "
        f"vfcc memory edit {item.id} --expires DAY keeps it"
        for item in items
        if item.status is not Status.ARCHIVED and has_ended(item, today, settings.ttl_days)
    ]
