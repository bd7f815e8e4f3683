"""What maintenance does to items, step by step, each with its reason."""

from enum import StrEnum

from verifflowcc.records import dataclass


class StepKind(StrEnum):
    """What is done to an item, in the order in which it is done; `told` is something that was not done, and why."""

    FORGOTTEN = "forgotten"
    USES = "uses"
    COMPLETED = "completed"
    RESTORED = "restored"
    ENDED = "ended"
    STAGE = "stage"
    DECAYED = "decayed"
    CONSOLIDATED = "consolidated"
    EVICTED = "evicted"
    RAISED = "raised"
    TASK = "task"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class Step:
    """A step: the item's scope and id (empty where it is about none), and why as a clause."""

    kind: StepKind
    scope: str
    item: str
    """Empty if the step is about no item."""
    why: str


@dataclass(frozen=True, slots=True)
class Maintained:
    """All steps in order; under `dry_run` they are what would be done."""

    dry_run: bool
    steps: tuple[Step, ...]
