"""A trace item as one list item of a prompt: its id, what verifies it and how that went, and its text."""

from collections.abc import Collection, Sequence
from enum import StrEnum

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_values import Outcome, TraceItem, TraceReport
from verifflowcc.trace.rules.answers import LOST
from verifflowcc.trace.rules.item_state import Standing, Standings
from verifflowcc.trace.rules.result_checks import TEST

# The word for where an item stands: the worst that is known of it, one for each.


class State(StrEnum):
    """Where an item stands, the worst first."""

    FAILED = "failed"
    FAILED_BELOW = "failed below"
    SUSPECT = "suspect"
    FLAKY = "flaky"
    STALE = "stale"
    SKIPPED = "skipped"
    NOT_RUN = "not run"
    UNTESTED = "untested"
    UNSHOWN = "unshown"
    UNANSWERED = "unanswered"
    INCOMPLETE = "incomplete"
    DRAFT = "draft"
    PLANNED = "planned"
    RETIRED = "retired"
    PASSED = "passed"
    PASSED_BELOW = "passed below"

    @property
    def means(self) -> str:
        """What the word says, in a sentence."""
        return _MEANS[self]


_MEANS = {
    State.FAILED: "a test of it did not pass on this content",
    State.FAILED_BELOW: "a test of something below it did not pass on this content",
    State.SUSPECT: "the item, its parent or its code changed since the last review",
    State.FLAKY: "a test of it failed and passed on this content",
    State.STALE: "its results are of other content, of a test that is gone, or worth less than is asked",
    State.SKIPPED: "a test of it was skipped",
    State.NOT_RUN: "a test of it has no result",
    State.UNTESTED: "it is to be verified by tests, and there is none of it",
    State.UNSHOWN: "it is to be shown by a person or by a gate, and nothing shows it now",
    State.UNANSWERED: "nothing below it answers it as its type needs",
    State.INCOMPLETE: "it is answered, and not all that answers it is shown",
    State.DRAFT: "it is not agreed yet",
    State.PLANNED: "it is agreed and not to be built yet",
    State.RETIRED: "it counts no more",
    State.PASSED: "its declared method shows it on this content",
    State.PASSED_BELOW: "all below it is shown on this content",
}
SUSPECT_CODES = frozenset({"suspect-upstream", "suspect-downstream", "stale-review", "code-edited", "code-moved"})
"""The checks that make an item suspect, whatever they weigh in a workflow."""


def suspects(report: TraceReport) -> frozenset[str]:
    """Return the ids of the items that a report calls suspect, those that are known already among them."""
    return frozenset(each.item for each in (*report.findings, *report.known) if each.code in SUSPECT_CODES)


def state_of(standing: Standing, standings: Standings, suspect: Collection[str]) -> State:
    """Return the word for an item: the worst that is known of it; what is not agreed or not to be built says that."""
    item = standing.item
    if item.status is Status.ARCHIVED:
        return State.RETIRED
    if standing.broke:
        return State.FAILED
    if item.id in standings.broken_below:
        return State.FAILED_BELOW
    if standing.planned:
        return State.PLANNED
    if item.status is Status.PENDING:
        return State.DRAFT
    if item.id in suspect:
        return State.SUSPECT
    return _by_answers(standing, standings)


def own_state(standing: Standing) -> State | None:
    """Return the word for an item by itself, whatever is below it; None where nothing is to show it."""
    item = standing.item
    if item.status is Status.ARCHIVED:
        return State.RETIRED
    if standing.broke:
        return State.FAILED
    if standing.planned or item.status is Status.PENDING:
        return State.PLANNED if standing.planned else State.DRAFT
    if not standing.to_show:
        return None
    return State.PASSED if standing.shown else _why_unshown(standing)


def _by_answers(standing: Standing, standings: Standings) -> State:
    if standing.to_show and not standing.shown:
        return _why_unshown(standing)
    if not standing.answered:
        return State.UNANSWERED
    if standing.shown:
        return State.PASSED
    name = standing.item.id
    whole = name in standings.shown_below and name not in standings.unshown_below
    return State.PASSED_BELOW if whole else State.INCOMPLETE


def _why_unshown(standing: Standing) -> State:
    by_test = standing.method in {None, TEST}
    if by_test and not standing.named and all(each.by == LOST for each in standing.tests):
        return State.UNTESTED
    tests = [each for each in standing.tests if not each.passed]
    if any(each.outcome is Outcome.FLAKY and not each.stale for each in tests):
        return State.FLAKY
    if any(each.outcome is not None and (each.stale or not each.trusted or not each.known) for each in tests):
        return State.STALE
    if any(each.outcome is Outcome.SKIPPED for each in tests):
        return State.SKIPPED
    return State.NOT_RUN if tests else State.UNSHOWN


MOST_TESTS = 3
_WORDS = {
    State.FAILED: "failing",
    State.PASSED: "passing",
    State.NOT_RUN: "unknown",
    State.UNTESTED: "no test yet",
    State.UNSHOWN: "not verified",
}


def item_line(item: TraceItem, standing: Standing, text: str) -> str:
    """Return the list item; `text` is the item's, safe to print, and its further lines are indented.

    The state of an item with a test that has no result is `unknown`: other machines may have run it.
    """
    facts = _facts(item, standing)
    head = f"- {item.id} ({facts})" if facts else f"- {item.id}"
    lines = (text or item.title).strip("\n").split("\n")
    return "\n".join([f"{head}: {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])])


def _facts(item: TraceItem, standing: Standing) -> str:
    state = own_state(standing)
    names = tuple(dict.fromkeys(each.test for each in standing.tests))
    if state is State.PLANNED:
        return f"planned: {item.planned}"
    word = _WORDS.get(state, str(state)) if state else ""
    by = f"verified by {short_tests(names)}" if names else ""
    if not by and standing.method not in {None, TEST} and state is not State.DRAFT:
        by = f"verification: {standing.method}"
    return "; ".join(filter(None, [by, word]))


def short_tests(names: Sequence[str]) -> str:
    """Return names of tests in one line: a file that was named is not named again, and what is too much is a number.

    >>> short_tests(["tests/test_a.py::test_x", "tests/test_a.py::test_y", "b", "c", "d"])
    'tests/test_a.py::test_x, ::test_y, b and 2 more'
    """
    shown, last = [], ""
    for name in names[:MOST_TESTS]:
        path, joint, symbol = name.partition("::")
        shown.append(f"::{symbol}" if joint and path == last else name)
        last = path
    more = len(names) - MOST_TESTS
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
