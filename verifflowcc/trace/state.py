"""The word for where an item stands: the worst that is known of it, one for each."""

from collections.abc import Collection
from enum import StrEnum

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import Outcome, TraceReport
from verifflowcc.trace.answers import LOST
from verifflowcc.trace.standing import Standing, Standings
from verifflowcc.trace.verifying import TEST


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
