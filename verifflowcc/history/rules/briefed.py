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


def stage_lines(lines: "Iterable[str]") -> "list[str]":
    """Return the lines that say on which stages a session was briefed, oldest first."""
    return [line for line in lines if line.startswith(_MARK)]


def conversation_of(payload: "Mapping[str, Json]") -> str:
    """Return the name under which is kept what a conversation has seen: a subagent's is apart from its session's.

    >>> conversation_of({"session_id": "s1"}), conversation_of({"session_id": "s1", "agent_id": "a2"})
    ('s1', 's1.a2')
    """
    session, agent = payload.get("session_id"), payload.get("agent_id")
    return f"{session or ''}{f'.{agent}' if agent else ''}"


def needs_brief(
    payload: "Mapping[str, Json]", known: "Callable[[str], Iterable[str]]", sprint: "Json", stage: "Json"
) -> bool:
    """Return whether the session, or the subagent, was briefed on another stage than this.

    `known` returns the lines of what a conversation has seen, oldest first.
    """
    if payload.get("hook_event_name") not in _EVENTS:
        return False
    briefed = stage_lines(known(conversation_of(payload)))
    return bool(briefed) and briefed[-1] != stage_line(sprint, stage)
