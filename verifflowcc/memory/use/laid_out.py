"""What a store holds, laid out so that a new statement is compared with the few items that it can concern."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.item_values import (
    PROMOTED_BY,
    Item,
    Relation,
    ScopeKind,
    SourceKind,
    Status,
    awaits_promotion,
)
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.candidates import KeptStatement, StatementCandidate
from verifflowcc.memory.rules.code_names import key_of
from verifflowcc.memory.rules.consolidate import holds_in_summary, is_consolidation
from verifflowcc.memory.rules.corrections import revision
from verifflowcc.memory.rules.superseded import superseded, withdrawn
from verifflowcc.memory.rules.turn_statements import statement_of
from verifflowcc.memory.store.ingested_turns import (
    IngestLog,
    IngestPlan,
    Kept,
    Turns,
    drop_plan,
    forget_read,
    note_read,
    turns_read,
    unfinished_plan,
    write_plan,
)
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.access_counts import log_folder
from verifflowcc.memory.use.scopes import PROJECT
from verifflowcc.memory.use.stores import open_for_reading, open_store

REJECTED = "rejected"
"""The tag of a proposal that a person turned down."""


class ScopeItems:
    """The items of one scope as they stand, kept up while new ones are added; each is read once.

    Two views are kept, since a proposal changes nothing until somebody says yes: what stands now, and what would stand
    if all that is proposed were promoted.
    """

    def __init__(self, stored: Iterable[StoredItem]) -> None:
        every = list(stored)
        items = [each.item for each in every]
        self.ids = {item.id.casefold() for item in items}
        self._by_key: dict[str, list[KeptStatement]] = {}
        self._by_subject: dict[str, list[KeptStatement]] = {}
        self._every: list[KeptStatement] = []
        self._by_mark: dict[str, list[KeptStatement]] = {}
        self._replaced = set(superseded(items).found)
        self._gone = self._replaced | withdrawn(items).keys()
        promoted = [_promoted(item) if awaits_promotion(item) else item for item in items]
        self._outdone = set(superseded(promoted).found)
        self._paths = {item.id: item.path for item in items}
        summaries = {item.id: item for item in items if is_consolidation(item)}
        into = ((item, summaries.get(item.archived.into or "")) for item in items if item.archived)
        self._in_summaries = {item.path for item, summary in into if holds_in_summary(item, summary)}
        for each in every:
            self._learn(each)

    def add(self, stored: StoredItem) -> None:
        """Take in an item that is new, and what it replaces."""
        item = stored.item
        targets = {self._paths.get(link.to, "") for link in item.links if link.relation == Relation.SUPERSEDES}
        self._outdone |= targets
        if item.status is Status.ACTIVE:
            self._gone |= targets
            self._replaced |= targets
        else:
            self._gone.add(item.path)
        self._paths[item.id] = item.path
        self.ids.add(item.id.casefold())
        self._learn(stored)

    def beside(self, candidate: StatementCandidate, mark: str) -> list[KeptStatement]:
        """Return items, in force or proposed, that a candidate repeats or contradicts.

        A candidate can also replace them.
        """
        found = self._every if revision(candidate.content) else self._near(candidate, mark)
        return [each for each in found if self.is_in_force(each.item) or self._waits(each.item)]

    def put_aside(self, candidate: StatementCandidate, mark: str) -> list[KeptStatement]:
        """Return what somebody turned down that the candidate can say again."""
        return [each for each in self._near(candidate, mark) if _is_put_aside(each.item)]

    def proposed(self, key: str) -> list[KeptStatement]:
        """Return all proposals of a key that nothing in force has replaced."""
        pending = (each for each in self._by_key.get(key, ()) if each.item.status is Status.PENDING)
        return [each for each in pending if each.item.path not in self._replaced]

    def of_session(self, session: str, key: str) -> list[KeptStatement]:
        """Return the items that a session gave for a key, whatever became of them."""
        return [each for each in self._by_key.get(key, ()) if each.item.source.session == session]

    def is_in_force(self, item: Item) -> bool:
        """Say whether an item holds now, by itself or through its summary."""
        if item.path in self._in_summaries:
            return item.path not in self._replaced
        return item.status is Status.ACTIVE and item.path not in self._gone

    def _waits(self, item: Item) -> bool:
        return awaits_promotion(item) and item.path not in self._outdone

    def _near(self, candidate: StatementCandidate, mark: str) -> Iterator[KeptStatement]:
        buckets = (self._by_mark.get(mark, ()), self._by_key.get(candidate.key, ()))
        found = (each for bucket in (*buckets, self._by_subject.get(candidate.subject, ())) for each in bucket)
        yield from {each.item.id: each for each in found}.values()

    def _learn(self, stored: StoredItem) -> None:
        item = stored.item
        says = stored.body.strip() or item.title
        meant = item.key if item.source.kind is SourceKind.EXTRACTED else None
        subject, value, negated = statement_of(says, item.type, meant or "")
        held = KeptStatement(item, subject, value, negated, mark_of(item.type, says), says)
        self._every.append(held)
        self._by_mark.setdefault(held.fingerprint, []).append(held)
        self._by_key.setdefault(item.key or key_of(subject, value), []).append(held)
        if subject:
            self._by_subject.setdefault(subject, []).append(held)


def _promoted(item: Item) -> Item:
    return replace(item, status=Status.ACTIVE, details=(*item.details, (PROMOTED_BY, "human:Anybody")))


def mark_of(type_name: str, text: str) -> str:
    """Return what two texts of a type have in common that say the same, but for case, spaces and a full stop.

    >>> mark_of("fact", "The client is  Acme.") == mark_of("fact", "the client is Acme")
    True
    """
    return f"{type_name} {' '.join(text.casefold().split()).rstrip('.!')}"


def _is_put_aside(item: Item) -> bool:
    return item.status is Status.ARCHIVED and REJECTED in item.tags


# A store that an ingest fills: what it holds, which turns it knows, and what is to be written to it.

LOCK = "ingest.lock"
WAIT_S = 60.0


class Stream:
    """One scope's store during an ingest: `look`, ask what it knows, `load`, `collect`, `write`, and `finish`.

    Whoever writes holds the store's ingest lock from `lock` until after `finish`, and the store itself from before
    `load` until after `write`: what a database commits only at its end is then there before the turns count as read.
    Stores of the user, the project and a role (`of_role`) have such a lock and a log of turns each (`keeps_log`).
    """

    def __init__(self, scope: str, store: MemoryBackend, folder: Path, root: Path) -> None:
        self.scope, self.store = scope, store
        self.of_role = scope.startswith(f"{ScopeKind.AGENT}/")
        self.keeps_log = self.of_role or scope in (USER, PROJECT)
        self.holding = ScopeItems(())
        self._folder, self._root = folder, root
        self._log = IngestLog({}, {})
        self._of_items: dict[str, dict[str, set[str]]] = {}
        self._noted: dict[str, dict[str, tuple[str, ...]]] = {}
        self._new: list[StoredItem] = []

    def lock(self, stack: ExitStack) -> None:
        """Keep other ingests out until the stack is closed, and carry out what one planned that was interrupted.

        Raises ConflictError where another one takes too long, FormatError, and as the store does.
        """
        stack.enter_context(locked(self._folder / LOCK, WAIT_S))
        plan = unfinished_plan(self._folder)
        if plan:
            with self.store.writing():
                self._create(self._planned())
            self._finish(plan.turns, plan.at)

    def look(self) -> None:
        """Learn which turns were read. Raises as the store does."""
        self._log = turns_read(self._folder)
        self._of_items = {}
        for item in (*self.store.items(), *(each.item for each in self._planned())):
            if item.source.session and item.source.turn:
                turns = self._of_items.setdefault(item.source.session, {})
                turns.setdefault(item.source.turn, set()).add(f"{item.type} {item.key}")
        self._noted, self._new = {}, []

    def load(self) -> None:
        """Read all that the store holds, with what an interrupted ingest planned. Raises as the store does."""
        kept = self.store.list_all()
        there = {each.item.id for each in kept}
        self.holding = ScopeItems([*kept, *(each for each in self._planned() if each.item.id not in there)])

    def _planned(self) -> list[StoredItem]:
        plan = unfinished_plan(self._folder)
        return [stored_item(path, text.encode("utf-8")) for path, text in plan.items] if plan else []

    def knows(self, session: str, turn: str, *, again: bool) -> bool:
        """Say whether a turn was read before, or is there twice now; with `again` only the latter counts.

        An item of the turn says that it was read, unless the log says that what it repeated is gone.
        """
        if again or turn in self._noted.get(session, ()):
            return turn in self._noted.get(session, ())
        if turn in self._log.read.get(session, ()):
            return True
        return turn in self._of_items.get(session, ()) and turn not in self._log.forgotten.get(session, ())

    def gave(self, session: str, turn: str, type_name: str, key: str) -> bool:
        """Say whether a statement of a turn is kept, from when it was read before."""
        return f"{type_name} {key}" in self._of_items.get(session, {}).get(turn, ())

    def has_read(self, session: str) -> bool:
        """Say whether it is known which turns of a session were read: the log says it, or no item is from there."""
        return session in self._log.read or session not in self._of_items

    def note(self, session: str, turn: str, same: Sequence[str] = ()) -> None:
        """Note that a turn was read, and the items that it repeats."""
        turns = self._noted.setdefault(session, {})
        turns[turn] = (*turns.get(turn, ()), *same)

    def collect(self, made: StoredItem | None) -> None:
        """Take an item that is to be written."""
        if made is not None:
            self._new.append(made)

    def write(self, at: str) -> None:
        """Write the plan, then the items. Raises as the store does.

        `recover` completes a write that was interrupted.
        """
        if self._new:
            items = tuple((each.item.path, each.text) for each in self._new)
            plan = IngestPlan(items, self._noted, at)
            write_plan(self._folder, self._root, plan)
            self._create(self._new)

    def finish(self, at: str) -> None:
        """Note the turns that were read, and that nothing is left to do."""
        self._finish(self._noted, at)

    def log(self) -> Turns:
        """Return the turns that were read, as the log has them."""
        return turns_read(self._folder).read

    def forget(self, is_gone: Callable[[str, str, Sequence[str]], bool], with_item: Kept) -> None:
        """Take turns out of the log; see `forget_read`."""
        forget_read(self._folder, self._root, is_gone, with_item)

    def _create(self, items: Sequence[StoredItem]) -> None:
        known = self.store.create_all(items)
        for name in known:
            if self.store.get(name) is None:
                raise ConflictError(f"{name} was there and is gone", hint="run the command again")

    def _finish(self, turns: Turns, at: str) -> None:
        note_read(self._folder, self._root, turns, at)
        drop_plan(self._folder)


def open_streams(
    stack: ExitStack, workspace: Workspace | None, scopes: Sequence[str], *, reading: bool
) -> tuple[Stream, ...]:
    """Open the stores of scopes, the person's first, until the stack is closed. Raises as `open_store` does."""
    streams = []
    for scope in sorted(dict.fromkeys(scopes), key=lambda each: each != USER):
        folder, root = log_folder(workspace, of_user=scope == USER)
        folder = folder / scope if scope.startswith(f"{ScopeKind.AGENT}/") else folder
        opened = open_for_reading if reading else open_store
        streams.append(Stream(scope, stack.enter_context(opened(workspace, scope)), folder, root))
    return tuple(streams)
