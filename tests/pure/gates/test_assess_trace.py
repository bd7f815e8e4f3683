"""What a trace criterion makes of a report: met, at fault, or with nothing to look at."""

from dataclasses import replace

import pytest

from tests.evidence_samples import facts
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.people import Waiver
from verifflowcc.base.model.sprint_state import Workflow
from verifflowcc.base.model.trace_codes import CHECKS, DEFAULT_POLICY, Need
from verifflowcc.base.model.trace_values import CheckCount, Finding, Severity, TraceReport
from verifflowcc.gates.rules.evidence_criteria import assess_trace, waits_for_items
from verifflowcc.gates.rules.people_criteria import apply_waiver, waived_subject

pytestmark = pytest.mark.vfcc("REQ-TRACE-GATES")

TRACED = Criterion("traced", CriterionKind.TRACE, "it is traced")
ALL_ASKED = tuple(CheckCount(code, check.severity, 3, 0) for code, check in CHECKS.items())


def finding(code: str, item: str = "REQ-a", kind: str = "requirement", about: str = "", **changes: object) -> Finding:
    check = CHECKS[code]
    made = Finding(code, check.family, check.severity, item, kind, f"{item}.md", 1, f"{item}: {code}", "do it", about)
    return replace(made, **changes)  # type: ignore[arg-type]


def report(*findings: Finding, **changes: object) -> TraceReport:
    return replace(TraceReport(findings, ALL_ASKED, {"requirement": 3}), **changes)  # type: ignore[arg-type]


NEEDS = tuple(Need(name, ("need",), ("refines",), ("requirement",)) for name in ("refined", "specified"))
OWN = Workflow("own", "Own", (), "", trace=replace(DEFAULT_POLICY, needs=NEEDS))


def asked(criterion: Criterion, found: TraceReport | None) -> Assessment:
    known = facts()
    return assess_trace(criterion, "", replace(known, trace=found, sprint=replace(known.sprint, workflow=OWN)))


def test_with_nothing_found_it_is_met_and_says_of_how_many_items() -> None:
    now = asked(TRACED, report())

    assert (now.verdict, now.reason) == (Verdict.PASS, "3 items, nothing found")


@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.WARNING])
def test_an_error_and_a_warning_close_it(severity: Severity) -> None:
    now = asked(TRACED, report(finding("no-parent", severity=severity)))

    assert (now.verdict, now.reason) == (Verdict.FAIL, "1 finding in 3 items: REQ-a: no-parent")
    assert now.step == "do it"


def test_a_note_goes_on_record_and_closes_nothing() -> None:
    now = asked(TRACED, report(finding("weak-wording")))

    assert now.verdict is Verdict.PASS
    assert now.notes == ("1 more on record, none of them an error or a warning",)


@pytest.mark.parametrize("checks", [("coverage",), ("no-parent",), ("links", "no-parent")])
def test_it_sees_what_its_checks_name_by_family_or_code(checks: tuple[str, ...]) -> None:
    assert asked(replace(TRACED, checks=checks), report(finding("no-parent"))).verdict is Verdict.FAIL


@pytest.mark.parametrize("checks", [("links",), ("not-verified",)])
def test_it_sees_nothing_else(checks: tuple[str, ...]) -> None:
    assert asked(replace(TRACED, checks=checks), report(finding("no-parent"))).verdict is Verdict.PASS


def test_a_need_of_the_workflow_is_seen_by_its_id_alone() -> None:
    found = report(finding("missing-child", about="refined"), finding("missing-child", "REQ-b", about="specified"))

    now = asked(replace(TRACED, checks=("specified",)), found)
    none = asked(replace(TRACED, checks=("specified",)), replace(found, findings=found.findings[:1]))

    assert now.reason == "1 finding in 3 items: REQ-b: missing-child"
    assert none.verdict is Verdict.PASS


def test_a_check_that_is_none_is_nothing_to_evaluate() -> None:
    now = asked(replace(TRACED, checks=("coverage", "specfied")), report())

    assert (now.verdict, now.reason) == (Verdict.NOT_EVALUABLE, "there is no check specfied")


def test_items_of_other_types_are_not_its_business_but_what_has_no_item_is() -> None:
    wanted = replace(TRACED, items=("unit",))
    found = report(finding("no-parent"), counts={"requirement": 3, "unit": 1})

    assert asked(wanted, found).verdict is Verdict.PASS
    loose = replace(found, findings=(finding("unreadable-report", "", ""),))
    assert asked(wanted, loose).verdict is Verdict.FAIL


def test_no_item_of_its_types_is_nothing_to_evaluate() -> None:
    now = asked(replace(TRACED, items=("interface",)), report())

    assert (now.verdict, now.reason) == (Verdict.NOT_EVALUABLE, "there is no interface")
    assert now.step == 'vfcc trace add interface "…"'


def test_items_that_are_all_planned_are_nothing_to_evaluate() -> None:
    now = asked(TRACED, report(planned={"requirement": 3}))

    assert (now.verdict, now.reason) == (Verdict.NOT_EVALUABLE, "each of the 3 items is only planned")


def test_checks_that_the_workflow_turned_off_are_nothing_to_evaluate() -> None:
    off = report(checks=tuple(one for one in ALL_ASKED if one.code != "self-link"))

    assert asked(replace(TRACED, checks=("self-link",)), off).verdict is Verdict.NOT_EVALUABLE


def test_a_trace_that_was_not_looked_at_is_nothing_to_evaluate() -> None:
    assert asked(TRACED, None).verdict is Verdict.NOT_EVALUABLE


def test_findings_that_were_known_before_are_told_and_not_counted() -> None:
    now = asked(TRACED, report(known=(finding("no-parent"),)))

    assert now.verdict is Verdict.PASS
    assert now.notes == ("1 finding known before, not counted",)


def test_a_waiver_holds_for_these_findings_alone() -> None:
    before = asked(TRACED, report(finding("no-parent")))
    waiver = Waiver("1", "check", "traced", "later", "human:Other", "", waived_subject(before), None)
    known = replace(facts(), waivers=(waiver,))

    again = asked(TRACED, report(finding("no-parent", path="elsewhere.md", line=9)))
    more = asked(TRACED, report(finding("no-parent"), finding("no-parent", "REQ-b")))

    assert apply_waiver(again, "check", known).verdict is Verdict.WAIVED
    assert apply_waiver(more, "check", known).verdict is Verdict.FAIL


def test_a_soft_one_waits_for_the_first_item_of_the_project_and_a_hard_one_does_not() -> None:
    none, some = replace(facts(), trace=report(counts={})), replace(facts(), trace=report())
    soft = replace(TRACED, mode=Mode.SOFT)

    assert waits_for_items(soft, none)
    assert not waits_for_items(soft, some)
    assert not waits_for_items(TRACED, none)
    assert not waits_for_items(soft, facts())


def unrun(number: int) -> Finding:
    test = f"tests/a.py::test_{number}"
    return finding("no-result", about=test, also=("tests/a.py",), message=f"{test} has no result")


def test_without_any_result_it_says_so_once_and_how_to_get_results() -> None:
    none = tuple(replace(each, examined=0) if each.code == "unknown-test" else each for each in ALL_ASKED)
    found = report(*map(unrun, range(1000)), checks=none)
    known = facts()
    known = replace(known, trace=found, sprint=replace(known.sprint, workflow=OWN), results_command="make test")

    now = assess_trace(TRACED, "", known)

    assert (now.verdict, now.reason) == (Verdict.FAIL, "no test results for this content here")
    assert now.step == "make test"


def test_of_many_tests_without_a_result_it_tells_the_number_and_what_else_is_wrong() -> None:
    now = asked(TRACED, report(*map(unrun, range(1000)), finding("failed-result")))

    assert now.reason == (
        "1,000 tests of 1 item have no result for this content; and 1 finding beside it: REQ-a: failed-result"
    )


def test_a_few_tests_without_a_result_are_named() -> None:
    assert asked(TRACED, report(unrun(1))).reason == "1 finding in 3 items: tests/a.py::test_1 has no result"


def test_what_a_waiver_of_missing_results_covers_is_each_of_them() -> None:
    one, two = (asked(TRACED, report(*map(unrun, range(count)))) for count in (5, 6))

    assert one.subject != two.subject
