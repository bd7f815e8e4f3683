"""What a client may ask of the server before any call: derived from the functions, and kept in `lists.json`.

`make reference` writes the file, and a test compares.
"""

import inspect
import json
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from verifflowcc.mcp.prompts import PROMPTS
from verifflowcc.mcp.resources import RESOURCES, TEMPLATES
from verifflowcc.mcp.tools import READING, TOOLS

INSTRUCTIONS = (
    "vfcc leads this repository through a sprint. Call `next` first: it names the stage, what it owes and the step."
    " Ask `known` before you edit a file; run `check` before you say that something works."
    " People approve; do not try."
)
"""Codex shows the first 250 characters to its model, and no more."""
_TYPES = {str: "string", int: "integer"}


def lists() -> dict[str, Any]:
    """Return all that a client may ask for before it calls anything."""
    return {
        "instructions": INSTRUCTIONS,
        "tools": [_tool(name) for name in TOOLS],
        "resources": [
            {"uri": uri, "name": name, "description": text, "mimeType": "text/plain"}
            for uri, (name, text) in RESOURCES.items()
        ],
        "resourceTemplates": [
            {"uriTemplate": uri, "name": name, "description": text, "mimeType": "text/plain"}
            for uri, (name, text) in TEMPLATES.items()
        ],
        "prompts": [_prompt(name) for name in PROMPTS],
    }


def lists_text() -> str:
    """Return `lists.json`."""
    return json.dumps(lists(), ensure_ascii=False, indent=1) + "\n"


def _tool(name: str) -> dict[str, Any]:
    function = TOOLS[name]
    tool: dict[str, Any] = {"name": name, "description": _first_line(function), "inputSchema": _schema(function)}
    if name in READING:
        tool["annotations"] = {"readOnlyHint": True}
    if name == "next":
        tool["_meta"] = {"anthropic/alwaysLoad": True}
    return tool


def _prompt(name: str) -> dict[str, Any]:
    schema = _schema(PROMPTS[name])
    arguments = [
        {
            "name": key,
            **({"description": each["description"]} if "description" in each else {}),
            "required": key in schema.get("required", ()),
        }
        for key, each in schema["properties"].items()
    ]
    return {"name": name, "description": _first_line(PROMPTS[name]), "arguments": arguments}


def _schema(function: object) -> dict[str, Any]:
    """Return the JSON Schema of the parameters behind the first, which is the context."""
    hints = get_type_hints(function, include_extras=True)
    properties, required = {}, []
    for each in list(inspect.signature(function).parameters.values())[1:]:  # type: ignore[arg-type]
        properties[each.name] = _property(hints[each.name])
        if each.default is inspect.Parameter.empty:
            required.append(each.name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _property(hint: Any) -> dict[str, Any]:
    description: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        hint, words = get_args(hint)[:2]
        description = {"description": words}
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint)), **description}
    if get_origin(hint) is list:
        return {"type": "array", "items": {"type": "string"}, **description}
    return {"type": _TYPES[hint], **description}


def _first_line(function: object) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
