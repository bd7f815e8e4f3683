"""Call a tool: check its arguments, do it once for each request id, and turn errors into refusals with a step."""

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from verifflowcc.adapters.files.request_answers import answer_of, keep_answer
from verifflowcc.errors import UsageError, VfccError
from verifflowcc.mcp.answers import ToolAnswer, refusal, step_of
from verifflowcc.mcp.callers import Caller
from verifflowcc.mcp.tools import TOOLS, WRITING, ToolContext
from verifflowcc.records import dataclass
from verifflowcc.services.workspace import open_workspace
from verifflowcc.text.article import nearest

_LONGEST_LIST = 20
_KINDS = {str: "a string", int: "a whole number", list: "a list of strings"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool: its type, the words that it may be, and whether it may be left out."""

    kind: type
    choices: tuple[str, ...]
    required: bool


def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Return what a tool answers. Everything that vfcc refuses is an answer, too: the model reads it."""
    if name not in TOOLS:
        near = nearest(name, tuple(TOOLS))
        return refusal(f"there is no tool {name[:80]!r}", f"{near or 'next'}()")
    try:
        given = _checked(name, arguments)
        workspace = open_workspace()
        context = ToolContext(workspace, caller)
        ident = str(given.get("request") or caller.call_id) if name in WRITING else ""
        if not ident:
            return TOOLS[name](context, **given)
        asked = {key: value for key, value in given.items() if key != "request"}
        key = (caller.actor, name, ident)
        known = answer_of(workspace.local, key, asked)
        if known is not None:
            return ToolAnswer(known)
        done = TOOLS[name](context, **given)
        keep_answer(workspace.local, key, asked, done.text)
    except VfccError as error:
        return refusal(error.message, step_of(error.hint))
    return done


@cache
def parameters(name: str) -> dict[str, Parameter]:
    """Return the parameters of a tool, in order."""
    function = TOOLS[name]
    hints = get_type_hints(function)
    found = {}
    for each in list(inspect.signature(function).parameters.values())[1:]:
        hint = hints[each.name]
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        kind = str if choices else get_origin(hint) or hint
        found[each.name] = Parameter(kind, choices, each.default is inspect.Parameter.empty)
    return found


def _checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that fit the tool. Raises UsageError for the first that does not."""
    known = parameters(name)
    for key in arguments:
        if key not in known:
            raise UsageError(
                f"{name} has no argument {str(key)[:80]!r}; it has {', '.join(known) or 'none'}", hint=_usage(name)
            )
    given = {}
    for key, each in known.items():
        value = arguments.get(key)
        if value is None:
            if each.required:
                raise UsageError(f"{name} needs {key}", hint=_usage(name))
            continue
        _check_kind(name, key, each, value)
        given[key] = value
    return given


def _check_kind(name: str, key: str, parameter: Parameter, value: object) -> None:
    sound = isinstance(value, parameter.kind) and not isinstance(value, bool)
    if isinstance(value, list):
        sound = sound and len(value) <= _LONGEST_LIST and all(isinstance(each, str) for each in value)
    if not sound:
        most = f", at most {_LONGEST_LIST}" if parameter.kind is list else ""
        raise UsageError(f"{key} is {_KINDS[parameter.kind]}{most}", hint=_usage(name))
    if parameter.choices and value not in parameter.choices:
        raise UsageError(f"{key} is one of {', '.join(parameter.choices)}", hint=_usage(name))
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(each, str) and ("\0" in each or _is_broken(each)) for each in texts):
        raise UsageError(f"{key} holds a character that no text has", hint=_usage(name))


def _is_broken(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _usage(name: str) -> str:
    return f"{name}({', '.join(key for key, each in parameters(name).items() if each.required)})"
