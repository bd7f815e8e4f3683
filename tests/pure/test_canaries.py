"""What is planted before each kind of criterion: a criterion that means something sees all of it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence_samples import TESTS, evidence, facts
from verifflowcc.base.model.gate_input import ArtifactText, Facts, History
from verifflowcc.base.model.gate_values import RECORDED, Criterion, Kind
from verifflowcc.base.model.people import Waiver
from verifflowcc.base.model.sprint_state import Artifact
from verifflowcc.gates.rules.canary_plan import FAR_NUMBERS, canaries
from verifflowcc.gates.rules.gate_check import assess

pytestmark = pytest.mark.vfcc("REQ-CANARIES")

MILLION = 1_000_000
GOOD = {
    Kind.ARTIFACT: Criterion("a", Kind.ARTIFACT, "", files=("plan.*",)),
    Kind.COMMAND: Criterion("a", Kind.COMMAND, "", command="test"),
    Kind.JUNIT: Criterion("a", Kind.JUNIT, "", command="test"),
    Kind.COVERAGE: Criterion("a", Kind.COVERAGE, "", command="test", at_least={"line": 80 * MILLION}),
    Kind.SARIF: Criterion("a", Kind.SARIF, "", command="test"),
    Kind.LINT: Criterion("a", Kind.LINT, "", command="test"),
    Kind.METRIC: Criterion("a", Kind.METRIC, "", command="test", metric="ms", at_most={"value": 200 * MILLION}),
    Kind.BASELINE: Criterion("a", Kind.BASELINE, "", files=("src/**",)),
    Kind.DIFF: Criterion("a", Kind.DIFF, ""),
    Kind.COMMIT: Criterion("a", Kind.COMMIT, ""),
    Kind.REVIEW: Criterion("a", Kind.REVIEW, ""),
    Kind.ATTESTATION: Criterion("a", Kind.ATTESTATION, ""),
    Kind.FEEDBACK: Criterion("a", Kind.FEEDBACK, ""),
    Kind.TRACE: Criterion("a", Kind.TRACE, ""),
    Kind.RULES: Criterion("a", Kind.RULES, ""),
    Kind.RED_FIRST: Criterion("a", Kind.RED_FIRST, "", command="test"),
    Kind.TESTS_KEPT: Criterion("a", Kind.TESTS_KEPT, ""),
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


@pytest.mark.parametrize("kind", [kind for kind in GOOD if kind is not Kind.METRIC])
def test_a_criterion_that_means_something_sees_every_violation(kind: Kind) -> None:
    assert seen(GOOD[kind])
    assert missed(GOOD[kind]) == set()


def test_every_kind_but_upstream_has_its_canaries() -> None:
    assert set(GOOD) == set(Kind) - {Kind.UPSTREAM}


@pytest.mark.parametrize(
    ("kind", "planted", "reason"),
    [
        (Kind.JUNIT, "no test at all", "no test ran"),
        (Kind.JUNIT, "tests that all fail, and exit code 0", "1000000 of 1000000 tests failed"),
        (Kind.JUNIT, "tests that are all skipped", "all 1000000 tests were skipped"),
        (Kind.COVERAGE, "nothing covered", "line coverage is 0 %, 80 % is needed"),
        (Kind.COMMAND, "a command that fails", "the command test ended with exit code 1"),
        (Kind.LINT, "a million findings, and exit code 0", "1000000 findings"),
        (Kind.COMMAND, "evidence of other content", "its evidence is stale: its inputs changed"),
    ],
)
def test_it_is_the_violation_that_is_seen(kind: Kind, planted: str, reason: str) -> None:
    """Else a canary would die of something else, and show nothing."""
    assert seen(GOOD[kind])[planted][1].startswith(reason)


def test_artifacts_that_are_there_are_taken_away_and_blanked() -> None:
    plan = ArtifactText(Artifact("plan.md", "sha256:p", 9), "# A plan\n")
    known = replace(facts(), artifacts={"check": (plan,)})

    assert set(seen(GOOD[Kind.ARTIFACT], known)) == {"no artifact", "artifacts that say TODO"}
    assert missed(GOOD[Kind.ARTIFACT], known) == set()


@pytest.mark.parametrize("pattern", [".", "(?s).+", r"\w", "[a-z]+"])
def test_a_pattern_that_fits_every_message_is_found(pattern: str) -> None:
    assert missed(replace(GOOD[Kind.COMMIT], pattern=pattern)) == {"a commit that names nothing"}


def test_a_pattern_that_asks_for_something_is_sound() -> None:
    assert missed(replace(GOOD[Kind.COMMIT], pattern=r"[A-Z]+-\d+")) == set()


@pytest.mark.parametrize("kind", [Kind.SARIF, Kind.LINT])
def test_a_limit_that_every_scan_keeps_to_is_found(kind: Kind) -> None:
    names = {Kind.SARIF: ("error", "warning", "note"), Kind.LINT: ("findings",)}[kind]
    loose = replace(GOOD[kind], at_most=dict.fromkeys(names, 10**9 * MILLION))

    assert missed(loose) == {"a million findings, and exit code 0"}


@pytest.mark.parametrize("side", ["at_least", "at_most"])
def test_a_number_needs_a_limit_on_one_side_only(side: str) -> None:
    one = Criterion("a", Kind.METRIC, "", command="test", metric="ms", **{side: {"value": 200 * MILLION}})  # type: ignore[arg-type]

    assert missed(one) == {FAR_NUMBERS[1] if side == "at_most" else FAR_NUMBERS[0]}


def test_a_number_with_both_limits_sees_both() -> None:
    both = replace(GOOD[Kind.METRIC], at_least={"value": 0})

    assert missed(both) == set()


@given(
    line=st.integers(1, 100 * MILLION),
    of=st.sampled_from(["line", "branch", "changed"]),
)
@settings(deadline=None, max_examples=50)
def test_any_limit_on_coverage_above_nothing_is_sound(line: int, of: str) -> None:
    assert missed(replace(GOOD[Kind.COVERAGE], at_least={of: line})) == set()


def test_a_waiver_hides_no_canary() -> None:
    """The criterion itself is asked; that it may be waived is another matter."""
    known = facts()
    subject = assess(TESTS, "check", known).subject
    leave = Waiver("e", "check", TESTS.id, "later", "human:You", "t", subject, None)
    known = replace(known, waivers=(leave,))

    assert assess(TESTS, "check", known).met
    assert missed(TESTS, known) == set()


@pytest.mark.parametrize("kind", sorted(RECORDED))
def test_good_evidence_that_is_there_changes_nothing(kind: Kind) -> None:
    known = facts(evidence(criterion=GOOD[kind]))

    assert set(seen(GOOD[kind], known)) == set(seen(GOOD[kind]))


def test_where_git_knows_nothing_a_criterion_on_git_is_closed_all_the_same() -> None:
    known = replace(facts(), history=History(problem="it is in no repository"))

    assert missed(GOOD[Kind.DIFF], known) == set()
