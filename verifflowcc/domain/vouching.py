"""Who answers for an item, and whether it still waits for a person, as far as its own file can tell.

A file may say anything of itself: it may come with a merge, past all that vfcc asks. So what it claims counts no more
than whoever wrote it, unless it names who vouches; and what a machine wrote holds only where it names who promoted it.
"""

from verifflowcc.domain.item_types import TURN, is_trace_type
from verifflowcc.domain.items import Item, Status, Trust, least_trust

PROMOTED_BY, PROMOTED_ON = "promoted_by", "promoted_on"
VOUCHED_BY, VOUCHED_ON = "vouched_by", "vouched_on"
GUARDED = frozenset({"user", "project"})
"""The scopes whose items enter prompts far from where they were made."""
_ACTORS = {"human": Trust.HUMAN, "agent": Trust.AGENT, "external": Trust.EXTERNAL}
_SPEAKERS = {"agent": Trust.AGENT, "tool": Trust.TOOL, "outside": Trust.EXTERNAL}
_MACHINES = frozenset({"agent", "external", "ci"})


def writers_trust(item: Item) -> Trust:
    """Return how far an item can be trusted by whoever wrote it, and whoever said it where it was read."""
    actor = _ACTORS.get(_kind(item.source.actor), Trust.TOOL)
    return least_trust(actor, _SPEAKERS.get(_kind(item.source.speaker or ""), Trust.HUMAN))


def trust_held(item: Item) -> Trust:
    """Return an item's trust, which is no more than its writer's unless it names a person who vouches."""
    return item.trust if _person(item, VOUCHED_BY) else least_trust(item.trust, writers_trust(item))


def awaits_promotion(item: Item) -> bool:
    """Say whether an item waits for a person: it says so, or a machine wrote it into the project's or the user's memory
    and nobody is named who promoted it.

    What a trace item needs is said by its review. A kept turn is in no prompt, and waits for no one.
    """
    if item.status is Status.PENDING:
        return True
    if item.status is not Status.ACTIVE or item.scope not in GUARDED:
        return False
    if is_trace_type(item.type) or item.type == TURN:
        return False
    return _kind(item.source.actor) in _MACHINES and not (_person(item, PROMOTED_BY) or _person(item, VOUCHED_BY))


def _person(item: Item, name: str) -> bool:
    return _kind(dict(item.details).get(name, "")) == "human"


def _kind(actor: str) -> str:
    return actor.partition(":")[0]


def may_be_heard(item: Item) -> bool:
    """Return whether an item of a trace type was read out of a conversation, as far as memory knows it."""
    return item.status is Status.ACTIVE and is_trace_type(item.type) and item.source.turn is not None
