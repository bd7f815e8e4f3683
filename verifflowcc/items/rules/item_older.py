"""Rows of older stores as items.

Their category, kind or memory is a type and a text of ours.

Four shapes are known: rows of a person's context and of project blocks (`category` or `semantic_type`, `content`),
context items (`context_item_id`, `kind`, `payload`), records of a memory with a life cycle (`status`,
`supersededById`, `accessCount`, `relatedItems`), and whatever has a `content`, `text` or `memory`. Names are read in
camel and snake case. A value that has no place in an item is kept under `imported:`.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from verifflowcc.base.formats.front_matter_values import read_thousandths, show_thousandths, whole_number
from verifflowcc.base.formats.item_render import inner, render_item
from verifflowcc.base.model.item_values import (
    DEFAULT_CONFIDENCE,
    MEMORY_RELATIONS,
    TYPES,
    Item,
    Link,
    Ref,
    Relation,
    ScopeKind,
    Source,
    SourceKind,
    Status,
    Trust,
    Uses,
    item_type,
)
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.dates import read_moment
from verifflowcc.base.text.identifiers import ALPHABET, GIVEN_ID, LETTERS, item_id
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.items.rules.front_matter import edit

# Items as lines of JSON: each with its whole text, so that nothing is lost, and with fields that people can read.
#
# One canonical JSON object a line: the keys sorted, no spaces. `text` is the item's file byte for byte; all else is
# there to be read and searched, but for `scope`, `id` and `path`, which say where it belongs.

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
OWN_KEYS = frozenset({"scope", "id", "path", "text"})


@dataclass(frozen=True, slots=True)
class OlderRow:
    """A line of a file of items: its place (`file:line`), and its members."""

    where: str
    members: Mapping[str, Json]

    @property
    def own(self) -> bool:
        """Whether vfcc wrote it, so that its `text` is an item's file."""
        return self.members.keys() >= OWN_KEYS


def snake_case(name: str) -> str:
    """Return a name in camel case in snake case.

    >>> snake_case("supersededById"), snake_case("access_count"), snake_case("ID")
    ('superseded_by_id', 'access_count', 'id')
    """
    return _HUMP.sub("_", name).lower()


def item_line(stored: StoredItem) -> str:
    """Return an item as one line, without the newline."""
    item = stored.item
    members: dict[str, Json] = {
        "scope": item.scope,
        "id": item.id,
        "path": item.path,
        "type": item.type,
        "title": item.title,
        "key": item.key,
        "status": str(item.status),
        "importance": show_thousandths(item.importance),
        "confidence": show_thousandths(item.confidence),
        "source": str(item.source.kind),
        "trust": str(item.trust),
        "created": item.created,
        "updated": item.updated,
        "tags": list(item.tags),
        "text": stored.text,
    }
    given = {key: value for key, value in members.items() if value not in (None, [])}
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_rows(data: bytes, name: str) -> tuple[tuple[OlderRow, ...], tuple[str, ...]]:
    """Return the rows of a file, and its problems.

    Each problem is a sentence that begins with `name:line:`.

    The file has one JSON object a line; a JSON array of objects does as well. Blank lines are nothing.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return (), (f"{name}:{data.count(10, 0, error.start) + 1}: not UTF-8 at byte {error.start}",)
    if text.lstrip().startswith("["):
        return _array(text, name)
    rows: list[OlderRow] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}:{number}"
            value = _value(line, where, problems)
            if value is not None:
                rows.append(OlderRow(where, value))
    return tuple(rows), tuple(problems)


def _value(line: str, where: str, problems: list[str]) -> Mapping[str, Json] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        problems.append(f"{where}: this is no JSON: {error}")
        return None
    if not isinstance(value, dict):
        problems.append(f"{where}: this is no JSON object")
        return None
    return value


def _array(text: str, name: str) -> tuple[tuple[OlderRow, ...], tuple[str, ...]]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return (), (f"{name}:{getattr(error, 'lineno', 1)}: this is no JSON: {error}",)
    wrong = tuple(
        f"{name}:1: element {n} is no JSON object" for n, v in enumerate(values, 1) if not isinstance(v, dict)
    )
    return tuple(OlderRow(f"{name}:1 (element {n})", v) for n, v in enumerate(values, 1) if isinstance(v, dict)), wrong


_TEXTS = ("content", "text", "memory", "value", "data")
_TYPES = ("type", "category", "semantic_type", "kind")
_DETAILS = ("scope", "category", "domain", "stage", "tool", "code")
_LONGEST_TITLE = 80
TYPE_NAMES = {"project_fact": "fact"}
"""Types that other stores call by another name."""
SUPERSEDED = "superseded"
_STATUSES = {
    "active": Status.ACTIVE,
    "pending": Status.PENDING,
    "proposed": Status.PENDING,
    "archived": Status.ARCHIVED,
    "deleted": Status.ARCHIVED,
    SUPERSEDED: Status.ARCHIVED,
}
_KEPT_IN_PERSON = ("note", "pattern", "decision", "convention", "fact", "guideline", "insight", "summary", "question")
"""Types at home in a project that a person may keep too, where a record is `global`."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
_OWN_SCOPE = re.compile(rf"user|project|(?:sprint|agent)/{_NAME}|stage/{_NAME}/{_NAME}")
_MILLISECONDS = 10**11
"""Numbers from here on are milliseconds since 1970; below, seconds (until the year 5138)."""
_SHADOWS = frozenset({"id", "status", "scope", "source", "source_type"})
"""Names that are read and may still be kept, because an item holds less than they say."""


class RowError(ValueError):
    """A row cannot be an item; the message says why."""


@dataclass(frozen=True, slots=True)
class OlderItem:
    """A row as an item, with an empty path and scope, its body, and what has no place in an item.

    `name` is the id in the row, which links of other rows use; the links of `item` name such ids. `superseded` says
    that the row was active and is no longer, because another one replaced it; `newer` is the id of that one, where the
    row names it. `unknown` are the names of fields that were not understood.
    """

    item: Item
    body: str
    imported: Mapping[str, Json]
    scope: str
    name: str
    superseded: bool = False
    newer: str | None = None
    unknown: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the text of its file."""
        text = render_item(self.item, self.body)
        return edit(text, {"imported": flow(self.imported)}) if self.imported else text


def older_item(row: OlderRow, type_name: str | None, actor: str) -> OlderItem:
    """Return a row of an older store as an item.

    `type_name` is the type of rows without a type of ours.

    Raises RowError where it has no text, or an unknown type.
    """
    left, written = _snake_names(row.members)
    name = left.get("context_item_id", left.get("id"))
    kind = _type(left, type_name)
    payload = left.pop("payload", None)
    body = _body(left, payload, kind)
    details = _details(left, payload)
    key = _text(left, "key")
    title = _text(left, "title") or title_of(body)
    status, word = _status(left)
    newer = _text(left, "superseded_by_id") or _text(left, "superseded_by")
    scope = _scope(left, kind)
    made = Item(
        id=_id(left, kind, key, title, body),
        type=kind,
        title=title,
        path="",
        scope="",
        importance=_thousandths(left, "importance", item_type(kind).importance),
        confidence=_thousandths(left, "confidence", DEFAULT_CONFIDENCE),
        key=key,
        status=status,
        links=_links(left),
        source=Source(SourceKind.IMPORTED, actor, _text(left, "source_project_id")),
        trust=Trust.HUMAN if left.get("source_type") == "explicit" else Trust.EXTERNAL,
        created=_moment(left, "created_at", "created", "timestamp"),
        updated=_moment(left, "updated_at", "updated"),
        expires=_moment(left, "expires_at", "expires"),
        deadline=_moment(left, "deadline_at", "deadline"),
        refs=_refs(left),
        verification=_text(left, "verification"),
        tags=tuple(dict.fromkeys((*_tags(left), *(value for _, value in details)))),
        uses=_uses(left),
        tokens=_whole(left, "token_cost"),
        details=details,
    )
    rest = {written[key]: value for key, value in left.items() if value not in (None, "")}
    understood = _SHADOWS if word in (None, *_STATUSES) else _SHADOWS - {"status"}
    unknown = tuple(written[key] for key in left if key not in understood and written[key] in rest)
    raw = str(name) if isinstance(name, str | int) and not isinstance(name, bool) else made.id
    was_active = word == SUPERSEDED or (newer is not None and status is Status.ACTIVE)
    return OlderItem(made, body, rest, scope, raw, was_active, newer, unknown)


def _snake_names(members: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, str]]:
    """Return the members under names in snake case, and each such name as it was written.

    Where two are the same name, the second stays as it was written.
    """
    left: dict[str, Json] = {}
    written: dict[str, str] = {}
    for name, value in members.items():
        snake = snake_case(name)
        plain = snake if snake not in left else name
        left[plain], written[plain] = value, name
    return left, written


def flow(value: Json) -> str:
    """Return a JSON value as one line of YAML.

    >>> flow({"a b": [1, "x: y", None, True]})
    "{a b: [1, 'x: y', null, true]}"
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inner(str(key))}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, str):
        return inner(value)
    if isinstance(value, Iterable):
        return "[" + ", ".join(flow(each) for each in value) + "]"
    return json.dumps(value)


def _type(left: dict[str, Json], given: str | None) -> str:
    type_text = next((value for name in _TYPES if isinstance(value := left.get(name), str) and value.strip()), None)
    name = re.sub(r"[\s-]+", "_", type_text.strip().lower()) if type_text else None
    name = TYPE_NAMES.get(name, name) if name else None
    if name in TYPES:
        for key in _TYPES:
            if left.get(key) == type_text:
                del left[key]
                break
        return str(name)
    if given is not None:
        return given
    if name is None:
        return "fact"
    near = nearest(name, TYPES)
    raise RowError(
        f"its type {type_text!r} is none of ours{f'; did you mean {near}?' if near else ''}; --type gives one"
    )


def _body(left: dict[str, Json], payload: Json, kind: str) -> str:
    for name in _TEXTS:
        if isinstance(value := left.get(name), str) and value.strip():
            del left[name]
            if payload is not None:
                left["payload"] = payload
            return value
    if isinstance(payload, str) and payload.strip():
        return payload
    if isinstance(payload, Mapping):
        if rest := {name: value for name, value in payload.items() if not isinstance(value, str) or name == "id"}:
            left["payload"] = rest
        for name in ("lesson", kind, "output", "text", "content", "reasoning", "summary"):
            if isinstance(value := payload.get(name), str) and value.strip():
                return value
        if payload:
            left.pop("payload", None)
            return f"```json\n{json.dumps(payload, ensure_ascii=False, indent=2, sort_keys=True)}\n```"
    raise RowError(f"it has no text: none of {', '.join(_TEXTS)} or payload says anything")


def _details(left: dict[str, Json], payload: Json) -> tuple[tuple[str, str], ...]:
    own = left.get("details")
    if isinstance(own, Mapping) and all(isinstance(value, str) for value in own.values()):
        del left["details"]
        return tuple((str(name), str(value)) for name, value in own.items())
    if not isinstance(payload, Mapping):
        return ()
    inside = payload.get("failure")
    found = {**(inside if isinstance(inside, Mapping) else {}), **payload}
    return tuple((name, value) for name in _DETAILS if isinstance(value := found.get(name), str) and value.strip())


def _id(left: dict[str, Json], kind: str, key: str | None, title: str, body: str) -> str:
    """Return the row's id, else one made from its content, the same every time."""
    for name in ("context_item_id", "id"):
        value = left.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and GIVEN_ID.fullmatch(str(value)):
            del left[name]
            return str(value)
    digest = hashlib.sha256(f"{kind}\0{key or body}".encode("utf-8", "surrogatepass")).digest()
    letters = "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:LETTERS])
    return item_id(key or title, letters)


def _scope(left: dict[str, Json], kind: str) -> str:
    """Return the scope that the row names: the person's for what is global, else by the type.

    A name that is no scope of ours is that of a project, a skill or a repository, and stays for the export.
    """
    home = "user" if item_type(kind).scope is ScopeKind.USER else "project"
    named = left.get("scope")
    if isinstance(named, str) and named.strip():
        if named == "global":
            into = "user" if home == "user" or kind in _KEPT_IN_PERSON else "project"
        else:
            into = named if _OWN_SCOPE.fullmatch(named) else "project"
        if into in (named, "user"):
            del left["scope"]
        return into
    source = left.get("source")
    if source == "global":
        return "user"
    return "project" if isinstance(source, str) and source.startswith("project/") else home


def _status(left: dict[str, Json]) -> tuple[Status, str | None]:
    """Return the status, and the word of the row for it.

    An unknown word makes a proposal: an item must not enter prompts because its status could not be read.
    """
    word = _word(left, "status")
    if word is None:
        return Status.ACTIVE, None
    if word in set(Status):
        del left["status"]
    return _STATUSES.get(word, Status.PENDING), word


def _word(left: Mapping[str, Json], name: str) -> str | None:
    """Return a value in lower case, whatever it is; None where there is none."""
    value = left.get(name)
    return None if value is None else str(value).strip().casefold() or None


def _links(left: dict[str, Json]) -> tuple[Link, ...]:
    """Return the links that are understood; if one is not, all of them stay too, so that nothing is lost."""
    found: list[Link] = []
    for name in ("related_items", "links"):
        value = left.get(name)
        if not isinstance(value, list):
            continue
        links = [_link(each) for each in value]
        if None not in links:
            del left[name]
        found += [each for each in links if each is not None]
    older = left.get("supersedes")
    names = older if isinstance(older, list) else [older]
    if older is not None and all(isinstance(each, str) and each.strip() for each in names):
        del left["supersedes"]
        found += [Link(str(each).strip(), Relation.SUPERSEDES) for each in names]
    return tuple(dict.fromkeys(found))


def _refs(left: dict[str, Json]) -> tuple[Ref, ...]:
    value = left.get("refs")
    if not isinstance(value, list) or not all(isinstance(each, Mapping) and _is_ref(each) for each in value):
        return ()
    del left["refs"]
    texts = [{name: str(text) for name, text in each.items()} for each in value if isinstance(each, Mapping)]
    return tuple(Ref(each["path"], each.get("symbol"), each.get("digest")) for each in texts)


def _is_ref(value: Mapping[str, Json]) -> bool:
    return "path" in value and value.keys() <= {"path", "symbol", "digest"} and all(map(_is_line, value.values()))


def _is_line(value: Json) -> bool:
    return isinstance(value, str) and bool(value) and " ".join(value.split()) == value


def _link(value: Json) -> Link | None:
    if not isinstance(value, Mapping):
        return None
    members = {snake_case(str(name)): each for name, each in value.items()}
    to = next((members.pop(name) for name in ("id", "to", "item_id") if name in members), None)
    relation = members.pop("relation", None)
    named = snake_case(str(relation).strip()).replace("-", "_")
    if members or not isinstance(to, str | int) or isinstance(to, bool) or not str(to).strip():
        return None
    return Link(str(to).strip(), Relation(named)) if named in MEMORY_RELATIONS else None


def _text(left: dict[str, Json], name: str) -> str | None:
    value = left.get(name)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        del left[name]
        return " ".join(str(value).split())
    return None


def _thousandths(left: dict[str, Json], name: str, default: int) -> int:
    value = left.get(name)
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        found = read_thousandths(f"{value:.4f}" if isinstance(value, float) else str(value))
        if found is not None:
            del left[name]
            return found
    return default


def _moment(left: dict[str, Json], *names: str) -> str | None:
    for name in names:
        moment = _moment_of(left.get(name))
        if moment:
            del left[name]
            return moment
    return None


def _moment_of(value: Json) -> str | None:
    """Return a date, a date-time, or the number of seconds or milliseconds since 1970 as ISO; None for others."""
    if isinstance(value, str):
        return read_moment(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _MILLISECONDS * 1000:
        return None
    seconds = value / 1000 if value >= _MILLISECONDS else value
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _tags(left: dict[str, Json]) -> tuple[str, ...]:
    value = left.get("tags")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        del left["tags"]
        return tuple(dict.fromkeys(" ".join(str(each).split()) for each in value if str(each).strip()))
    return ()


def _uses(left: dict[str, Json]) -> Uses:
    counts = (_whole(left, name) for name in ("access_count", "reference_count"))
    count = next((each for each in counts if each is not None), 0)
    last = _moment(left, "last_accessed_at", "last_referenced_at")
    return Uses(count, last)


def _whole(left: dict[str, Json], name: str) -> int | None:
    value = left.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and whole_number(str(value)):
        del left[name]
        return value
    return None


def title_of(body: str) -> str:
    """Return the title of a text that has none: its first line, cut to 80 characters."""
    line = next((" ".join(line.strip("#*- \t").split()) for line in body.splitlines() if line.strip("#*- \t")), "")
    line = "".join(letter if letter.isprintable() else " " for letter in line)
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…"
