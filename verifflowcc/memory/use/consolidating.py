"""Put a summary in the place of items that say much the same, and complete or undo what was interrupted.

The summary is written first and says what is being done; then its originals are put away, each with the summary's id;
then the summary no longer says so. Whatever interrupts this, what was remembered stands in the originals, in the
summary, or in both, and the next `vfcc memory maintain` comes to the end of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.formats.item_render import render_details
from verifflowcc.base.model.config_values import MemorySettings
from verifflowcc.base.model.item_values import GUARDED, Item, Relation, Status
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.consolidate import (
    DENSE,
    DOING,
    EPISODIC,
    Cluster,
    Refine,
    RememberedItem,
    clusters,
    is_consolidation,
    may_join,
    originals_of,
    summary_of,
    why_consolidated,
)
from verifflowcc.memory.rules.lifetimes import Lifetimes, has_ended, last_day
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.store.access_log import note_apart
from verifflowcc.memory.store.placing import made_item
from verifflowcc.memory.use.adding import active_of_key
from verifflowcc.memory.use.archiving import CONSOLIDATED, WORDS, archive_item, comes_back, restored_item
from verifflowcc.memory.use.editing import demand_same
from verifflowcc.memory.use.item_scope import require_person
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.recording import changed
from verifflowcc.memory.use.stores import memory_settings, open_store

# What maintenance does to items, step by step, each with its reason.


class StepKind(StrEnum):
    """The kinds of maintenance steps, in the order in which they are done.

    `told` is a step that was not done, with its reason.
    """

    FORGOTTEN = "forgotten"
    USES = "uses"
    COMPLETED = "completed"
    RESTORED = "restored"
    ENDED = "ended"
    STAGE = "stage"
    DECAYED = "decayed"
    CONSOLIDATED = "consolidated"
    EVICTED = "evicted"
    RAISED = "raised"
    TASK = "task"
    NOT_DONE = "told"


@dataclass(frozen=True, slots=True)
class MaintenanceStep:
    """A step: the item's scope and id (empty where it is about none), and why as a clause."""

    kind: StepKind
    scope: str
    item: str
    """Empty if the step is about no item."""
    why: str


@dataclass(frozen=True, slots=True)
class MaintenanceResult:
    """All steps in order; under `dry_run` they are what would be done."""

    dry_run: bool
    steps: tuple[MaintenanceStep, ...]


# The items of a store while they are maintained: what is written there, or in a dry run only would be.
#
# A step decides on what the steps before it left, so that a dry run, in which nothing is written, tells the same
# steps.


class Shelf:
    """The items of one scope as they are by now; with `dry_run`, changes stay here. For one thread alone.

    Each item is read once: whoever writes holds the store.
    """

    def __init__(self, store: MemoryBackend, *, dry_run: bool) -> None:
        self.scope = store.scope
        self._store, self._dry_run = store, dry_run
        self._items = {item.id: item for item in store.items()}
        self._known: dict[str, StoredItem | None] = {}
        self.problems = store.problems

    def items(self) -> list[Item]:
        """Return all items without their texts, by id."""
        return [self._items[item_id] for item_id in sorted(self._items)]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        if item_id not in self._known:
            self._known[item_id] = self._store.get(item_id) if item_id in self._items else None
        return self._known[item_id]

    def add(self, stored: StoredItem) -> None:
        """Keep an item under its id. Raises as the store does."""
        if not self._dry_run:
            self._store.add(stored)
        self._known[stored.item.id] = stored
        self._items[stored.item.id] = stored.item

    def delete(self, item_id: str) -> None:
        """Remove an item, if it is there. Raises as the store does."""
        if not self._dry_run:
            self._store.delete(item_id)
        self._known[item_id] = None
        self._items.pop(item_id, None)


CONSOLIDATE, RESTORE = "consolidate", "restore"
"""What a summary says of itself while it is not done."""
_SALTS = 50


@dataclass(frozen=True, slots=True)
class ConsolidationTerms:
    """The conditions of a consolidation: the day, lifetimes, and ids that stay alone.

    `only` are the ids of those that may be, None where all may. `refine` may make a better text of what a summary
    tells; None: it stays as rules make it.
    """

    today: str
    ttl_days: Lifetimes
    apart: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    refine: Refine | None = None


def consolidate(shelf: Shelf, terms: ConsolidationTerms) -> Iterator[MaintenanceStep]:
    """Put summaries in the place of the dense clusters of a scope; yield what was done.

    An item that could not be brought back byte for byte stays as it is. Raises as the store does.
    """
    for cluster in clusters(_joinable(shelf, terms)):
        before = [stored for each in cluster.members if (stored := shelf.get(each.item.id))]
        summary = _summary(shelf, cluster, terms)
        if len(before) == len(cluster.members) and summary is not None:
            _carry_out(shelf, summary, before, terms.today)
            yield MaintenanceStep(StepKind.CONSOLIDATED, shelf.scope, summary.item.id, why_consolidated(cluster))


def complete_interrupted(shelf: Shelf, today: str) -> Iterator[MaintenanceStep]:
    """Come to the end of what was interrupted, and undo summaries that tell what does not hold any more.

    A consolidation is completed, or undone where an original is gone or can no longer be brought back; a restoring is
    completed. A summary one of whose originals was forgotten, replaced or contradicted since is undone, so that the
    others stand for themselves. Raises as the store does.
    """
    made = [item for item in shelf.items() if is_consolidation(item)]
    summaries = [item for item in made if item.status is Status.ACTIVE or DOING in dict(item.details)]
    if not summaries:
        return
    every = shelf.items()
    replaced = _replaced(every)
    disputed = _disputed(every)
    for summary in summaries:
        doing = dict(summary.details).get(DOING)
        why = _undone_because(shelf, summary, doing) or _stale_because(summary, replaced, disputed)
        try:
            if why:
                undo(shelf, summary)
                yield MaintenanceStep(StepKind.RESTORED, shelf.scope, summary.id, why)
            elif doing == CONSOLIDATE:
                _finish(shelf, summary, today)
                why = "its originals were not all archived when it was interrupted; now they are"
                yield MaintenanceStep(StepKind.COMPLETED, shelf.scope, summary.id, why)
        except FormatError as error:
            yield MaintenanceStep(
                StepKind.NOT_DONE, shelf.scope, summary.id, f"it cannot be completed: {error.message}"
            )


def undo(shelf: Shelf, summary: Item, home: Shelf | None = None) -> tuple[Item, ...]:
    """Bring back the originals of a summary as they were and remove it; return those that were brought back.

    `home` is where they are, if not beside it. Only what was put away for this summary is touched. Interrupted, it is
    done again. Raises FormatError where an original cannot be brought back; then nothing was removed.
    """
    home = home or shelf
    back = [restored_item(stored) for stored in summarised_originals(home, summary)]
    stored = shelf.get(summary.id)
    if stored is not None and back and home is shelf:
        shelf.add(_doing(stored, RESTORE))
    for each in back:
        home.add(each)
    shelf.delete(summary.id)
    return tuple(each.item for each in back)


def summarised_originals(shelf: Shelf, summary: Item) -> list[StoredItem]:
    """Return the archived originals of a summary, in its order."""
    found = [shelf.get(item_id) for item_id in originals_of(summary)]
    return [each for each in found if each and each.item.archived and each.item.archived.into == summary.id]


def _carry_out(shelf: Shelf, summary: StoredItem, before: Sequence[StoredItem], today: str) -> None:
    shelf.add(_doing(summary, CONSOLIDATE))
    for each in before:
        shelf.add(archive_item(each, today=today, why=CONSOLIDATED, into=summary.item.id))
    shelf.add(summary)


def _finish(shelf: Shelf, summary: Item, today: str) -> None:
    for item_id in originals_of(summary):
        stored = shelf.get(item_id)
        if stored is not None and stored.item.status is not Status.ARCHIVED:
            shelf.add(archive_item(stored, today=today, why=CONSOLIDATED, into=summary.id))
    stored = shelf.get(summary.id)
    if stored is not None:
        shelf.add(_doing(stored, None))


def _undone_because(shelf: Shelf, summary: Item, doing: str | None) -> str | None:
    """Return why a summary is to be undone, as a clause; None where it is valid."""
    if doing == RESTORE:
        return "its restoring was interrupted; now it is done"
    gone = [item_id for item_id in originals_of(summary) if shelf.get(item_id) is None]
    if gone:
        return f"{gone[0]}, which it summarises, no longer exists"
    if doing == CONSOLIDATE and not _can_finish(shelf, summary):
        return "it was interrupted, and an original has changed so that it could not be brought back"
    return None


def _stale_because(summary: Item, replaced: dict[str, str], disputed: dict[str, str]) -> str | None:
    """Return why a summary is stale, as a clause; None where it is not.

    It is stale where an original was replaced or is in dispute.
    """
    for original in originals_of(summary):
        if original in replaced:
            return f"{original}, which it summarises, was replaced by {replaced[original]}"
        if original in disputed:
            return f"{original}, which it summarises, is contradicted by {disputed[original]}"
    return None


def _can_finish(shelf: Shelf, summary: Item) -> bool:
    for item_id in originals_of(summary):
        stored = shelf.get(item_id)
        if stored is not None and stored.item.status is not Status.ARCHIVED and not _can_be_archived(stored):
            return False
    return True


def _replaced(items: Sequence[Item]) -> dict[str, str]:
    """Return id → the id of what took its place."""
    ids = {item.path: item.id for item in items}
    found = superseded(items).found
    return {ids[path]: ids.get(each.by or "", each.by or "another") for path, each in found.items() if path in ids}


def _disputed(items: Sequence[Item]) -> dict[str, str]:
    """Return the id of each item that one in force contradicts → the id of that one."""
    gone = superseded(items).found
    against = _contradicted(item for item in items if item.status is Status.ACTIVE and item.path not in gone)
    return {item.id: against[name] for item in items for name in _names(item) if name in against}


def _joinable(shelf: Shelf, terms: ConsolidationTerms) -> list[RememberedItem]:
    """Return the items that may go into a summary.

    They are in force, nothing contradicts them, and they can be restored.
    """
    every = shelf.items()
    able = [item for item in every if may_join(item) and item.id not in terms.apart]
    able = [item for item in able if terms.only is None or item.id in terms.only]
    if not _could_be_dense(able):
        return []
    against, gone = _contradicted(every), superseded(every).found
    alone = [item for item in able if item.path not in gone and against.keys().isdisjoint(_names(item))]
    found = (shelf.get(item.id) for item in alone)
    return [RememberedItem(each.item, each.body) for each in found if each is not None and _can_be_archived(each)]


def _contradicted(items: Iterable[Item]) -> dict[str, str]:
    """Return what is contradicted, by the name in the link → the id of what contradicts it."""
    links = ((link, item.id) for item in items for link in item.links)
    return {link.to: item_id for link, item_id in links if link.relation == Relation.CONTRADICTS}


def _names(item: Item) -> tuple[str, ...]:
    return tuple(name for name in (item.id, item.path, item.key) if name)


def _could_be_dense(items: Iterable[Item]) -> bool:
    types = [item.type for item in items]
    return any(types.count(name) >= DENSE for name in EPISODIC)


def _can_be_archived(stored: StoredItem) -> bool:
    try:
        after = archive_item(stored, today="2000-01-01", why=CONSOLIDATED, into="x")
    except FormatError:
        return False
    return after.item.archived is not None and comes_back(stored, after)


def _summary(shelf: Shelf, cluster: Cluster, terms: ConsolidationTerms) -> StoredItem | None:
    """Return the summary under an id that is free; None where none is."""
    for salt in range(_SALTS):
        made = summary_of(cluster, today=terms.today, ttl_days=terms.ttl_days, salt=salt, refine=terms.refine)
        if shelf.get(made.item.id) is None:
            return made_item(made.item, made.body)
    return None


def _doing(stored: StoredItem, what: str | None) -> StoredItem:
    details = {name: text for name, text in stored.item.details if name != DOING}
    if what is not None:
        details[DOING] = what
    return changed(stored, {"details": render_details(details.items())})


# Restore what was archived: the originals of a summary, or one item, byte for byte as they were.


@dataclass(frozen=True, slots=True)
class RestoredItem:
    """A restored item with its status, and the day and reason of its archiving.

    `why` is a clause; None and empty where the file has no note of it.
    """

    id: str
    title: str
    status: str
    archived: str | None
    """The day on which it was archived, or null."""
    why: str


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """What was restored, or under `dry_run` would be: `summary` is the id of the summary that is gone for it.

    `notes` are sentences: what was not there to be restored, and what will be archived again.
    """

    scope: str
    summary: str | None
    """The removed summary, or null."""
    items: tuple[RestoredItem, ...]
    dry_run: bool
    notes: tuple[str, ...] = ()


def restore(
    workspace: Workspace | None, found: ScopedItem, *, actor: str, today: str, dry_run: bool = False
) -> RestoreResult:
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
            done = _restoring_summary(shelf, found.item, dry_run=dry_run)
        else:
            _demand_archived(found.item)
            after = restored_item(found.stored)
            other = active_of_key(store, after.item.type, after.item.key)
            _demand_free_key(after.item, other.item if other else None)
            shelf.add(after)
            done = RestoreResult(
                found.scope, None, (_back(found.item, after.item),), dry_run, _restore_notes(shelf, found.item)
            )
        ended = [each for item in done.items if (each := store_item(shelf, item.id)) is not None]
    if done.summary and workspace is not None and not dry_run:
        note_apart(workspace.local, (each.id for each in done.items))
    return RestoreResult(done.scope, done.summary, done.items, dry_run, (*done.notes, *_again(ended, today, ttl)))


def store_item(shelf: Shelf, item_id: str) -> Item | None:
    """Return an item without its text."""
    stored = shelf.get(item_id)
    return stored.item if stored else None


def _restoring_summary(shelf: Shelf, summary: Item, *, dry_run: bool) -> RestoreResult:
    before = {each.item.id: each.item for each in summarised_originals(shelf, summary)}
    back = undo(shelf, summary)
    notes = []
    for item_id in originals_of(summary):
        if item_id not in before:
            there = store_item(shelf, item_id)
            notes.append(f"{item_id} is {there.status}, and stays so" if there else f"{item_id} is not there any more")
    if summary.updated:
        notes.append(f"{summary.id} was changed on {summary.updated[:10]}; that change is lost with it")
    return RestoreResult(
        shelf.scope, summary.id, tuple(_back(before[item.id], item) for item in back), dry_run, tuple(notes)
    )


def _back(before: Item, after: Item) -> RestoredItem:
    note = before.archived
    why = WORDS.get(note.why, note.why) if note else "a person rejected it" if "rejected" in before.tags else ""
    return RestoredItem(after.id, after.title, str(after.status), note.on if note else None, why)


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


def _restore_notes(shelf: Shelf, item: Item) -> tuple[str, ...]:
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
