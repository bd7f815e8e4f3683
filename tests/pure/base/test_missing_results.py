"""Findings in groups, and those that only missing test results explain: nothing is lost, and no fault is hidden."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.findings import MARK, NO_FILE, missing_results
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_values import RED, CheckCount, Finding, Severity

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

CODES = ("no-result", "not-verified", "stale-result", "unreadable-report", "failed-result", "dangling-link")


def finding(code: str, item: str = "REQ-a", **changes: object) -> Finding:
    check = CHECKS[code]
    made = Finding(code, check.family, check.severity, item, "requirement", f"{item}.md", 1, code)
    return replace(made, **changes)  # type: ignore[arg-type]


def asked(**counts: int) -> tuple[CheckCount, ...]:
    return tuple(CheckCount(code.replace("_", "-"), Severity.ERROR, count, 0) for code, count in counts.items())


UNRUN = finding("no-result", about="tests/a.py::test_a", also=("tests/a.py",))
UNNAMED = finding("not-verified", "REQ-b", step=f"{MARK}REQ-b")
ABSENT = finding("unreadable-report", "", message=f"build/x.xml cannot be read: {NO_FILE}")
NONE, SOME = asked(unknown_test=0, failed_result=0), asked(unknown_test=7, failed_result=7)
FINDINGS = st.builds(
    finding,
    st.sampled_from(CODES),
    st.sampled_from(["", "REQ-a", "REQ-b"]),
    severity=st.sampled_from([Severity.ERROR, Severity.WARNING, Severity.NOTE]),
    also=st.sampled_from([(), ("tests/a.py",)]),
    about=st.sampled_from(["", "one", "two"]),
    step=st.sampled_from(["", f"{MARK}REQ-b", "do it"]),
    message=st.sampled_from(["it is so", NO_FILE]),
)


def test_what_follows_from_missing_results_alone_is_taken_together() -> None:
    fault = finding("dangling-link")

    found = missing_results([UNRUN, UNNAMED, ABSENT, fault], NONE)

    assert found is not None
    assert (found.nothing, found.tests, found.items, found.unnamed) == (True, 1, 1, ("REQ-b",))
    assert found.others == (fault,)


def test_one_test_of_two_items_is_one_test() -> None:
    found = missing_results([UNRUN, replace(UNRUN, item="REQ-b")], NONE)

    assert found is not None
    assert (found.tests, found.items, found.unrun) == (1, 2, "1 test of 2 items has")


def test_where_some_results_count_an_unnamed_item_and_an_absent_report_stay_findings() -> None:
    found = missing_results([UNRUN, UNNAMED, ABSENT], SOME)

    assert found is not None
    assert not found.nothing
    assert found.others == (UNNAMED, ABSENT)


def test_without_a_test_that_did_not_run_nothing_is_missing() -> None:
    assert missing_results([UNNAMED, finding("failed-result")], NONE) is None


def test_a_criterion_that_is_not_met_and_a_persons_old_word_are_no_missing_results() -> None:
    criterion = finding("no-result", about="test/load")
    word = finding("stale-result", about="verified")

    assert missing_results([criterion, word], NONE) is None


def test_with_unknown_tests_off_the_results_of_items_are_counted() -> None:
    without = missing_results([UNRUN], asked(failed_result=0))
    with_some = missing_results([UNRUN], asked(failed_result=2))

    assert without is not None
    assert with_some is not None
    assert (without.nothing, with_some.nothing) == (True, False)


@settings(max_examples=80, deadline=None)
@given(st.lists(FINDINGS, max_size=12), st.sampled_from([NONE, SOME, ()]))
def test_a_fault_is_never_taken_for_a_missing_result(found: list[Finding], counts: tuple[CheckCount, ...]) -> None:
    missing = missing_results(found, counts)

    left = found if missing is None else missing.others
    for code in ("failed-result", "dangling-link"):
        assert [each for each in left if each.code == code] == [each for each in found if each.code == code]
    if missing is not None:
        assert any(each.severity in RED for each in found) or missing.stale


def test_what_follows_for_items_above_an_unnamed_one_is_part_of_it() -> None:
    follows = finding("deep-coverage", "NEED-a", also=("REQ-b.md",))
    other = finding("deep-coverage", "NEED-c", also=("REQ-c.md",))

    found = missing_results([UNRUN, UNNAMED, follows, other], NONE)
    lacking = missing_results([UNRUN, UNNAMED, follows, finding("missing-child", "REQ-b")], NONE)

    assert found is not None
    assert lacking is not None
    assert found.others == (other,)
    assert follows in lacking.others
