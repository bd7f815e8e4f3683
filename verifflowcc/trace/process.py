"""Checks of the process: what sprints tell, levels of integrity, rationales nobody confirmed, what is only planned."""

from verifflowcc.domain.trace import Outcome, TraceItem
from verifflowcc.trace import steps
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import NONE, Joins, TraceView

_NOBODY = ("agent:", "tool:")


def check_process(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell what sprints say of their course, and what items say of theirs."""
    for fact in view.sources.process:
        tell.ask((fact.code,), 1)
        step = fact.step or steps.edit(fact.path, 1)
        tell.place(fact.code, fact.path, 1, fact.message, step, fact.about)
    _levels(view, tell)
    _rationales(view, tell)
    _planned(view, joins, tell)


def _levels(view: TraceView, tell: Telling) -> None:
    """Tell of items with a lower level than what they stand on; none at all is the lowest, where a type has a place."""
    rank = {name: place for place, name in enumerate(view.policy.integrity)}
    placed = {name for name, rule in view.policy.types.items() if rule.level is not None}
    asked = 0
    for item, link, target in view.ties if rank else ():
        if target.integrity not in rank or link.relation not in view.upward or item.type not in placed:
            continue
        asked += 1
        if item.integrity is not None and item.integrity not in rank:
            continue
        if rank.get(item.integrity or "", 0) < rank[target.integrity]:
            has = f"has level {item.integrity}" if item.integrity else "has no level"
            message = f"{item.id} {has}, but its parent {target.id} has {target.integrity}"
            line, step = item.line("integrity"), f"set integrity: {target.integrity} in {item.path}"
            tell.item("integrity-inversion", item, line, message, step, target.id, [target.path])
    tell.ask(("integrity-inversion",), asked)


def _rationales(view: TraceView, tell: Telling) -> None:
    asked = 0
    for item in view.live:
        if item.reconstructed and item.rationale.strip():
            asked += 1
            if not _confirmed(item):
                message = f"the rationale of {item.id} was reconstructed and is not confirmed by a person"
                tell.item("unconfirmed-rationale", item, item.line("rationale"), message, steps.review(item.id))
    tell.ask(("unconfirmed-rationale",), asked)


def _confirmed(item: TraceItem) -> bool:
    """Whether a person reviewed the item."""
    by = item.reviewed.by if item.reviewed else None
    return by is not None and by != "ci" and not by.startswith(_NOBODY)


def _planned(view: TraceView, joins: Joins, tell: Telling) -> None:
    planned = [item for item in view.live if item.planned is not None]
    tell.ask(("planned-but-built",), len(planned))
    for item in planned:
        own = joins.by_id.get(item.id, NONE).told
        handed = (
            test for each in joins.specifications.get(item.id, ()) for test in joins.by_id.get(each.id, NONE).told
        )
        passed = next((test for test in (*own, *handed) if test.outcome is Outcome.PASSED), None)
        if passed is not None:
            message = f"{item.id} is only planned, and {passed.test}, a test of it, passes"
            step = f"take planned: out of {item.path}"
            tell.item("planned-but-built", item, item.line("planned"), message, step)
