"""The JSON Schema of `config.yaml`, for editors."""

from collections.abc import Collection

from verifflowcc.adapters.config.models import FileSection
from verifflowcc.adapters.config.patterns import NAME, ROLE
from verifflowcc.domain.config import PRESETS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def json_schema(workflows: Collection[str]) -> dict[str, Json]:
    """Return the schema in draft 2020-12, with a description on every key; `workflow` is one of `workflows`."""
    schema: dict[str, Json] = FileSection.model_json_schema()
    properties = _mapping(schema["properties"])
    if workflows:
        _mapping(properties["workflow"])["enum"] = [*sorted(workflows)]
    _name_keys(properties["token_allocation"], ROLE)
    _or_preset(_mapping(_mapping(properties["token_allocation"])["patternProperties"]))
    gates = _mapping(_mapping(_mapping(schema["$defs"])["GatesSection"])["properties"])
    _name_keys(gates["commands"], NAME)
    _name_keys(gates["modes"], NAME)
    _without_titles(schema)
    return {"$schema": DIALECT, "title": "vfcc configuration", **schema}


def _name_keys(value: Json, pattern: str) -> None:
    """Say of a mapping from names what its keys look like, and that it has no others."""
    names = _mapping(value)
    section = names.pop("additionalProperties", None)
    names.pop("propertyNames", None)
    if section is not None:
        names["patternProperties"] = {pattern: section}
    names["additionalProperties"] = False


def _or_preset(roles: dict[str, Json]) -> None:
    """A role's shares may be given by the name of a preset."""
    roles[ROLE] = {"anyOf": [roles[ROLE], {"type": "string", "enum": [*PRESETS]}]}


def _mapping(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _without_titles(value: Json) -> None:
    """Drop the titles that pydantic derives from names: they say nothing that the key does not."""
    if isinstance(value, dict):
        if isinstance(value.get("title"), str):
            del value["title"]
        for child in value.values():
            _without_titles(child)
