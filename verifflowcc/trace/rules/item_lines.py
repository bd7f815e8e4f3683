"""A trace item as one list item of a prompt: id, tests, state and text."""

from collections.abc import Collection, Sequence
from enum import StrEnum

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_values import Outcome, TraceItem, TraceReport
from verifflowcc.trace.rules.answers import LOST
from verifflowcc.trace.rules.item_state import ItemCoverage, TraceCoverage
from verifflowcc.trace.rules.trace_view import TEST

# One word for each item: the worst state that is known of it.


class ItemState(StrEnum):
    """The state of an item, the worst first."""

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
    ItemState.FAILED: "a test of it did not pass on this content",
    ItemState.FAILED_BELOW: "a test of something below it did not pass on this content",
    ItemState.SUSPECT: "the item, its parent or its code changed since the last review",
    ItemState.FLAKY: "a test of it failed and passed on this content",
    ItemState.STALE: "its results are of other content, of a test that is gone, or worth less than is asked",
    ItemState.SKIPPED: "a test of it was skipped",
    ItemState.NOT_RUN: "a test of it has no result",
    ItemState.UNTESTED: "it is to be verified by tests, and there is none of it",
    ItemState.UNSHOWN: "it is to be shown by a person or by a gate, and nothing shows it now",
    ItemState.UNANSWERED: "nothing below it answers it as its type needs",
    ItemState.INCOMPLETE: "it is answered, and not all that answers it is shown",
    ItemState.DRAFT: "it is not agreed yet",
    ItemState.PLANNED: "it is agreed and not to be built yet",
    ItemState.RETIRED: "it counts no more",
    ItemState.PASSED: "its declared method shows it on this content",
    ItemState.PASSED_BELOW: "all below it is shown on this content",
}
SUSPECT_CODES = frozenset({"suspect-upstream", "suspect-downstream", "stale-review", "code-edited", "code-moved"})
"""The checks that make an item suspect, whatever they weigh in a workflow."""


def suspects(report: TraceReport) -> frozenset[str]:
    """Return the ids of the items that a report calls suspect, known findings too."""
    return frozenset(each.item for each in (*report.findings, *report.known) if each.code in SUSPECT_CODES)


def state_of(coverage: ItemCoverage, coverages: TraceCoverage, suspect: Collection[str]) -> ItemState:
    """Return the state of an item: the worst that is known of it.

    An item that is not agreed or not to be built yet has that state.
    """
    item = coverage.item
    if item.status is Status.ARCHIVED:
        return ItemState.RETIRED
    if coverage.broke:
        return ItemState.FAILED
    if item.id in coverages.broken_below:
        return ItemState.FAILED_BELOW
    if coverage.planned:
        return ItemState.PLANNED
    if item.status is Status.PENDING:
        return ItemState.DRAFT
    if item.id in suspect:
        return ItemState.SUSPECT
    return _by_answers(coverage, coverages)


def own_state(coverage: ItemCoverage) -> ItemState | None:
    """Return the state of an item by itself, None where nothing has to show it."""
    item = coverage.item
    if item.status is Status.ARCHIVED:
        return ItemState.RETIRED
    if coverage.broke:
        return ItemState.FAILED
    if coverage.planned or item.status is Status.PENDING:
        return ItemState.PLANNED if coverage.planned else ItemState.DRAFT
    if not coverage.to_show:
        return None
    return ItemState.PASSED if coverage.shown else _why_unshown(coverage)


def _by_answers(coverage: ItemCoverage, coverages: TraceCoverage) -> ItemState:
    if coverage.to_show and not coverage.shown:
        return _why_unshown(coverage)
    if not coverage.answered:
        return ItemState.UNANSWERED
    if coverage.shown:
        return ItemState.PASSED
    name = coverage.item.id
    whole = name in coverages.shown_below and name not in coverages.unshown_below
    return ItemState.PASSED_BELOW if whole else ItemState.INCOMPLETE


def _why_unshown(coverage: ItemCoverage) -> ItemState:
    by_test = coverage.method in {None, TEST}
    if by_test and not coverage.named and all(each.source == LOST for each in coverage.tests):
        return ItemState.UNTESTED
    tests = [each for each in coverage.tests if not each.passed]
    if any(each.outcome is Outcome.FLAKY and not each.stale for each in tests):
        return ItemState.FLAKY
    if any(each.outcome is not None and (each.stale or not each.trusted or not each.known) for each in tests):
        return ItemState.STALE
    if any(each.outcome is Outcome.SKIPPED for each in tests):
        return ItemState.SKIPPED
    return ItemState.NOT_RUN if tests else ItemState.UNSHOWN


MOST_TESTS = 3
_WORDS = {
    ItemState.FAILED: "failing",
    ItemState.PASSED: "passing",
    ItemState.NOT_RUN: "unknown",
    ItemState.UNTESTED: "no test yet",
    ItemState.UNSHOWN: "not verified",
}


def item_line(item: TraceItem, coverage: ItemCoverage, text: str) -> str:
    """Return the list item; further lines of `text` are indented.

    `text` is the item's, safe to print.

    The state of an item with a test that has no result is `unknown`: other machines may have run it.
    """
    facts = _facts(item, coverage)
    head = f"- {item.id} ({facts})" if facts else f"- {item.id}"
    lines = (text or item.title).strip("\n").split("\n")
    return "\n".join([f"{head}: {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])])


def _facts(item: TraceItem, coverage: ItemCoverage) -> str:
    state = own_state(coverage)
    names = tuple(dict.fromkeys(each.test for each in coverage.tests))
    if state is ItemState.PLANNED:
        return f"planned: {item.planned}"
    word = _WORDS.get(state, str(state)) if state else ""
    by = f"verified by {short_tests(names)}" if names else ""
    if not by and coverage.method not in {None, TEST} and state is not ItemState.DRAFT:
        by = f"verification: {coverage.method}"
    return "; ".join(filter(None, [by, word]))


def short_tests(names: Sequence[str]) -> str:
    """Return names of tests in one line; a file's name is not repeated.

    What is too much is a number.

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
