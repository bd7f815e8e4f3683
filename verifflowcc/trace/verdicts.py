"""What became of each test, over all reports: only those count that speak of the content that is there now."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from verifflowcc.domain.trace import Outcome, Results, TestResult
from verifflowcc.records import dataclass

_BROKEN = (Outcome.ERROR, Outcome.FAILED)
_WORST_FIRST = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A test and what became of it.

    `outcome` is None where no report counts; `reports` are then those that do not, being of other content. Of a test
    that passed, `reports` are the ones that say so, and `trusted` tells whether one of them is worth enough.
    """

    test: str
    outcome: Outcome | None
    reports: tuple[str, ...]
    trusted: bool
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether some report that counts says that it failed; one that passed when tried again did not."""
        return self.outcome in {Outcome.ERROR, Outcome.FAILED, Outcome.CONFLICTING}


def verdicts(results: Results) -> Mapping[str, Verdict]:
    """Return test → what became of it. A result whose report is not among the reports does not count."""
    fresh = {each.name for each in results.reports if not each.stale and not each.problem}
    worth = {each.name for each in results.reports if each.trust.rank >= results.least_trust.rank}
    told: dict[str, list[TestResult]] = defaultdict(list)
    for result in results.tests:
        told[result.test].append(result)
    return {test: _verdict(test, each, fresh, worth) for test, each in told.items()}


def _verdict(test: str, told: list[TestResult], fresh: set[str], worth: set[str]) -> Verdict:
    if len(told) == 1 and told[0].report in fresh:
        one = told[0]
        return Verdict(test, one.outcome, (one.report,), one.report in worth, one.message)
    counting = [each for each in told if each.report in fresh]
    if not counting:
        return Verdict(test, None, _reports(told), False)
    outcome = _merged(counting)
    saying = [each for each in counting if each.outcome is outcome] or counting
    message = min((each.message for each in saying if each.message), default="")
    return Verdict(test, outcome, _reports(saying), any(each.report in worth for each in saying), message)


def _merged(counting: list[TestResult]) -> Outcome:
    """Return the worst outcome; a test that some report passes and another fails is told as that."""
    outcomes = {each.outcome for each in counting}
    if len(outcomes) == 1:
        return counting[0].outcome
    if Outcome.PASSED in outcomes and not outcomes.isdisjoint(_BROKEN):
        return Outcome.CONFLICTING
    outcomes.discard(Outcome.SKIPPED)
    return next(each for each in _WORST_FIRST if each in outcomes)


def _reports(told: Iterable[TestResult]) -> tuple[str, ...]:
    return tuple(sorted({each.report for each in told}))
