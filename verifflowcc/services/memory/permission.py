"""Who may change what: an agent proposes what the person and the project remember, a person decides."""

from verifflowcc.domain.actors import needs_person
from verifflowcc.domain.items import GUARDED, Item, Relation, Status, Trust
from verifflowcc.errors import NotAllowed

PREFERENCE = "preference"
_TRUST = {"human": Trust.HUMAN, "agent": Trust.AGENT, "external": Trust.EXTERNAL}


def is_person(actor: str) -> bool:
    """Say whether a person at a terminal acts.

    >>> is_person("human:You"), is_person("agent:coder")
    (True, False)
    """
    return actor.startswith("human:")


def trust_of(actor: str) -> Trust:
    """Return who vouches for what this actor writes."""
    return _TRUST.get(actor.partition(":")[0], Trust.TOOL)


def proposes(scope: str, actor: str) -> bool:
    """Say whether what this actor adds to a scope is only a proposal, until a person promotes it."""
    return scope in GUARDED and not is_person(actor)


def asks(scope: str, type_name: str) -> bool:
    """Say whether a change asks first, even a person: preferences steer every prompt in every project."""
    return scope == "user" and type_name == PREFERENCE


def would_replace(item: Item) -> bool:
    """Say whether an item supersedes others where it is not pending: also an archived one does, which held once."""
    return any(link.relation == Relation.SUPERSEDES for link in item.links) or bool(
        item.decision and item.decision.supersedes
    )


def require_person(actor: str, doing: str, *, hint: str) -> None:
    """Raise NotAllowed unless a person acts; `doing` says what (`promoting`)."""
    if not is_person(actor):
        raise NotAllowed(needs_person(doing, actor), hint=hint)


def require_change(item: Item, scope: str, actor: str, doing: str, *, hint: str) -> None:
    """Raise NotAllowed where an item is not for this actor to change: whatever is pending is anybody's."""
    if scope in GUARDED and item.status is not Status.PENDING:
        where = "the person" if scope == "user" else "the project"
        require_person(actor, f"{doing} {item.id}, which {where} remembers,", hint=hint)
