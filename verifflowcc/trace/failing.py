"""The check that carries a failing test up: to what its item stands on, and on to the needs."""

from collections.abc import Mapping

from verifflowcc.domain.trace import TraceItem
from verifflowcc.trace import steps
from verifflowcc.trace.coverage import ways_up
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.verdicts import Verdict
from verifflowcc.trace.view import Joins, TraceView

_MOST_NAMED = 4


def check_below(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell of each item below which a test failed, with the way to the nearest; once for each item."""
    failing = _failing(view, joins)
    planned = {item.id for item in view.live if item.planned is not None}
    tell.ask(("failed-below",), len(view.live) - len(planned), len(planned))
    if not failing or not tell.on("failed-below"):
        return
    down = ways_up(view, sorted(failing))
    causes = _causes(down)
    for name in down:
        cause = causes[name]
        if name != cause and name not in planned:
            item, below, test = view.by_id[name], view.by_id[cause], failing[cause]
            message = f"{test.test} failed, below {item.id}: {_way(name, cause, down)}"
            _tell(item, below, test, message, tell)


def _failing(view: TraceView, joins: Joins) -> Mapping[str, Verdict]:
    """Return id → the first failing test of its own, for items that are not only planned."""
    return {
        name: next(test for test in joined.told if test.failed)
        for name, joined in joins.by_id.items()
        if view.by_id[name].planned is None and any(test.failed for test in joined.told)
    }


def _causes(down: Mapping[str, str]) -> Mapping[str, str]:
    """Return the failing item at the end of each way; `down` is nearest first."""
    found: dict[str, str] = {}
    for name, below in down.items():
        found[name] = found.get(below, below)
    return found


def _way(name: str, cause: str, down: Mapping[str, str]) -> str:
    """Return the ids on the way down, the first few and the last: a way can be as long as the project is large."""
    ids = [name]
    while ids[-1] != cause and len(ids) < _MOST_NAMED:
        ids.append(down[ids[-1]])
    if ids[-1] != cause:
        ids = [*ids[:-1], "…", cause]
    return " ← ".join(ids)


def _tell(item: TraceItem, below: TraceItem, test: Verdict, message: str, tell: Telling) -> None:
    also = [below.path, test.test.partition("::")[0]]
    tell.item("failed-below", item, 1, message, steps.why(below.id), below.id, also)
