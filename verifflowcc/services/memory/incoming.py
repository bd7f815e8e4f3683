"""What is to be imported, as items that a store can take: the lines of a file, or Markdown files of a folder."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.items import decode, edit_item
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.adapters.files.text_file import read_bytes
from verifflowcc.context.standing import superseded
from verifflowcc.domain.items import Link, Relation, ScopeKind, item_type
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import FormatError, UsageError, VfccError
from verifflowcc.formats.front_matter import key_lines
from verifflowcc.formats.item_older import Row, RowError, older_item, read_rows
from verifflowcc.formats.item_render import inner, scalar
from verifflowcc.records import dataclass, field, replace
from verifflowcc.services.memory.permission import trust_of
from verifflowcc.services.memory.record_links import ImportedRow, link_rows
from verifflowcc.services.memory.rewriting import values_of, with_link
from verifflowcc.services.memory.scopes import NAME
from verifflowcc.text.dates import date_in_name
from verifflowcc.text.slug import GIVEN_ID, slug

_SCOPE = re.compile(rf"user|project|(?:sprint|agent)/{NAME.pattern}|stage/{NAME.pattern}/{NAME.pattern}")
_ABOUT_A_FOLDER = re.compile(r"(?i)readme|_?index|(?:.*[-_. ])?template(?:[-_. ].*)?")
_MARKDOWN = (".md", ".markdown")
DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Incoming:
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
class LeftOut:
    """A file that is no item, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: items, files that are none, and what is wrong, each a sentence that begins with `file:line:`.

    `fields` are the names of fields that were not understood, with the number of rows that have them.
    """

    incoming: tuple[Incoming, ...]
    left_out: tuple[LeftOut, ...] = ()
    problems: tuple[str, ...] = ()
    fields: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowReading:
    """How rows are read: whose they are where they do not say it, as which type, for whom, and on which day."""

    scope: str | None
    type_name: str | None
    actor: str
    today: str


def read_lines(data: bytes, name: str, how: RowReading) -> Read:
    """Return the items in lines of JSON; the scope of `how` goes before what they say themselves."""
    rows, problems = read_rows(data, name)
    own: list[Incoming] = []
    older: list[ImportedRow] = []
    told = list(problems)
    for row in rows:
        try:
            if row.own:
                own.append(_own(row, how.scope))
            else:
                older.append(_older(row, how))
        except (RowError, VfccError) as error:
            told.append(f"{row.where}: {error}")
    linked = link_rows(older)
    for each in linked.rows:
        try:
            own.append(_stored(each, how.today, superseded=each.path in linked.superseded))
        except (RowError, VfccError) as error:
            told.append(f"{each.where}: {error}")
    fields = Counter(name for each in linked.rows for name in each.older.unknown)
    order = {row.where: number for number, row in enumerate(rows)}
    found = sorted(own, key=lambda each: order[each.where])
    return Read(tuple(found), (), (*told, *linked.problems), dict(sorted(fields.items())))


def _own(row: Row, scope: str | None) -> Incoming:
    said, item_id, path, text = (row.members[name] for name in ("scope", "id", "path", "text"))
    if not (isinstance(said, str) and isinstance(item_id, str) and isinstance(path, str) and isinstance(text, str)):
        raise RowError("scope, id, path and text are texts")
    into = scope or said
    if not _SCOPE.fullmatch(into):
        more = "; a task's items go where --scope says" if said.startswith(f"{ScopeKind.TASK}/") else ""
        raise RowError(f"{into!r} is no scope to import into{more}")
    data = _encoded(text)
    stored = stored_item(path, data)
    if into != said or not path.startswith(f"{folder_of(into)}/"):
        stored = stored_item(home_path(folder_of(into), stored.item.type, item_id), data)
    if stored.item.id != item_id:
        raise RowError(f"its text is of {stored.item.id!r}, and its id is {item_id!r}")
    return Incoming(row.where, into, stored, own=True)


def _older(row: Row, how: RowReading) -> ImportedRow:
    older = older_item(row, how.type_name, how.actor)
    _encoded(older.text())
    into = how.scope or older.scope
    return ImportedRow(row.where, older, into, home_path(folder_of(into), older.item.type, older.item.id))


def _stored(row: ImportedRow, today: str, *, superseded: bool) -> Incoming:
    """Return a row as a stored item. A task's item that has no date gets the day of the import: else it never ends."""
    older = row.older
    undated = older.item.created is None and item_type(older.item.type).scope is ScopeKind.TASK
    if undated:
        older = replace(older, item=replace(older.item, created=today))
    stored = stored_item(row.path, _encoded(older.text()))
    if (stored.item.id, stored.item.type, stored.item.links) != (older.item.id, older.item.type, older.item.links):
        raise RowError("it cannot be written as an item without loss")
    return Incoming(row.where, row.scope, stored, own=False, superseded=superseded, undated=undated)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RowError(f"character {error.start} of its text is half of a pair, and no text") from error


def read_markdown(path: Path, scope: str, type_name: str, actor: str) -> Read:
    """Return Markdown files as items of one type, each under its own name below the folder of that type.

    Decisions that supersede others of the batch get links to them. Raises UsageError where there is no such file.
    """
    files = _files(path)
    if not files:
        raise UsageError(f"there is no Markdown file in {path}", hint="vfcc memory import FOLDER --type decision")
    folder = home_path(folder_of(scope), type_name, "x").rpartition("/")[0]
    found: list[Incoming] = []
    left: list[LeftOut] = []
    problems: list[str] = []
    for file, name in files:
        if _ABOUT_A_FOLDER.fullmatch(PurePosixPath(name).stem):
            left.append(LeftOut(str(file), "it is about the folder or a template, and no record"))
            continue
        try:
            stored = _record(file, f"{folder}/{_ending(name)}", name, type_name, actor)
        except VfccError as error:
            problems.append(error.message)
        else:
            found.append(Incoming(str(file), scope, stored, own=False))
    return Read(tuple(_linked(found) if type_name == DECISION else found), tuple(left), tuple(problems))


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
    said = key_lines(data.decode("utf-8"))
    changes = {key: value for key, value in wanted.items() if value is not None and (key not in said or key == "type")}
    try:
        return stored_item(path, edit_item(path, data, changes))
    except FormatError as error:
        raise FormatError(f"{file}: {error.message.partition(': ')[2] or error.message}", hint=error.hint) from error


def _titled(path: str, data: bytes, type_name: str) -> str:
    """Return the title that the file has as an item of this type."""
    return stored_item(path, edit_item(path, data, {"type": type_name})).item.title


def _id(before: StoredItem, name: str) -> str:
    """Return the id that the file says, else its name; what cannot be an id is made one."""
    said = before.item.id
    if said != before.item.path.rpartition(".")[0]:
        return said
    stem = name.rpartition(".")[0].replace("/", "-")
    return stem if GIVEN_ID.fullmatch(stem) else slug(stem, "record")


def _day(before: StoredItem) -> str | None:
    decision = before.item.decision
    if decision and decision.date:
        return decision.date
    return date_in_name(before.item.path.rpartition("/")[2])


def _linked(found: list[Incoming]) -> list[Incoming]:
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
