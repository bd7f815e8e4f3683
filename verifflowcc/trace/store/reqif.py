"""Trace items as ReqIF, all in one specification.

Each type of items is a type of objects; relations have our names.

The attributes have the names of the implementation guide where it has any, so that other tools find them.
"""

import importlib
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.text_files import LARGEST, read_bytes
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems, ForeignLink
from verifflowcc.trace.rules.import_needs import FIELDS
from verifflowcc.trace.rules.trace_table import without_bad_xml

# The package `reqif`, which is installed where ReqIF is wanted: `verifflowcc[reqif]`.


def reqif_module(name: str) -> ModuleType:
    """Return a module of the package `reqif`, such as `parser`.

    Raises WorkspaceError where it is not installed.
    """
    try:
        return importlib.import_module(f"reqif.{name}")
    except ModuleNotFoundError as error:
        raise WorkspaceError(
            "ReqIF is read and written by the package reqif, which is not installed",
            hint="pip install 'verifflowcc[reqif]'",
        ) from error


# XHTML in a ReqIF attribute as plain text: paragraphs and breaks become lines, what is preformatted stays as it is.

_BLOCKS = frozenset({"p", "div", "ul", "ol", "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"})


def xhtml_text(node: Any) -> str:
    """Return the text of an element and of all in it."""
    text = "".join(_xhtml_text_texts(node, False))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") if "\0" not in text else _kept(text)


def _xhtml_text_texts(node: Any, kept: bool) -> Iterator[str]:
    name = _local(node)
    inside = kept or name == "pre"
    if name == "br":
        yield "\n"
    elif name == "li":
        yield "\n- "
    elif name in _BLOCKS:
        yield "\n\n"
    if name == "pre":
        yield "\0"
    yield _flat(node.text, inside)
    for child in node:
        yield from _xhtml_text_texts(child, inside)
        yield _flat(child.tail, inside)
    if name == "pre":
        yield "\0"
    if name in _BLOCKS:
        yield "\n\n"


def _kept(text: str) -> str:
    """Return a text whose parts between NUL are preformatted."""
    parts = text.split("\0")
    flat = [re.sub(r"\n{3,}", "\n\n", part) if number % 2 == 0 else part for number, part in enumerate(parts)]
    return "".join(flat).strip("\n")


def _flat(text: str | None, kept: bool) -> str:
    return "" if not text else text if kept else re.sub(r"\s+", " ", text) if text.strip() else ""


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


# A ReqIF file, or the ones in a `.reqifz`, as foreign items.
#
# Fields are found by the long names of attributes: those of the implementation guide (`ReqIF.ForeignID`, `ReqIF.Name`,
# `ReqIF.Text` …), then the words that a table may have as headings.

_GUIDE = {"foreignid": "id", "name": "title", "chaptername": "chapter", "text": "text", "description": "text"}
_OURS = frozenset({"Integrity", "Planned", "Tests", "Evidence"})
"""Attributes of our own export that mean something else, or nothing, in another file."""
_LINE = re.compile(r"line (\d+)")
_BROKEN = (AssertionError, AttributeError, IndexError, KeyError, NotImplementedError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Words:
    """The meaning of references in a file: types, attributes, enumeration values."""

    kinds: Mapping[str, str]
    attributes: Mapping[str, str]
    values: Mapping[str, str]


def read_reqif(path: Path, name: str) -> ForeignItems:
    """Return the items of a file; `name` is how messages call it.

    Raises FormatError where it is no ReqIF, UsageError where it cannot be read, WorkspaceError where the package that
    reads it is missing.
    """
    reqif_module("parser")
    data = read_bytes(path, name)
    items: list[ForeignItem] = []
    for part, text in _texts(name, data):
        items += _items(part, text)
    return ForeignItems(tuple(items), (), "reqif")


def _texts(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    if not zipfile.is_zipfile(io.BytesIO(data)):
        yield name, _decoded(name, data)
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for each in sorted(archive.namelist()):
            if each.lower().endswith(".reqif"):
                # A small archive may unpack to gigabytes: no more than the limit is read.
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
    # Entities of a document's own may expand without bound.
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
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FormatError(f"{name}:{line[1] if line else 1}: it cannot be read as ReqIF: {reason}") from error


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


_STRINGS = (
    *("ReqIF.ForeignID", "ReqIF.Name", "Type", "Status", "Verification", "Derived", "Integrity", "Planned"),
    *("Tests", "Evidence", "Tags", "Files"),
)
_TEXTS = ("ReqIF.Text", "Rationale")
_STRING, _XHTML = "type-string", "type-xhtml"


def reqif_text(items: Sequence[TraceItem], day: str) -> str:
    """Return items as the text of a ReqIF file; `day` is the day of the export.

    A day is written as in `2026-11-21`.

    Raises WorkspaceError where the package that writes it is missing.
    """
    moment = f"{day}T00:00:00Z"
    content = reqif_module("models.reqif_req_if_content").ReqIFReqIFContent(
        data_types=_data_types(moment),
        spec_types=_spec_types(items, moment),
        spec_objects=[_object(item, moment) for item in items],
        spec_relations=_relations(items, moment),
        specifications=[_specification(items, moment)],
    )
    models = reqif_module("reqif_bundle")
    bundle = models.ReqIFBundle(
        namespace_info=reqif_module("models.reqif_namespace_info").ReqIFNamespaceInfo.create_default(),
        req_if_header=reqif_module("models.reqif_reqif_header").ReqIFReqIFHeader(
            identifier="header",
            comment="Exported by vfcc",
            creation_time=moment,
            req_if_tool_id="vfcc",
            req_if_version="1.0",
            source_tool_id="vfcc",
            title="Trace items",
        ),
        core_content=reqif_module("models.reqif_core_content").ReqIFCoreContent(content),
        tool_extensions_tag_exists=False,
        lookup=reqif_module("object_lookup").ReqIFObjectLookup.empty(),
        exceptions=[],
    )
    return str(reqif_module("unparser").ReqIFUnparser.unparse(bundle))


def _data_types(moment: str) -> list[Any]:
    models = reqif_module("models.reqif_data_type")
    return [
        models.ReqIFDataTypeDefinitionString(_STRING, last_change=moment, long_name="String", max_length="32000"),
        models.ReqIFDataTypeDefinitionXHTML(_XHTML, last_change=moment, long_name="XHTML"),
    ]


def _spec_types(items: Sequence[TraceItem], moment: str) -> list[Any]:
    models = reqif_module("models.reqif_spec_object_type")
    kinds = reqif_module("models.reqif_types").SpecObjectAttributeType
    found = []
    for name in sorted({item.type for item in items}):
        wanted = [(kinds.STRING, _STRING, each) for each in _STRINGS] + [(kinds.XHTML, _XHTML, each) for each in _TEXTS]
        definitions = [
            models.SpecAttributeDefinition(kind, _attribute(name, each), data, last_change=moment, long_name=each)
            for kind, data, each in wanted
        ]
        found.append(
            models.ReqIFSpecObjectType(
                _key("object", name), last_change=moment, long_name=name, attribute_definitions=definitions
            )
        )
    relation = reqif_module("models.reqif_spec_relation_type").ReqIFSpecRelationType
    for name in sorted({link.relation for item in items for link in item.links}):
        found.append(relation(_key("relation", name), last_change=moment, long_name=name))
    specification = reqif_module("models.reqif_specification_type").ReqIFSpecificationType
    return [*found, specification("specification-type", last_change=moment, long_name="Trace", is_self_closed=True)]


def _object(item: TraceItem, moment: str) -> Any:
    models = reqif_module("models.reqif_spec_object")
    kinds = reqif_module("models.reqif_types").SpecObjectAttributeType
    strings = (
        *(item.id, item.title, item.type, str(item.status), item.verification or ""),
        *("true" if item.derived else "", item.integrity or "", item.planned or ""),
        *map(", ".join, (item.tests, item.evidence, item.tags, [ref.path for ref in item.refs])),
    )
    values = [
        models.SpecObjectAttribute(kinds.STRING, _attribute(item.type, name), without_bad_xml(text))
        for name, text in zip(_STRINGS, strings, strict=True)
        if text
    ]
    values += [
        models.SpecObjectAttribute(kinds.XHTML, _attribute(item.type, name), _xhtml(text))
        for name, text in zip(_TEXTS, (item.text, item.rationale), strict=True)
        if text
    ]
    return models.ReqIFSpecObject(
        identifier=_key("item", item.id),
        attributes=values,
        spec_object_type=_key("object", item.type),
        last_change=moment,
    )


def _relations(items: Sequence[TraceItem], moment: str) -> list[Any]:
    """Return the links between items of the export.

    ReqIF has no relation to an object outside of the file.
    """
    relation = reqif_module("models.reqif_spec_relation").ReqIFSpecRelation
    inside = {item.id for item in items}
    return [
        relation(
            identifier=_key("link", f"{item.id} {link.relation} {link.to}"),
            relation_type_ref=_key("relation", link.relation),
            source=_key("item", item.id),
            target=_key("item", link.to),
            last_change=moment,
        )
        for item in items
        for link in item.links
        if link.to in inside
    ]


def _specification(items: Sequence[TraceItem], moment: str) -> Any:
    hierarchy = reqif_module("models.reqif_spec_hierarchy").ReqIFSpecHierarchy
    children = [
        hierarchy(
            identifier=_key("place", item.id),
            spec_object=_key("item", item.id),
            level=1,
            last_change=moment,
            editable=None,
            is_table_internal=None,
        )
        for item in items
    ]
    return reqif_module("models.reqif_specification").ReqIFSpecification(
        "specification",
        last_change=moment,
        long_name="Trace items",
        specification_type="specification-type",
        children=children,
    )


def _xhtml(text: str) -> str:
    return f"<xhtml:div><xhtml:pre>{escape(without_bad_xml(text))}</xhtml:pre></xhtml:div>"


def _attribute(kind: str, name: str) -> str:
    return _key("attribute", f"{kind} {name}")


def _key(what: str, name: str) -> str:
    """Return a name as an identifier for XML, or its digest."""
    plain = name.replace(" ", "-")
    if plain.isascii() and plain.replace("-", "").replace(".", "").replace("_", "").isalnum() and plain == name:
        return f"{what}-{name}"
    return f"{what}.{sha256(name.encode()).hexdigest()[:24]}"
