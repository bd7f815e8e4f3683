"""What a client may read without a tool: the current sprint, an item, an artifact."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.entries import Question
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.gates.use.gates_now import artifacts_of
from verifflowcc.mcp.use.mcp_tools import READING, TOOLS
from verifflowcc.mcp.use.tool_answers import Caller
from verifflowcc.sprint.use.sprint_reading import show_sprint

# Prompts that a person picks in a client: a role's manual, a review, the end of a task.


def role(workspace: Workspace, name: Annotated[str, "Role; default: the stage's"] = "", task: str = "") -> str:
    """Work as a role of this project"""
    from verifflowcc.prompt.use.prompt_use import compile_prompt_only, role_of_stage

    agent = name or role_of_stage(workspace, None, None)
    return compile_prompt_only(workspace, Question(agent, task=task, budget_tokens=4000)).text


def review(workspace: Workspace) -> str:
    """Review the active stage without changing anything"""
    from verifflowcc.history.use.client_setup import skill_body

    return skill_body("vfcc-review")


def handoff(workspace: Workspace) -> str:
    """End a task: evidence, artifact, proposals"""
    from verifflowcc.history.use.client_setup import skill_body

    return skill_body("vfcc-handoff")


PROMPTS: Mapping[str, Callable[..., str]] = {each.__name__: each for each in (role, review, handoff)}


def get_prompt(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a prompt as a message. Raises VfccError for an unknown one, and for an argument that it has not."""

    if name not in PROMPTS:
        raise UsageError(f"there is no prompt {name[:80]!r}; there is {', '.join(PROMPTS)}")
    function = PROMPTS[name]
    known = list(inspect.signature(function).parameters)[1:]
    wrong = [key for key, value in arguments.items() if key not in known or not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{name} takes {', '.join(known) or 'no argument'}, and not {str(wrong[0])[:80]!r}")
    text = function(open_workspace(), **arguments)
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


RESOURCES = {"vfcc://sprint/current": ("sprint", "The current sprint, its stage and what it owes")}
TEMPLATES = {
    "vfcc://item/{id}": ("item", "An item of memory or trace"),
    "vfcc://artifact/{sprint}/{stage}/{name}": ("artifact", "An artifact of a stage"),
}
_SCHEME = "vfcc://"


def read_resource(uri: str, *, modern: bool) -> dict[str, Any]:
    """Return a resource. Raises VfccError where there is none."""
    text = _text(open_workspace(), uri)
    content = {"uri": uri, "mimeType": "text/plain", "text": text}
    keeping = {"ttlMs": 0, "cacheScope": "private"} if modern else {}
    return {"contents": [content], **keeping}


def _text(workspace: Workspace, uri: str) -> str:
    kind, *names = uri.removeprefix(_SCHEME).split("/") if uri.startswith(_SCHEME) else [""]
    if kind == "sprint" and names == ["current"]:
        from verifflowcc.mcp.use.mcp_tools import ToolContext, next

        return next(ToolContext(workspace, Caller(""))).text
    if kind == "item" and len(names) == 1:
        return printable(withhold(_item(workspace, names[0])))
    if kind == "artifact" and len(names) == 3:
        return printable(withhold(_artifact(workspace, *names)))
    raise UsageError(f"there is no resource {uri[:200]}", hint=", ".join((*RESOURCES, *TEMPLATES)))


def _item(workspace: Workspace, name: str) -> str:
    from verifflowcc.memory.use.item_search import find_item
    from verifflowcc.memory.use.scopes import scopes_recalled

    scopes = [scope for scope in scopes_recalled(workspace) if scope != USER]
    return find_item(workspace, name, scopes).stored.text


def _artifact(workspace: Workspace, sprint: str, stage: str, name: str) -> str:
    find_stage(show_sprint(workspace, sprint), stage)
    found = {each.artifact.path: each for each in artifacts_of(workspace, sprint, stage)}
    if name not in found:
        raise UsageError(f"{sprint}/{stage} has no artifact {name[:80]!r}; it has {', '.join(found) or 'none'}")
    return found[name].text or ""


# What a client may ask of the server before any call: derived from the functions, and kept in `lists.json`.
#
# `make reference` writes the file, and a test compares.

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
