"""A criterion that rests on evidence: which piece counts, whether it is fresh and trusted, and what it shows."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence_samples import CONTENT, GREEN, RAN, TESTS, evidence, facts, recorded
from verifflowcc.base.model.gate_input import History
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, EvidenceTrust, Verdict
from verifflowcc.gates.rules.evidence_criteria import assess_recorded, judge
from verifflowcc.sprint.rules.evidence_files import inputs_digest

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")

PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.NOT_EVALUABLE
MILLION = 1_000_000
COVERAGE = Criterion(
    "covered", CriterionKind.COVERAGE, "it is covered", command="test", at_least={"line": 80 * MILLION}
)
COVERED = {"files": 2, "unknown_files": 0, "lines": 100, "lines_hit": 80}
SARIF = Criterion("scan", CriterionKind.SARIF, "no finding", command="test")
LINT = Criterion("lint", CriterionKind.LINT, "no finding", command="test")
METRIC = Criterion(
    "speed", CriterionKind.METRIC, "fast", command="test", metric="p95_ms", at_most={"value": 200 * MILLION}
)
BUILD = Criterion("build", CriterionKind.COMMAND, "it builds", command="test")
BASELINE = Criterion("baseline", CriterionKind.BASELINE, "frozen", files=("src/**",))
FROZEN = inputs_digest(CONTENT, ("src/**",))


def shown(criterion: Criterion, measures: Mapping[str, int], **more: object) -> tuple[Verdict, str]:
    found = assess_recorded(criterion, "check", facts(evidence(measures, criterion, **more)))  # type: ignore[arg-type]
    return found.verdict, found.reason


# which piece counts


def test_with_no_evidence_there_is_nothing_to_evaluate() -> None:
    found = assess_recorded(TESTS, "check", facts())

    assert (found.verdict, found.reason, found.step) == (OPEN, "there is no evidence yet", "vfcc evidence run tests")
    assert found.blocks


def test_a_command_that_is_not_configured_is_told() -> None:
    found = assess_recorded(TESTS, "check", facts(command=None))

    assert found.verdict is OPEN
    assert found.reason == "gates.commands.test is not in .memory/config.yaml"
    assert found.step == "vfcc allow  # says what to write there"


def test_another_stage_is_named_in_the_step() -> None:
    assert assess_recorded(TESTS, "build", facts()).step == "vfcc evidence run tests --stage build"


def test_a_criterion_without_a_command_asks_for_a_file() -> None:
    found = assess_recorded(replace(TESTS, command=None), "check", facts())

    assert found.step == "vfcc evidence add FILE --criterion tests"
    metric = replace(METRIC, command=None, trust=EvidenceTrust.ASSERTED)
    assert assess_recorded(metric, "check", facts()).step == "vfcc evidence add --value NUMBER --criterion speed"


def test_where_the_word_of_others_is_enough_a_command_need_not_be_configured() -> None:
    found = assess_recorded(replace(TESTS, trust=EvidenceTrust.IMPORTED_CI), "check", facts(command=None))

    assert (found.reason, found.step) == ("there is no evidence yet", "vfcc evidence add FILE --criterion tests")


def test_the_latest_counts_and_not_the_best() -> None:
    red = evidence(GREEN | {"passed": 2, "failed": 1}, second=2)

    assert assess_recorded(TESTS, "check", facts(evidence(), red)).verdict is FAIL
    assert assess_recorded(TESTS, "check", facts(red, evidence(second=3))).verdict is PASS


def test_causal_order_counts_and_not_the_clock() -> None:
    red = evidence(GREEN | {"failed": 1}, second=0)
    green = evidence(second=100)

    assert assess_recorded(TESTS, "check", facts(green, red)).verdict is FAIL


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_on_merged_branches_both_must_pass(order: tuple[int, int]) -> None:
    green, red = evidence(second=1), evidence(GREEN | {"failed": 1, "passed": 2}, second=2)

    found = assess_recorded(TESTS, "check", facts(recorded(green, order[0]), recorded(red, order[1])))

    assert found.verdict is FAIL
    assert sorted(found.used) == sorted([green.id, red.id])
    assert found.notes == ("2 pieces of evidence from branches apart; all of them must pass",)


def test_evidence_of_another_stage_or_criterion_does_not_count() -> None:
    other = evidence(criterion=replace(TESTS, id="others"))

    assert assess_recorded(TESTS, "check", facts(recorded(evidence(stage="plan")), recorded(other))).verdict is OPEN


def test_a_file_that_is_no_evidence_passes_nothing_and_hides_nothing() -> None:
    green, red = evidence(second=1), evidence(GREEN | {"failed": 1}, second=2)
    missing = recorded(red, 1, problem="it is missing; the event X names it")

    found = assess_recorded(TESTS, "check", facts(recorded(green, 0, latest=False), missing))

    assert found.verdict is OPEN
    assert found.reason.endswith(f"{red.id}.json: it is missing; the event X names it")


def test_what_has_a_problem_counts_for_nothing_whatever_it_says() -> None:
    green = replace(recorded(evidence()), problem="changed by hand")

    assert assess_recorded(TESTS, "check", facts(green)).verdict is OPEN


def test_a_file_that_no_event_names_does_not_count() -> None:
    stray = replace(recorded(evidence()), order=-1)

    assert assess_recorded(TESTS, "check", facts(stray)).verdict is OPEN


def test_failures_before_on_the_same_content_are_told() -> None:
    red = [evidence(GREEN | {"failed": 1}, second=second) for second in (1, 2)]
    before = evidence(GREEN | {"failed": 1}, content={"src/a.py": "sha256:old"}, second=0)

    found = assess_recorded(TESTS, "check", facts(before, *red, evidence(second=3)))

    assert found.verdict is PASS
    assert found.notes == ("failed 2 times before on the same content",)


# fresh and trusted


def test_stale_evidence_cannot_be_evaluated_and_says_what_changed() -> None:
    now = CONTENT | {"src/a.py": "sha256:new"}

    found = assess_recorded(TESTS, "check", facts(evidence(), content=now))

    assert (found.verdict, found.reason) == (OPEN, "its evidence is stale: src/a.py changed")
    assert found.step == "vfcc evidence run tests"


def test_evidence_of_a_command_that_is_gone_says_how_to_bring_it_back() -> None:
    found = assess_recorded(TESTS, "check", facts(evidence(), command=None))

    assert found.verdict is OPEN
    assert found.step == "add gates.commands.test to .memory/config.yaml, then: vfcc allow"


def test_a_typed_in_result_is_not_what_vfcc_ran() -> None:
    typed = recorded(evidence(run=None, trust=EvidenceTrust.ASSERTED), actor="human:You")

    found = assess_recorded(TESTS, "check", facts(typed))

    assert (found.verdict, found.reason) == (FAIL, "asserted by human:You, ran_by_vfcc is needed")


@pytest.mark.parametrize(("given_trust", "needed"), list(product(EvidenceTrust, EvidenceTrust)))
def test_trust_is_enough_or_more_or_it_fails(given_trust: EvidenceTrust, needed: EvidenceTrust) -> None:
    one = evidence(trust=given_trust)

    verdict = assess_recorded(replace(TESTS, trust=needed), "check", facts(one)).verdict

    assert (verdict is PASS) == (given_trust.rank >= needed.rank)


def test_evidence_about_no_file_shows_nothing() -> None:
    found = assess_recorded(
        replace(TESTS, inputs=("none/**",)), "check", facts(evidence(inputs=inputs_digest(CONTENT, ("none/**",))))
    )

    assert (found.verdict, found.reason) == (OPEN, "no file matches none/**")


def test_evidence_of_another_kind_shows_nothing() -> None:
    assert shown(TESTS, GREEN, kind=CriterionKind.METRIC) == (OPEN, "the evidence is of the kind metric, not junit")


def test_the_subject_changes_with_content_outcome_and_settings_alone() -> None:
    first = assess_recorded(TESTS, "check", facts(evidence())).subject

    assert assess_recorded(TESTS, "check", facts(evidence(second=9))).subject == first
    others = {
        assess_recorded(TESTS, "check", facts()).subject,
        assess_recorded(TESTS, "check", facts(evidence(GREEN | {"failed": 1}))).subject,
        assess_recorded(TESTS, "check", facts(evidence(), content={"a": "b"})).subject,
        assess_recorded(replace(TESTS, at_most={"skipped": 0}), "check", facts(evidence())).subject,
    }
    assert len(others | {first}) == 5


# command


def test_exit_code_0_passes_and_no_other() -> None:
    assert shown(BUILD, {}) == (PASS, "the command test ended with exit code 0")
    assert shown(BUILD, {}, run=replace(RAN, exit_code=2)) == (FAIL, "the command test ended with exit code 2")


def test_a_command_that_did_not_end_fails_whatever_it_reported() -> None:
    late = replace(RAN, exit_code=None, failure="did not end within 1 s and was killed")

    for criterion, measures in ((BUILD, {}), (TESTS, GREEN), (COVERAGE, COVERED), (LINT, {"findings": 0})):
        assert shown(criterion, measures, run=late) == (
            FAIL,
            "the command test did not end by itself: did not end within 1 s and was killed",
        )


def test_a_command_that_nobody_ran_shows_nothing() -> None:
    assert shown(replace(BUILD, trust=EvidenceTrust.ASSERTED), {}, run=None, trust=EvidenceTrust.ASSERTED)[0] is OPEN


# junit


@pytest.mark.parametrize(
    ("counts", "verdict", "reason"),
    [
        ({}, PASS, "3 tests passed"),
        ({"tests": 1, "passed": 1}, PASS, "1 test passed"),
        ({"tests": 0, "passed": 0}, OPEN, "no test ran"),
        ({"passed": 2, "failed": 1}, FAIL, "1 of 3 tests failed"),
        ({"passed": 2, "errors": 1}, FAIL, "1 error"),
        ({"passed": 2, "flaky": 1}, FAIL, "1 of 3 tests failed at first"),
        ({"unknown": 2}, FAIL, "2 of 3 tests not in the tree"),
        ({"passed": 2, "skipped": 1}, PASS, "2 tests passed, 1 skipped"),
        ({"passed": 0, "skipped": 3}, OPEN, "all 3 tests were skipped"),
    ],
)
def test_what_a_test_report_shows(counts: dict[str, int], verdict: Verdict, reason: str) -> None:
    assert shown(TESTS, GREEN | counts) == (verdict, reason)


def test_failed_tests_are_named() -> None:
    found = shown(TESTS, GREEN | {"tests": 128, "failed": 2}, examples=["failed: a::b: boom", "skipped: x"])

    assert found == (FAIL, "2 of 128 tests failed: a::b: boom")


def test_a_command_that_fails_with_a_green_report_is_no_pass() -> None:
    assert shown(TESTS, GREEN, run=replace(RAN, exit_code=1)) == (
        FAIL,
        "3 tests and none of them failed, but the command test ended with exit code 1",
    )


def test_no_report_is_no_pass_and_a_failure_where_the_command_failed() -> None:
    assert shown(TESTS, {}, problem="it wrote no report") == (OPEN, "it wrote no report")
    assert shown(TESTS, {}, problem="it wrote no report", run=replace(RAN, exit_code=1)) == (
        FAIL,
        "the command test ended with exit code 1; it wrote no report",
    )


def test_limits_add_to_the_rules_and_replace_them_by_name() -> None:
    skipped = GREEN | {"passed": 2, "skipped": 1}
    assert shown(replace(TESTS, at_most={"skipped": 0}), skipped) == (FAIL, "skipped is 1, 0 is allowed")
    assert shown(replace(TESTS, at_least={"tests": 10 * MILLION}), GREEN) == (FAIL, "tests is 3, 10 is needed")
    assert shown(replace(TESTS, at_most={"flaky": MILLION}), GREEN | {"flaky": 1})[0] is PASS
    assert shown(replace(TESTS, at_most={"weight": 0}), GREEN) == (FAIL, "weight was not measured")


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(sorted(GREEN)), st.integers(0, 3)), st.integers(0, 2))
def test_a_test_report_passes_only_where_nothing_is_wrong(counts: dict[str, int], exit_code: int) -> None:
    wrong = any(counts.get(name, 1) for name in ("failed", "errors", "flaky", "unknown"))
    ran = counts.get("tests", 0) > counts.get("skipped", 0)

    verdict, reason = shown(TESTS, counts, run=replace(RAN, exit_code=exit_code))

    assert (verdict is PASS) == (ran and not wrong and exit_code == 0)
    assert reason


# coverage


@pytest.mark.parametrize(
    ("counts", "limits", "verdict", "reason"),
    [
        ({}, {"line": 80}, PASS, "line coverage 80 %"),
        ({"lines": 3, "lines_hit": 2}, {"line": 80}, FAIL, "line coverage is 66.66 %, 80 % is needed"),
        ({"lines": 100_000, "lines_hit": 79_999}, {"line": 80}, FAIL, "line coverage is 79.99 %, 80 % is needed"),
        ({"lines": 0, "lines_hit": 0}, {"line": 80}, OPEN, "no line was measured"),
        ({}, {"branch": 70}, OPEN, "branches were not measured"),
        ({"branches": 4, "branches_hit": 3}, {"branch": 70}, PASS, "branch coverage 75 %"),
        ({}, {"changed": 90}, OPEN, "no line that was measured is known to have changed since the sprint began"),
        ({"changed": 10, "changed_hit": 8}, {"changed": 90}, FAIL,
         "coverage of changed lines is 80 %, 90 % is needed"),
        ({}, {}, OPEN, "the criterion states no limit"),
        ({"files": 0, "unknown_files": 2}, {"line": 80}, FAIL, "the report speaks of other files"),
        ({"files": 0}, {"line": 80}, OPEN, "the report speaks of no file"),
    ],
)  # fmt: skip
def test_what_a_coverage_report_shows(
    counts: dict[str, int], limits: Mapping[str, int], verdict: Verdict, reason: str
) -> None:
    criterion = replace(COVERAGE, at_least={name: limit * MILLION for name, limit in limits.items()})

    assert shown(criterion, COVERED | counts) == (verdict, reason)


def test_branches_that_were_not_measured_say_what_to_do() -> None:
    found = assess_recorded(
        replace(COVERAGE, at_least={"branch": MILLION}), "check", facts(evidence(COVERED, COVERAGE))
    )

    assert found.step == "run coverage with --branch"


def test_a_file_that_should_be_covered_and_is_not_in_the_report_fails() -> None:
    stated = replace(COVERAGE, files=("src/**",))
    examples = ["not in the report: src/b.py", "1 of 2 lines: src/a.py"]

    assert shown(stated, COVERED | {"missing_files": 1}, examples=examples) == (
        FAIL,
        "the report lacks 1 file: src/b.py",
    )
    assert shown(COVERAGE, COVERED | {"missing_files": 1}) == (PASS, "line coverage 80 %; the report lacks 1 file")


def test_coverage_of_a_run_that_failed_is_no_pass() -> None:
    assert shown(COVERAGE, COVERED, run=replace(RAN, exit_code=1))[0] is FAIL


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 400), st.integers(1, 400), st.integers(0, 100 * MILLION))
def test_coverage_is_compared_exactly(covered: int, lines: int, limit: int) -> None:
    criterion = replace(COVERAGE, at_least={"line": limit})
    counts = COVERED | {"lines": lines, "lines_hit": min(covered, lines)}

    verdict, _ = shown(criterion, counts)

    assert (verdict is PASS) == (min(covered, lines) * 100 * MILLION >= limit * lines)


# findings and numbers


@pytest.mark.parametrize(
    ("counts", "limits", "exit_code", "verdict", "reason"),
    [
        ({}, {}, 0, PASS, "no finding"),
        ({"error": 1}, {}, 1, FAIL, "1 error"),
        ({"error": 2, "warning": 1}, {}, 1, FAIL, "2 errors, 1 warning"),
        ({"note": 4}, {}, 0, PASS, "4 findings, within the limits"),
        ({"warning": 2}, {"warning": 2}, 1, PASS, "2 findings, within the limits"),
        ({"error": 3, "new_error": 0}, {"new_error": 0}, 1, FAIL, "3 new errors"),
        ({"error": 3}, {"new_error": 0}, 1, FAIL, "3 new errors"),
        ({}, {"new_error": 0}, 0, PASS, "no finding"),
        ({}, {}, 2, FAIL, "there is no finding, but the command test ended with exit code 2"),
    ],
)
def test_what_a_scan_shows(
    counts: dict[str, int], limits: Mapping[str, int], exit_code: int, verdict: Verdict, reason: str
) -> None:
    criterion = replace(SARIF, at_most={name: limit * MILLION for name, limit in limits.items()})
    measures = {"error": 0, "warning": 0, "note": 0} | counts

    assert shown(criterion, measures, run=replace(RAN, exit_code=exit_code)) == (verdict, reason)


def test_what_a_scan_found_is_named() -> None:
    assert shown(SARIF, {"error": 1}, examples=["error: a.py:1: bad", "note: b"]) == (FAIL, "1 error: a.py:1: bad")
    new_only = replace(SARIF, at_most={"new_error": 0})
    assert shown(new_only, {"error": 1}, examples=["error: a", "note: b"]) == (FAIL, "1 new error: a")


@pytest.mark.parametrize(
    ("findings", "most", "exit_code", "verdict"),
    [(0, 0, 0, PASS), (1, 0, 1, FAIL), (1, 1, 1, PASS), (0, 0, 1, FAIL), (1, 0, 0, FAIL)],
)
def test_what_a_linter_shows(findings: int, most: int, exit_code: int, verdict: Verdict) -> None:
    criterion = replace(LINT, at_most={"findings": most * MILLION})

    assert shown(criterion, {"findings": findings}, run=replace(RAN, exit_code=exit_code))[0] is verdict


def test_what_a_metric_shows() -> None:
    assert shown(METRIC, {"p95_ms": 199_500_000}) == (PASS, "p95_ms is 199.5")
    assert shown(METRIC, {"p95_ms": 200_000_001}) == (FAIL, "p95_ms is 200.000001, 200 is allowed")
    assert shown(METRIC, {"p50_ms": 1}) == (OPEN, "p95_ms was not measured; there is p50_ms")
    assert shown(replace(METRIC, at_most={}), {"p95_ms": 1}) == (OPEN, "the criterion states no limit")
    assert shown(METRIC, {"p95_ms": 1}, run=replace(RAN, exit_code=1))[0] is FAIL


# baseline


def test_a_baseline_holds_while_its_files_stay() -> None:
    frozen = evidence({"files": 2, "tags": 0}, BASELINE, inputs=FROZEN, run=None)

    assert assess_recorded(BASELINE, "check", facts(frozen)).reason == "2 files as they were"
    moved = assess_recorded(BASELINE, "check", facts(frozen, content=CONTENT | {"src/a.py": "x"}))
    assert (moved.verdict, moved.step) == (OPEN, "vfcc evidence run baseline")


@pytest.mark.parametrize(
    ("tags_then", "history", "verdict"),
    [
        (1, History(tags=("v1",)), PASS),
        (1, History(), FAIL),
        (1, History(tags=("v1",), uncommitted=("src/a.py",)), FAIL),
        (1, History(tags=("v1",), uncommitted=("docs/a.md",)), PASS),
        (0, History(tags=("v1",)), FAIL),
        (1, History(problem="no git"), OPEN),
        (1, None, OPEN),
    ],
)
def test_a_tagged_baseline_needs_its_tag_then_and_now(
    tags_then: int, history: History | None, verdict: Verdict
) -> None:
    criterion = replace(BASELINE, tagged=True)
    frozen = evidence({"files": 2, "tags": tags_then}, criterion, inputs=FROZEN, run=None)

    assert assess_recorded(criterion, "check", replace(facts(frozen), history=history)).verdict is verdict


def test_judging_one_piece_asks_neither_for_content_nor_for_trust() -> None:
    assert judge(TESTS, evidence(content={"gone": "x"}, trust=EvidenceTrust.ASSERTED)).met
    assert not judge(TESTS, evidence(GREEN | {"failed": 1})).met
