"""A ReqIF file, or the ones in a `.reqifz`, as foreign items.

Fields are found by the long names of attributes: those of the implementation guide (`ReqIF.ForeignID`, `ReqIF.Name`,
`ReqIF.Text` …), then the words that a table may have as headings.
"""

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from verifflowcc.adapters.files.text_file import LARGEST, read_bytes
from verifflowcc.adapters.foreign.reqif_library import reqif_module
from verifflowcc.adapters.foreign.xhtml_text import xhtml_text
from verifflowcc.domain.trace_import import Foreign, ForeignItem, ForeignLink
from verifflowcc.errors import FormatError
from verifflowcc.formats.import_csv import FIELDS
from verifflowcc.records import dataclass

_GUIDE = {"foreignid": "id", "name": "title", "chaptername": "chapter", "text": "text", "description": "text"}
_OURS = frozenset({"Integrity", "Planned", "Tests", "Evidence"})
"""Attributes of our own export that mean something else, or nothing, in another file."""
_LINE = re.compile(r"line (\d+)")
_BROKEN = (AssertionError, AttributeError, IndexError, KeyError, NotImplementedError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Words:
    """What the references in a file mean: types, attributes and values of enumerations by their identifiers."""

    kinds: Mapping[str, str]
    attributes: Mapping[str, str]
    values: Mapping[str, str]


def read_reqif(path: Path, name: str) -> Foreign:
    """Return the items of a file; `name` is how messages call it.

    Raises FormatError where it is no ReqIF, UsageError where it cannot be read, WorkspaceError where the package that
    reads it is missing.
    """
    reqif_module("parser")
    data = read_bytes(path, name)
    items: list[ForeignItem] = []
    for part, text in _texts(name, data):
        items += _items(part, text)
    return Foreign(tuple(items), (), "reqif")


def _texts(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    if not zipfile.is_zipfile(io.BytesIO(data)):
        yield name, _decoded(name, data)
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for each in sorted(archive.namelist()):
            if each.lower().endswith(".reqif"):
                with archive.open(each) as file:
                    inside = file.read(LARGEST + 1)
                if len(inside) > LARGEST:
                    raise FormatError(f"{name}:1: {each} in it is larger than {LARGEST // 1_048_576} MiB")
                yield f"{name}/{each}", _decoded(f"{name}/{each}", inside)


def _decoded(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}:1: not UTF-8 at byte {error.start}") from error
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormatError(f"{name}:1: it defines entities of its own; ReqIF has none")
    return text


def _items(name: str, text: str) -> list[ForeignItem]:
    errors = reqif_module("models.error_handling")
    broken = (*_BROKEN, errors.ReqIFXMLParsingError, errors.ReqIFSchemaError, errors.ReqIFSemanticError)
    try:
        bundle = reqif_module("parser").ReqIFParser.parse_from_string(text)
        content = bundle.core_content.req_if_content if bundle.core_content else None
        exact = getattr(bundle.req_if_header, "source_tool_id", "") == "vfcc"
        return list(_read(name, content, exact=exact)) if content is not None else []
    except broken as error:
        line = _LINE.search(str(error))
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise FormatError(f"{name}:{line[1] if line else 1}: it cannot be read as ReqIF: {said}") from error


def _read(name: str, content: Any, *, exact: bool) -> Iterator[ForeignItem]:
    words = _words(content)
    objects = {each.identifier: _named(each, words, exact=exact) for each in content.spec_objects or ()}
    ids = {key: fields.get("id") or key for key, fields in objects.items()}
    links: dict[str, list[ForeignLink]] = defaultdict(list)
    for relation in content.spec_relations or ():
        role = words.kinds.get(relation.relation_type_ref, "")
        links[relation.source].append(ForeignLink(ids.get(relation.target, relation.target), role))
    for each in content.spec_objects or ():
        fields = objects[each.identifier]
        line = each.xml_node.sourceline if each.xml_node is not None else 1
        kind = words.kinds.get(each.spec_object_type, "")
        own = tuple(dict.fromkeys(links[each.identifier]))
        yield _item(f"{name}:{line}", ids[each.identifier], kind, fields, own, exact=exact)


def _words(content: Any) -> _Words:
    kinds, attributes, values = {}, {}, {}
    for kind in content.spec_types or ():
        kinds[kind.identifier] = kind.long_name or kind.identifier
        for each in getattr(kind, "attribute_definitions", None) or ():
            attributes[each.identifier] = each.long_name or each.identifier
    for data_type in content.data_types or ():
        for each in getattr(data_type, "values", None) or ():
            values[each.identifier] = each.long_name or each.key or each.identifier
    return _Words(kinds, attributes, values)


def _named(each: Any, words: _Words, *, exact: bool) -> dict[str, str]:
    """Return an object's fields by our names; those that have none keep theirs, behind a blank."""
    found: dict[str, str] = {}
    for attribute in each.attributes:
        heading = words.attributes.get(attribute.definition_ref, attribute.definition_ref)
        text = _value(attribute, words)
        field = heading.lower() if exact and heading in _OURS else _field(heading)
        if text and (field is None or field in found):
            found[f" {heading}"] = text
        elif text and field:
            found[field] = text
    if each.long_name and "title" not in found:
        found["title"] = each.long_name
    return found


def _field(heading: str) -> str | None:
    word = heading.lower().removeprefix("reqif.").replace("_", " ")
    if word in _GUIDE:
        return _GUIDE[word]
    return next((name for name, words in FIELDS.items() if word in words and name != "parent"), None)


def _value(attribute: Any, words: _Words) -> str:
    if isinstance(attribute.value, list):
        return ", ".join(words.values.get(each, each) for each in attribute.value)
    if attribute.attribute_type.name == "XHTML":
        return xhtml_text(attribute.xml_node.find("THE-VALUE"))
    return str(attribute.value or "").strip()


def _item(
    place: str, name: str, kind: str, fields: Mapping[str, str], links: tuple[ForeignLink, ...], *, exact: bool
) -> ForeignItem:
    chapter = fields.get("chapter", "")
    return ForeignItem(
        id=name,
        kind=fields.get("type") or kind,
        place=place,
        title=fields.get("title", "") if exact else " ".join((fields.get("title") or chapter).split()),
        text=fields.get("text", ""),
        rationale=fields.get("rationale", ""),
        derived=fields.get("derived", "").lower() == "true",
        normative=not (chapter and not fields.get("text")),
        links=links,
        verification=fields.get("verification"),
        files=_words_in(fields, "files"),
        tags=_words_in(fields, "tags"),
        status=fields.get("status", ""),
        comments=tuple(filter(None, [fields.get("comment")])),
        attributes={key.strip(): text for key, text in sorted(fields.items()) if key.startswith(" ")},
        integrity=fields.get("integrity", ""),
        planned=fields.get("planned", ""),
        tests=_words_in(fields, "tests"),
        evidence=_words_in(fields, "evidence"),
        exact=exact,
    )


def _words_in(fields: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in fields.get(name, "").split(",") if each.strip())
