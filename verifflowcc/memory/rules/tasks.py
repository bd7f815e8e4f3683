"""Tasks: what somebody is doing now, whose reasoning and outputs are remembered until it ends."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from verifflowcc.base.errors import FormatError
from verifflowcc.base.records import dataclass, field_names
from verifflowcc.base.text.canonical import canonical, parse_canonical
from verifflowcc.base.text.record_codec import record_from_json, record_to_json


class TaskStatus(StrEnum):
    """Where a task is. `completed` and `failed` are final: its items are gone, but for those that were promoted."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether the task has ended."""
        return self in (TaskStatus.COMPLETED, TaskStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Task:
    """A task: its id, what it is about, whose it is, and in which sprint and stage it began.

    `started` and `ended` are ISO date-times in UTC; `outcome` is what was said at its end; `promoted` are the ids that
    its items got elsewhere. `actor` is who started it.
    """

    id: str
    description: str
    actor: str
    started: str
    agent: str | None = None
    """The role, or null."""
    sprint: str | None = None
    stage: str | None = None
    status: TaskStatus = TaskStatus.ACTIVE
    """`active`, `paused`, `completed` or `failed`."""
    ended: str | None = None
    outcome: str = ""
    promoted: tuple[str, ...] = ()
    """Ids that the project kept."""


# A task as the JSON that is kept of it, and back.


def task_bytes(task: Task) -> bytes:
    """Return a task as one line of canonical JSON."""
    return canonical(record_to_json(task)) + b"\n"


def read_task(data: bytes) -> Task:
    """Return the task that `data` says. Raises FormatError where it says none."""
    value = parse_canonical(data.removesuffix(b"\n"))
    if not isinstance(value, Mapping) or set(value) != {*field_names(Task)}:
        raise FormatError(f"a task has the keys {', '.join(sorted(field_names(Task)))}, and no other")
    task = record_from_json(Task, value, "a task")
    try:
        datetime.fromisoformat(task.started)
    except ValueError as error:
        raise FormatError(f"status or started: {error}") from error
    return task
