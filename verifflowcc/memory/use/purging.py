"""Undo what came from one source: its items go, and the state is as if it had never been read.

What an item of it had replaced stands again by itself. What replaced such an item replaces from then on what that one
had replaced. A summary that tells of such an item is taken apart first.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import ExitStack

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import Item, Link, Relation, Source
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.consolidate import made_of
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.store.ingested_turns import Turns
from verifflowcc.memory.use.consolidating import Shelf, undo
from verifflowcc.memory.use.item_scope import require_person
from verifflowcc.memory.use.laid_out import open_streams
from verifflowcc.memory.use.recording import with_link, without_link
from verifflowcc.memory.use.scopes import PROJECT
from verifflowcc.memory.use.upkeep import parts_of


@dataclass(frozen=True, slots=True)
class PurgedItem:
    """An item as the result of a purge shows it."""

    scope: str
    id: str
    type: str
    title: str


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """What a purge did, or would do.

    `removed` are the items of the source and the summaries made of them, `restored` other items that such a summary
    told, `in_force_again` items that hold again; `linked_by` are ids of items that still link to what is gone;
    `other_sessions` are sessions with statements that were not kept since the source had the same: a new reading keeps
    them.
    """

    source: str
    removed: tuple[PurgedItem, ...]
    restored: tuple[PurgedItem, ...]
    """Originals of summaries that were removed."""
    in_force_again: tuple[PurgedItem, ...]
    """Items in force again."""
    linked_by: tuple[str, ...]
    other_sessions: tuple[str, ...]
    """Sessions with the same statement, to be ingested again."""
    turns: int
    """Turns that count as not read again."""
    dry_run: bool


Confirm = Callable[[PurgeResult], None]
"""Asks a person; raises where they do not say yes."""


def purge(
    workspace: Workspace | None,
    source: str,
    scopes: Sequence[str],
    *,
    actor: str,
    confirm: Confirm,
    dry_run: bool = False,
) -> PurgeResult:
    """Remove all items that came from a source: a session, an origin as items have it, a file's name or its digest.

    Looked at are these scopes, and where the project's is among them all parts of it, closed ones too.

    Raises UsageError where nothing came from there, NotAllowed unless a person acts (or under `dry_run`), and as the
    stores do; interrupted, it is done again.
    """
    if not dry_run:
        require_person(actor, "purging a source", hint=f"vfcc memory forget --source {source} --dry-run")
    if workspace is not None and PROJECT in scopes:
        scopes = tuple(dict.fromkeys((*scopes, *parts_of(workspace))))
    found = _purged(workspace, source, scopes, dry_run=True)
    if not found.removed and not found.turns:
        raise UsageError(f"nothing here came from {source}", hint="vfcc memory show ID  # it says where it was read")
    if dry_run:
        return found
    confirm(found)
    return _purged(workspace, source, scopes, dry_run=False)


def came_from(origin: Source, source: str) -> bool:
    """Say whether an item's source is the one named; one that is no person may be named itself (`agent:coder`).

    >>> from verifflowcc.base.model.item_values import SourceKind
    >>> mine = Source(SourceKind.EXTRACTED, "human:You", None, "monday-1a/part-2", "monday.md@e3b0c44298fc")
    >>> [came_from(mine, each) for each in ("monday.md", "e3b0c44298fc", "monday-1a", "monday-1a/part", "tuesday.md")]
    [True, True, True, False, False]
    """
    file, _, digest = (origin.origin or "").rpartition("@")
    names = {origin.origin, file, digest} - {None, ""}
    if source == origin.actor and not source.startswith("human"):
        return True
    return source in names or source.rpartition("/")[2] in names - {digest} or _is_session(origin.session, source)


def _is_session(session: str | None, source: str) -> bool:
    return session is not None and (session == source or session.startswith(f"{source}/"))


def _purged(workspace: Workspace | None, source: str, scopes: Sequence[str], *, dry_run: bool) -> PurgeResult:
    done = _PurgeTotals()
    with ExitStack() as stack:
        streams = open_streams(stack, workspace, scopes, reading=False)
        shelves = []
        for stream in streams:
            if not dry_run:
                if stream.keeps_log:
                    stream.lock(stack)
                stack.enter_context(stream.store.writing())
            shelves.append(Shelf(stream.store, dry_run=dry_run))
        before = {shelf.scope: set(excluded_items(shelf.items()).left_out) for shelf in shelves}
        gone = {shelf.scope: _of_source(shelf, source) for shelf in shelves}
        done.sessions = {item.source.session for found in gone.values() for item in found.values()} - {None}
        undone = _undo_summaries(shelves, gone, done)
        for stream, shelf in zip(streams, shelves, strict=True):
            _purge_scope(shelf, gone[shelf.scope], undone[shelf.scope], before[shelf.scope], done)
            if stream.keeps_log:
                done.forget(stream.log(), source)
                if not dry_run:
                    kept = {(item.source.session, item.source.turn) for item in shelf.items()}
                    stream.forget(lambda session, _, same: done.is_forgotten(session, same, source), kept)
    return done.result(source, dry_run=dry_run)


class _PurgeTotals:
    """What is gathered over the scopes."""

    def __init__(self) -> None:
        self.gone: list[PurgedItem] = []
        self._ids: set[str] = set()
        self.back: list[PurgedItem] = []
        self.stand: list[PurgedItem] = []
        self.linked_by: list[str] = []
        self.sessions: set[str | None] = set()
        self._other_sessions: dict[str, None] = {}
        self._turns = 0

    def is_forgotten(self, session: str, same: Sequence[str], source: str) -> bool:
        """Say whether a turn counts as one that was not read: it is of the source, or repeats what is gone."""
        return session in self.sessions or _is_session(session, source) or not self._ids.isdisjoint(same)

    def went(self, item: PurgedItem) -> None:
        """Note an item that is gone."""
        self.gone.append(item)
        self._ids.add(item.id)

    def forget(self, log: Turns, source: str) -> None:
        """Count the turns of a log that are forgotten."""
        for session, turns in log.items():
            forgotten = [turn for turn, same in turns.items() if self.is_forgotten(session, same, source)]
            self._turns += len(forgotten)
            if forgotten and session not in self.sessions and not _is_session(session, source):
                self._other_sessions[session] = None

    def result(self, source: str, *, dry_run: bool) -> PurgeResult:
        """Return all of it as one value."""
        return PurgeResult(
            source,
            tuple(self.gone),
            tuple(self.back),
            tuple(self.stand),
            tuple(self.linked_by),
            tuple(self._other_sessions),
            self._turns,
            dry_run,
        )


_Gone = dict[str, dict[str, Item]]
"""Scope → id → item that came from the source."""


def _of_source(shelf: Shelf, source: str) -> dict[str, Item]:
    return {item.id: item for item in shelf.items() if came_from(item.source, source)}


def _undo_summaries(shelves: Sequence[Shelf], gone: _Gone, done: _PurgeTotals) -> dict[str, set[str]]:
    """Undo every summary that contains a purged item; return scope → their ids."""
    homes = {shelf.scope: shelf for shelf in shelves}
    undone: dict[str, set[str]] = {shelf.scope: set() for shelf in shelves}
    for shelf in shelves:
        for summary in shelf.items():
            scope, originals = made_of(summary)
            if gone.get(scope, {}).keys().isdisjoint(originals):
                continue
            back = undo(shelf, summary, homes[scope])
            undone[shelf.scope].add(summary.id)
            done.went(_shown(shelf, summary))
            done.back += [_shown(homes[scope], item) for item in back if item.id not in gone[scope]]
    return undone


def _purge_scope(shelf: Shelf, gone: dict[str, Item], undone: set[str], before: set[str], done: _PurgeTotals) -> None:
    if not gone and not undone:
        return
    _link_past(shelf, gone)
    for item in gone.values():
        shelf.delete(item.id)
        done.went(_shown(shelf, item))
    left_out = excluded_items(shelf.items()).left_out
    back = {(each.scope, each.id) for each in done.back}
    stand = [item for item in shelf.items() if item.path in before and item.path not in left_out]
    done.stand += [_shown(shelf, item) for item in stand if (shelf.scope, item.id) not in back]
    done.linked_by += _linked_by(shelf.items(), gone.keys() | undone)


def _link_past(shelf: Shelf, gone: dict[str, Item]) -> None:
    """Let what replaced an item that goes replace what that one had replaced, and contradict nothing that is gone."""
    for item in shelf.items():
        links = [link for link in item.links if link.to in gone]
        if item.id in gone or not links:
            continue
        stored = shelf.get(item.id)
        if stored is None:
            continue
        for link in links:
            if link.relation not in (Relation.SUPERSEDES, Relation.CONTRADICTS):
                continue
            stored = without_link(stored, link.to, link.relation)
            for older in _older(gone, link.to) if link.relation == Relation.SUPERSEDES else ():
                if older not in {each.to for each in stored.item.links if each.relation == Relation.SUPERSEDES}:
                    stored = with_link(stored, Link(older, Relation.SUPERSEDES))
        if stored.text != (shelf.get(item.id) or stored).text:
            shelf.add(stored)


def _older(gone: dict[str, Item], name: str) -> list[str]:
    """Return the ids of what an item that goes had replaced, through others that go."""
    found, waiting, seen = dict[str, None](), [name], set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        if here not in gone:
            found[here] = None
            continue
        waiting += [link.to for link in gone[here].links if link.relation == Relation.SUPERSEDES]
    return list(found)


def _linked_by(items: Iterable[Item], gone: Set[str]) -> list[str]:
    return [item.id for item in items if any(link.to in gone for link in item.links)]


def _shown(shelf: Shelf, item: Item) -> PurgedItem:
    return PurgedItem(shelf.scope, item.id, item.type, item.title)
