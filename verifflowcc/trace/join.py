"""Join tests with items: by the properties of a report, by marks in the tests' source, by the items' own `tests`.

Within a report the cases of one test are one result, of which the worst counts; a test that failed and passed under one
name is flaky. What several reports make of a test together is not decided here (`trace/verdicts.py`).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from verifflowcc.domain.trace import CodeFile, Outcome, TestResult, TraceItem
from verifflowcc.formats.junit_claims import Result
from verifflowcc.formats.junit_tests import JUnitTest
from verifflowcc.records import dataclass, replace
from verifflowcc.trace.locate import Located, TestPlaces
from verifflowcc.trace.test_names import TestNames

_OUTCOMES = {
    Result.ERROR: Outcome.ERROR,
    Result.FAILED: Outcome.FAILED,
    Result.FLAKY: Outcome.FLAKY,
    Result.SKIPPED: Outcome.SKIPPED,
    Result.PASSED: Outcome.PASSED,
}
_WORST_FIRST = list(Outcome)
_DID_NOT_PASS = frozenset({Outcome.ERROR, Outcome.FAILED, Outcome.FLAKY, Outcome.CONFLICTING})


@dataclass(frozen=True, slots=True)
class Ran:
    """The tests of one report; `report` is its path, or the id of the evidence that it is."""

    report: str
    tests: tuple[JUnitTest, ...]


def specified(results: Iterable[TestResult], items: Iterable[TraceItem]) -> tuple[TestResult, ...]:
    """Return the results with the items that name their tests added to those that the tests name."""
    given = tuple(results)
    names = TestNames(each.test for each in given)
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for test in names.named(item.tests) if item.tests else ():
            found[test].add(item.id)
    return tuple(replace(each, items=tuple(sorted({*each.items, *found.get(each.test, ())}))) for each in given)


class Marked:
    """The tests' source: where a test of a report stands, and which items the marks there name."""

    def __init__(self, code: Sequence[CodeFile]) -> None:
        self._places = TestPlaces(code)
        self._marks: dict[tuple[str, str], list[str]] = defaultdict(list)
        for file in code:
            for mark in file.marks if file.test else ():
                self._marks[file.path, mark.symbol] += mark.ids

    def find(self, test: JUnitTest) -> Located:
        """Return where a test stands. A sentence may stand nowhere, with values put into it: it counts as known."""
        found = self._places.find(test.classname, test.name, test.file)
        return replace(found, known=True) if " " in test.name.strip() and test.classname else found

    def items(self, path: str, symbol: str) -> set[str]:
        """Return the ids that the marks of a symbol name, of all that is around it, and of its file."""
        names = symbol.split(".") if symbol else []
        around = ("", *(".".join(names[:end]) for end in range(1, len(names) + 1)))
        return {item for each in around for item in self._marks.get((path, each), ())}


def results_of(ran: Ran, marked: Marked) -> tuple[TestResult, ...]:
    """Return the results of a report by its marks and properties, each test once."""
    groups: dict[str, list[tuple[JUnitTest, Located]]] = defaultdict(list)
    for test in ran.tests:
        found = marked.find(test)
        groups[found.test].append((test, found))
    return tuple(_result(name, groups[name], ran.report, marked) for name in sorted(groups))


def _result(name: str, cases: Sequence[tuple[JUnitTest, Located]], report: str, marked: Marked) -> TestResult:
    by_key: dict[tuple[str, str, str], list[JUnitTest]] = defaultdict(list)
    for test, _ in cases:
        by_key[test.classname, test.name, test.file].append(test)
    judged = [_of_one_case(tests) for tests in by_key.values()]
    worst = min((outcome for outcome, _ in judged), key=_WORST_FIRST.index)
    message = next((message for outcome, message in judged if outcome is worst and message), "")
    items = {item for test, _ in cases for item in test.items}
    for _, found in cases:
        items |= marked.items(found.path, found.symbol) if found.path else set()
    known = all(found.known for _, found in cases)
    return TestResult(name, worst, len(cases), tuple(sorted(items)), report, message, known)


def _of_one_case(tests: Sequence[JUnitTest]) -> tuple[Outcome, str]:
    """Return the outcome of all that stands under one name: what failed and passed there was run again."""
    outcomes = [_OUTCOMES[test.outcome] for test in tests]
    mixed = Outcome.FLAKY in outcomes or (Outcome.PASSED in outcomes and not _DID_NOT_PASS.isdisjoint(outcomes))
    worst = Outcome.FLAKY if mixed else min(outcomes, key=_WORST_FIRST.index)
    messages = [test.message for test in tests if test.message]
    return worst, messages[0] if messages else ""
