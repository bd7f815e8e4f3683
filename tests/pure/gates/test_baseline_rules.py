"""When a baseline counts, and what a gate then says of the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.event_samples import ANN, baseline_set, root
from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.baseline_rules import baseline_notes, baseline_problem, baseline_text, read_baseline_file
from verifflowcc.base.model.baselines import Baseline, BaselineEntry, BaselineStatus
from verifflowcc.base.model.events import Event
from verifflowcc.base.model.evidence_values import Evidence, Inputs, Run
from verifflowcc.base.model.gate_values import BaselineKind, Criterion, CriterionKind, EvidenceTrust, Verdict
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.sprint.rules.junit_tests import measure_junit
from verifflowcc.sprint.rules.measured_verdict import shown_by
from verifflowcc.sprint.rules.sprint_fold import fold

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")
BASE = "ab" * 20
TESTS = BaselineKind.TESTS
ENTRIES = (BaselineEntry("test", "t::flaky", ("failed", "passed")), BaselineEntry("test", "t::old"))
OLD = Baseline(TESTS, BASE, ANN, "ticket 12", "2026-12-31", ENTRIES, 2, {"test": (1,)})
DIGEST = digest_text(baseline_text(OLD))
HOLDS = BaselineStatus(OLD)
CRITERION = Criterion("tests", CriterionKind.JUNIT, "all tests pass", command="test")


def state(actor: str = ANN, *more: Event) -> SprintState:
    start = root()
    act = baseline_set(DIGEST, start, base=BASE, actor=actor)
    return replace(fold("login", (start, act, *more)), base=BASE)


def evidence(**results: str) -> Evidence:
    """A run of pytest with these results by test, and the exit code that it gives."""
    fault = '<{} message="no"/>'
    inner = {"failed": fault.format("failure"), "error": fault.format("error"), "skipped": "<skipped/>", "passed": ""}
    cases = "".join(f'<testcase classname="t" name="{name}">{inner[one]}</testcase>' for name, one in results.items())
    measured = measure_junit(f"<testsuite>{cases}</testsuite>".encode(), known=None, baseline=ENTRIES)
    code = int(bool({"failed", "error"} & set(results.values())))
    return Evidence(
        id="",
        sprint="login",
        stage="check",
        criterion="tests",
        kind=CriterionKind.JUNIT,
        trust=EvidenceTrust.RAN_BY_VFCC,
        producer="vfcc",
        time="",
        inputs=Inputs((), 1, ""),
        measures={**measured.measures, "unknown": 0},
        outcome=measured.outcome,
        run=Run("test", ("pytest",), 600, code),
        examples=measured.examples,
    )


def test_a_baseline_counts_until_its_last_day() -> None:
    assert baseline_problem(OLD, DIGEST, state(), "2026-12-31") == ""
    assert baseline_problem(OLD, DIGEST, state(), "2027-01-01") == "it ended on 2026-12-31"


def test_a_baseline_counts_on_its_base_as_a_person_made_it_and_in_no_strict_workflow() -> None:
    other = replace(state(), base="cd" * 20)
    assert baseline_problem(OLD, DIGEST, other, "2026-12-01") == "it was made on abababa, and login began at cdcdcdc"
    assert baseline_problem(OLD, digest_text("x"), state(), "2026-12-01") == "its file is not as a person made it"
    assert "by agent:coder, and not by a person" in baseline_problem(OLD, DIGEST, state("agent:coder"), "2026-12-01")
    workflow = state().workflow
    assert workflow
    strict = replace(state(), workflow=replace(workflow, strict=True))
    assert "is strict and accepts none" in baseline_problem(OLD, DIGEST, strict, "2026-12-01")


RESULTS = st.sampled_from(["passed", "failed", "error", "skipped"])


@given(st.dictionaries(st.sampled_from(["flaky", "old", "new", "other"]), RESULTS, min_size=1))
def test_a_run_passes_only_where_every_failure_is_listed_and_some_test_passed(results: dict[str, str]) -> None:
    failed = {name for name, result in results.items() if result in {"failed", "error"}}
    shown = shown_by(CRITERION, evidence(**results), HOLDS)

    assert (shown.verdict is Verdict.PASS) == (failed <= {"flaky", "old"} and "passed" in results.values())
    if failed:
        assert shown_by(CRITERION, evidence(**results), BaselineStatus(OLD, "it is over")).verdict is not Verdict.PASS


def test_the_gate_names_what_is_accepted_and_what_is_not() -> None:
    green = shown_by(CRITERION, evidence(flaky="failed", old="failed", new="passed"), HOLDS)
    assert green.reason == "1 test passed; 2 old faults accepted until 2026-12-31 by Ann: ticket 12"
    red = shown_by(CRITERION, evidence(old="failed", new="failed"), HOLDS)
    assert red.reason.startswith("1 of 2 tests failed: t::new: no; 1 old fault accepted")
    over = shown_by(CRITERION, evidence(old="failed", new="passed"), BaselineStatus(OLD, "it ended on 2026-12-31"))
    assert over.reason == "1 of 2 tests failed: t::old: no; the baseline does not count: it ended on 2026-12-31"


def test_an_exit_code_that_the_base_did_not_end_with_is_a_fault() -> None:
    crashed = evidence(old="failed", new="passed")
    assert crashed.run
    crashed = replace(crashed, run=replace(crashed.run, exit_code=3))

    shown = shown_by(CRITERION, crashed, HOLDS)

    assert (shown.verdict, "exit code 3" in shown.reason) == (Verdict.FAIL, True)


def test_a_test_that_passes_now_is_named_unless_it_is_flaky() -> None:
    note = "1 test of the baseline passes now (t::old): vfcc baseline tests --prune"
    assert list(baseline_notes(evidence(old="passed", flaky="passed"), HOLDS)) == [note]
    assert not list(baseline_notes(evidence(old="failed", flaky="passed"), HOLDS))


def test_a_file_gives_the_baseline_that_was_written_and_a_damaged_one_is_refused() -> None:
    text = baseline_text(OLD)
    assert read_baseline_file(text.encode(), TESTS) == OLD
    for wrong in ("[]", "{", text.replace('"format": 1', '"format": 9'), text.replace('"tests"', '"lint"')):
        with pytest.raises(FormatError, match=r"accepted/tests.json:\d+: "):
            read_baseline_file(wrong.encode(), TESTS)
