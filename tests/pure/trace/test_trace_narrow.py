"""A narrowed report: what is known counts no more, what did not change is outside, and nothing of it is lost."""

from dataclasses import replace

import pytest

from tests.planted_faults import FAULTS, W
from tests.trace_world import GREEN, REPORT, World, result
from verifflowcc.base.model.baseline_rules import narrow
from verifflowcc.base.model.trace_values import Outcome, TraceReport
from verifflowcc.trace.rules.trace_check import check

pytestmark = pytest.mark.vfcc("REQ-TRACE-KNOWN")


def checked(world: World) -> TraceReport:
    return check(world.sources(), world.policy)


def test_a_known_finding_makes_nothing_red() -> None:
    report = checked(FAULTS["dangling-link"].planted)
    (key,) = [each.key for each in report.findings]

    small = narrow(report, known=[key])

    assert (small.red, small.findings, small.fixed) == ((), (), ())
    assert [each.key for each in small.known] == [key]
    assert {each.code: each.found for each in small.checks}["dangling-link"] == 0


def test_a_known_finding_that_is_gone_is_fixed() -> None:
    assert narrow(checked(W), known=["dangling-link|REQ-login|refines NEED-b"]).fixed == (
        "dangling-link|REQ-login|refines NEED-b",
    )


def test_a_known_finding_outside_of_what_changed_is_not_fixed() -> None:
    report = checked(FAULTS["dangling-link"].planted)

    assert narrow(report, known=[report.findings[0].key], changed=["README.md"]).fixed == ()


def test_a_finding_is_inside_if_its_file_or_its_other_end_changed() -> None:
    report = checked(FAULTS["suspect-upstream"].planted)

    for path in (W["REQ-login"].path, W["NEED-a"].path):
        assert narrow(report, changed=[path]).findings == report.findings
    outside = narrow(report, changed=[W["COMP-a"].path])
    assert (outside.findings, outside.outside_changes) == ((), 1)


def test_a_failing_test_is_inside_where_the_test_changed() -> None:
    report = checked(W.told(result("tests/test_login.py::test_login", "TEST-login", outcome=Outcome.FAILED)))

    assert narrow(report, changed=["tests/test_login.py"]).findings == report.findings
    assert narrow(report, changed=["src/login.py"]).findings == ()


def test_what_speaks_of_the_whole_project_is_never_outside() -> None:
    stale = checked(W.reported(replace(GREEN, stale="src/login.py changed")))

    assert [each.path for each in narrow(stale, changed=[]).findings] == [REPORT]
    for code in ("nothing-to-evaluate", "left-changed", "unreadable-report"):
        report = checked(FAULTS[code].planted)
        assert narrow(report, changed=[]).findings == report.findings


def test_no_change_at_all_is_not_the_same_as_not_asking_for_it() -> None:
    report = checked(FAULTS["dangling-link"].planted)

    assert narrow(report, changed=None) == report
    assert narrow(report, changed=()).outside_changes == 1
