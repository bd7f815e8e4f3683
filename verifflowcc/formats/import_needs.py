"""sphinx-needs' `needs.json` as foreign items: the needs of its current version, with all kinds of links."""

import json
from collections.abc import Mapping

from verifflowcc.domain.trace_import import Foreign, ForeignItem, ForeignLink
from verifflowcc.errors import FormatError

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


def read_needs(path: str, text: str) -> Foreign:
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
    return Foreign(items, tuple(left), "sphinx-needs")


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
    """Return the fields that hold links: as the schema says, else the lists that name needs."""
    schema = version.get("needs_schema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict):
        said = [name for name, one in properties.items() if isinstance(one, dict) and one.get("field_type") == "links"]
        return tuple(sorted({*said, "links"}))
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
    """Return a field as text; a list of texts by commas, and "" for what is empty, false or nested."""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value if isinstance(each, str | int))
    return str(value) if isinstance(value, str | int | float) and value is not False else ""
