"""A table of items as foreign items: one row each, columns found by their headings."""

import csv
import re
from collections.abc import Mapping

from verifflowcc.domain.trace_import import Foreign, ForeignItem, ForeignLink
from verifflowcc.errors import FormatError
from verifflowcc.formats.trace_table import COLUMNS

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


def read_csv(path: str, text: str, columns: Mapping[str, str] | None = None) -> Foreign:
    """Return the rows of a table; `columns` maps headings to our fields and goes before what their names suggest.

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
        item = _item(f"{path}:{line}", cells, fields, exact=exact)
        items.append(item) if item.id else left.append(f"{path}:{line}: a row has no id")
    return Foreign(tuple(items), tuple(left), "csv")


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


def _item(place: str, cells: Mapping[str, str], fields: Mapping[str, str], *, exact: bool) -> ForeignItem:
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
