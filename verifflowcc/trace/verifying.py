"""The check that each item is verified by the method that it declares; whether that went well is for the results."""

from verifflowcc.domain.trace import TraceItem
from verifflowcc.trace import steps
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import NONE, Joined, Joins, TraceView

TEST, METRIC = "test", "metric"


def method_of(view: TraceView, item: TraceItem) -> str | None:
    """Return how an item is to be verified: as it declares, else by test where its type must be; None if not at all."""
    if item.verification:
        return item.verification
    rule = view.policy.types.get(item.type)
    return TEST if rule is not None and rule.verified else None


def check_verified(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell of items that nothing verifies.

    By test: a test that is there names the item by a mark, a result or a pattern, or belongs to a specification that
    verifies it; a specification of another method answers for itself. By another method: a person's word, or a
    criterion that the item names; a metric has only the latter.
    """
    verified = {name for name, rule in view.policy.types.items() if rule.verified}
    asked = passed_over = 0
    joined = joins.by_id
    for item in view.live:
        if not item.verification and item.type not in verified:
            continue
        if item.planned is not None:
            passed_over += 1
            continue
        asked += 1
        method = item.verification or TEST
        if method != TEST:
            _by_word(item, method, tell)
        elif not (item.id in joined and joined[item.id].any) and not _specified(view, item, joins):
            _untested(item, joins, tell)
    tell.ask(("not-verified",), asked, passed_over)


def _specified(view: TraceView, item: TraceItem, joins: Joins) -> bool:
    """Whether some specification that verifies the item has a test, or is verified by another method itself."""
    for each in joins.specifications.get(item.id, ()):
        if joins.by_id.get(each.id, NONE).any or (method_of(view, each) or TEST) != TEST:
            return True
    return False


def _untested(item: TraceItem, joins: Joins, tell: Telling) -> None:
    own: Joined = joins.by_id.get(item.id, NONE)
    specifications = joins.specifications.get(item.id, ())
    if own.lost:
        message = f"{item.id} is to be verified by test, and {', '.join(own.lost)} names no test"
        line, step = item.line("tests"), steps.edit(item.path, item.line("tests"))
    elif specifications:
        first = specifications[0]
        message = f"{item.id} is to be verified by test, and no test of {first.id}, which verifies it, is there"
        line, step = 1, steps.mark(first.id)
    else:
        how = "is to be verified by test, and" if item.verification else "states no method, so by test, and"
        message = f"{item.id} {how} no test names it"
        line, step = item.line("verification"), steps.mark(item.id)
    tell.item("not-verified", item, line, message, step, also=[each.path for each in specifications])


def _by_word(item: TraceItem, method: str, tell: Telling) -> None:
    if item.evidence or (method != METRIC and item.verified is not None and item.verified.method == method):
        return
    line = item.line("verification")
    if method == METRIC:
        message = f"{item.id} is to be verified by metric, and names no criterion that shows it"
        tell.item("not-verified", item, line, message, f"add evidence: [stage/criterion] to {item.path}")
    elif item.verified is not None and item.verified.method != method:
        message = f"{item.id} is to be verified by {method}, and was by {item.verified.method}"
        tell.item("not-verified", item, line, message, steps.verify(item.id))
    else:
        message = f"{item.id} is to be verified by {method}, but no verification is recorded"
        tell.item("not-verified", item, line, message, steps.verify(item.id))
