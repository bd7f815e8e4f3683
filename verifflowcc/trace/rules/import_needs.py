"""sphinx-needs' `needs.json` as foreign items.

The needs of its current version count, with all kinds of links.
"""

import csv
import json
import re
from collections.abc import Mapping

from verifflowcc.base.errors import FormatError
from verifflowcc.trace.rules.import_values import ForeignItem, ForeignItems, ForeignLink

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
_SEPARATORS = (",", ";", "\t", "|")
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
    fields = _fields(path, headings, columns or {})
    left: list[str] = []
    items = []
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(headings):
            raise FormatError(f"{path}:{line}: this row has {len(row)} cells and the head {len(headings)}")
        cells = dict(zip(headings, (cell.strip() for cell in row), strict=False))
        item = _import_csv_item(f"{path}:{line}", cells, fields)
        items.append(item) if item.id else left.append(f"{path}:{line}: a row has no id")
    return ForeignItems(tuple(items), tuple(left), "csv")


def _rows(path: str, text: str) -> list[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
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


def _import_csv_item(place: str, cells: Mapping[str, str], fields: Mapping[str, str]) -> ForeignItem:
    by_field = {name: cells.get(heading, "") for heading, name in fields.items()}
    named = by_field.get
    return ForeignItem(
        id=named("id", ""),
        kind=named("type", ""),
        place=place,
        title=" ".join(named("title", "").split()),
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
    )


def _links(cell: str) -> tuple[ForeignLink, ...]:
    found = (_LINK.fullmatch(each) for each in re.split(r"[,;\s]+", cell) if each)
    return tuple(dict.fromkeys(ForeignLink(each[2], each[1] or "") for each in found if each))


def _words(cell: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in re.split(r"[,;\n]", cell) if each.strip())


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
