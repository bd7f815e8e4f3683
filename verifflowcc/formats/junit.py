"""Test reports in JUnit's XML, as the many tools write it that speak it.

Measures: `tests` (every `<testcase>`, doubled ones too), and each of them is one of `passed`, `failed`, `errors`,
`skipped` and `flaky`; `unknown`, where the tree was given, are those that are not of this tree. `errors` also counts an
`<error>` or `<failure>` that a suite has outside of its tests.

Counts come from the test cases; what the attributes of a suite claim is only compared with them. Nothing that failed
once is passed: a test that failed and then passed is `flaky`, whether it says so (`flakyFailure`, `rerunError` …) or
stands twice in the report. Of pytest's tests each stands once; one that stands there again was run again by a plugin
that leaves no other trace, so it is flaky even where it seems to have passed each time.

With a baseline, `listed_failed`, `listed_errors` and `listed_flaky` are the tests among them that it lists, and
`listed_passed` its tests that passed, without those known as flaky.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from verifflowcc.domain.baselines import FAILED, PASSED, BaselineEntry
from verifflowcc.domain.evidence import Measured
from verifflowcc.errors import FormatError
from verifflowcc.formats.junit_claims import check_claims
from verifflowcc.formats.junit_known import Known, KnownTests, words_of
from verifflowcc.formats.junit_read import FAILING, Case, Result, Suite, read_report
from verifflowcc.formats.xml_report import read_xml
from verifflowcc.records import dataclass, replace
from verifflowcc.text.canonical import digest_bytes
from verifflowcc.text.secrets import withhold

__all__ = ["Known", "measure_junit", "words_of"]

MOST_EXAMPLES = 20
_LONGEST_ID = 300
_LONGEST_READ = 4_000
"""Characters of a name that are looked through for secrets before it is cut: a cut would leave half of one."""
_SPELLED = {Result.ERROR: "error", Result.FAILED: "failed", Result.FLAKY: "flaky"}
_SEEN = {
    Result.ERROR: {FAILED},
    Result.FAILED: {FAILED},
    Result.FLAKY: {FAILED, PASSED},
    Result.PASSED: {PASSED},
}
_FAULTS = (Result.FAILED, Result.ERROR, Result.FLAKY)


def measure_junit(data: bytes, *, known: Known | None, baseline: Sequence[BaselineEntry] = ()) -> Measured:
    """Return what a report says; `known` is what the tree holds, None where that is not to be compared.

    `baseline` has the tests that are known to fail.

    Where it cannot be read, or contradicts itself, `problem` says why, and there are no measures. A report without a
    test is no problem: `tests` is 0.
    """
    try:
        cases, suites = read_report(read_xml(data))
        check_claims(cases, suites)
    except FormatError as error:
        return Measured({}, "", problem=str(error))
    judged = with_retries(cases, suites)
    broken = [f"error outside of any test, in suite {each.name or '(no name)'}" for each in suites if each.marks]
    foreign = _unknown(judged, known)
    counts = Counter(each.result for each in judged)
    measures = {"tests": len(judged)} | {str(result): counts[result] for result in Result}
    measures[Result.ERROR] += sum(each.marks for each in suites)
    if known is not None:
        measures["unknown"] = len(foreign)
    listed = _Listed(baseline)
    measures |= listed.measures(judged)
    lines = sorted([f"{each.id}\0{each.result}\n" for each in judged] + [f"{each}\n" for each in broken])
    outcome = digest_bytes("".join(lines).encode("utf-8", "surrogatepass"))
    return Measured(measures, outcome, tuple(islice(_lines(judged, broken, foreign, listed), MOST_EXAMPLES)))


def failing_tests(data: bytes) -> dict[str, set[str]]:
    """Return the results, `failed` or `passed`, of each test of a report; skipped ones have none.

    A test that failed and then passed has both. Raises FormatError where the report cannot be read, or contradicts
    itself.
    """
    cases, suites = read_report(read_xml(data))
    check_claims(cases, suites)
    seen: dict[str, set[str]] = {}
    for case in with_retries(cases, suites):
        results = _SEEN.get(case.result)
        if results:
            seen.setdefault(case.id, set()).update(results)
    return seen


def with_retries(cases: Sequence[Case], suites: Sequence[Suite]) -> list[Case]:
    """Return the cases, those that seem to have passed but were run again as flaky."""
    results: dict[tuple[str, str, str], set[Result]] = {}
    for case in cases:
        results.setdefault(case.key, set()).add(case.result)
    again = _pytest_repeats(cases, suites)
    found = []
    for case in cases:
        failed_once = bool(results[case.key] & (FAILING | {Result.FLAKY}))
        hides = case.result is Result.PASSED and failed_once
        ran_again = case.result in {Result.PASSED, Result.SKIPPED} and (case.suite, case.key) in again
        found.append(replace(case, result=Result.FLAKY) if hides or ran_again else case)
    return found


def _pytest_repeats(cases: Sequence[Case], suites: Sequence[Suite]) -> set[tuple[int, tuple[str, str, str]]]:
    """Return the tests that stand twice in one suite that pytest wrote, by the suite's place and the test's key."""
    by_pytest = [suite.name == "pytest" or suites[0].name == "pytest tests" for suite in suites]
    counts = Counter((case.suite, case.key) for case in cases if by_pytest[case.suite])
    return {place for place, count in counts.items() if count > 1}


def _unknown(cases: Sequence[Case], known: Known | None) -> list[Case]:
    if known is None:
        return []
    tree = KnownTests(known)
    return [case for case in cases if not tree.has(case.classname, case.name, case.file)]


@dataclass(frozen=True, slots=True)
class _Listed:
    """The tests of a baseline, compared with those of a report."""

    entries: Sequence[BaselineEntry]

    def has(self, case: Case) -> bool:
        """Whether a case that did not simply pass is one of the baseline."""
        return case.result in _FAULTS and any(each.name == case.id for each in self.entries)

    def mended(self, cases: Sequence[Case]) -> list[str]:
        """Return the tests that passed, of those that failed each time on the base content."""
        results: dict[str, set[Result]] = {}
        for case in cases:
            results.setdefault(case.id, set()).add(case.result)
        return [each.name for each in self.entries if not each.is_flaky and results.get(each.name) == {Result.PASSED}]

    def measures(self, cases: Sequence[Case]) -> dict[str, int]:
        """Return the numbers by name; none without a baseline."""
        if not self.entries:
            return {}
        counts = Counter(case.result for case in cases if self.has(case))
        found = {f"listed_{result}": counts[result] for result in _FAULTS}
        return {**found, "listed_passed": len(self.mended(cases))}


def _lines(cases: Sequence[Case], broken: Sequence[str], foreign: Sequence[Case], listed: _Listed) -> Iterator[str]:
    """What needs a person comes first; of what failed, all, and what the baseline lists last."""
    new = [case for case in cases if not listed.has(case)]
    yield from (_line(_SPELLED[case.result], case) for case in new if case.result in FAILING)
    yield from broken
    yield from (_line("flaky", case) for case in new if case.result is Result.FLAKY)
    yield from (_line("not of this tree", replace(case, message="")) for case in foreign)
    yield from (f"baseline passed: {withhold(name[:_LONGEST_READ])[:_LONGEST_ID]}" for name in listed.mended(cases))
    yield from (_line(f"baseline {_SPELLED[case.result]}", case) for case in cases if listed.has(case))
    yield from (_line("skipped", case) for case in cases if case.result is Result.SKIPPED)


def _line(word: str, case: Case) -> str:
    name = withhold(" ".join(case.id[:_LONGEST_READ].split()))[:_LONGEST_ID]
    return f"{word}: {name}: {case.message}" if case.message else f"{word}: {name}"
