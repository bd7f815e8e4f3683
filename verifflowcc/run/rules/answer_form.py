"""Whether an answer has the form that was asked for: the part of JSON Schema that forms of answers need.

Clients are not relied on for it: one passes prose on with exit code 0, the other gives no structured answer at all.
Other keywords of a schema are ignored.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.text.quick_json import read

_DEEPEST = 20
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def form_problem(text: str, schema: str) -> str:
    """Return the first reason why a text is no JSON of the form of `schema`; empty where it is.

    >>> form_problem('{"verdict": "maybe"}', '{"properties": {"verdict": {"enum": ["pass", "fail"]}}}')
    'verdict is not one of pass, fail'
    """
    try:
        form = read(schema)
    except (ValueError, RecursionError):
        return ""
    try:
        value = read(text)
    except (ValueError, RecursionError):
        return "the answer is not JSON"
    return next(_problems(value, form, "", 0), "") if isinstance(form, dict) else ""


def _problems(value: Json, form: Mapping[str, Json], place: str, depth: int) -> Iterator[str]:
    name = place or "the answer"
    if depth > _DEEPEST:
        yield f"{name} is nested too deep"
        return
    kinds = form.get("type")
    wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if wanted and not any(_is_a(value, str(kind)) for kind in wanted):
        yield f"{name} is no {' or '.join(map(str, wanted))}"
        return
    allowed = form.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        yield f"{name} is not one of {', '.join(map(str, allowed))}"
    if isinstance(value, dict):
        yield from _in_object(value, form, place, depth)
    elif isinstance(value, list):
        each_form = form.get("items")
        if isinstance(each_form, dict):
            for number, each in enumerate(value):
                yield from _problems(each, each_form, f"{place}[{number}]", depth + 1)


def _in_object(value: Mapping[str, Json], form: Mapping[str, Json], place: str, depth: int) -> Iterator[str]:
    prefix = f"{place}." if place else ""
    required = form.get("required")
    for key in required if isinstance(required, Sequence) else ():
        if key not in value:
            yield f"{prefix}{key} is missing"
    members = form.get("properties")
    known = members if isinstance(members, Mapping) else {}
    for key, each in value.items():
        each_form = known.get(key)
        if isinstance(each_form, Mapping):
            yield from _problems(each, each_form, f"{prefix}{key}", depth + 1)
        elif form.get("additionalProperties") is False:
            yield f"{prefix}{key} is not expected"


def _is_a(value: Json, kind: str) -> bool:
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return isinstance(value, _TYPES.get(kind, (object,)))
