"""What is planted before each kind of criterion: a criterion that means something sees all of it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence_samples import TESTS, evidence, facts
from verifflowcc.base.model.gate_input import Facts, History
from verifflowcc.base.model.gate_values import RECORDED, Criterion, CriterionKind
from verifflowcc.base.model.people import Waiver
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText
from verifflowcc.gates.rules.canary_plan import FAR_NUMBERS, canaries
from verifflowcc.gates.rules.gate_check import assess

pytestmark = pytest.mark.vfcc("REQ-CANARIES")

MILLION = 1_000_000
GOOD = {
    CriterionKind.ARTIFACT: Criterion("a", CriterionKind.ARTIFACT, "", files=("plan.*",)),
    CriterionKind.COMMAND: Criterion("a", CriterionKind.COMMAND, "", command="test"),
    CriterionKind.JUNIT: Criterion("a", CriterionKind.JUNIT, "", command="test"),
    CriterionKind.COVERAGE: Criterion("a", CriterionKind.COVERAGE, "", command="test", at_least={"line": 80 * MILLION}),
    CriterionKind.SARIF: Criterion("a", CriterionKind.SARIF, "", command="test"),
    CriterionKind.LINT: Criterion("a", CriterionKind.LINT, "", command="test"),
    CriterionKind.METRIC: Criterion(
        "a", CriterionKind.METRIC, "", command="test", metric="ms", at_most={"value": 200 * MILLION}
    ),
    CriterionKind.BASELINE: Criterion("a", CriterionKind.BASELINE, "", files=("src/**",)),
    CriterionKind.DIFF: Criterion("a", CriterionKind.DIFF, ""),
    CriterionKind.COMMIT: Criterion("a", CriterionKind.COMMIT, ""),
    CriterionKind.REVIEW: Criterion("a", CriterionKind.REVIEW, ""),
    CriterionKind.ATTESTATION: Criterion("a", CriterionKind.ATTESTATION, ""),
    CriterionKind.FEEDBACK: Criterion("a", CriterionKind.FEEDBACK, ""),
    CriterionKind.TRACE: Criterion("a", CriterionKind.TRACE, ""),
    CriterionKind.RULES: Criterion("a", CriterionKind.RULES, ""),
    CriterionKind.RED_FIRST: Criterion("a", CriterionKind.RED_FIRST, "", command="test"),
    CriterionKind.TESTS_KEPT: Criterion("a", CriterionKind.TESTS_KEPT, ""),
}


def seen(criterion: Criterion, known: Facts | None = None) -> dict[str, tuple[bool, str]]:
    """Each violation, whether the criterion saw it, and what it then said."""
    found = {}
    for one in canaries(criterion, "check", known or facts()):
        asked = assess(criterion, "check", one.facts)
        found[one.planted] = (not asked.met, asked.reason)
    return found


def missed(criterion: Criterion, known: Facts | None = None) -> set[str]:
    """The violations that the criterion did not see."""
    return {planted for planted, (closed, _) in seen(criterion, known).items() if not closed}


@pytest.mark.parametrize("kind", [kind for kind in GOOD if kind is not CriterionKind.METRIC])
def test_a_criterion_that_means_something_sees_every_violation(kind: CriterionKind) -> None:
    assert seen(GOOD[kind])
    assert missed(GOOD[kind]) == set()


def test_every_kind_but_upstream_has_its_canaries() -> None:
    assert set(GOOD) == set(CriterionKind) - {CriterionKind.UPSTREAM}


@pytest.mark.parametrize(
    ("kind", "planted", "reason"),
    [
        (CriterionKind.JUNIT, "no test at all", "no test ran"),
        (CriterionKind.JUNIT, "tests that all fail, and exit code 0", "1000000 of 1000000 tests failed"),
        (CriterionKind.JUNIT, "tests that are all skipped", "all 1000000 tests were skipped"),
        (CriterionKind.COVERAGE, "nothing covered", "line coverage is 0 %, 80 % is needed"),
        (CriterionKind.COMMAND, "a command that fails", "the command test ended with exit code 1"),
        (CriterionKind.LINT, "a million findings, and exit code 0", "1000000 findings"),
        (CriterionKind.COMMAND, "evidence of other content", "its evidence is stale: its inputs changed"),
    ],
)
def test_it_is_the_violation_that_is_seen(kind: CriterionKind, planted: str, reason: str) -> None:
    """Else a canary would die of something else, and show nothing."""
    assert seen(GOOD[kind])[planted][1].startswith(reason)


def test_artifacts_that_are_there_are_taken_away_and_blanked() -> None:
    plan = ArtifactText(Artifact("plan.md", "sha256:p", 9), "# A plan\n")
    known = replace(facts(), artifacts={"check": (plan,)})

    assert set(seen(GOOD[CriterionKind.ARTIFACT], known)) == {"no artifact", "artifacts that say TODO"}
    assert missed(GOOD[CriterionKind.ARTIFACT], known) == set()


@pytest.mark.parametrize("pattern", [".", "(?s).+", r"\w", "[a-z]+"])
def test_a_pattern_that_fits_every_message_is_found(pattern: str) -> None:
    assert missed(replace(GOOD[CriterionKind.COMMIT], pattern=pattern)) == {"a commit that names nothing"}


def test_a_pattern_that_asks_for_something_is_sound() -> None:
    assert missed(replace(GOOD[CriterionKind.COMMIT], pattern=r"[A-Z]+-\d+")) == set()


@pytest.mark.parametrize("kind", [CriterionKind.SARIF, CriterionKind.LINT])
def test_a_limit_that_every_scan_keeps_to_is_found(kind: CriterionKind) -> None:
    names = {CriterionKind.SARIF: ("error", "warning", "note"), CriterionKind.LINT: ("findings",)}[kind]
    loose = replace(GOOD[kind], at_most=dict.fromkeys(names, 10**9 * MILLION))

    assert missed(loose) == {"a million findings, and exit code 0"}


@pytest.mark.parametrize("side", ["at_least", "at_most"])
def test_a_number_needs_a_limit_on_one_side_only(side: str) -> None:
    one = Criterion("a", CriterionKind.METRIC, "", command="test", metric="ms", **{side: {"value": 200 * MILLION}})  # type: ignore[arg-type]

    assert missed(one) == {FAR_NUMBERS[1] if side == "at_most" else FAR_NUMBERS[0]}


def test_a_number_with_both_limits_sees_both() -> None:
    both = replace(GOOD[CriterionKind.METRIC], at_least={"value": 0})

    assert missed(both) == set()


@given(
    line=st.integers(1, 100 * MILLION),
    of=st.sampled_from(["line", "branch", "changed"]),
)
@settings(deadline=None, max_examples=50)
def test_any_limit_on_coverage_above_nothing_is_sound(line: int, of: str) -> None:
    assert missed(replace(GOOD[CriterionKind.COVERAGE], at_least={of: line})) == set()


def test_a_waiver_hides_no_canary() -> None:
    """The criterion itself is asked; that it may be waived is another matter."""
    known = facts()
    subject = assess(TESTS, "check", known).subject
    leave = Waiver("e", "check", TESTS.id, "later", "human:You", "t", subject, None)
    known = replace(known, waivers=(leave,))

    assert assess(TESTS, "check", known).met
    assert missed(TESTS, known) == set()


@pytest.mark.parametrize("kind", sorted(RECORDED))
def test_good_evidence_that_is_there_changes_nothing(kind: CriterionKind) -> None:
    known = facts(evidence(criterion=GOOD[kind]))

    assert set(seen(GOOD[kind], known)) == set(seen(GOOD[kind]))


def test_where_git_knows_nothing_a_criterion_on_git_is_closed_all_the_same() -> None:
    known = replace(facts(), history=History(problem="it is in no repository"))

    assert missed(GOOD[CriterionKind.DIFF], known) == set()
