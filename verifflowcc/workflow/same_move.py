"""When two moves that were made apart from each other are one move."""

from collections.abc import Iterable, Mapping

from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.text.canonical import canonical

_STARTED = ("sprint", "title", "goals", "workflow", "entered", "base", "carried", "rules")
_COMPARED: Mapping[EventType, tuple[str, ...]] = {
    EventType.SPRINT_STARTED: _STARTED,
    EventType.STAGE_ENTERED: ("stage",),
    EventType.STAGE_PASSED: ("stage", "entered", "traced", "uses"),
    EventType.STAGE_REOPENED: ("stage", "reason"),
    EventType.STAGE_SKIPPED: ("stage", "entered", "expires", "reason"),
    EventType.SPRINT_CLOSED: ("title", "learnings", "unfinished"),
}
"""The type, the stage, the target and the digests of what a move is about.

Who made it, when, with which evidence and on which commit does not matter. The reason of a person who reopened or
skipped a stage does: with one of two reasons, the other one would be lost.
"""


def same_move_key(event: Event) -> bytes | None:
    """Return what two moves that saw the same moves before them have in common where they are one.

    None for a choice between the sides of a fork, which is never another one's. A gate's criteria count with verdict
    and subject: the same stage passed on other content, or with a waiver in place of a result, is another move.
    """
    names = _COMPARED.get(event.type)
    if names is None:
        return None
    found: dict[str, Json] = {name: event.payload.get(name) for name in names}
    found["artifacts"] = _of_each(event.payload.get("artifacts"), ("path", "digest"))
    found["gate"] = _of_each(event.payload.get("gate"), ("criterion", "verdict", "subject"))
    return canonical([str(event.type), found])


def _of_each(records: Json, names: Iterable[str]) -> list[Json]:
    listed = records if isinstance(records, list | tuple) else ()
    return [[each.get(name) for name in names] for each in listed if isinstance(each, Mapping)]
