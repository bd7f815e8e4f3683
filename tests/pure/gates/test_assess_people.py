"""Reviews, acceptances, comments and waivers: what opens a gate, and everything that must not."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.gate_input import ArtifactPut, Change, Facts, History
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.people import Contributor, Decision, Feedback, Opinion, Review, Waiver
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText, Leg, SprintState, Stage, StageState, Workflow
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.gates.rules.artifact_criteria import authorship, subject_of
from verifflowcc.gates.rules.people_criteria import (
    apply_waiver,
    assess_attestation,
    assess_feedback,
    assess_review,
    waived_subject,
)

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

REVIEWED = Criterion("reviewed", CriterionKind.REVIEW, "approved")
ACCEPTED = Criterion("accepted", CriterionKind.ATTESTATION, "accepted")
TALKED = Criterion("talked", CriterionKind.FEEDBACK, "comments dealt with")
TESTS = Criterion("tests", CriterionKind.JUNIT, "tests pass")
STAGES = (
    Stage("plan", "Plan", Leg.LEFT, "check", "planner", (), exit=(REVIEWED,)),
    Stage("build", "Build", Leg.APEX, None, "coder", (), exit=(REVIEWED, ACCEPTED)),
    Stage("check", "Check", Leg.RIGHT, "plan", "tester", (), exit=(ACCEPTED,)),
)
PLAN = ".memory/stage/login/plan/artifacts/plan.md"
ANN, BEN, CAT = "human:Ann", "human:Ben", "human:Cat"
ANN_BY_GIT, BEN_BY_GIT, CAT_BY_GIT = ((Contributor(each),) for each in (ANN, BEN, CAT))
TODAY = "2026-11-21"


BY_GIT = {
    PLAN: ANN_BY_GIT,
    PLAN.replace("/plan/", "/build/"): CAT_BY_GIT,
    PLAN.replace("/plan/", "/check/"): ANN_BY_GIT,
    "src/a.py": CAT_BY_GIT,
}


def sprint(*, strict: bool = False) -> SprintState:
    flow = Workflow("three", "Three", STAGES, "sha256:0", strict=strict)
    return SprintState("login", "Log in", workflow=flow, stages=tuple(map(StageState, STAGES)))


def facts(text: str = "# Plan\n", *, strict: bool = False, **more: Any) -> Facts:
    """A sprint whose every stage holds one plan.md; Ann committed that of `plan`."""
    artifact = Artifact("plan.md", digest_text(text), len(text))
    history = History(authors=BY_GIT)
    given: dict[str, Any] = {
        "sprint": sprint(strict=strict),
        "today": TODAY,
        "content": {"src/a.py": digest_text("a"), "docs/b.md": digest_text("b")},
        "artifacts": {stage.id: (ArtifactText(artifact, text),) for stage in STAGES},
        "history": history,
    }
    return Facts(**(given | more))


def word(actor: str = BEN, opinion: Opinion = Opinion.APPROVED, at: Facts | None = None, **more: Any) -> Review:
    """A word on the plan as it is in `at`, the usual facts where it is left out."""
    given: dict[str, Any] = {
        "event": f"{actor}-{opinion}",
        "stage": "plan",
        "criterion": "reviewed",
        "opinion": opinion,
        "actor": actor,
        "time": "t",
        "subject": subject_of(REVIEWED, "plan", at or facts()),
    }
    return Review(**(given | more))


def authors_of(criterion: Criterion, stage: str, here: Facts) -> tuple[str, ...]:
    """The authors by their actors alone."""
    found = authorship(criterion, stage, here)
    return tuple(each.actor for each in found.authors) if found.is_known else ()


def asked(here: Facts, criterion: Criterion = REVIEWED, stage: str = "plan") -> Assessment:
    assess = assess_attestation if criterion.kind is CriterionKind.ATTESTATION else assess_review
    return assess(criterion, stage, here)


def test_a_review_by_somebody_else_opens_the_gate() -> None:
    found = asked(facts(reviews=(word(),)))

    assert (found.verdict, found.reason, found.step) == (Verdict.PASS, "approved by human:Ben", "")
    assert found.used == ("human:Ben-approved",)
    assert found.subject == subject_of(REVIEWED, "plan", facts())


def test_no_review_is_not_evaluable_and_names_the_command() -> None:
    found = asked(facts())

    assert (found.verdict, found.reason) == (Verdict.NOT_EVALUABLE, "not approved yet")
    assert found.step == "vfcc approve plan"


def test_a_request_is_told_and_is_no_approval() -> None:
    found = asked(facts(reviews=(word("agent:coder", Opinion.REQUESTED),)))

    assert (found.verdict, found.reason) == (
        Verdict.NOT_EVALUABLE,
        "not approved yet; agent:coder asks for it",
    )


def test_the_author_by_git_approves_nothing() -> None:
    found = asked(facts(reviews=(word(ANN),)))

    assert (found.verdict, found.reason) == (Verdict.FAIL, "approved by human:Ann, who is its author")


@pytest.mark.parametrize("spelled", ["human:ann", "human:Ann ", "human:ANN"])
def test_an_author_is_no_other_person_by_spelling(spelled: str) -> None:
    assert asked(facts(reviews=(word(spelled),))).verdict is Verdict.FAIL


def test_a_request_adds_an_author_and_removes_none() -> None:
    reviews = (word("agent:coder", Opinion.REQUESTED), word(ANN))

    assert authors_of(REVIEWED, "plan", facts(reviews=reviews)) == ("agent:coder", ANN)
    assert asked(facts(reviews=reviews)).reason == "approved by human:Ann, who is its author"
    assert asked(facts(reviews=(word(ANN, Opinion.REQUESTED), word(ANN)))).verdict is Verdict.FAIL


def stored(actor: str, text: str = "# Plan\n", path: str = "plan.md", stage: str = "plan") -> ArtifactPut:
    return ArtifactPut(stage, path, digest_text(text), actor)


def test_the_author_of_an_artifact_is_the_actor_who_stored_these_bytes_whatever_git_says() -> None:
    by_agent = facts(puts=(stored("agent:planner"),), reviews=(word(ANN),))
    by_ann = facts(puts=(stored(ANN),), history=History(authors={PLAN: BEN_BY_GIT}), reviews=(word(ANN),))

    assert authors_of(REVIEWED, "plan", by_agent) == ("agent:planner",)
    assert asked(by_agent).verdict is Verdict.PASS
    assert asked(by_ann).reason == "approved by human:Ann, who is its author"
    assert asked(facts(puts=(stored(ANN), stored("agent:planner")), reviews=(word(ANN),))).verdict is Verdict.FAIL


@pytest.mark.parametrize("history", [None, History(), History(problem="no base")])
def test_a_stored_artifact_has_an_author_also_where_git_knows_none(history: History | None) -> None:
    here = facts(puts=(stored("agent:planner"),), history=history, reviews=(word(BEN),))

    assert asked(here).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "put",
    [
        *(stored("agent:planner", "older\n"), stored("agent:planner", path="other.md")),
        *(stored("agent:planner", stage="check"), stored("human:unknown")),
    ],
)
def test_a_text_that_was_changed_or_stored_elsewhere_or_by_no_name_has_no_author_by_that(put: ArtifactPut) -> None:
    here = facts(puts=(put,), history=History(), reviews=(word(BEN),))

    assert authors_of(REVIEWED, "plan", here) == ()
    assert asked(here).verdict is Verdict.NOT_EVALUABLE


def test_a_stored_artifact_lends_its_author_to_no_other_file() -> None:
    two = tuple(ArtifactText(Artifact(name, digest_text("# Plan\n"), 7), "# Plan\n") for name in ("own.md", "plan.md"))
    here = facts(puts=(stored("agent:planner"),), artifacts={"plan": two}, history=History())
    own = PLAN.replace("plan.md", "own.md")

    assert authors_of(REVIEWED, "plan", here) == ()
    known = replace(here, history=History(authors={own: ANN_BY_GIT}))
    assert authors_of(REVIEWED, "plan", known) == ("agent:planner", ANN)
    request = word(ANN, Opinion.REQUESTED, at=here)
    assert authors_of(REVIEWED, "plan", replace(here, reviews=(request,))) == ("agent:planner", ANN)


def test_at_the_apex_a_changed_file_without_an_author_hides_who_wrote_the_code() -> None:
    put = stored("agent:coder", stage="build")
    clean = facts(puts=(put,), history=History(authors={"src/a.py": CAT_BY_GIT}))
    dirty = replace(clean, history=History(authors={"src/a.py": CAT_BY_GIT}, changes=(Change("docs/b.md"),)))

    assert authors_of(REVIEWED, "build", clean) == ("agent:coder", CAT)
    assert authors_of(REVIEWED, "build", dirty) == ()


def test_a_request_for_older_content_makes_nobody_the_author_of_the_present() -> None:
    stale = word("agent:coder", Opinion.REQUESTED, at=facts("older\n"))

    assert asked(facts(reviews=(stale, word(ANN)))).verdict is Verdict.FAIL


def test_where_no_author_is_known_nobody_can_approve() -> None:
    for history, unknown in (
        (None, "plan.md"),
        (History(), "plan.md"),
        (History(authors={"src/a.py": CAT_BY_GIT}), "plan.md"),
    ):
        found = asked(facts(history=history, reviews=(word(),)))
        assert found.verdict is Verdict.NOT_EVALUABLE
        assert (
            found.reason
            == f"approved by human:Ben, but vfcc cannot tell who wrote {unknown}, so self-approval cannot be ruled out"
        )
        assert found.step.startswith("vfcc approve plan --request")


def test_of_an_old_approval_and_an_unknown_author_the_old_approval_is_told() -> None:
    found = asked(facts(history=None, reviews=(word(at=facts("older\n")),)))

    assert (found.verdict, found.reason) == (Verdict.FAIL, "approved by human:Ben, but what it covers changed since")
    assert found.step.startswith("vfcc approve plan --request")


@pytest.mark.parametrize("actor", ["agent:coder", "ci", "tool:vfcc"])
def test_no_machine_approves(actor: str) -> None:
    found = asked(facts(reviews=(word(actor),)))

    assert (found.verdict, found.reason) == (Verdict.FAIL, f"approved by {actor}, whose word opens no gate")


def test_a_person_without_a_name_may_be_the_author() -> None:
    assert asked(facts(reviews=(word("human:unknown"),))).verdict is Verdict.FAIL


def test_an_approval_of_older_content_names_what_changed() -> None:
    old = facts("older\n")
    seen = {PLAN: digest_text("older\n"), PLAN.replace("plan.md", "same.md"): "sha256:1"}
    unknown, known = word(at=old), word(at=old, file_digests=seen)

    assert asked(facts(reviews=(unknown,))).reason == "approved by human:Ben, but what it covers changed since"
    found = asked(facts(reviews=(known,)))
    assert (found.verdict, found.reason) == (
        Verdict.FAIL,
        "approved by human:Ben, but plan.md and same.md changed since",
    )
    assert found.step == "vfcc approve plan"


def test_an_approval_holds_on_its_last_day_and_not_after() -> None:
    assert asked(facts(reviews=(word(expires=TODAY),))).reason == "approved by human:Ben until 2026-11-21"
    found = asked(facts(reviews=(word(expires="2026-11-20"),)))

    assert (found.verdict, found.reason) == (Verdict.FAIL, "approved by human:Ben, but that expired on 2026-11-20")


def test_a_rejection_stands_until_the_one_who_rejected_approves() -> None:
    no = word(CAT, Opinion.REJECTED, reason="too vague")
    found = asked(facts(reviews=(no, word())))

    assert found.verdict is Verdict.FAIL
    assert found.reason.startswith("rejected by human:Cat: 'too vague'; ")
    assert asked(facts(reviews=(no, word(), word(CAT, event="e")))).verdict is Verdict.PASS
    assert asked(facts(reviews=(word(CAT, event="e"), no, word()))).verdict is Verdict.FAIL


def test_a_rejection_outlives_the_content_it_was_made_for() -> None:
    no = word(CAT, Opinion.REJECTED, at=facts("older\n"), reason="too vague")

    assert "(what it covers changed since)" in asked(facts(reviews=(no, word()))).reason


def test_as_many_people_must_approve_as_the_workflow_says() -> None:
    both = replace(REVIEWED, at_least={"approvals": 2_000_000})
    twice = (word(), word(event="again", replaces=()))
    assert asked(facts(reviews=twice), both).reason == "1 of 2 approvals, by human:Ben"
    assert asked(facts(reviews=twice), both).verdict is Verdict.FAIL
    assert asked(facts(reviews=(*twice, word(ANN))), both).reason == (
        "1 of 2 approvals, by human:Ben; approved by human:Ann, who is its author"
    )
    assert asked(facts(reviews=(*twice, word(CAT))), both).reason == "approved by human:Ben and human:Cat"


def test_an_approval_of_another_criterion_or_stage_is_none_of_this_one() -> None:
    for other in (word(criterion="other"), word(stage="build")):
        assert asked(facts(reviews=(other,))).verdict is Verdict.NOT_EVALUABLE


def test_nothing_to_approve_is_no_approval() -> None:
    found = asked(facts(artifacts={}, reviews=(word(),)))

    assert (found.verdict, found.reason) == (Verdict.NOT_EVALUABLE, "there is nothing to approve")
    assert found.step == "write into .memory/stage/login/plan/artifacts/"


def test_at_the_apex_the_code_is_what_is_approved() -> None:
    here = facts()
    assert authors_of(REVIEWED, "build", here) == ("human:Cat",)
    changed = facts(content={"src/a.py": digest_text("b")})
    review = word(stage="build", subject=subject_of(REVIEWED, "build", here))

    assert asked(facts(reviews=(review,)), REVIEWED, "build").verdict is Verdict.PASS
    assert asked(replace(changed, reviews=(review,)), REVIEWED, "build").verdict is Verdict.FAIL


def test_where_a_stage_has_two_such_criteria_the_command_names_one() -> None:
    assert asked(facts(), REVIEWED, "build").step == "vfcc approve build --criterion reviewed"
    assert asked(facts(), ACCEPTED, "build").step == 'vfcc approve build --criterion accepted --statement "…"'


def test_an_acceptance_needs_words_and_a_review_none() -> None:
    here = facts()
    accepted = word(stage="check", criterion="accepted", subject=subject_of(ACCEPTED, "check", here))

    assert asked(facts(reviews=(accepted,)), ACCEPTED, "check").verdict is Verdict.NOT_EVALUABLE
    said = replace(accepted, statement="it logs me in")
    assert asked(facts(reviews=(said,)), ACCEPTED, "check").reason == "accepted by human:Ben"
    assert asked(facts(reviews=(word(statement="fine"),))).verdict is Verdict.NOT_EVALUABLE


def comment(event: str, stage: str | None = None, where: str = "login", **more: Any) -> Feedback:
    return Feedback(event, where, stage, f"words of {event}", ANN, "t", **more)


def talked(*comments: Feedback, stage: str = "plan") -> Assessment:
    return assess_feedback(TALKED, stage, facts(feedback=comments))


def test_no_comment_is_a_pass() -> None:
    assert (talked().verdict, talked().reason) == (Verdict.PASS, "no comment is open")


def test_an_open_comment_is_told_with_the_command_that_deals_with_it() -> None:
    found = talked(comment("01AAAA", "plan"), comment("01BBBB", "plan"))

    assert found.verdict is Verdict.FAIL
    assert found.reason == "2 comments are open, the first: 'words of 01AAAA' (human:Ann)"
    assert found.step == "vfcc feedback triage AAAA --done"
    assert found.used == ("01AAAA", "01BBBB")


@pytest.mark.parametrize("decision", [Decision.DONE, Decision.REJECTED, Decision.LATER])
def test_a_comment_that_was_dealt_with_holds_nothing_up(decision: Decision) -> None:
    assert talked(comment("01AAAA", "plan", decision=decision)).verdict is Verdict.PASS


def test_comments_of_earlier_sprints_and_on_no_stage_are_the_first_stages() -> None:
    for one in (comment("01AAAA"), comment("01AAAA", "check", "first"), comment("01AAAA", None, "first")):
        assert talked(one).verdict is Verdict.FAIL
        assert talked(one, stage="check").verdict is Verdict.PASS
    assert talked(comment("01AAAA", "check"), stage="check").verdict is Verdict.FAIL
    assert talked(comment("01AAAA", "check")).verdict is Verdict.PASS


FAILED = Assessment(TESTS, Verdict.FAIL, "2 of 9 failed", "mend", ("E1",), digest_text("these inputs"))


def waiver(actor: str = BEN, **more: Any) -> Waiver:
    given: dict[str, Any] = {"event": f"w-{actor}", "stage": "check", "criterion": "tests", "reason": "known"}
    return Waiver(**(given | {"actor": actor, "time": "t", "subject": FAILED.subject, "expires": None} | more))


def waived(*waivers: Waiver, of: Assessment = FAILED, stage: str = "check", strict: bool = False) -> Assessment:
    return apply_waiver(of, stage, facts(waivers=waivers, strict=strict))


def test_a_waiver_for_this_very_content_waives() -> None:
    found = waived(waiver(expires="2026-12-01"))

    assert (found.verdict, found.waiver, found.step) == (Verdict.WAIVED, "w-human:Ben", "")
    assert found.notes == ("waived by human:Ben until 2026-12-01: known",)
    assert (found.reason, found.subject) == (FAILED.reason, FAILED.subject)
    assert not found.blocks


def test_the_waiver_that_holds_longest_is_the_one_that_is_told() -> None:
    found = waived(waiver(expires="2026-12-01"), waiver(ANN, reason="long"), waiver(CAT, expires="2026-12-02"))

    assert (found.waiver, found.notes[0].rpartition(": ")[2]) == ("w-human:Ann", "long")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"expires": "2026-11-20"}, "the waiver by human:Ben expired on 2026-11-20"),
        ({"subject": digest_text("other")}, "the waiver by human:Ben was for other content than lies there now"),
        ({"actor": "agent:coder"}, "the waiver by agent:coder counts for nothing: only people waive"),
    ],
)
def test_a_waiver_that_does_not_hold_waives_nothing_and_is_told(more: dict[str, str], told: str) -> None:
    found = waived(waiver(**more))

    assert (found.verdict, found.step, found.notes, found.waiver) == (Verdict.FAIL, "mend", (told,), None)


def test_a_waiver_of_another_criterion_or_stage_is_none_of_this_one() -> None:
    assert waived(waiver(criterion="build")) == FAILED
    assert waived(waiver(), stage="plan") == FAILED


def test_what_cannot_be_waived_is_not_whatever_the_ledger_says() -> None:
    found = waived(waiver(), of=replace(FAILED, criterion=replace(TESTS, waivable=False)))

    assert found.verdict is Verdict.FAIL
    assert "cannot be waived" in found.notes[0]


def test_what_is_met_needs_no_waiver() -> None:
    passed = replace(FAILED, verdict=Verdict.PASS)

    assert waived(waiver(), of=passed) == passed


def test_strict_workflows_need_two_people() -> None:
    one = waived(waiver(), waiver(event="again"), waiver("human:ben", event="thrice"), strict=True)
    assert (one.verdict, one.notes) == (Verdict.FAIL, ("waived by human:ben, 1 of 2",))

    two = waived(waiver(expires="2026-12-01"), waiver(ANN, expires="2026-11-30"), strict=True)
    assert (two.verdict, two.notes) == (
        Verdict.WAIVED,
        ("waived by human:Ben and human:Ann until 2026-11-30: known",),
    )
    late = waived(waiver(expires="2026-11-01"), waiver(ANN), strict=True)
    assert late.notes == ("waived by human:Ann, 1 of 2", "the waiver by human:Ben expired on 2026-11-01")


def test_a_criterion_that_names_no_digest_is_waived_for_what_is_wrong_with_it() -> None:
    untold = replace(FAILED, subject="")
    given_for = waiver(subject=waived_subject(untold))

    assert waived(given_for, of=untold).verdict is Verdict.WAIVED
    assert waived(given_for, of=replace(untold, reason="3 of 9 failed")).verdict is Verdict.FAIL


WORDS = st.builds(
    word,
    actor=st.sampled_from([ANN, BEN, CAT, "agent:x", "ci", "human:unknown"]),
    opinion=st.sampled_from(list(Opinion)),
    subject=st.sampled_from([subject_of(REVIEWED, "plan", facts()), digest_text("older")]),
    expires=st.sampled_from([None, TODAY, "2026-11-20"]),
    criterion=st.sampled_from(["reviewed", "other"]),
    statement=st.sampled_from(["", "words"]),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=6))
def test_the_gate_opens_only_on_a_living_word_of_another_person_on_this_content(said: list[Review]) -> None:
    numbered = tuple(replace(one, event=str(place)) for place, one in enumerate(said))
    here = facts(reviews=numbered)
    found = asked(here)
    if found.verdict is not Verdict.PASS:
        assert found.step
        return
    subject = subject_of(REVIEWED, "plan", here)
    authors = authors_of(REVIEWED, "plan", here)
    for name in found.used:
        one = numbered[int(name)]
        assert (one.opinion, one.subject, one.criterion) == (Opinion.APPROVED, subject, "reviewed")
        assert one.actor in {ANN, BEN, CAT}
        assert one.actor not in authors
        assert one.expires is None or one.expires >= TODAY
        later = [other for other in numbered[int(name) + 1 :] if other.actor == one.actor]
        assert not any(other.opinion is Opinion.REJECTED and other.criterion == "reviewed" for other in later)
