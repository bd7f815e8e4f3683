"""Import items from another tool, and export ours for others.

An import reads, decides, then writes new items. Differences are reported; they are taken if `update` asks for it.

Running it again finds its own items by the key `imported` and changes nothing. All files are written as one: a run that
is killed wrote none of them, or the next writer writes the rest.
"""

import difflib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from verifflowcc.base.errors import ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.item_files import ItemFileWrite, read_item_file, write_item_files, writing_items
from verifflowcc.base.formats.front_matter_values import FieldList, FieldTable, Value
from verifflowcc.base.model.item_values import Source, SourceKind, Trust
from verifflowcc.base.model.trace_codes import METHODS, TracePolicy
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import decode
from verifflowcc.base.text.plain_words import natural_key
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import refuse_new_secret, withheld_trace
from verifflowcc.base.use.stage_words import one_of
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.rules.import_values import (
    PARTS,
    ChangeSide,
    ForeignItems,
    ImportOrigin,
    changed,
    is_taken,
    merged_links,
    parts_of,
    read_imported,
    updated,
    with_imported,
)
from verifflowcc.items.store.item_edits import read_block
from verifflowcc.sprint.use.item_loading import asks_for_scan, refuse_scanned
from verifflowcc.sprint.use.pinned_workflow import policy_of
from verifflowcc.trace.rules.adopt import ITEMS, AdoptedItem, AdoptionChoices, ExistingItems, adopt
from verifflowcc.trace.rules.trace_render import render_trace_item
from verifflowcc.trace.rules.trace_table import not_carried, trace_csv, trace_json
from verifflowcc.trace.store.foreign_files import ImportSource, read_foreign
from verifflowcc.trace.use.trace_code import read_items

# Export the trace items of a project for other tools.

FORMATS = ("csv", "json", "reqif")


@dataclass(frozen=True, slots=True)
class TraceExport:
    """The text of an export, its number of items, and notices on withheld parts."""

    text: str
    items: int
    notices: tuple[str, ...] = ()


def export_items(workspace: Workspace, form: str, types: tuple[str, ...] = ()) -> TraceExport:
    """Return all items, or those of some types, in one of `FORMATS`, by id; `notices` say what the format cannot carry.

    It goes elsewhere, so text that looks like a secret is withheld, with a notice. Raises UsageError for an unknown
    format or type and where there is no item, WorkspaceError where a file cannot be read, so that no export lacks an
    item in silence.
    """
    chosen = one_of(form, FORMATS, "format", "vfcc trace export --format …")
    policy = policy_of(workspace)
    for name in types:
        one_of(name, tuple(policy.types), "type", "vfcc trace export --type …")
    read = read_items(workspace, policy)
    if read.unreadable:
        path, why = min(read.unreadable.items())
        raise WorkspaceError(f"{path}:{why}", hint="vfcc check trace")
    asked = sorted(
        (each for each in read.items if not types or each.type in types), key=lambda each: natural_key(each.id)
    )
    items = [withheld_trace(each) for each in asked]
    if not items:
        raise UsageError("there is no item to export", hint='vfcc trace add requirement "Title"')
    notices = tuple(
        f"{after.path} holds what looks like a secret: it is withheld"
        for before, after in zip(asked, items, strict=True)
        if after is not before
    )
    bodies = {item.path: withhold(_body(workspace, each)) for each, item in zip(asked, items, strict=True)}
    if chosen != "json" and (lost := tuple(not_carried(items, bodies, in_file_only=chosen == "reqif"))):
        notices = (*notices, f"{chosen} cannot carry: {', '.join(lost)} (--format json carries everything)")
    if chosen == "reqif":
        from verifflowcc.trace.store.reqif import reqif_text

        return TraceExport(reqif_text(items, workspace.today()), len(items), notices)
    return TraceExport(trace_csv(items) if chosen == "csv" else trace_json(items, bodies), len(items), notices)


def _body(workspace: Workspace, item: TraceItem) -> str:
    """Return all text below the front matter of an item's file."""
    text = decode(item.path, read_item_file(workspace.root, item.path))
    return split(text.replace("\r\n", "\n")).body.strip("\n")


class TraceImportOutcome(StrEnum):
    """The outcome of an import for one item."""

    NEW = "new"
    SAME = "same"
    UPDATED = "updated"
    DIFFERENT = "different"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class TraceImportItem:
    """An item of an import, and its outcome.

    `parts` says for each part that differs which side changed it.
    """

    id: str
    foreign_id: str
    path: str
    outcome: TraceImportOutcome
    """`new`, `same`, `updated`, `different` or `gone`."""
    parts: Mapping[str, ChangeSide] = field(default_factory=dict)
    """For each differing part, the side that changed it: `here`, `there` or `both`."""
    note: str = ""
    diff: tuple[str, ...] = ()
    """Lines that an update takes away (`- …`) and adds (`+ …`)."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: items, parts left out, new ids, types.

    Each part left out is one line, `file:line: why`.

    `written` counts files; none under a dry run.
    """

    tool: str
    items: tuple[TraceImportItem, ...]
    not_imported: tuple[str, ...]
    """`file:line: why` for each part left out."""
    renamed: tuple[tuple[str, str], ...]
    """Pairs of the foreign id and the id here."""
    kinds: Mapping[str, tuple[str, ...]]
    written: int
    dry_run: bool
    suspects: tuple[str, ...] = ()
    """Ids of items whose review or reviewed link no longer holds after the update."""

    def count(self, outcome: TraceImportOutcome) -> int:
        """Return how many items have this outcome."""
        return sum(each.outcome is outcome for each in self.items)


@dataclass(frozen=True, slots=True)
class _EarlierImport:
    """A file that an earlier import wrote."""

    path: str
    id: str
    data: bytes
    imported: ImportOrigin
    links: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _PlannedItem:
    item: TraceImportItem
    before: bytes | None
    after: bytes | None


def import_items(
    workspace: Workspace,
    given: ImportSource,
    choices: AdoptionChoices,
    *,
    actor: str,
    update: bool = False,
    strict: bool = False,
    dry_run: bool = False,
) -> ImportReport:
    """Write an item for each item of the other tool, and return the outcome of each.

    With `update`, parts that the other side changed are taken; parts that changed here alone always stay. Raises
    UsageError for an unknown type, relation or method, FormatError where no file can be read or has an item, or, if
    `strict`, one has a malformed part: then nothing was written.
    """
    policy = policy_of(workspace)
    _demand_known(policy, choices)
    name = _FileNames(workspace.root, given.paths)
    foreign = read_foreign(given, name)
    if not foreign.items:
        raise FormatError(f"{', '.join(map(name, given.paths))}:1: there is no item in it to import")
    if strict and foreign.malformed:
        raise FormatError("\n".join(foreign.malformed), hint="without --strict, these parts are skipped")
    with writing_items(workspace.memory):
        known, others = _here(workspace, foreign.tool)
        here = ExistingItems(
            {each.imported.id: each.id for each in known.values()}, others, _files(workspace.root, foreign)
        )
        trust = Trust.HUMAN if actor.startswith("human:") else Trust.EXTERNAL
        adoption = adopt(foreign, policy, choices, here, trust)
        source = Source(SourceKind.IMPORTED, actor)
        planned = [_plan(each, known.get(each.foreign.id), foreign.tool, source, update) for each in adoption.items]
        suspects = _suspects(workspace, policy, planned)
        written = 0 if dry_run else _write(workspace, planned)
    items = [each.item for each in planned]
    there = {each.foreign.id for each in adoption.items}
    items += (each for each in _gone(known, there, name) if known[each.foreign_id].imported.file not in foreign.skipped)
    return ImportReport(
        foreign.tool,
        tuple(items),
        adoption.left,
        adoption.renamed,
        adoption.kinds,
        written=written,
        dry_run=dry_run,
        suspects=suspects,
    )


class _FileNames:
    """Names files: from the project's root, else from the folder around given paths."""

    def __init__(self, root: Path, given: tuple[Path, ...]) -> None:
        self._root = root.resolve()
        self._places = [(each.resolve(), each.resolve().parent) for each in given]
        self._names: dict[Path, str] = {}
        self._given = [self(each) for each in given]

    def __call__(self, path: Path) -> str:
        if (name := self._names.get(path)) is None:
            name = self._names[path] = self._name(path)
        return name

    def _name(self, path: Path) -> str:
        full = path.resolve()
        if full.is_relative_to(self._root):
            return full.relative_to(self._root).as_posix()
        for place, around in self._places:
            if full.is_relative_to(place):
                return full.relative_to(around).as_posix()
        return path.as_posix()

    def covers(self, file: str) -> bool:
        """Say whether a file that an item came from is one of those given, or lies in one."""
        return any(file == each or file.startswith(f"{each}/") for each in self._given)


def _demand_known(policy: TracePolicy, choices: AdoptionChoices) -> None:
    hint = "vfcc trace import FILE"
    for name in (*choices.types.values(), *([choices.type] if choices.type else [])):
        one_of(name, tuple(policy.types), "type", f"{hint} --type …")
    if choices.relation:
        one_of(choices.relation, tuple(policy.relations), "relation", f"{hint} --relation …")
    if choices.verification:
        one_of(choices.verification, METHODS, "verification method", f"{hint} --verification …")


def _here(workspace: Workspace, tool: str) -> tuple[Mapping[str, _EarlierImport], frozenset[str]]:
    """Return this tool's earlier imports by foreign id, and the ids of other items."""
    known: dict[str, _EarlierImport] = {}
    others: set[str] = set()
    for path in sorted((workspace.root / ITEMS).rglob("*.md")):
        name = path.relative_to(workspace.root).as_posix()
        own = path.stem
        imported: ImportOrigin | None = None
        links: tuple[Value, ...] = ()
        data = path.read_bytes()
        # Parsing is the slow part, and most items were never imported.
        if b"imported:" in data:
            own, imported, links = _read(name, data, own)
        if imported is None or imported.tool != tool or imported.id in known:
            others.add(own)
        else:
            known[imported.id] = _EarlierImport(name, own, data, imported, links)
    return known, frozenset(others)


def _read(path: str, data: bytes, stem: str) -> tuple[str, ImportOrigin | None, tuple[Value, ...]]:
    """Return an item's id, origin and links.

    Raises FormatError, ConflictError where it cannot be read.
    """
    block = split(decode(path, data).replace("\r\n", "\n")).block
    if block is None:
        return stem, None, ()
    try:
        table = read_block(block)
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(f"{path}:{int(line) + 1}: front matter cannot be read: {reason}") from error
    found = dict(table.pairs).get("id")
    return str(getattr(found, "text", stem)) or stem, read_imported(table), links_in(table)


def _files(root: Path, foreign: ForeignItems) -> frozenset[str]:
    named = {path for item in foreign.items for path in item.files}
    return frozenset(each for each in named if _is_file(root, each))


def _is_file(root: Path, name: str) -> bool:
    try:
        full = (root / name).resolve()
        return full.is_relative_to(root.resolve()) and full.is_file()
    except (OSError, ValueError):
        return False


def _plan(adopted: AdoptedItem, known: _EarlierImport | None, tool: str, source: Source, update: bool) -> _PlannedItem:
    item, foreign = adopted.item, adopted.foreign
    file = foreign.place.rpartition(":")[0]
    plain = render_trace_item(item, adopted.body, source=source)
    theirs = links_in(read_block(split(plain).block or "")) if item.links else ()
    text = with_imported(plain, tool, file, foreign.id, theirs)
    if known is None:
        return _PlannedItem(
            TraceImportItem(item.id, foreign.id, item.path, TraceImportOutcome.NEW), None, text.encode("utf-8")
        )
    note = ""
    if (folder := known.path.split("/")[-2]) != item.type:
        note = f"it is a {folder} here and would be a {item.type}; its type stays"
    there = parts_of(text)
    merge = merged_links(known.links, theirs, known.imported, there.get("links", ""))
    try:
        now = decode(known.path, known.data)
        here = parts_of(now)
        sides = changed(here, there, known.imported, merge)
    except FormatError as error:
        raise FormatError(f"{known.path}:{error.message}") from error
    found = TraceImportItem(known.id, foreign.id, known.path, TraceImportOutcome.SAME, sides, note)
    if not any(side is not ChangeSide.HERE for side in sides.values()):
        outcome = TraceImportOutcome.DIFFERENT if sides or note else TraceImportOutcome.SAME
        return _PlannedItem(replace(found, outcome=outcome), known.data, None)
    after = updated(known.path, now, sides, there, known.imported, (known.links, merge))
    old, new = merge.words
    diff = tuple(_diff({**here, "links": old}, {**parts_of(after), "links": new}))
    found = replace(found, diff=diff)
    if not update:
        return _PlannedItem(replace(found, outcome=TraceImportOutcome.DIFFERENT), known.data, None)
    return _PlannedItem(replace(found, outcome=TraceImportOutcome.UPDATED), known.data, after.encode("utf-8"))


def _diff(here: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of each part that an update takes away and adds, without what looks like a secret."""
    for part in PARTS:
        old, new = (withhold(each.get(part, "")).splitlines() for each in (here, after))
        for line in difflib.ndiff(old, new) if old != new else ():
            if line[0] in "+-":
                yield f"{line[0]} {' '.join(line[2:].split())}"


def links_in(table: FieldTable) -> tuple[Value, ...]:
    """Return the entries of an item's links."""
    found = dict(table.pairs).get("links")
    return found.values if isinstance(found, FieldList) else ()


_REVIEWED = frozenset({"title", "text", "verification", "integrity", "links"})
"""The parts that a fingerprint covers."""


def _suspects(workspace: Workspace, policy: TracePolicy, planned: list[_PlannedItem]) -> tuple[str, ...]:
    """Return the ids of items with a stamp that the update leaves suspect or stale."""
    moved = {
        each.item.id
        for each in planned
        if each.after is not None
        and any(part in _REVIEWED and is_taken(part, side) for part, side in each.item.parts.items())
    }
    if not moved:
        return ()
    return tuple(
        item.id
        for item in read_items(workspace, policy).items
        if (item.id in moved and item.reviewed is not None)
        or any(link.stamp is not None and (link.to in moved or item.id in moved) for link in item.links)
    )


def _write(workspace: Workspace, planned: list[_PlannedItem]) -> int:
    """Write what is new and what is updated; return how many files that were."""
    # All files are checked before any is written: a conflict must not leave half an import.
    wanted = [each for each in planned if each.after is not None]
    for each in wanted:
        place = workspace.root / each.item.path
        if each.before is None and place.exists():
            raise ConflictError(f"{each.item.path} is there already; nothing was written", hint="vfcc trace list")
        if each.before is not None and read_item_file(workspace.root, each.item.path) != each.before:
            raise ConflictError(f"{each.item.path} changed since it was read; nothing was written")
    scans = asks_for_scan(workspace)
    for each in wanted:
        before, after = ((data or b"").decode("utf-8", "replace") for data in (each.before, each.after))
        refuse_new_secret(before, after, withhold(each.item.path))
        if scans:
            refuse_scanned(workspace, before, after, each.item.path)
    write_item_files(workspace.root, [ItemFileWrite(each.item.path, each.before, each.after or b"") for each in wanted])
    return len(wanted)


def _gone(known: Mapping[str, _EarlierImport], there: set[str], names: _FileNames) -> Iterator[TraceImportItem]:
    """Yield the items whose file was read and that are in it no more."""
    for foreign, each in sorted(known.items()):
        if foreign not in there and names.covers(each.imported.file):
            yield TraceImportItem(each.id, foreign, each.path, TraceImportOutcome.GONE)
