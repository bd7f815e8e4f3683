"""Whether a session needs a new brief: the stage changed since it was last briefed. It runs inside of hooks.

The list of what a session has seen has a line for each brief; a path in the same list never begins with a space.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Json = Any

_MARK = " stage "
_EVENTS = ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit")
"""The events in the middle of a session whose answer may hold a context."""


def stage_line(sprint: "Json", stage: "Json") -> str:
    """Return the line that says on which stage a session was briefed; `None` where there was none."""
    return f"{_MARK}{sprint or ''}/{stage or ''}"


def reader_of(payload: "Mapping[str, Json]") -> str:
    """Return whose context an answer reaches: the session, or the subagent in it, which has a context of its own."""
    session, agent = (str(payload.get(name) or "") for name in ("session_id", "agent_id"))
    return f"{session}-{agent}" if agent else session


def needs_brief(
    payload: "Mapping[str, Json]", known: "Callable[[str], Iterable[str]]", sprint: "Json", stage: "Json"
) -> bool:
    """Return whether the session was briefed on another stage than this; a subagent's events need no brief.

    `known` returns the lines of what a session has seen, oldest first.
    """
    if payload.get("agent_id") or payload.get("hook_event_name") not in _EVENTS:
        return False
    last = ""
    for line in known(str(payload.get("session_id") or "")):
        if line.startswith(_MARK):
            last = line
    return bool(last) and last != stage_line(sprint, stage)
