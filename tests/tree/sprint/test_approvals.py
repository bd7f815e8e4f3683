"""Approving: by a person, of what was shown, by somebody other than its author; and with a signed commit."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.event_samples import DIGEST
from tests.people_world import CODER, ID, OTHER, PLAN, THIRD, YOU, asked, commit, day, later, put, started, world
from tests.signing import allow, sign_with, ssh_key
from tests.trees import PERSON, environment, git
from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.git.git_signatures import verified_commit
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.people import Contributor, Opinion, described
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import Authorship
from verifflowcc.gates.use.approvals import (
    Approval,
    ApprovalSubject,
    Opinions,
    approve,
    approve_signed,
    request_review,
    what_to_approve,
)
from verifflowcc.gates.use.promotion_signers import name_of_another
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.feedback import add_feedback
from verifflowcc.sprint.use.sprint_reading import load_movable, show_sprint

YES = Opinions(Opinion.APPROVED)
NO = Opinions(Opinion.REJECTED, "too vague")


def said(
    here: Workspace,
    actor: str,
    opinion: Opinions = YES,
    *,
    stage_id: str | None = None,
    criterion_id: str | None = None,
) -> Approval:
    return approve(here, what_to_approve(here, ID, stage_id, criterion_id), opinion, actor=actor)


def building(folder: Path) -> Workspace:
    """The sprint in `build`, whose code an agent has made and asks to be reviewed."""
    here = world(folder)
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(here, "You")
    said(here, OTHER)
    advance_stage(here, ID, actor=YOU)
    for criterion in ("reviewed", "accepted"):
        request_review(here, what_to_approve(here, ID, "build", criterion), actor=CODER)
    return here


def test_an_approval_names_what_was_seen(tmp_path: Path) -> None:
    here = world(tmp_path)
    made = said(here, OTHER, Opinions(Opinion.APPROVED, "fine", expires=day(3)))
    word = made.review

    assert (word.actor, word.stage, word.criterion, word.reason, word.expires) == (
        OTHER,
        "plan",
        "reviewed",
        "fine",
        day(3),
    )
    assert word.subject == asked(here, "reviewed").subject
    assert list(word.file_digests) == [PLAN]
    assert (made.assessment.verdict, made.assessment.reason) == (
        Verdict.PASS,
        f"approved by human:Other until {day(3)}",
    )
    assert made.move.event.type is EventType.REVIEW_RECORDED


def test_what_is_approved_is_shown_with_digests_and_sizes(tmp_path: Path) -> None:
    here = world(tmp_path)
    what = what_to_approve(here, ID)

    assert [(one.path, one.bytes, one.digest[:7]) for one in what.files] == [(PLAN, 16, "sha256:")]
    assert what.written == Authorship(
        (Contributor("human:Ann", "ann@example.org"), Contributor(YOU, "you@example.org"))
    )
    assert what.command == "vfcc approve plan"
    assert what.line == f"Vfcc-Approve: {ID}/plan {what.asked.subject[7:19]}"


@pytest.mark.vfcc("REQ-APPROVALS")
@pytest.mark.parametrize("actor", [CODER, "agent:unknown", "ci", "tool:vfcc"])
def test_only_people_approve_and_reject(tmp_path: Path, actor: str) -> None:
    here = world(tmp_path)
    for opinion in (YES, NO):
        with pytest.raises(NotAllowed, match=f"approving needs a person at a terminal, and this is {described(actor)}"):
            said(here, actor, opinion)
    assert show_sprint(here, ID).notes == ()


def test_a_person_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed) as caught:
        said(world(tmp_path), "human:unknown")
    assert str(caught.value.hint).startswith("git config --global user.name")


@pytest.mark.vfcc("REQ-APPROVALS")
def test_an_author_is_refused_at_once(tmp_path: Path) -> None:
    here = world(tmp_path)
    for name in (YOU, "human:you"):
        with pytest.raises(NotAllowed, match="is an author of plan and cannot approve it") as caught:
            said(here, name)
    assert caught.value.hint == "vfcc approve plan  # by somebody else"
    assert caught.value.exit_code == 3
    assert show_sprint(here, ID).notes == ()


def test_a_request_makes_one_more_author_and_removes_none(tmp_path: Path) -> None:
    here = world(tmp_path)
    made = request_review(here, what_to_approve(here, ID), actor=OTHER)
    assert (made.review.opinion, made.assessment.verdict) == (Opinion.REQUESTED, Verdict.NOT_EVALUABLE)

    with pytest.raises(NotAllowed, match="human:Other is an author"):
        said(here, OTHER)
    with pytest.raises(NotAllowed, match="human:You is an author"):
        said(here, YOU)
    assert said(here, THIRD).assessment.verdict is Verdict.PASS


def test_a_file_that_is_not_committed_has_no_author_until_its_person_says_so(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, PLAN, "# Plan\n")
    for _ in range(2):
        assert asked(here, "reviewed").step.startswith(f"git add {PLAN} && git commit ")
        with pytest.raises(NotAllowed, match=r"cannot tell who wrote plan\.md, so self-approval") as caught:
            said(here, OTHER)
        assert str(caught.value.hint).startswith(f"git add {PLAN} && git commit ")
        request_review(here, what_to_approve(here, ID), actor=CODER)  # it may not be the agent's

    request_review(here, what_to_approve(here, ID), actor=YOU)
    assert said(here, OTHER).assessment.verdict is Verdict.PASS


@pytest.mark.vfcc("REQ-APPROVALS")
def test_content_that_changes_after_an_approval_closes_the_gate_and_says_what_changed(tmp_path: Path) -> None:
    here = world(tmp_path)
    said(here, OTHER)
    put(here, PLAN, "# Plan\n\nTwo forms.\n")

    found = asked(here, "reviewed")
    assert (found.verdict, found.reason) == (Verdict.FAIL, "approved by human:Other, but plan.md changed since")
    assert found.step.startswith(f"git add {PLAN} && git commit "), "first its author has to be known"
    put(here, PLAN, "# Plan\r\n\r\nA form.\r\n")
    assert asked(here, "reviewed").verdict is Verdict.PASS


def test_what_changes_while_a_person_is_asked_is_not_approved(tmp_path: Path) -> None:
    here = world(tmp_path)
    what = what_to_approve(here, ID)
    put(here, PLAN, "# Plan\n\nTwo forms.\n")

    with pytest.raises(ConflictError, match="has changed since; nothing was recorded"):
        approve(here, what, YES, actor=OTHER)
    assert show_sprint(here, ID).notes == ()


def test_somebody_else_writing_meanwhile_stops_nobody(tmp_path: Path) -> None:
    here = world(tmp_path)
    what = what_to_approve(here, ID)
    add_feedback(here, ID, "too blue", actor=CODER)

    assert approve(here, what, YES, actor=OTHER).assessment.verdict is Verdict.PASS


@pytest.mark.vfcc("REQ-APPROVALS")
def test_an_approval_runs_out_after_its_day(tmp_path: Path) -> None:
    here = world(tmp_path)
    said(here, OTHER, Opinions(Opinion.APPROVED, expires=day(0)))

    assert asked(here, "reviewed").verdict is Verdict.PASS
    found = asked(later(here, 1), "reviewed")
    assert (found.verdict, found.reason) == (
        Verdict.FAIL,
        f"approved by human:Other, but that expired on {day(0)}",
    )


@pytest.mark.parametrize("given", [day(-1), "tomorrow", "2026-13-01", "2026-2-1", "20261221", "2026-W52-1", ""])
def test_a_last_day_is_a_day_to_come(tmp_path: Path, given: str) -> None:
    here = world(tmp_path)
    with pytest.raises(UsageError, match="the last day"):
        said(here, OTHER, Opinions(Opinion.APPROVED, expires=given))
    assert show_sprint(here, ID).notes == ()


def test_a_rejection_needs_a_reason_and_is_taken_back_by_its_own_maker_alone(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(UsageError, match="a rejection needs a reason"):
        said(here, OTHER, Opinions(Opinion.REJECTED, "  "))
    assert said(here, OTHER, NO).assessment.reason.startswith("rejected by human:Other: 'too vague'")
    assert said(here, THIRD).assessment.verdict is Verdict.FAIL
    assert said(here, OTHER).assessment.verdict is Verdict.PASS


def test_an_acceptance_is_in_words_and_a_review_is_not(tmp_path: Path) -> None:
    here = building(tmp_path)
    with pytest.raises(UsageError, match="accepted is accepted in words"):
        said(here, OTHER, criterion_id="accepted")
    with pytest.raises(UsageError, match="a review, which takes no --statement"):
        said(here, OTHER, Opinions(Opinion.APPROVED, statement="x"), criterion_id="reviewed")

    made = said(here, OTHER, Opinions(Opinion.APPROVED, statement="it logs me in"), criterion_id="accepted")
    assert made.move.event.type is EventType.ATTESTED
    assert made.assessment.reason == "accepted by human:Other"


def test_of_several_criteria_one_must_be_named(tmp_path: Path) -> None:
    here = building(tmp_path)
    with pytest.raises(UsageError, match="several criteria are meant: reviewed, accepted") as caught:
        what_to_approve(here, ID)
    assert caught.value.hint == "vfcc approve build --criterion reviewed"
    with pytest.raises(UsageError, match="did you mean accepted"):
        what_to_approve(here, ID, "build", "acepted")
    said(here, OTHER, Opinions(Opinion.APPROVED, statement="it works"), criterion_id="accepted")
    assert what_to_approve(here, ID).criterion.id == "reviewed"


@pytest.mark.sweep
def test_two_approvals_are_two_people(tmp_path: Path) -> None:
    here = building(tmp_path)
    assert said(here, OTHER, criterion_id="reviewed").assessment.reason == "1 of 2 approvals, by human:Other"
    assert said(here, OTHER, criterion_id="reviewed").assessment.reason == "1 of 2 approvals, by human:Other"
    assert said(here, THIRD, criterion_id="reviewed").assessment.verdict is Verdict.PASS


@pytest.mark.sweep
def test_at_the_apex_the_code_is_approved_and_a_change_of_it_shows(tmp_path: Path) -> None:
    here = building(tmp_path)
    for actor in (OTHER, THIRD):
        said(here, actor, criterion_id="reviewed")
    put(here, "README.md", "# Log out\n")

    found = asked(here, "reviewed", "build")
    assert (found.verdict, found.reason.partition(";")[0]) == (
        Verdict.FAIL,
        "approved by human:Third, but README.md changed since",
    )


def test_what_cannot_be_approved_is_told(tmp_path: Path) -> None:
    here = started(tmp_path)
    with pytest.raises(UsageError, match="there is nothing to approve in plan"):
        what_to_approve(here, ID)
    with pytest.raises(UsageError, match="check has nothing that people approve"):
        what_to_approve(here, ID, "check")
    with pytest.raises(UsageError, match="did you mean plan"):
        what_to_approve(here, ID, "plann")
    close_sprint(here, ID, actor=YOU, unfinished_reason="enough")
    with pytest.raises(UsageError, match="log-in is closed"):
        what_to_approve(here, ID, "plan")


@pytest.mark.sweep
def test_an_approval_holds_when_the_stage_was_left_meanwhile(tmp_path: Path) -> None:
    here = building(tmp_path)

    assert said(here, THIRD, stage_id="plan").assessment.reason == "approved by human:Other and human:Third"


@dataclass(frozen=True)
class Signer:
    """A repository that trusts one ssh key, that of `Other`."""

    here: Workspace

    def commit(self, message: str, *, author: str = "Other", email: str = "", signed: bool = True) -> str:
        who = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": email or f"{author.lower()}@example.org"}
        flags = ["-S"] if signed else []
        subprocess.run(
            ["git", "commit", "--quiet", "--allow-empty", *flags, "--message", message],
            cwd=self.here.root,
            env=environment(self.here.root, **{**PERSON, **who}),
            check=True,
            capture_output=True,
        )
        return git(self.here.root, "rev-parse", "HEAD").strip()

    def hand_in(self, sha: str, opinion: Opinions = YES) -> Approval:
        return approve_signed(self.here, what_to_approve(self.here, ID), opinion, sha)


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Signer:
    here = world(tmp_path / "project")
    public = ssh_key(tmp_path)
    allow(tmp_path / "allowed", "other@example.org", public)
    for name, value in sign_with(here.root, public, tmp_path / "allowed").items():
        monkeypatch.setenv(name, value)
    return Signer(here)


def line(what: ApprovalSubject) -> str:
    return f"Review the plan\n\n{what.line}\n"


def test_a_signed_commit_approves_whoever_hands_it_in(signer: Signer) -> None:
    sha = signer.commit(line(what_to_approve(signer.here, ID)))
    made = signer.hand_in(sha)

    assert (made.review.actor, made.review.signed) == (OTHER, sha)
    assert made.assessment.verdict is Verdict.PASS


def test_a_commit_without_a_good_signature_approves_nothing(signer: Signer) -> None:
    sha = signer.commit(line(what_to_approve(signer.here, ID)), signed=False)

    with pytest.raises(NotAllowed, match=f"the commit {sha} vouches for nothing: it is not signed"):
        signer.hand_in(sha)


@pytest.mark.sweep
def test_a_signed_commit_says_which_content_it_approves(signer: Signer) -> None:
    what = what_to_approve(signer.here, ID)
    digits = what.asked.subject[7:]
    for words in (
        "Vfcc-Approve: log-in/plan",
        f"Vfcc-Approve: log-in/plan {digits[:11]}",
        f"Vfcc-Approve: log-in/build {digits}",
        f"Vfcc-Approve: log-in/plan {DIGEST[7:]}",
        f"I said Vfcc-Approve: log-in/plan {digits}",
    ):
        with pytest.raises(NotAllowed, match="does not say"):
            signer.hand_in(signer.commit(words))
    assert signer.hand_in(signer.commit(f"Vfcc-Approve: log-in/plan sha256:{digits}")).review.signed


def test_a_signed_approval_does_not_move_to_other_content(signer: Signer) -> None:
    sha = signer.commit(line(what_to_approve(signer.here, ID)))
    put(signer.here, PLAN, "# Plan\n\nTwo forms.\n")

    with pytest.raises(NotAllowed, match="does not say"):
        signer.hand_in(sha)


@pytest.mark.sweep
def test_a_signed_commit_speaks_once_and_takes_no_rejection_back(signer: Signer) -> None:
    sha = signer.commit(line(what_to_approve(signer.here, ID)))
    signer.hand_in(sha)
    with pytest.raises(UsageError, match="is on record already"):
        signer.hand_in(sha)
    said(signer.here, OTHER, NO)
    again = signer.commit(line(what_to_approve(signer.here, ID)))

    with pytest.raises(NotAllowed, match="has rejected it, and takes that back at a terminal"):
        signer.hand_in(again)


def test_a_signed_commit_of_the_author_approves_nothing(signer: Signer) -> None:
    request_review(signer.here, what_to_approve(signer.here, ID), actor=OTHER)

    with pytest.raises(NotAllowed, match="human:Other is an author"):
        signer.hand_in(signer.commit(line(what_to_approve(signer.here, ID))))


def test_a_signed_approval_records_the_key_and_the_address(signer: Signer) -> None:
    made = signer.hand_in(signer.commit(line(what_to_approve(signer.here, ID))))

    payload = made.move.event.payload
    assert payload["email"] == "other@example.org"
    assert str(payload["key"]).startswith("SHA256:")


SOMEBODY_ELSE = r"its key proves other@example\.org alone, and the commit names Boss <other@example\.org>"


def test_no_key_signs_in_the_name_of_another_author(signer: Signer) -> None:
    signer.commit("work", author="Boss", email="boss@example.org", signed=False)
    sha = signer.commit(line(what_to_approve(signer.here, ID)), author="B o s s", email="other@example.org")

    with pytest.raises(NotAllowed, match=r"the commit names B o s s <other.*known as Boss <boss@example"):
        signer.hand_in(sha)


def test_no_key_signs_in_the_name_of_who_is_on_record(signer: Signer) -> None:
    boss = approve(signer.here, what_to_approve(signer.here, ID), YES, actor="human:Boss", email="boss@example.org")
    assert boss.assessment.met
    sha = signer.commit(line(what_to_approve(signer.here, ID)), author="Boss", email="other@example.org")

    with pytest.raises(NotAllowed, match=SOMEBODY_ELSE):
        signer.hand_in(sha)


def test_a_commit_in_the_name_before_the_signed_one_helps_nothing(signer: Signer) -> None:
    for email in ("boss@example.org", "other@example.org"):
        signer.commit("work", author="Boss", email=email, signed=False)

    with pytest.raises(NotAllowed, match=SOMEBODY_ELSE):
        signer.hand_in(signer.commit(line(what_to_approve(signer.here, ID)), author="Boss", email="other@example.org"))


def test_a_key_that_is_trusted_for_a_name_signs_with_no_address_of_another(signer: Signer, tmp_path: Path) -> None:
    allow(tmp_path / "allowed", "Other", tmp_path / "key.pub")
    signer.commit("work", author="Boss", email="boss@example.org", signed=False)
    approves = line(what_to_approve(signer.here, ID))

    with pytest.raises(NotAllowed, match="its key proves Other alone"):
        signer.hand_in(signer.commit(approves, email="boss@example.org"))
    assert signer.hand_in(signer.commit(approves)).review.actor == OTHER


def test_who_was_in_the_history_at_the_start_signs_though_they_have_a_second_address(
    signer: Signer, tmp_path: Path
) -> None:
    allow(tmp_path / "allowed", "you@example.org", tmp_path / "key.pub")
    signer.commit("merged on the host", author="You", email="you@users.example.net", signed=False)
    state = load_movable(signer.here, ID)[1]
    signed = verified_commit(signer.here.root, signer.commit("review", author="You"))

    assert (signed.good, name_of_another(signer.here, state, signed)) == (True, "")


def test_a_signed_commit_rejects_nothing(signer: Signer) -> None:
    with pytest.raises(UsageError, match="a rejection is made at a terminal"):
        signer.hand_in("HEAD", NO)
