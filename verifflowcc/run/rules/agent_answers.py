"""Answers of agents: whether one has the form that was asked for, and the findings in that of a review.

Clients are not relied on for the form: one passes prose on with exit code 0, the other gives no structured answer at
all. Of JSON Schema only the part is read that forms of answers need; other keywords are ignored.
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


# A review only reads, in a fresh session. Its number of findings is the value of a metric, the criterion that asks for
# it, and of no other.

REVIEWER = "reviewer"
"""The role that reviews."""
READING_TOOLS = ("read", "search", "git-read")
"""The tools of its table that a review keeps."""
_MOST = 50
_LONGEST = 400
REVIEW_FORM = (
    '{"type":"object","properties":{"verdict":{"type":"string","enum":["pass","fail"]},"blockers":{"type":"array",'
    '"items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"},"why":{"type":"string"}},'
    '"required":["path","line","why"],"additionalProperties":false}}},"required":["verdict","blockers"],'
    '"additionalProperties":false}'
)
"""The JSON schema that clients are given, in the strict form that one of them needs."""
REVIEW_TEXT = """\
Review what the stage {stage} made, for the criterion {criterion} ({title}). You only read: change no file.
The work is in this folder; what it changed since the run began: git diff {base}
Answer with JSON alone: {{"verdict": "pass" or "fail", "blockers": [{{"path": …, "line": …, "why": …}}]}}.
A blocker is what must change before the work goes further; line 0 is the whole file. Without one the verdict is "pass".
"""


def findings_of(answer: str) -> tuple[str, ...]:
    """Return the findings of an answer that has the form, one line each; a failed review has at least one.

    >>> findings_of('{"verdict": "fail", "blockers": [{"path": "a.py", "line": 3, "why": "no limit"}]}')
    ('a.py:3: no limit',)
    >>> findings_of('{"verdict": "pass", "blockers": []}'), findings_of('{"verdict": "fail", "blockers": []}')
    ((), ('it failed and names no reason',))
    """
    value = read(answer)
    given = value.get("blockers") if isinstance(value, Mapping) else None
    listed = given if isinstance(given, list | tuple) else ()
    found = [_line(each) for each in listed if isinstance(each, Mapping)]
    if not found and (not isinstance(value, Mapping) or value.get("verdict") != "pass"):
        return ("it failed and names no reason",)
    if len(found) > _MOST:
        found = [*found[:_MOST], f"and {len(found) - _MOST} more"]
    return tuple(found)


def _line(blocker: Mapping[str, Json]) -> str:
    number = blocker.get("line")
    place = f"{blocker.get('path')}:{number}" if isinstance(number, int) and number > 0 else str(blocker.get("path"))
    return f"{place}: {blocker.get('why')}"[:_LONGEST]
