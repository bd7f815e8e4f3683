"""The verdict on each test, and on a change, by what its tests did with the change and without it."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from verifflowcc.base.model.trace_codes import Check
from verifflowcc.base.model.trace_help import Catalogue, Help
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.base.records import dataclass, replace
from verifflowcc.gates.rules.run_outcomes import FailureCause, OutcomeKind, RunOutcome, RunResult

# What a proof may find: each with its stable code, how much it weighs, what it means and what to do then.


class ProveFamily(StrEnum):
    """What a finding is about."""

    TESTS = "tests"
    PRODUCT = "product"


_ROWS = (
    (
        "not-discriminating",
        ProveFamily.TESTS,
        Severity.ERROR,
        "a change's tests pass without it",
        "Every test that the change adds or alters passes with the product as it was before the change.",
        "Assert what the change makes different, and see the test fail without it.",
    ),
    (
        "broken-test",
        ProveFamily.TESTS,
        Severity.ERROR,
        "a test fails with the change",
        "A test that the change adds or alters fails on the content with the change.",
        "Run the test alone, and mend it or the product.",
    ),
    (
        "inconclusive",
        ProveFamily.TESTS,
        Severity.WARNING,
        "a test could not be judged",
        "Without the change a name is missing, the test is skipped, or it has no result, which shows nothing.",
        "Read the reason beside it; assert a value, not only that a name is there.",
    ),
    (
        "weak-test",
        ProveFamily.TESTS,
        Severity.NOTE,
        "one test of a proven change passes without it",
        "Other tests fail without the change; this one passes both times.",
        "Nothing, where it guards what was there before; else assert what the change makes different.",
    ),
    (
        "unguarded-lines",
        ProveFamily.PRODUCT,
        Severity.WARNING,
        "changed lines that no test of the change needs",
        "With these lines as they were before, every test of the change still passes.",
        "Add a test that fails without them, or take them out of the change.",
    ),
)

PROVE = Catalogue(
    "vfcc prove",
    "prove",
    "tests",
    {code: Check(code, family, severity, title) for code, family, severity, title, _, _ in _ROWS},
    {code: Help(meaning, remedy) for code, _, _, _, meaning, remedy in _ROWS},
    tuple(ProveFamily),
    ".",
    "vfccProve/v1",
)


class ProofVerdict(StrEnum):
    """What a proof shows of a test, or of a change."""

    PROVEN = "proven"
    NOT_DISCRIMINATING = "not discriminating"
    INCONCLUSIVE = "inconclusive"
    NOTHING = "nothing to prove"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class TestVerdict:
    """The verdict on one test function; `cases` is the number of its cases, `why` a clause, `line` its place or 0."""

    __test__ = False

    test: str
    """Its id, without parameters."""
    verdict: ProofVerdict
    """`proven`, `not discriminating`, `inconclusive` or `broken`."""
    why: str
    cases: int = 1
    """With how many parameters it ran."""
    line: int = 0
    """Where it begins; 0 if unknown."""


_ORDER = (
    ProofVerdict.BROKEN,
    ProofVerdict.PROVEN,
    ProofVerdict.INCONCLUSIVE,
    ProofVerdict.NOT_DISCRIMINATING,
    ProofVerdict.NOTHING,
)
"""Of a test's cases, the first of these that one of them has is that of the test."""


def judge_case(test: str, present: RunOutcome, absent: RunOutcome) -> TestVerdict:
    """Return the verdict on one case by its outcomes with the change and without it."""
    verdict, why = _judged(present, absent)
    return TestVerdict(test, verdict, why, line=present.line)


def _judged(present: RunOutcome, absent: RunOutcome) -> tuple[ProofVerdict, str]:
    if present.result is OutcomeKind.FAILED:
        return ProofVerdict.BROKEN, f"fails with the change: {present.message}"
    if present.result is not OutcomeKind.PASSED:
        return ProofVerdict.INCONCLUSIVE, f"{_ENDED[present.result]} with the change"
    if absent.result is OutcomeKind.PASSED:
        return ProofVerdict.NOT_DISCRIMINATING, "passes with the change and without it"
    if absent.result is not OutcomeKind.FAILED:
        return ProofVerdict.INCONCLUSIVE, f"{_ENDED[absent.result]} without the change"
    if absent.cause is FailureCause.NAME:
        return ProofVerdict.INCONCLUSIVE, f"without the change a name is missing: {absent.message}"
    return ProofVerdict.PROVEN, f"fails without the change: {absent.message}"


_ENDED = {OutcomeKind.SKIPPED: "is skipped", OutcomeKind.ABSENT: "has no result"}
NOT_RUN = frozenset(f"{end} with the change" for end in _ENDED.values())
"""Why a test that did not run with the change shows nothing of it."""


def judge_tests(present: RunResult, absent: RunResult) -> tuple[TestVerdict, ...]:
    """Return the verdict on each test function that ran with the change, or could not be loaded there."""
    broken = [
        TestVerdict(file, ProofVerdict.BROKEN, f"cannot be loaded with the change: {each.message}")
        for file, each in present.unloaded.items()
    ]
    others = _paired(present, absent)
    cases = [judge_case(test, each, absent.of(others.get(test, test))) for test, each in present.outcomes.items()]
    return (*broken, *by_function(cases))


def _paired(present: RunResult, absent: RunResult) -> dict[str, str]:
    """Return cases by another name in the other run: the clock or an address may be part of what pytest writes in [].

    The cases of a function run in the order of its file, which both runs have.
    """
    here, there = _by_function(present), _by_function(absent)
    return {
        one: other
        for name, cases in here.items()
        if len(cases) == len(there.get(name, ()))
        for one, other in zip(cases, there[name], strict=True)
        if one not in absent.outcomes and other not in present.outcomes
    }


def _by_function(run: RunResult) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for test in run.outcomes:
        found.setdefault(function_of(test), []).append(test)
    return found


def by_function(cases: Iterable[TestVerdict]) -> tuple[TestVerdict, ...]:
    """Return one verdict for each function: a parameter that proves nothing leaves one that does untouched."""
    groups: dict[str, list[TestVerdict]] = {}
    for case in cases:
        groups.setdefault(function_of(case.test), []).append(case)
    return tuple(
        replace(min(group, key=lambda each: _ORDER.index(each.verdict)), test=name, cases=len(group))
        for name, group in groups.items()
    )


def function_of(test: str) -> str:
    """Return the id of a test without the parameters that pytest writes behind a name.

    >>> function_of("tests/test_a.py::TestA::test_b[x::y-[1]]")
    'tests/test_a.py::TestA::test_b'
    """
    file, mark, name = test.partition("::")
    if not file.endswith(".py"):
        return test
    return f"{file}{mark}{name.partition('[')[0]}"


def better(first: Sequence[TestVerdict], second: Sequence[TestVerdict]) -> tuple[TestVerdict, ...]:
    """Return the verdicts of `first`, an inconclusive one replaced where `second` found one for the same test."""
    found = {
        each.test: each for each in second if each.verdict in (ProofVerdict.PROVEN, ProofVerdict.NOT_DISCRIMINATING)
    }
    return tuple(found.get(each.test, each) if each.verdict is ProofVerdict.INCONCLUSIVE else each for each in first)


def judge_change(tests: Sequence[TestVerdict]) -> ProofVerdict:
    """Return the verdict on a change by those on its tests: one test that fails without it proves that tests look."""
    found = {each.verdict for each in tests}
    for verdict in (
        ProofVerdict.BROKEN,
        ProofVerdict.PROVEN,
        ProofVerdict.INCONCLUSIVE,
        ProofVerdict.NOT_DISCRIMINATING,
    ):
        if verdict in found:
            return verdict
    return ProofVerdict.NOTHING
