"""What a sprint has learned that may be worth more than the sprint."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Learning:
    """An item that is worth keeping, and why; `command` keeps it, and nothing is done without that."""

    id: str
    scope: str
    type: str
    title: str
    why: str
    command: str
