"""What a stage hands on: the summary and the numbers, from what was known at its exit."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.events import LARGEST_EVENT_BYTES, EventType
from verifflowcc.base.model.evidence_values import Evidence, Inputs
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import (
    Assessment,
    Criterion,
    CriterionKind,
    EvidenceTrust,
    Gate,
    Mode,
    Side,
    Verdict,
)
from verifflowcc.base.model.people import Decision, Feedback, Opinion, Review, Waiver
from verifflowcc.base.model.sprint_state import (
    Artifact,
    ArtifactText,
    DiscardedMove,
    Leg,
    Skip,
    SprintState,
    Stage,
    StageState,
    StageStatus,
)
from verifflowcc.base.text.markdown import sections
from verifflowcc.gates.rules.stage_failures import LONGEST, clause
from verifflowcc.gates.rules.stage_summary import (
    StageExit,
    handover_text,
    kept_of,
    metrics,
    metrics_document,
    summary_document,
)

pytestmark = pytest.mark.vfcc("REQ-STAGE-EXIT")

DIGEST = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
CODING = Stage("coding", "Coding", Leg.APEX, None, "coder", ())
PLANNING = Stage("planning", "Planning", Leg.LEFT, None, "planner", ())
TESTS = Criterion("tests", CriterionKind.JUNIT, "tests pass")
COVERED = Criterion("covered", CriterionKind.COVERAGE, "enough is covered", mode=Mode.SOFT)
LOOKED_AT = Criterion("looked-at", CriterionKind.REVIEW, "somebody looked at it")


def evidence(name: str, kind: CriterionKind, measures: dict[str, int], outcome: str = DIGEST) -> Evidence:
    return Evidence(
        id=name,
        sprint="login",
        stage="coding",
        criterion="tests",
        kind=kind,
        trust=EvidenceTrust.RAN_BY_VFCC,
        producer="vfcc",
        time="2026-11-21T03:31:00.000Z",
        inputs=Inputs((), 1, DIGEST),
        measures=measures,
        outcome=outcome,
    )


def leaving(
    *asked: Assessment,
    recorded: tuple[Evidence, ...] = (),
    reviews: tuple[Review, ...] = (),
    waivers: tuple[Waiver, ...] = (),
    feedback: tuple[Feedback, ...] = (),
    stage: StageState | None = None,
    planning: StageState | None = None,
) -> StageExit:
    mine = stage or StageState(CODING, StageStatus.ACTIVE)
    before = planning or StageState(PLANNING, StageStatus.PASSED, passes=1, artifacts=(Artifact("plan.md", DIGEST, 9),))
    state = SprintState("login", "Log in", ("one form",), stages=(before, mine), current="coding")
    facts = Facts(
        state,
        "2026-11-21",
        recorded=tuple(RecordedEvidence(one, f"{one.id}.json") for one in recorded),
        reviews=reviews,
        waivers=waivers,
        feedback=feedback,
    )
    return StageExit(
        state=state,
        stage=mine,
        outputs=(Artifact("changes.md", DIGEST, 7), Artifact("form.py", DIGEST, 3)),
        earlier={"planning": (Artifact("plan.md", DIGEST, 9),)},
        feedback_lines=0,
        duration_s=90,
        following=None,
        gate=Gate("login", "coding", Side.EXIT, asked),
        facts=facts,
        failures=2,
    )


def lines_under(left: StageExit, title: str) -> list[str]:
    text = summary_document(left)
    part = next((part for part in sections(text) if part.title == title), None)
    if part is None:
        return []
    return [line.removeprefix("- ") for line in text[part.start : part.end].splitlines() if line.startswith("- ")]


def passing(criterion: Criterion = TESTS, *used: str, **more: object) -> Assessment:
    return replace(Assessment(criterion, Verdict.PASS, "12 tests passed", used=used, subject=DIGEST), **more)  # type: ignore[arg-type]


def test_the_summary_has_its_sections_in_order_and_nothing_is_left_blank() -> None:
    text = summary_document(leaving())

    assert [part.title for part in sections(text) if part.level == 2] == [
        "changes.md",
        "form.py",
        "Metrics",
        "Built on",
    ]
    assert "none" not in text.partition("\n\n## ")[2]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_summary_holds_the_decisions_and_open_points_of_each_artifact() -> None:
    text = "# Login\n\nA form. More of it.\n\nDecision: sessions are rows.\n\n## Open points\n\n- Who may sign in?\n"
    left = leaving()
    facts = replace(left.facts, artifacts={"coding": (ArtifactText(Artifact("changes.md", DIGEST, 7), text),)})

    summary = summary_document(replace(left, facts=facts))

    shown = "### Login\nA form.\nDecision: sessions are rows.\n#### Open points\n- Who may sign in?\n"
    line = f"`coding/artifacts/changes.md` (7 bytes, {DIGEST[:19]})"
    assert f"## changes.md\n\n{line}\n\n{shown}" in summary


def test_each_criterion_has_one_line_with_its_evidence() -> None:
    soft = Assessment(COVERED, Verdict.NOT_EVALUABLE, "there is no evidence yet", "vfcc evidence run covered")

    shown = lines_under(leaving(passing(TESTS, "A", "B", "C", "D"), soft), "Evidence")

    assert shown == [
        "pass: `tests`: 12 tests passed (A, B, C and 1 more)",
        "not evaluable, soft: `covered`: there is no evidence yet",
    ]
    assert lines_under(leaving(passing(TESTS, "A", "B", "C")), "Evidence")[0].endswith("passed (A, B, C)")


def test_a_reason_of_several_lines_stays_one_line_of_bounded_length() -> None:
    loud = passing(TESTS, reason="a\n## Heading\n" + "x" * 2 * LONGEST)

    (line,) = lines_under(leaving(loud), "Evidence")
    assert "\n" not in line
    assert len(line) <= LONGEST
    assert line.startswith("pass: `tests`: a ## Heading xxx")


def review(opinion: Opinion = Opinion.APPROVED, **more: object) -> Review:
    said = Review("E1", "coding", "looked-at", opinion, "human:Other", "2026-11-20T03:31:00.000Z", DIGEST)
    return replace(said, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (review(), "`looked-at` approved by human:Other on 2026-11-20"),
        (
            review(expires="2026-12-31", signed="ab" * 20, reason="as agreed"),
            "`looked-at` approved by human:Other on 2026-11-20, until 2026-12-31, signed in abababababab: as agreed",
        ),
        (review(expires="2026-11-20"), "`looked-at` approved by human:Other on 2026-11-20, until 2026-11-20 (expired)"),
        (
            review(Opinion.REJECTED, subject=OTHER, reason="no test"),
            "`looked-at` rejected by human:Other on 2026-11-20: no test (for other content than lies there now)",
        ),
        (review(statement="seen on site"), "`looked-at` accepted by human:Other on 2026-11-20: seen on site"),
    ],
)
def test_an_approval_is_told_with_what_is_wrong_with_it(said: Review, line: str) -> None:
    assert lines_under(leaving(passing(LOOKED_AT, "E1"), reviews=(said,)), "Approvals and waivers") == [line]


def test_what_was_said_of_other_stages_and_wishes_are_left_out() -> None:
    others = (review(stage="planning"), review(Opinion.REQUESTED))

    assert lines_under(leaving(passing(LOOKED_AT), reviews=others), "Approvals and waivers") == []


WAIVER = Waiver("E2", "coding", "tests", "flaky host", "human:Other", "2026-11-20T03:31:00.000Z", DIGEST, "2026-12-31")


@pytest.mark.parametrize(
    ("waiver", "asked", "tail"),
    [
        (
            WAIVER,
            Assessment(TESTS, Verdict.WAIVED, "1 failed", subject=DIGEST, waiver="E2"),
            "until 2026-12-31: flaky host",
        ),
        (
            replace(WAIVER, expires=None),
            Assessment(TESTS, Verdict.WAIVED, "", subject=DIGEST, waiver="E2"),
            "without end: flaky host",
        ),
        (WAIVER, passing(), "flaky host (not needed)"),
        (
            replace(WAIVER, expires="2026-11-20"),
            Assessment(TESTS, Verdict.FAIL, "", subject=DIGEST),
            "expired on 2026-11-20)",
        ),
        (WAIVER, Assessment(TESTS, Verdict.FAIL, "", subject=OTHER), "was for other content than lies there now)"),
    ],
)
def test_a_waiver_is_told_with_why_it_does_not_hold(waiver: Waiver, asked: Assessment, tail: str) -> None:
    (line,) = lines_under(leaving(asked, waivers=(waiver,)), "Approvals and waivers")

    assert line.startswith("`tests` waived by human:Other on 2026-11-20, ")
    assert line.endswith(tail)


def test_what_deviates_is_told() -> None:
    skipped = StageState(PLANNING, StageStatus.SKIPPED, skip=Skip("E3", "too small", "human:Other", "2026-12-31"))
    again = StageState(CODING, StageStatus.ACTIVE, passes=1, reopened=1)
    noted = passing(TESTS, notes=("failed once before on the same content",))
    soft = Assessment(COVERED, Verdict.FAIL, "line coverage is 40 %")
    waived = Assessment(LOOKED_AT, Verdict.WAIVED, "not approved yet", waiver="E2")
    left = leaving(noted, soft, waived, stage=again, planning=skipped)

    assert lines_under(left, "Deviations") == [
        "planning was skipped by human:Other, until 2026-12-31: too small",
        "coding was reopened once",
        "tests: failed once before on the same content",
        "covered (soft) is not met: line coverage is 40 %",
        "looked-at is not met and waived: not approved yet",
    ]
    assert metrics(left)["deviations"] == 5


def test_inputs_that_changed_after_their_stage_passed_deviate() -> None:
    was = (Artifact("plan.md", OTHER, 9), Artifact("risks.md", DIGEST, 9))
    left = leaving(planning=StageState(PLANNING, StageStatus.PASSED, passes=1, artifacts=was))

    assert lines_under(left, "Deviations") == [
        "planning/plan.md changed after planning passed",
        "planning/risks.md is gone since planning passed",
    ]


def test_a_side_of_a_fork_that_was_set_aside_deviates() -> None:
    aside = DiscardedMove("E4", EventType.STAGE_PASSED, "passed coding", "human:You", "", "E5", "human:Other", "twice")
    left = leaving()

    assert lines_under(replace(left, state=replace(left.state, set_aside=(aside,))), "Deviations") == [
        "human:You passed coding, which human:Other set aside: twice"
    ]


def comment(text: str, decision: Decision, stage: str | None = "coding") -> Feedback:
    return Feedback(text, "login", stage, text, "human:Other", "", decision)


def test_comments_that_wait_are_open_points() -> None:
    said = (
        comment("open", Decision.OPEN),
        comment("later", Decision.LATER),
        comment("done", Decision.DONE),
        comment("elsewhere", Decision.OPEN, "planning"),
    )

    shown = lines_under(replace(leaving(feedback=said), feedback_lines=4), "Open points")

    assert shown == [
        "open (human:Other)",
        "later (human:Other, for the next sprint)",
        "`coding/feedback.md` holds review comments (4 lines)",
    ]


def test_the_numbers_add_up() -> None:
    report = {"tests": 12, "passed": 9, "failed": 2, "errors": 1, "skipped": 0}
    cover = {"lines": 3, "lines_hit": 2, "branches": 0, "files": 1}
    used = (
        evidence("A", CriterionKind.JUNIT, report),
        evidence("B", CriterionKind.COVERAGE, cover),
        evidence("C", CriterionKind.LINT, {}),
    )
    left = leaving(
        Assessment(TESTS, Verdict.FAIL, "", used=("A",)),
        Assessment(replace(COVERED), Verdict.PASS, "", used=("B",)),
        passing(LOOKED_AT, "E1", "E2"),
        Assessment(TESTS, Verdict.WAIVED, "", used=("E9",), waiver="E9"),
        Assessment(COVERED, Verdict.FAIL, ""),
        recorded=used,
        stage=StageState(CODING, StageStatus.ACTIVE, passes=2, reopened=1),
    )

    assert metrics(left) == {
        "approvals": 2,
        "artifact_bytes": 10,
        "artifacts": 2,
        "coverage_branch_bp": None,
        "coverage_changed_bp": None,
        "coverage_line_bp": 6666,
        "criteria": 5,
        "deviations": 4,
        "duration_s": 90,
        "evidence": 2,
        "failures": 2,
        "feedback_lines": 0,
        "findings": 1,
        "passed": 2,
        "passes": 3,
        "reopened": 1,
        "rework": 2,
        "tests": 12,
        "tests_failed": 3,
        "waived": 1,
    }
    assert list(metrics(left)) == sorted(metrics(left))
    shown = lines_under(left, "Metrics")
    assert "coverage_line: 66.66 %" in shown
    assert not [line for line in shown if line.endswith((": unknown", ": 0"))]
    assert not [line for line in shown if line.startswith("coverage_branch")]


def test_one_report_counts_once_and_the_lowest_coverage_counts() -> None:
    report = {"tests": 12, "failed": 0}
    used = (
        evidence("A", CriterionKind.JUNIT, report),
        evidence("B", CriterionKind.JUNIT, report),
        evidence("C", CriterionKind.JUNIT, {"tests": 5, "failed": 1}, OTHER),
        evidence("D", CriterionKind.COVERAGE, {"lines": 10, "lines_hit": 10}),
        evidence("E", CriterionKind.COVERAGE, {"lines": 100, "lines_hit": 99}),
        evidence("F", CriterionKind.JUNIT, {"tests": 100}, "not used"),
    )
    found = metrics(leaving(passing(TESTS, "A", "B", "C", "D", "E"), recorded=used))

    assert (found["tests"], found["tests_failed"], found["coverage_line_bp"], found["evidence"]) == (17, 1, 9900, 5)


def test_coverage_that_misses_its_limit_by_a_hair_is_not_rounded_up() -> None:
    nearly = evidence("A", CriterionKind.COVERAGE, {"lines": 1_000_000, "lines_hit": 799_999})
    assert metrics(leaving(passing(COVERED, "A"), recorded=(nearly,)))["coverage_line_bp"] == 7999


def test_the_documents_are_a_function_of_the_value() -> None:
    left = leaving(passing(TESTS, "A"), reviews=(review(),), waivers=(WAIVER,))
    assert summary_document(left) == summary_document(replace(left))
    document = json.loads(metrics_document(left))
    assert document == {"sprint": "login", "stage": "coding", **metrics(left)}
    assert list(document) == sorted(document)


def test_an_unknown_duration_is_null_and_is_said_so() -> None:
    left = replace(leaving(), duration_s=None)
    assert json.loads(metrics_document(left))["duration_s"] is None
    assert not [line for line in lines_under(left, "Metrics") if line.startswith("duration_s")]


VERDICTS = st.sampled_from(list(Verdict))
ASKED = st.builds(
    Assessment,
    st.builds(replace, st.sampled_from([TESTS, COVERED, LOOKED_AT]), mode=st.sampled_from([Mode.HARD, Mode.SOFT])),
    VERDICTS,
    st.text(max_size=30),
)


@given(st.lists(ASKED, max_size=6))
@settings(deadline=None, max_examples=100)
def test_every_criterion_is_passed_waived_a_finding_or_a_blocker(asked: list[Assessment]) -> None:
    left = leaving(*asked)
    found = metrics(left)
    numbers = [found[name] or 0 for name in ("passed", "waived", "findings")]

    assert sum(numbers) + len(left.gate.blockers) == found["criteria"] == len(asked)
    assert len(lines_under(left, "Evidence")) == len(asked)
    assert found["deviations"] == len(asked) - numbers[0]


@given(st.text(max_size=1000))
@settings(deadline=None, max_examples=100)
def test_a_clause_is_one_short_line(text: str) -> None:
    assert len(clause(text)) <= LONGEST
    assert len(clause(text).splitlines()) <= 1


def test_the_event_keeps_the_sections_that_no_artifact_holds() -> None:
    waiting = Feedback("F", "login", "coding", "who rounds?", "human:Ann", "2026-11-21T03:31:00.000Z")
    left = leaving(passing(TESTS, "A"), feedback=(waiting,))

    text = handover_text(left)

    assert [part.title for part in sections(text)] == ["Evidence", "Open points"]
    assert text in summary_document(left)
    assert kept_of(left) == {"metrics": metrics(left), "handover": text}
    assert handover_text(leaving()) == "", "nothing was asked and nothing waits"


@given(st.integers(1, 400), st.sampled_from(["x", "é", "\U0001f30a"]))
@settings(deadline=None, max_examples=20)
def test_what_the_event_keeps_is_bounded_and_says_how_much_is_left_out(count: int, letter: str) -> None:
    waiting = [
        Feedback(f"F{number}", "login", "coding", letter * 300, "human:Ann", "2026-11-21T03:31:00.000Z")
        for number in range(count)
    ]
    left = leaving(feedback=tuple(waiting))

    text = handover_text(left)

    assert len(text.encode()) <= LARGEST_EVENT_BYTES * 3 // 4
    shown = sum(letter * 100 in line for line in text.splitlines())
    if shown < count:
        assert f"{count - shown:,} more lines are left out here; `vfcc sprint report login` has them" in text
    assert text.endswith("\n")
