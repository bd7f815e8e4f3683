"""Which relations may lead from one item to another, and what stands against a new link."""

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import RelationRule, TracePolicy
from verifflowcc.trace.view import TraceView

REFINES = "refines"
"""The one relation that goes by levels: from a lower to a higher or the same."""


def fitting(policy: TracePolicy, from_type: str, to_type: str) -> tuple[str, ...]:
    """Return the relations that lead from a type to another, in the order of the policy."""
    return tuple(rule.name for rule in policy.relations.values() if _fits(policy, rule, from_type, to_type))


def against(view: TraceView, item: TraceItem, target: TraceItem, relation: str) -> str:
    """Return why an item may not link to another; "" where nothing stands against it."""
    if item.id == target.id:
        return f"{item.id} cannot link to itself"
    if any((link.to, link.relation) == (target.id, relation) for link in item.links):
        return f"{item.id} {relation} {target.id} already"
    if target.status is Status.ARCHIVED:
        return f"{target.id} is retired"
    if item.status is Status.ARCHIVED:
        return f"{item.id} is retired"
    if relation in view.upward and item.id in _above(view, target):
        return f"{target.id} already traces to {item.id}: the link would close a circle"
    return ""


def _fits(policy: TracePolicy, rule: RelationRule, from_type: str, to_type: str) -> bool:
    if from_type not in rule.from_types or to_type not in rule.to_types:
        return False
    levels = [each.level if (each := policy.types.get(name)) else None for name in (from_type, to_type)]
    if rule.name != REFINES:
        return True
    lower, higher = levels
    if lower is None or higher is None:
        return from_type == to_type
    return lower >= higher


def _above(view: TraceView, item: TraceItem) -> frozenset[str]:
    found: set[str] = set()
    left = [item]
    while left:
        for parent, _ in view.parents(left.pop()):
            if parent.id not in found:
                found.add(parent.id)
                left.append(parent)
    return frozenset(found)
