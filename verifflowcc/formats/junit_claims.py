"""Whether what a JUnit report says of itself agrees with the cases that stand in it."""

import re
from collections.abc import Sequence

from verifflowcc.errors import FormatError
from verifflowcc.formats.junit_read import FAILING, Case, Result, Suite

_CLAIMS = ("tests", "failures", "errors", "skipped")


def check_claims(cases: Sequence[Case], suites: Sequence[Suite]) -> None:
    """Raise FormatError for the first suite whose attributes cannot be meant of the cases in it.

    Tools differ in what they count: cases of nested suites or only a suite's own, a doubled test once or twice, an
    error as a failure, each mark of a test or the test. Whatever agrees with one of these passes.
    """
    for place, suite in enumerate(suites):
        claims = {name: _claim(suite, name) for name in _CLAIMS}
        if all(value is None for value in claims.values()):
            continue
        below = cases[suite.start : suite.end]
        nested = sum(each.marks for each in suites[place : suite.last])
        own = [case for case in below if case.suite == place]
        if not (_fits(claims, below, nested) or (not suite.outer and _fits(claims, own, suite.marks))):
            raise FormatError(_contradiction(suite, claims, below))


def _fits(claims: dict[str, int | None], cases: Sequence[Case], marks: int) -> bool:
    tests, failures, errors = claims["tests"], claims["failures"], claims["errors"]
    if tests is not None and not len({case.key for case in cases}) <= tests <= len(cases):
        return False
    if (claims["skipped"] or 0) > sum(case.result is not Result.PASSED for case in cases):
        return False
    most = sum(case.marks for case in cases) + marks
    passed_after_all = {case.key for case in cases if case.result is Result.PASSED}
    least = len({case.key for case in cases if case.result in FAILING} - passed_after_all)
    if (failures or 0) + (errors or 0) > most:
        return False
    return failures is None or errors is None or failures + errors >= least


def _claim(suite: Suite, name: str) -> int | None:
    text = suite.attributes.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,9}", text.strip()):
        raise FormatError(f'{_named(suite)} says {name}="{text[:20]}", which is no number')
    return int(text)


def _contradiction(suite: Suite, claims: dict[str, int | None], cases: Sequence[Case]) -> str:
    said = ", ".join(f'{name}="{value}"' for name, value in claims.items() if value is not None)
    failing = sum(case.result in FAILING for case in cases)
    return f"{_named(suite)} says {said}, but {len(cases)} tests stand in it, {failing} of them failing"


def _named(suite: Suite) -> str:
    return f"suite {suite.name[:60]}" if suite.name else "a suite without a name"
