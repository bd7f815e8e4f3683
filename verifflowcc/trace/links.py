"""Checks of links: each leads to an item that is there, by a relation that may go there, and not round in a circle."""

from verifflowcc.domain.items import Link, Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.trace import steps
from verifflowcc.trace.circles import circles
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView

REFINES = "refines"
"""The relation that goes from a lower to a higher or the same level."""

_OF_LINKS = (
    *("dangling-link", "unknown-relation", "wrong-end", "self-link"),
    *("duplicate-link", "link-to-draft", "link-to-retired"),
)
_MOST_IN_A_CIRCLE = 8


def check_links(view: TraceView, tell: Telling) -> None:
    """Tell what is wrong with the links of items that are not retired."""
    by_id, fine, relations = view.by_id, _sound(view.policy), view.policy.relations
    count = refining = 0
    active = Status.ACTIVE
    for item in view.live:
        links = item.links
        if not links:
            continue
        count += len(links)
        kind, own = item.type, item.id
        for link in links:
            relation = link.relation
            if relation == REFINES:
                refining += 1
            target = by_id.get(link.to)
            if target is None:
                _dangling(item, link, tell)
            elif link.to == own:
                _to_itself(item, link, tell)
            elif (relation, kind, target.type) not in fine:
                _ends(item, link, target, view.policy, tell)
            if relation not in relations:
                _unknown(item, link, view.policy, tell)
            if target is not None and target.status is not active and link.to != own:
                _standing(item, link, target, view, tell)
        if len(links) > 1:
            _twice(item, tell)
    tell.ask(_OF_LINKS, count)
    tell.ask(("wrong-level",), refining)
    _circles(view, tell)


def _sound(policy: TracePolicy) -> frozenset[tuple[str, str, str]]:
    """Return all (relation, type of the holder, type of the target) that a policy allows."""
    return frozenset(
        (name, one, other)
        for name, rule in policy.relations.items()
        for one in rule.from_types
        for other in rule.to_types
        if not _leads_down(name, one, other, policy)
    )


def _leads_down(relation: str, one: str, other: str, policy: TracePolicy) -> bool:
    if relation != REFINES or one not in policy.types or other not in policy.types:
        return False
    here, there = policy.types[one].level, policy.types[other].level
    return here is not None and there is not None and there > here


def _dangling(item: TraceItem, link: Link, tell: Telling) -> None:
    message = f"{item.id} {link.relation} {link.to}, and there is no such item"
    tell.item("dangling-link", item, link.line, message, steps.unlink(item.id, link.to), _about(link))


def _to_itself(item: TraceItem, link: Link, tell: Telling) -> None:
    message = f"{item.id} {link.relation} itself"
    tell.item("self-link", item, link.line, message, steps.unlink(item.id, link.to), link.relation)


def _unknown(item: TraceItem, link: Link, policy: TracePolicy, tell: Telling) -> None:
    known = ", ".join(sorted(policy.relations)) or "(none)"
    message = f"{item.id} is linked to {link.to} by {link.relation}; relations are {known}"
    tell.item("unknown-relation", item, link.line, message, steps.edit(item.path, link.line), _about(link))


def _ends(item: TraceItem, link: Link, target: TraceItem, policy: TracePolicy, tell: Telling) -> None:
    """Tell why a relation cannot go between two items; an unknown type or relation is told by itself."""
    rule = policy.relations.get(link.relation)
    if rule is None or item.type not in policy.types or target.type not in policy.types:
        return
    if _leads_down(link.relation, item.type, target.type, policy):
        message = f"{item.id} refines {target.id}, but a {target.type} is below a {item.type}"
        step = f"turn the link round: {steps.unlink(item.id, target.id)}"
        tell.item("wrong-level", item, link.line, message, step, _about(link), [target.path])
    else:
        ends = f"{' or '.join(rule.from_types) or 'nothing'} to {' or '.join(rule.to_types) or 'nothing'}"
        message = f"{item.id} ({item.type}) {link.relation} {target.id} ({target.type}), but {link.relation} is {ends}"
        step = steps.unlink(item.id, target.id)
        tell.item("wrong-end", item, link.line, message, step, _about(link), [target.path])


def _standing(item: TraceItem, link: Link, target: TraceItem, view: TraceView, tell: Telling) -> None:
    if target.status is Status.ARCHIVED:
        message = f"{item.id} {link.relation} {target.id}, which is retired"
        step = steps.unlink(item.id, target.id)
        tell.item("link-to-retired", item, link.line, message, step, _about(link), [target.path])
    elif item.status is Status.ACTIVE and link.relation in view.upward:
        message = f"{item.id} {link.relation} {target.id}, which is still a draft"
        step = f"agree on it and set status: active in {target.path}"
        tell.item("link-to-draft", item, link.line, message, step, _about(link), [target.path])


def _twice(item: TraceItem, tell: Telling) -> None:
    pairs = {(link.to, link.relation) for link in item.links}
    if len(pairs) == len(item.links):
        return
    for link in item.links:
        if (link.to, link.relation) in pairs:
            pairs.discard((link.to, link.relation))
        else:
            message = f"{item.id} says more than once that it {link.relation} {link.to}"
            tell.item("duplicate-link", item, link.line, message, steps.edit(item.path, link.line), _about(link))


def _circles(view: TraceView, tell: Telling) -> None:
    tell.ask(("link-cycle",), len(view.live))
    for circle in circles(view.above):
        first = view.by_id[circle[0]]
        shown = circle if len(circle) <= _MOST_IN_A_CIRCLE else (*circle[: _MOST_IN_A_CIRCLE - 1], "…")
        count = f" ({len(circle)} items)" if len(circle) > _MOST_IN_A_CIRCLE else ""
        message = f"links lead round in a circle: {' → '.join((*shown, circle[0]))}{count}"
        line = next((link.line for link in first.links if link.to == circle[1]), 1)
        also = [view.by_id[name].path for name in circle[1:]]
        tell.item("link-cycle", first, line, message, steps.unlink(first.id, circle[1]), also=also)


def _about(link: Link) -> str:
    return f"{link.relation} {link.to}"
