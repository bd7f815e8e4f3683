"""What vfcc answers a hook, whichever client asked."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """`context` is what the agent is to know; `decision` is `""`, `deny`, `ask` (before a tool) or `block` (at a stop).

    `reason` says why it was decided so, to the agent.
    """

    context: str = ""
    decision: str = ""
    reason: str = ""
