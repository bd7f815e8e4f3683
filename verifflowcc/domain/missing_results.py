"""Findings that follow from missing test results alone, counted together: tests that did not run on this content."""

from collections.abc import Iterable, Iterator, Mapping

from verifflowcc.domain.trace import RED, Asked, Finding
from verifflowcc.records import dataclass

NO_FILE = "there is no such file"
"""How a report of results that is not there is described."""
MARK = "mark a test with vfcc: "
"""How the step begins that leads from an item without a test to one with a test."""


@dataclass(frozen=True, slots=True)
class MissingResults:
    """What is missing: `tests` of `items` items have no result, and the `stale` reports are for other content.

    `nothing` says that no test has a result for this content. Only then are items that no test in the source names
    part of it (`unnamed`), with what that means for items above them, and reports that are not there: a result may name
    an item too. `others` are the findings
    that have another cause.
    """

    nothing: bool
    tests: int
    items: int
    stale: tuple[Finding, ...]
    unnamed: tuple[str, ...]
    others: tuple[Finding, ...]

    def sentence(self, in_report: Mapping[str, int] | None = None) -> str:
        """Return what is missing as a clause; `in_report` maps a report to the number of its tests, where known."""
        if self.nothing:
            return "no test results for this content here"
        parts = []
        if self.tests:
            parts.append(f"{self.unrun} no result for this content")
        if self.stale:
            known = sum((in_report or {}).get(each.path, 0) for each in self.stale)
            parts.append(f"{_tests(known) if known else 'some tests have'} results for other content")
        return ", and ".join(parts)

    @property
    def listed(self) -> tuple[Finding, ...]:
        """The findings to list beside the sentence: those of another cause, and why a report does not count."""
        return (*self.stale, *self.others)

    @property
    def unrun(self) -> str:
        """How many tests of how many items have no result, as the begin of a sentence."""
        items = "1 item" if self.items == 1 else f"{self.items:,} items"
        return f"{self.tests:,} test of {items} has" if self.tests == 1 else f"{self.tests:,} tests of {items} have"


def missing_results(findings: Iterable[Finding], asked: Iterable[Asked]) -> MissingResults | None:
    """Return what of these findings follows from missing results; None where nothing does.

    `asked` are the checks of the same report, which count the results that there are.
    """
    every = tuple(findings)
    unrun = [each for each in every if _unrun(each)]
    stale = tuple(each for each in every if each.code == "stale-result" and not each.item)
    if not unrun and not stale:
        return None
    nothing = _nothing(asked)
    absorbed = {id(each) for each in (*unrun, *stale)}
    unnamed = [each for each in every if nothing and unrun and _unnamed(each)]
    absorbed.update(id(each) for each in unnamed)
    absorbed.update(id(each) for each in every if nothing and _absent(each))
    absorbed.update(id(each) for each in _above(every, unnamed))
    return MissingResults(
        nothing,
        len({each.about for each in unrun}),
        len({each.item for each in unrun}),
        stale,
        tuple(sorted({each.item for each in unnamed})),
        tuple(each for each in every if id(each) not in absorbed),
    )


def _unrun(finding: Finding) -> bool:
    """Whether a test has no result; of a criterion that is not met the code is the same, but no file of a test."""
    return finding.code == "no-result" and bool(finding.also) and finding.severity in RED


def _unnamed(finding: Finding) -> bool:
    return finding.code == "not-verified" and finding.step.startswith(MARK)


def _above(findings: Iterable[Finding], unnamed: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what follows from unnamed items for those above them, where the item below lacks nothing else."""
    every = tuple(findings)
    paths = {each.path for each in unnamed} - {each.path for each in every if each.code == "missing-child"}
    return (each for each in every if each.code == "deep-coverage" and paths.issuperset(each.also) and each.also)


def _absent(finding: Finding) -> bool:
    return finding.code == "unreadable-report" and finding.message.endswith(NO_FILE)


def _nothing(asked: Iterable[Asked]) -> bool:
    """Whether no result counts: `unknown-test` is asked of each that does; without it, of all, `failed-result`."""
    counts = {each.code: each.asked for each in asked}
    return counts.get("unknown-test", counts.get("failed-result", 1)) == 0


def _tests(count: int) -> str:
    return f"{count:,} test has" if count == 1 else f"{count:,} tests have"
