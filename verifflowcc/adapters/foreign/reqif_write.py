"""Trace items as ReqIF: a type of objects per type of items, relations by our names, all in one specification.

The attributes have the names of the implementation guide where it has any, so that other tools find them.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from xml.sax.saxutils import escape

from verifflowcc.adapters.foreign.reqif_library import reqif_module
from verifflowcc.domain.trace import TraceItem
from verifflowcc.formats.trace_table import without_bad_xml

_STRINGS = (
    *("ReqIF.ForeignID", "ReqIF.Name", "Type", "Status", "Verification", "Derived", "Integrity", "Planned"),
    *("Tests", "Evidence", "Tags", "Files"),
)
_TEXTS = ("ReqIF.Text", "Rationale")
_STRING, _XHTML = "type-string", "type-xhtml"


def reqif_text(items: Sequence[TraceItem], day: str) -> str:
    """Return items as the text of a ReqIF file; `day`, as in `2026-11-21`, is that of the export.

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
    """Return the links between items of the export; ReqIF has no relation to what is not in the file."""
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
    """Return an identifier that XML allows: the name where it can stand in one, else its digest."""
    plain = name.replace(" ", "-")
    if plain.isascii() and plain.replace("-", "").replace(".", "").replace("_", "").isalnum() and plain == name:
        return f"{what}-{name}"
    return f"{what}.{sha256(name.encode()).hexdigest()[:24]}"
