"""The review of a stage by an agent: the form of its answer, and the findings in one.

It only reads, in a fresh session. Its number of findings is the value of a metric, the criterion that asks for it, and
of no other.
"""

from collections.abc import Mapping

from verifflowcc.base.model.events import Json
from verifflowcc.base.text.quick_json import read

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
