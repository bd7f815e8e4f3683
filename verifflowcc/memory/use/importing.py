"""Take items in: from an export, from an older store, or from Markdown files. All of it is sound, or none is taken."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath

from verifflowcc.base.errors import FormatError, NotAllowed, SecretError, UsageError, VfccError
from verifflowcc.base.files.text_files import read_bytes
from verifflowcc.base.formats.item_render import inner, scalar
from verifflowcc.base.model.item_values import (
    GUARDED,
    TYPES,
    Item,
    Link,
    Relation,
    ScopeKind,
    SourceKind,
    Status,
    item_type,
    least_trust,
)
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.records import field as record_field
from verifflowcc.base.text.canonical import decode
from verifflowcc.base.text.dates import date_in_name
from verifflowcc.base.text.identifiers import GIVEN_ID, slug
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import refuse_item
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.front_matter import key_lines
from verifflowcc.items.rules.item_older import OlderRow, RowError, older_item, read_rows
from verifflowcc.items.store.item_edits import edit_item
from verifflowcc.memory.rules.superseded import superseded, supersession_circles
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item
from verifflowcc.memory.use.item_scope import asks, is_person, proposes, trust_of, would_replace
from verifflowcc.memory.use.record_links import ImportedRow, link_rows
from verifflowcc.memory.use.recording import changed, values_of, with_link, with_source, without_vouching
from verifflowcc.memory.use.scopes import NAME, PROJECT, read_scope
from verifflowcc.memory.use.stores import open_store

# What is to be imported, as items that a store can take: the lines of a file, or Markdown files of a folder.

_SCOPE = re.compile(rf"user|project|(?:sprint|agent)/{NAME.pattern}|stage/{NAME.pattern}/{NAME.pattern}")
_ABOUT_A_FOLDER = re.compile(r"(?i)readme|_?index|(?:.*[-_. ])?template(?:[-_. ].*)?")
_MARKDOWN = (".md", ".markdown")
DECISION = "decision"


@dataclass(frozen=True, slots=True)
class IncomingItem:
    """An item that is to be imported: where it was read, whose it is to be, and whether vfcc wrote it itself.

    `superseded`: another item of the import replaces it. `undated`: its `created` is the day of the import.
    """

    where: str
    scope: str
    stored: StoredItem
    own: bool
    superseded: bool = False
    undated: bool = False


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is no item, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class ImportContents:
    """What was read: items, files that are none, and what is wrong, each a sentence that begins with `file:line:`.

    `fields` are the names of fields that were not understood, with the number of rows that have them.
    """

    incoming: tuple[IncomingItem, ...]
    left_out: tuple[SkippedFile, ...] = ()
    problems: tuple[str, ...] = ()
    fields: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowReading:
    """How rows are read: whose they are where they do not say it, as which type, for whom, and on which day."""

    scope: str | None
    type_name: str | None
    actor: str
    today: str


def read_lines(data: bytes, name: str, how: RowReading) -> ImportContents:
    """Return the items in lines of JSON; the scope of `how` goes before what they say themselves."""
    rows, problems = read_rows(data, name)
    own: list[IncomingItem] = []
    older: list[ImportedRow] = []
    faults = list(problems)
    for row in rows:
        try:
            if row.own:
                own.append(_own(row, how.scope))
            else:
                older.append(_older(row, how))
        except (RowError, VfccError) as error:
            faults.append(f"{row.where}: {error}")
    linked = link_rows(older)
    for each in linked.rows:
        try:
            own.append(_stored(each, how.today, superseded=each.path in linked.superseded))
        except (RowError, VfccError) as error:
            faults.append(f"{each.where}: {error}")
    fields = Counter(name for each in linked.rows for name in each.older.unknown)
    order = {row.where: number for number, row in enumerate(rows)}
    found = sorted(own, key=lambda each: order[each.where])
    return ImportContents(tuple(found), (), (*faults, *linked.problems), dict(sorted(fields.items())))


def _own(row: OlderRow, scope: str | None) -> IncomingItem:
    named_scope, item_id, path, text = (row.members[name] for name in ("scope", "id", "path", "text"))
    if not (
        isinstance(named_scope, str) and isinstance(item_id, str) and isinstance(path, str) and isinstance(text, str)
    ):
        raise RowError("scope, id, path and text are texts")
    into = scope or named_scope
    if not _SCOPE.fullmatch(into):
        more = "; a task's items go where --scope says" if named_scope.startswith(f"{ScopeKind.TASK}/") else ""
        raise RowError(f"{into!r} is no scope to import into{more}")
    data = _encoded(text)
    stored = stored_item(path, data)
    if into != named_scope or not path.startswith(f"{folder_of(into)}/"):
        stored = stored_item(home_path(folder_of(into), stored.item.type, item_id), data)
    if stored.item.id != item_id:
        raise RowError(f"its text is of {stored.item.id!r}, and its id is {item_id!r}")
    return IncomingItem(row.where, into, stored, own=True)


def _older(row: OlderRow, how: RowReading) -> ImportedRow:
    older = older_item(row, how.type_name, how.actor)
    _encoded(older.text())
    into = how.scope or older.scope
    return ImportedRow(row.where, older, into, home_path(folder_of(into), older.item.type, older.item.id))


def _stored(row: ImportedRow, today: str, *, superseded: bool) -> IncomingItem:
    """Return a row as a stored item. A task's item that has no date gets the day of the import: else it never ends."""
    older = row.older
    undated = older.item.created is None and item_type(older.item.type).scope is ScopeKind.TASK
    if undated:
        older = replace(older, item=replace(older.item, created=today))
    stored = stored_item(row.path, _encoded(older.text()))
    if (stored.item.id, stored.item.type, stored.item.links) != (older.item.id, older.item.type, older.item.links):
        raise RowError("it cannot be written as an item without loss")
    return IncomingItem(row.where, row.scope, stored, own=False, superseded=superseded, undated=undated)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RowError(f"character {error.start} of its text is half of a pair, and no text") from error


def read_markdown(path: Path, scope: str, type_name: str, actor: str) -> ImportContents:
    """Return Markdown files as items of one type, each under its own name below the folder of that type.

    Decisions that supersede others of the batch get links to them. Raises UsageError where there is no such file.
    """
    files = _files(path)
    if not files:
        raise UsageError(f"there is no Markdown file in {path}", hint="vfcc memory import FOLDER --type decision")
    folder = home_path(folder_of(scope), type_name, "x").rpartition("/")[0]
    found: list[IncomingItem] = []
    left: list[SkippedFile] = []
    problems: list[str] = []
    for file, name in files:
        if _ABOUT_A_FOLDER.fullmatch(PurePosixPath(name).stem):
            left.append(SkippedFile(str(file), "it is about the folder or a template, and no record"))
            continue
        try:
            stored = _record(file, f"{folder}/{_ending(name)}", name, type_name, actor)
        except VfccError as error:
            problems.append(error.message)
        else:
            found.append(IncomingItem(str(file), scope, stored, own=False))
    return ImportContents(tuple(_linked(found) if type_name == DECISION else found), tuple(left), tuple(problems))


def _files(path: Path) -> list[tuple[Path, str]]:
    """Return the files and their names below the folder, by name; hidden ones and links are left alone."""
    if path.is_file():
        return [(path, path.name)]
    if not path.is_dir():
        raise UsageError(f"there is no file or folder {path}")
    every = (each for each in path.rglob("*") if each.suffix.lower() in _MARKDOWN and each.is_file())
    named = ((each, each.relative_to(path).as_posix()) for each in every)
    return sorted(
        ((each, name) for each, name in named if not any(part.startswith(".") for part in name.split("/"))),
        key=lambda pair: pair[1],
    )


def _ending(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(".md"))


def _record(file: Path, path: str, name: str, type_name: str, actor: str) -> StoredItem:
    """Return a file as an item: new keys in its front matter, and every byte of its body as it was."""
    data = read_bytes(file, str(file))
    decode(str(file), data)
    before = stored_item(path, data)
    item_id = _id(before, name)
    item = replace(before.item, id=item_id, type=type_name, created=before.item.created or _day(before))
    wanted = {
        "id": scalar(item_id),
        "type": scalar(type_name),
        "title": scalar(_titled(path, data, type_name)),
        "created": values_of(item).get("created"),
        "source": f"{{kind: imported, actor: {inner(actor)}}}",
        "trust": str(trust_of(actor)),
    }
    lines = key_lines(data.decode("utf-8"))
    changes = {key: value for key, value in wanted.items() if value is not None and (key not in lines or key == "type")}
    try:
        return stored_item(path, edit_item(path, data, changes))
    except FormatError as error:
        raise FormatError(f"{file}: {error.message.partition(': ')[2] or error.message}", hint=error.hint) from error


def _titled(path: str, data: bytes, type_name: str) -> str:
    """Return the title that the file has as an item of this type."""
    return stored_item(path, edit_item(path, data, {"type": type_name})).item.title


def _id(before: StoredItem, name: str) -> str:
    """Return the id that the file says, else its name; what cannot be an id is made one."""
    own_id = before.item.id
    if own_id != before.item.path.rpartition(".")[0]:
        return own_id
    stem = name.rpartition(".")[0].replace("/", "-")
    return stem if GIVEN_ID.fullmatch(stem) else slug(stem, "record")


def _day(before: StoredItem) -> str | None:
    decision = before.item.decision
    if decision and decision.date:
        return decision.date
    return date_in_name(before.item.path.rpartition("/")[2])


def _linked(found: list[IncomingItem]) -> list[IncomingItem]:
    """Return the decisions with links to those that they supersede, as their texts say."""
    ids = {each.stored.item.path: each.stored.item.id for each in found}
    older: dict[str, list[str]] = {}
    for path, gone in superseded([one.stored.item for one in found]).found.items():
        for newer in gone.newer:
            older.setdefault(newer, []).append(ids[path])
    linked = []
    for each in found:
        stored = each.stored
        there = {link.to for link in stored.item.links if link.relation == Relation.SUPERSEDES}
        for item_id in sorted(set(older.get(stored.item.path, ())) - there):
            stored = with_link(stored, Link(item_id, Relation.SUPERSEDES))
        linked.append(replace(each, stored=stored))
    return linked


JSONL, MARKDOWN = "jsonl", "markdown"
STDIN = "-"


class ImportOutcome(StrEnum):
    """What happened to an imported item."""

    ADDED = "added"
    PROPOSED = "proposed"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item and its fate; `why` says more where it was not simply taken, `where` is the file and line of it."""

    where: str
    """File and line."""
    outcome: ImportOutcome
    """`added`, `proposed`, `replaced`, `unchanged`, `conflict` or `left out`."""
    scope: str = ""
    id: str = ""
    type: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class MemoryImportResult:
    """What an import did, or would do; `problems` are the lines that were skipped.

    `fields` are the names of fields that were not understood, with the number of rows; their values are kept.
    """

    items: tuple[ImportedItem, ...]
    problems: tuple[str, ...]
    dry_run: bool
    fields: Mapping[str, int] = record_field(default_factory=dict)
    """Fields that were not understood and are kept under `imported:`, with the number of their rows."""

    def count(self, fate: ImportOutcome) -> int:
        """Return how many items had this fate."""
        return sum(each.outcome is fate for each in self.items)


@dataclass(frozen=True, slots=True)
class MemoryImportOptions:
    """How to import: into which scope and as which type what says neither goes, in which format the source is.

    `replace` puts what comes in the place of what is there and differs; `skip_broken` takes the sound lines alone.
    """

    scope: str | None = None
    type: str | None = None
    format: str | None = None
    replace: bool = False
    skip_broken: bool = False
    dry_run: bool = False


Confirm = Callable[[Sequence[IncomingItem]], None]
"""Asks a person about preferences that steer every prompt; raises where they do not say yes."""


def import_memory(
    workspace: Workspace | None, source: str, choices: MemoryImportOptions, *, actor: str, confirm: Confirm, today: str
) -> MemoryImportResult:
    """Import a file, a folder or `-` (stdin); `today` is an ISO day in UTC.

    Raises FormatError where a line is broken, with all of them, and nothing is then imported; UsageError, NotAllowed
    (replacing needs a person), SecretError where an item holds a secret, BackendError.
    """
    read = _without_secrets(_read(workspace, source, choices, actor, today), source, choices)
    if read.problems and not choices.skip_broken:
        raise FormatError(
            "\n".join((*read.problems, "nothing was imported")), hint=f"vfcc memory import {source} --skip-broken"
        )
    once, twice = _once(read.incoming)
    if twice and not choices.skip_broken:
        raise FormatError(
            "\n".join((*twice, "nothing was imported")), hint=f"vfcc memory import {source} --skip-broken"
        )
    coming = tuple(_allowed(each, actor) for each in once)
    fates: list[ImportedItem] = []
    for scope in dict.fromkeys(each.scope for each in coming):
        of_scope = [each for each in coming if each.scope == scope]
        with open_store(workspace, scope) as store:
            fates += _into(store, of_scope, choices, actor, confirm)
    left = [ImportedItem(each.where, ImportOutcome.LEFT_OUT, why=each.why) for each in read.left_out]
    return MemoryImportResult((*fates, *left), (*read.problems, *twice), choices.dry_run, read.fields)


def _read(
    workspace: Workspace | None, source: str, choices: MemoryImportOptions, actor: str, today: str
) -> ImportContents:
    scope = read_scope(workspace, choices.scope) if choices.scope else None
    if choices.type is not None and choices.type not in TYPES and not workspace:
        near = nearest(choices.type, TYPES)
        raise UsageError(f"there is no type {choices.type}", hint=f"--type {near or 'fact'}")
    form = choices.format or _format(source)
    if form == MARKDOWN:
        if source == STDIN:
            raise UsageError("Markdown is imported from files", hint="vfcc memory import FILE --type TYPE")
        kind = choices.type or DECISION
        return read_markdown(Path(source), scope or _home(workspace, kind), kind, actor)
    if source != STDIN and Path(source).is_dir():
        raise UsageError(f"{source} is a folder; lines of JSON come from a file", hint="--format markdown")
    data = sys.stdin.buffer.read() if source == STDIN else read_bytes(Path(source), source)
    how = RowReading(scope, choices.type, actor, today)
    return read_lines(data, "stdin" if source == STDIN else source, how)


def _without_secrets(read: ImportContents, source: str, choices: MemoryImportOptions) -> ImportContents:
    """Return what was read without items that hold secrets, where broken lines are skipped; else refuse them all."""
    kept: list[IncomingItem] = []
    secrets: list[str] = []
    for each in read.incoming:
        try:
            refuse_item(each.stored, f"{each.where}: {withhold(each.stored.item.id)}")
        except SecretError as error:
            secrets.append(error.message)
        else:
            kept.append(each)
    if secrets and not choices.skip_broken:
        raise SecretError("\n".join(secrets), hint=f"vfcc memory import {source} --skip-broken")
    return replace(read, incoming=tuple(kept), problems=(*read.problems, *secrets))


def _home(workspace: Workspace | None, type_name: str) -> str:
    home = str(item_type(type_name).scope)
    return read_scope(workspace, home if home in GUARDED else PROJECT)


def _format(source: str) -> str:
    path = Path(source)
    return MARKDOWN if path.is_dir() or path.suffix.lower() in (".md", ".markdown") else JSONL


def _once(incoming: Iterable[IncomingItem]) -> tuple[list[IncomingItem], tuple[str, ...]]:
    """Return each item once, and sentences on those that come twice and differ."""
    first: dict[tuple[str, str], IncomingItem] = {}
    twice: list[str] = []
    for each in incoming:
        before = first.setdefault((each.scope, each.stored.item.id.casefold()), each)
        if before.stored.text != each.stored.text:
            twice.append(f"{each.where}: {each.stored.item.id} comes twice, and differs from {before.where}")
    return list(first.values()), tuple(twice)


def _allowed(each: IncomingItem, actor: str) -> IncomingItem:
    """Return an item as this actor may add it.

    What the person or the project remembers is proposed by all others, and nobody else's word is trusted more than
    whoever brings it: what a file says of its own trust counts only where a person takes it in.
    """
    if is_person(actor):
        return each
    item, stored = each.stored.item, without_vouching(each.stored)
    trust = least_trust(item.trust, trust_of(actor))
    changes: dict[str, str | None] = {"trust": str(trust)} if trust is not item.trust else {}
    holds = item.status is Status.ACTIVE or (item.status is Status.ARCHIVED and would_replace(item))
    if proposes(each.scope, actor) and holds:
        changes["status"] = str(Status.ARCHIVED if each.superseded else Status.PENDING)
    if changes:
        stored = changed(stored, changes)
    if (item.source.actor, item.source.kind) != (actor, SourceKind.IMPORTED):
        file = each.where.rpartition("/")[2].partition(":")[0]
        stored = with_source(stored, kind=str(SourceKind.IMPORTED), actor=actor, origin=file)
    return replace(each, stored=stored)


def _into(
    store: MemoryBackend, coming: Sequence[IncomingItem], choices: MemoryImportOptions, actor: str, confirm: Confirm
) -> list[ImportedItem]:
    """Import the items of one scope. A person is asked before the lock is taken."""
    asked = [each for each in coming if asks(each.scope, each.stored.item.type)]
    if asked and not choices.dry_run and is_person(actor) and (asked := _new(store, asked, choices)):
        confirm(asked)
    if choices.dry_run:
        return [fate for fate, _ in _decided(store, coming, choices, actor)]
    with store.writing():
        decided = _decided(store, coming, choices, actor)
        for _, kept in observed("writing items", decided):
            if kept is not None:
                store.add(kept)
    return [fate for fate, _ in decided]


def _decided(
    store: MemoryBackend, coming: Sequence[IncomingItem], choices: MemoryImportOptions, actor: str
) -> list[tuple[ImportedItem, StoredItem | None]]:
    """Return the fate of each item, and the item to write where it is taken.

    An item that would supersede itself through items that are there is a conflict.
    """
    there = _StoreItems(store.list_all())
    decided = [_fate(there, each, choices, actor) for each in coming]
    taken = {kept.item.id: kept.item for _, kept in decided if kept is not None}
    if not any(would_replace(item) for item in taken.values()):
        return decided
    circles = supersession_circles((there.items() | taken).values())
    return [
        (
            replace(fate, outcome=ImportOutcome.CONFLICT, why=f"it and {circles[fate.id]} would supersede each other"),
            None,
        )
        if kept is not None and fate.id in circles
        else (fate, kept)
        for fate, kept in decided
    ]


def _new(store: MemoryBackend, coming: Sequence[IncomingItem], choices: MemoryImportOptions) -> list[IncomingItem]:
    there = _StoreItems(store.list_all())
    wanted = (ImportOutcome.ADDED, ImportOutcome.REPLACED)
    return [each for each in coming if _fate(there, each, choices, "human:")[0].outcome in wanted]


class _StoreItems:
    """The items of a store by all that an incoming one can meet."""

    def items(self) -> dict[str, Item]:
        """Return the items by id."""
        return {each.item.id: each.item for each in self.by_id.values()}

    def __init__(self, items: Iterable[StoredItem]) -> None:
        self.by_id: dict[str, StoredItem] = {}
        self.by_path: dict[str, StoredItem] = {}
        self.by_key: dict[tuple[str, str], StoredItem] = {}
        for each in items:
            self.by_id[each.item.id.casefold()] = each
            self.by_path[each.item.path.casefold()] = each
            if each.item.key and each.item.status is Status.ACTIVE:
                self.by_key[each.item.type, each.item.key] = each


def _fate(
    there: _StoreItems, each: IncomingItem, choices: MemoryImportOptions, actor: str
) -> tuple[ImportedItem, StoredItem | None]:
    """Decide what happens to an incoming item, and what is to be kept of it."""
    item, scope = each.stored.item, each.scope

    def fate(what: ImportOutcome, why: str = "") -> ImportedItem:
        return ImportedItem(each.where, what, scope, item.id, item.type, why)

    before = there.by_id.get(item.id.casefold())
    if before is None:
        other = there.by_path.get(item.path.casefold())
        other = other or (there.by_key.get((item.type, item.key or "")) if item.status is Status.ACTIVE else None)
        if other is not None:
            what = "file name" if other.item.path.casefold() == item.path.casefold() else "key"
            return fate(ImportOutcome.CONFLICT, f"{other.item.id} is there already with its {what}"), None
        taken = (
            ImportOutcome.PROPOSED if proposes(scope, actor) and item.status is Status.PENDING else ImportOutcome.ADDED
        )
        return fate(taken), each.stored
    if before.text == _as_dated(each, before).text or _only_approval_differs(before, each.stored, actor):
        return fate(ImportOutcome.UNCHANGED), None
    if not choices.replace:
        return fate(ImportOutcome.CONFLICT, f"{before.item.id} is there and differs; --replace takes what comes"), None
    if before.item.id != item.id:
        return fate(ImportOutcome.CONFLICT, f"{before.item.id} differs from its id in case alone"), None
    if proposes(scope, actor) and before.item.status is not Status.PENDING:
        raise NotAllowed(
            f"replacing {item.id} needs a person at a terminal, and this is {actor}",
            hint="vfcc memory import … without --replace, or a person runs it",
        )
    return fate(ImportOutcome.REPLACED), each.stored


def _as_dated(each: IncomingItem, before: StoredItem) -> StoredItem:
    """Return an item with the day of its first import, where it has no day of its own."""
    if not each.undated or before.item.created is None:
        return each.stored
    return changed(each.stored, {"created": values_of(before.item)["created"]})


def _only_approval_differs(before: StoredItem, now: StoredItem, actor: str) -> bool:
    """Whether an item differs from an approved one only in its approval.

    Whoever imports it is no person, and a person has approved the item that is there.
    """
    if is_person(actor):
        return False
    keys = dict.fromkeys(("status", "trust", "source", "details", "updated"))
    edited = edit_item(now.item.path, now.text.encode("utf-8"), keys)
    details = dict(now.item.details).items() <= dict(before.item.details).items()
    return details and edited == edit_item(before.item.path, before.text.encode("utf-8"), keys)
