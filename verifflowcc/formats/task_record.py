"""A task as the JSON that is kept of it, and back."""

from collections.abc import Mapping
from datetime import datetime

from verifflowcc.domain.events import Json
from verifflowcc.domain.tasks import Task, TaskStatus
from verifflowcc.errors import FormatError
from verifflowcc.text.canonical import canonical, parse_canonical

_TEXTS = ("id", "description", "actor", "started", "outcome")
_OPTIONAL = ("agent", "sprint", "stage", "ended")
_KEYS = {*_TEXTS, *_OPTIONAL, "status", "promoted"}


def task_bytes(task: Task) -> bytes:
    """Return a task as one line of canonical JSON."""
    texts: dict[str, Json] = {name: getattr(task, name) for name in (*_TEXTS, *_OPTIONAL)}
    return canonical({**texts, "status": str(task.status), "promoted": list(task.promoted)}) + b"\n"


def read_task(data: bytes) -> Task:
    """Return the task that `data` says. Raises FormatError where it says none."""
    value = parse_canonical(data.removesuffix(b"\n"))
    if not isinstance(value, Mapping) or set(value) != _KEYS:
        raise FormatError(f"a task has the keys {', '.join(sorted(_KEYS))}, and no other")
    promoted = value["promoted"]
    if not isinstance(promoted, list):
        raise FormatError("promoted is no list")
    try:
        status = TaskStatus(_text(value, "status"))
        started = _text(value, "started")
        datetime.fromisoformat(started)
    except ValueError as error:
        raise FormatError(f"status or started: {error}") from error
    return Task(
        id=_text(value, "id"),
        description=_text(value, "description"),
        actor=_text(value, "actor"),
        started=started,
        agent=_optional(value, "agent"),
        sprint=_optional(value, "sprint"),
        stage=_optional(value, "stage"),
        status=status,
        ended=_optional(value, "ended"),
        outcome=_text(value, "outcome"),
        promoted=tuple(_text({"promoted": each}, "promoted") for each in promoted),
    )


def _text(value: Mapping[str, Json], name: str) -> str:
    found = value[name]
    if not isinstance(found, str):
        raise FormatError(f"{name} is no text")
    return found


def _optional(value: Mapping[str, Json], name: str) -> str | None:
    return None if value[name] is None else _text(value, name)
