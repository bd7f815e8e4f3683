"""sphinx-needs' `needs.json` as foreign items.

The needs of its current version count, with all kinds of links.
"""

import csv
import json
import re
from collections.abc import Callable, Mapping

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.item_values import Link, Ref, Stamp, Status
from verifflowcc.base.model.trace_values import TraceItem, Verification
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink
from verifflowcc.trace.rules.fingerprint import fingerprinted
from verifflowcc.trace.rules.item_wording import with_rationale
from verifflowcc.trace.rules.trace_table import COLUMNS, VERIFIED

# A table of items as foreign items: one row each, columns found by their headings.

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "uid", "identifier", "key", "req id", "requirement id", "number"),
    "type": ("type", "kind", "item type", "category"),
    "title": ("title", "name", "summary", "header", "heading"),
    "text": ("text", "description", "statement", "content", "requirement", "requirement text"),
    "parent": ("parent", "parents", "links", "link", "refines", "covers", "derived from", "traces to", "upstream"),
    "verification": ("verification", "verification method", "method", "verified by method"),
    "rationale": ("rationale", "reason", "justification"),
    "status": ("status", "state"),
    "derived": ("derived",),
    "tags": ("tags", "labels"),
    "files": ("files", "file", "refs", "references"),
    "comment": ("comment", "comments", "notes", "note"),
}
_OURS = ("path", "integrity", "planned", "tests", "evidence")
"""Columns of our own export that mean something else, or nothing, in another table."""
_SEPARATORS = (",", ";", "\t", "|")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINK = re.compile(r"(?:([a-z_]+):)?(\S+)")
_YES = frozenset({"yes", "true", "1", "x", "y"})


def read_csv(path: str, text: str, columns: Mapping[str, str] | None = None) -> ForeignItems:
    """Return the rows of a table as items.

    `columns` maps headings to our fields and has precedence over their names.

    Raises FormatError, with file and line, where it is no table, or where no column holds ids.
    """
    rows = _rows(path, text)
    if not rows:
        raise FormatError(f"{path}:1: the table is empty")
    headings = [cell.strip() for cell in rows[0][1]]
    exact = not columns and headings[:2] == ["id", "type"] and "path" in headings and set(headings) <= {*COLUMNS}
    fields = _fields(path, headings, columns or {})
    if exact:
        fields = {**fields, **{name: name for name in _OURS if name in headings}}
    left: list[str] = []
    items = []
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(headings):
            raise FormatError(f"{path}:{line}: this row has {len(row)} cells and the head {len(headings)}")
        cells = dict(zip(headings, (row if exact else (cell.strip() for cell in row)), strict=False))
        item = _import_csv_item(f"{path}:{line}", cells, fields, exact=exact)
        items.append(item) if item.id else left.append(f"{path}:{line}: a row has no id")
    return ForeignItems(tuple(items), tuple(left), "csv")


def _rows(path: str, text: str) -> list[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(_LINES.findall(text), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{path}:{line}: this row cannot be read: {error}") from error
    return rows


def _fields(path: str, headings: list[str], columns: Mapping[str, str]) -> Mapping[str, str]:
    """Return heading → field; those that nothing is known of are left out."""
    for heading, name in columns.items():
        if heading not in headings:
            raise FormatError(f"{path}:1: there is no column {heading!r}; there are {', '.join(headings)}")
        if name not in FIELDS:
            raise FormatError(f"{path}:1: {name!r} is no field; there are {', '.join(FIELDS)}")
    found = dict(columns)
    taken = set(columns.values())
    for name, words in FIELDS.items():
        near = [each for word in words for each in headings if each.lower().replace("_", " ") == word]
        if name not in taken and near and near[0] not in found:
            found[near[0]] = name
    if "id" not in found.values():
        raise FormatError(f"{path}:1: no column holds ids; there are {', '.join(headings)}")
    return found


def _import_csv_item(place: str, cells: Mapping[str, str], fields: Mapping[str, str], *, exact: bool) -> ForeignItem:
    by_field = {name: cells.get(heading, "") for heading, name in fields.items()}
    named = by_field.get
    return ForeignItem(
        id=named("id", ""),
        kind=named("type", ""),
        place=place,
        title=named("title", "") if exact else " ".join(named("title", "").split()),
        text=named("text", ""),
        rationale=named("rationale", ""),
        derived=named("derived", "").lower() in _YES,
        links=_links(named("parent", "")),
        verification=named("verification", "") or None,
        files=_words(named("files", "")),
        tags=_words(named("tags", "")),
        status=named("status", ""),
        comments=tuple(filter(None, [named("comment", "")])),
        attributes={heading: cell for heading, cell in cells.items() if heading not in fields and cell},
        integrity=named("integrity", ""),
        planned=named("planned", ""),
        tests=_words(named("tests", "")),
        evidence=_words(named("evidence", "")),
        exact=exact,
    )


def _links(cell: str) -> tuple[ForeignLink, ...]:
    found = (_LINK.fullmatch(each) for each in re.split(r"[,;\s]+", cell) if each)
    return tuple(dict.fromkeys(ForeignLink(each[2], each[1] or "") for each in found if each))


def _words(cell: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in re.split(r"[,;\n]", cell) if each.strip())


# What `vfcc trace export --format json` wrote, as foreign items: each whole, with stamps, reviews and its body.

_Object = Mapping[str, object]


def is_export(text: str) -> bool:
    """Say whether a text is an export of vfcc: an object with `items`, the first of them with a fingerprint."""
    try:
        items = json.loads(text)["items"]
        return bool(items) and isinstance(items[0]["fingerprint"], str)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def read_exported(path: str, text: str) -> ForeignItems:
    """Return the items of an export. Raises FormatError, with file and line, where it is not one."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: it is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FormatError(f"{path}:1: it is nested too deep") from error
    items = whole.get("items") if isinstance(whole, dict) else None
    if not isinstance(items, list):
        raise FormatError(f"{path}:1: an export of vfcc has `items`, a list, and this has none")
    found = [_import_exported_item(f"{path}:{number}", each) for number, each in enumerate(items, start=1)]
    return ForeignItems(tuple(found), (), "vfcc")


def _import_exported_item(place: str, record: object) -> ForeignItem:
    """Return an item; its place has its number in the list, since JSON in one line has no other."""
    if not isinstance(record, dict):
        raise FormatError(f"{place}: an item is an object")
    read = _ExportReader(place, record)
    text, why, body = read.text("text"), read.text("rationale"), read.text("body")
    if with_rationale(body) != (text, why):
        body = "\n\n".join(each for each in (text, f"## Rationale\n\n{why}" if why else "") if each)
        text, why = with_rationale(body)
    links = tuple(Link(each.text("to"), each.text("relation"), 1, each.stamp()) for each in read.objects("links"))
    review = read.one("review")
    verified = read.one("verified")
    status = read.text("status") or "active"
    if status not in set(Status):
        raise FormatError(f"{place}: status {status!r} is not one of {', '.join(Status)}")
    own = TraceItem(
        id=read.text("id"),
        type=read.text("type"),
        title=read.text("title"),
        path=read.text("path"),
        text=text,
        digest="",
        status=Status(status),
        verification=read.text("verification") or None,
        links=links,
        refs=tuple(
            Ref(each.text("path"), each.text("symbol") or None, each.text("digest") or None)
            for each in read.objects("refs")
        ),
        tests=read.words("tests"),
        evidence=read.words("evidence"),
        derived=record.get("derived") is True,
        rationale=why,
        planned=read.text("planned") or None,
        integrity=read.text("integrity") or None,
        reviewed=review.stamp() if review else None,
        verified=Verification(*map(verified.text, VERIFIED)) if verified else None,
        tags=read.words("tags"),
    )
    if not own.id or not own.type or not own.title:
        raise FormatError(f"{place}: an item has an id, a type and a title")
    return ForeignItem(own.id, own.type, place, own.title, exact=True, own=fingerprinted(own), body=body)


class _ExportReader:
    """The fields of an object; what has another form than an export gives it is refused."""

    def __init__(self, place: str, record: _Object) -> None:
        self.place, self._record = place, record

    def text(self, name: str) -> str:
        """Return a text; "" where there is none."""
        value = self._record.get(name)
        if value is not None and not isinstance(value, str):
            raise FormatError(f"{self.place}: {name} is a text")
        return value or ""

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._list(name, str, "texts"))

    def objects(self, name: str) -> "list[_ExportReader]":
        """Return a list of objects."""
        return [_ExportReader(self.place, each) for each in self._list(name, dict, "objects")]

    def one(self, name: str) -> "_ExportReader | None":
        """Return an object; None where there is none."""
        value = self._record.get(name)
        if value is not None and not isinstance(value, dict):
            raise FormatError(f"{self.place}: {name} is an object")
        return _ExportReader(self.place, value) if value else None

    def stamp(self) -> Stamp | None:
        """Return the stamp that an object holds."""
        name: Callable[[str], str | None] = lambda key: self.text(key) or None  # noqa: E731
        mark = name("fingerprint")
        return Stamp(mark, name("by"), name("on"), name("reason")) if mark else None

    def _list(self, name: str, kind: type, what: str) -> list:  # type: ignore[type-arg]
        value = self._record.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, kind) for each in value):
            raise FormatError(f"{self.place}: {name} is a list of {what}")
        return value


_BACK = "_back"
_METHOD = ("verification", "verification_method", "verification_methods")
_TEXT = ("content", "description")
_TAKEN = frozenset({"id", "type", "title", "status", "tags", "rationale", "comment", *_METHOD, *_TEXT})
_MACHINERY = frozenset(
    {
        *("docname", "doctype", "lineno", "lineno_content", "target_id", "type_name", "type_color", "type_style"),
        *(
            "type_prefix",
            "external_css",
            "external_url",
            "is_external",
            "is_need",
            "is_part",
            "is_import",
            "is_modified",
        ),
        *(
            "parts",
            "sections",
            "section_name",
            "full_title",
            "id_complete",
            "id_parent",
            "id_prefix",
            "hide",
            "collapse",
        ),
        *("layout", "style", "template", "pre_template", "post_template", "arch", "jinja_content", "has_dead_links"),
        *(
            "has_forbidden_dead_links",
            "constraints_passed",
            "constraints_results",
            "constraints_error",
            "modifications",
        ),
        *(
            "signature",
            "parent_need",
            "parent_needs_back",
            "hidden",
            "title_from_content",
            "content_node",
            "content_id",
        ),
        *("created_at", "updated_at", "completion", "duration", "query", "specific", "max_amount", "max_content_lines"),
        *(
            "id_complete_raw",
            "creator",
            "diagram",
            "delete",
            "params",
            "prefix",
            "url_postfix",
            "user",
            "avatar",
            "ids",
        ),
    }
)


def read_needs(path: str, text: str) -> ForeignItems:
    """Return the needs of a `needs.json`.

    Raises FormatError, with file and line, where it is not one.
    """
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: it is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FormatError(f"{path}:1: it is nested too deep") from error
    version = _current(path, whole)
    needs = version.get("needs")
    if not isinstance(needs, dict) or not all(isinstance(need, dict) for need in needs.values()):
        raise FormatError(f"{path}:1: `needs` of a needs.json is a mapping of needs")
    links = _link_fields(version, needs)
    left: list[str] = []
    items = tuple(_item(path, text, name, needs[name], links, left) for name in needs)
    return ForeignItems(items, tuple(left), "sphinx-needs")


def _current(path: str, whole: object) -> Mapping[str, object]:
    versions = whole.get("versions") if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or not isinstance(versions, dict) or not versions:
        raise FormatError(f"{path}:1: a needs.json has `versions`, and this has none")
    name = whole.get("current_version")
    chosen = versions.get(name) if isinstance(name, str) and name in versions else None
    if chosen is None and len(versions) == 1:
        chosen = next(iter(versions.values()))
    if not isinstance(chosen, dict):
        raise FormatError(f"{path}:1: `current_version` of this needs.json is none of its versions")
    return chosen


def _link_fields(version: Mapping[str, object], needs: Mapping[str, Mapping[str, object]]) -> tuple[str, ...]:
    """Return the fields that hold links: by the schema, else lists of known needs."""
    schema = version.get("needs_schema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict):
        declared = [
            name for name, one in properties.items() if isinstance(one, dict) and one.get("field_type") == "links"
        ]
        return tuple(sorted({*declared, "links"}))
    found = {"links"}
    for need in needs.values():
        for name, value in need.items():
            if name.endswith(_BACK) or name in _TAKEN | _MACHINERY or not isinstance(value, list) or not value:
                continue
            if all(isinstance(each, str) and each.partition(".")[0] in needs for each in value):
                found.add(name)
    return tuple(sorted(found))


def _item(
    path: str, text: str, name: str, need: Mapping[str, object], fields: tuple[str, ...], left: list[str]
) -> ForeignItem:
    place = f"{path}:{text.count(chr(10), 0, max(text.find(json.dumps(name) + ':'), 0)) + 1}"
    links = dict.fromkeys(
        ForeignLink(str(to).partition(".")[0], "" if field == "links" else field)
        for field in fields
        for to in _list(need.get(field))
    )
    rest = {key: _text(value) for key, value in sorted(need.items()) if _is_attribute(key, fields) and _text(value)}
    if need.get("parts"):
        left.append(f"{place}: parts of a need; links to them lead to the need")
    return ForeignItem(
        id=name,
        kind=_text(need.get("type")),
        place=place,
        title=" ".join(_text(need.get("title")).split()),
        text=next((_text(need.get(key)) for key in _TEXT if _text(need.get(key))), "").strip("\n"),
        rationale=_text(need.get("rationale")),
        links=tuple(links),
        verification=next((_text(need.get(key)) for key in _METHOD if _text(need.get(key))), None),
        tags=tuple(map(str, _list(need.get("tags")))),
        status=_text(need.get("status")),
        comments=tuple(filter(None, [_text(need.get("comment"))])),
        attributes=rest,
    )


def _is_attribute(key: str, links: tuple[str, ...]) -> bool:
    return key not in _TAKEN | _MACHINERY and key not in links and not key.endswith(_BACK)


def _list(value: object) -> list[object]:
    if isinstance(value, str):
        return [each.strip() for each in value.replace(";", ",").split(",") if each.strip()]
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """Return a field as text: a list by commas.

    It is "" for an empty, false or nested value.
    """
    if isinstance(value, list):
        return ", ".join(str(each) for each in value if isinstance(each, str | int))
    return str(value) if isinstance(value, str | int | float) and value is not False else ""
