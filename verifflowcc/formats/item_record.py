"""From a file's parts to an `Item`: front matter first, then the folder, the text and the name, then the defaults."""

from collections.abc import Mapping
from typing import Any

from verifflowcc.domain.items import (
    DEFAULT_CONFIDENCE,
    FOLDERS,
    KNOWN_KEYS,
    MEMORY_KEYS,
    NOTE,
    TYPES,
    DecisionFacts,
    Item,
    Recency,
    Source,
    Status,
    Trust,
    item_type,
    scope_of,
)
from verifflowcc.formats.decision_record import decision_facts, status_facts
from verifflowcc.formats.front_matter_read import Fields, Table, Value, quoted, reader_of
from verifflowcc.records import dataclass
from verifflowcc.text.article import nearest
from verifflowcc.text.dates import date_in_name, number_in_name
from verifflowcc.text.markdown import sections

_DEPENDENT = frozenset(
    {"id", "type", "title", "key", "importance", "confidence", "status", "links", "source", "trust"}
    | {"created", "updated", "archived"}
)
_REST = tuple((row.name, reader_of(row)) for row in MEMORY_KEYS if row.name not in _DEPENDENT)
"""Keys whose default depends on nothing else in the file."""
_ABOUT_A_FOLDER = frozenset({"readme", "index", "_index", "template", "adr-template"})
_TRUST_OF = {"agent": Trust.AGENT, "tool": Trust.TOOL, "ci": Trust.TOOL}


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """An item, the keys of its front matter that vfcc does not know, and notices that begin with `path:line:`."""

    item: Item
    unknown: tuple[tuple[str, Value], ...]
    notices: tuple[str, ...]


def read_item(path: str, table: Table | None, body: str, types: Mapping[str, object] = TYPES) -> ItemRecord:
    """Return the item of a Markdown file; `body` has LF newlines, `types` are the type names that are no surprise."""
    fields = Fields(path, dict(table.pairs) if table else {})
    _note_duplicates(fields, table)
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    type_name = fields.text("type") or type_of_path(path)
    _note_unknown_type(fields, type_name, types)
    decision = _decision(fields, body, name) if type_name == "decision" else None
    source = fields.source()
    created, updated = fields.moment("created"), fields.moment("updated")
    created = created or fields.moment("date")
    title = fields.text("title") or (decision.title if decision else None) or first_heading(body) or stem
    status = Status.ACTIVE if decision and _is_decision_status(fields) else _status(fields)
    own: dict[str, Any] = {
        "id": fields.text("id") or _without_suffix(path),
        "type": type_name,
        "title": title,
        "importance": fields.thousandths("importance", item_type(type_name).importance),
        "confidence": fields.thousandths("confidence", DEFAULT_CONFIDENCE),
        "key": fields.text("key"),
        "status": status,
        "source": source,
        "links": fields.links(),
        "trust": trust_of(fields, source),
        "created": created,
        "updated": updated,
        "archived": fields.archived() if status is Status.ARCHIVED else None,
    }
    own |= {name: read(fields) for name, read in _REST if name in fields.values}
    age = recency(updated or created or (decision.date if decision else None), stem)
    item = Item(path=path, scope=scope_of(path), recency=age, decision=decision, **own)
    unknown = tuple((key, value) for key, value in (table.pairs if table else ()) if key not in KNOWN_KEYS)
    return ItemRecord(item, unknown, tuple(fields.notices))


def plain_item(path: str) -> Item:
    """Return the item of a file that is not Markdown: all defaults, named after the file."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    defaults = item_type(NOTE)
    return Item(
        id=path,
        type=NOTE,
        title=name,
        path=path,
        scope=scope_of(path),
        importance=defaults.importance,
        confidence=DEFAULT_CONFIDENCE,
        recency=recency(None, stem),
    )


def type_of_path(path: str) -> str:
    """Return the type that a file's folder gives it; `note` where none does.

    >>> type_of_path("project/decisions/0001-x.md"), type_of_path("project/items/requirement/login.md")
    ('decision', 'requirement')
    >>> type_of_path("project/decisions/README.md"), type_of_path("sprint/login/goals.md")
    ('note', 'note')
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0].lower()
    if stem in _ABOUT_A_FOLDER:
        return NOTE
    for number in reversed(range(len(folders))):
        if folders[number] in FOLDERS:
            return FOLDERS[folders[number]]
        if number and folders[number - 1] == "items":
            return folders[number]
    return NOTE


def recency(moment: str | None, stem: str) -> Recency:
    """Return how new an item is: by its own date, the date in its name, the number in its name, else unknown.

    >>> recency(None, "0036-multi-cluster")
    Recency(kind='number', value=36)
    """
    date = moment[:10] if moment else date_in_name(stem)
    if date:
        return Recency("date", date)
    number = number_in_name(stem)
    return Recency() if number is None else Recency("number", number)


def _status(fields: Fields) -> Status:
    return fields.word("status", Status, Status.ACTIVE, tuple(Status))


def _is_decision_status(fields: Fields) -> bool:
    text = fields.text("status")
    return text is not None and text not in set(Status) and status_facts([text]).status is not None


def _decision(fields: Fields, body: str, name: str) -> DecisionFacts:
    """Return what the body tells; a status in the front matter goes before it."""
    facts = decision_facts(body, name)
    if not _is_decision_status(fields):
        return facts
    own = status_facts([fields.text("status") or ""])
    return DecisionFacts(
        facts.title,
        facts.number,
        facts.date,
        own.status,
        own.superseded_by or facts.superseded_by,
        facts.supersedes,
        facts.amended_by,
        own.instead or facts.instead,
    )


def trust_of(fields: Fields, source: Source) -> Trust:
    """Return who vouches for an item: as it says, else by who wrote it."""
    default = _TRUST_OF.get(source.actor.partition(":")[0], Trust.HUMAN)
    return fields.word("trust", Trust, default, tuple(Trust))


def _note_duplicates(fields: Fields, table: Table | None) -> None:
    seen: set[str] = set()
    for key, value in table.pairs if table else ():
        if key in seen:
            fields.note(value, f"{key} appears twice in the front matter; the last one is used")
        seen.add(key)


def _note_unknown_type(fields: Fields, type_name: str, types: Mapping[str, object]) -> None:
    if type_name in types:
        return
    near = nearest(type_name, types)
    meant = f" (did you mean {near}?)" if near else ""
    sentence = f"type {quoted(type_name)} is not in the table of types{meant}; the defaults of none are used"
    value = fields.values.get("type")
    if value is not None:
        fields.note(value, sentence)
    else:
        fields.notices.append(f"{fields.path}:1: {sentence}")


def first_heading(body: str) -> str | None:
    """Return the title of the first heading that has one."""
    return next((section.title.strip() for section in sections(body) if section.title.strip()), None)


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)
