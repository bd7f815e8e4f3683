"""Tasks: what somebody is doing now, whose reasoning and outputs are remembered until it ends."""

from enum import StrEnum

from verifflowcc.records import dataclass


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
