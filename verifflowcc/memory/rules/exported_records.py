"""Items as records of a memory with a life cycle: one JSON object a line, names in camel case, for other stores.

`item_older` reads them again, with equal statuses, links, counts and dates. Fields that an import did not understand
are written as they came.
"""

import json
from collections.abc import Mapping

from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value, show_thousandths
from verifflowcc.base.model.item_values import Item, Link, Relation, Status, Trust
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.items.rules.item_older import SUPERSEDED, TYPE_NAMES, Json, snake_case, title_of

_TYPE_NAMES = {name: other.upper() for other, name in TYPE_NAMES.items()}


@dataclass(frozen=True, slots=True)
class RecordNames:
    """The names that the records of one export have: the id of each item as its record writes it, where they differ,
    and the id of the item that supersedes it."""

    written: Mapping[str, str]
    newer: Mapping[str, str]

    def of(self, item_id: str) -> str:
        """Return the id that the record of an item has."""
        return self.written.get(item_id, item_id)


def kept_fields(imported: Value | None) -> Mapping[str, Json]:
    """Return what the key `imported` of an item's file holds."""
    found = _json(imported)
    return found if isinstance(found, Mapping) else {}


def record_line(stored: StoredItem, imported: Mapping[str, Json], names: RecordNames) -> str:
    """Return an item as one line, without the newline; `imported` is what that key of its file holds."""
    item = stored.item
    left = dict(imported)
    apart = {snake_case(name): left.pop(name) for name in imported if snake_case(name) in _OWN}
    newer = names.newer.get(item.id)
    links = [link for link in item.links if link.relation != Relation.SUPERSEDES or names.newer.get(link.to) != item.id]
    body = stored.body.strip("\n")
    members: dict[str, Json] = {
        **left,
        "id": names.of(item.id),
        "type": _TYPE_NAMES.get(item.type, item.type.upper()),
        "scope": _scope(item, apart.get("scope")),
        "status": _status(item, newer, apart.get("status")),
        "supersededById": names.of(newer) if newer else apart.get("superseded_by_id"),
        "accessCount": item.uses.count,
        "lastAccessedAt": item.uses.last,
        "relatedItems": [_link(link, names.of(link.to)) for link in links],
        "createdAt": item.created,
        "updatedAt": item.updated,
        "expiresAt": item.expires,
        "deadlineAt": item.deadline,
        "importance": float(show_thousandths(item.importance)),
        "confidence": float(show_thousandths(item.confidence)),
        "key": item.key,
        "title": None if item.title == title_of(body) else item.title,
        "tags": list(item.tags),
        "verification": item.verification,
        "refs": [_present({"path": ref.path, "symbol": ref.symbol, "digest": ref.digest}) for ref in item.refs],
        "details": dict(item.details),
        "sourceType": apart.get("source_type", "explicit" if item.trust is Trust.HUMAN else None),
        "content": body,
    }
    always = {"supersededById", "relatedItems", "lastAccessedAt", *left}
    given = {name: value for name, value in members.items() if name in always or value not in (None, [], {})}
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_OWN = frozenset({"id", "scope", "status", "superseded_by_id", "source_type"})
"""Names that an import keeps beside what it read from them."""


def _scope(item: Item, named: Json) -> Json:
    if item.scope == "project" and named is not None:
        return named
    return "global" if item.scope == "user" else item.scope


def _status(item: Item, newer: str | None, named: Json) -> Json:
    if item.status is Status.ARCHIVED:
        return SUPERSEDED if str(named).casefold() == SUPERSEDED else str(item.status)
    if item.status is Status.PENDING:
        return named or str(item.status)
    return SUPERSEDED if newer is not None else str(item.status)


def _link(link: Link, to: str) -> Json:
    return _present({"id": to, "relation": str(link.relation), "fingerprint": link.fingerprint})


def _present(members: Mapping[str, Json]) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _json(value: Value | None) -> Json:
    """Return a value of front matter as JSON: a plain scalar that is a number, true, false or null is that."""
    match value:
        case FieldTable():
            return {name: _json(each) for name, each in value.pairs}
        case FieldList():
            return [_json(each) for each in value.values]
        case FieldScalar() if value.plain:
            return _plain(value.text)
        case FieldScalar():
            return value.text
        case _:
            return None


def _plain(text: str) -> Json:
    try:
        found: Json = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    return found
