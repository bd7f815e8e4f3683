"""Who vouches for a person's word: the commit that brought it, or the signed commit that says it."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.event_samples import DIGEST
from tests.people_world import ID, OTHER, PLAN, WORKFLOW, YOU, asked, commit, day, put, world
from tests.signing import allow, pretend_to_sign, sign_with, ssh_key
from tests.trees import PERSON, environment, git, path_with, write_tree
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.people import Opinion
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import skip_stage, waive, what_to_skip, what_to_waive
from verifflowcc.gates.use.approvals import Opinions, approve, approve_signed, request_review, what_to_approve
from verifflowcc.gates.use.gates_now import sound_facts
from verifflowcc.gates.use.promotion_signers import VouchedDecision, vouched
from verifflowcc.gates.use.rerun import reproduce
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import show_sprint

YES = Opinions(Opinion.APPROVED)
CHANGES = PLAN.replace("/plan/", "/build/").replace("plan.md", "changes.md")
LOOSE = WORKFLOW.replace(", waivable: false", "")


def people_of(here: Workspace) -> tuple[VouchedDecision, ...]:
    state = show_sprint(here, ID)
    return vouched(here, state, sound_facts(here, state))


def words(here: Workspace) -> dict[str, tuple[bool, str]]:
    """What people said: whether somebody vouches for it, and why or why not."""
    return {one.decision: (one.vouched, one.reason) for one in people_of(here)}


def only(here: Workspace) -> VouchedDecision:
    """The one word that there is."""
    (one,) = people_of(here)
    return one


def plant(here: Workspace, actor: str, **changes: Json) -> Event:
    """Write an approval in `actor`'s name as vfcc would, with its right id and parents."""
    what = what_to_approve(here, ID)
    payload: Mapping[str, Json] = {
        "stage": "plan",
        "criterion": "reviewed",
        "verdict": "approved",
        "digest": what.asked.subject,
        "reason": None,
        "expires": None,
        "signed": None,
        **changes,
    }
    heads = show_sprint(here, ID).heads
    event = make_event(EventType.REVIEW_RECORDED, payload, parents=heads, actor=actor, at=here.clock.now())
    write_tree(here.root, {f".memory/sprint/{ID}/events/{event.id}.json": encode_event(event)})
    return event


# The commit that brought it


def test_a_word_that_its_person_committed_is_vouched_for(tmp_path: Path) -> None:
    here = world(tmp_path)
    approve(here, what_to_approve(here, ID), YES, actor=OTHER)
    sha = commit(here, "Other")

    assert words(here) == {"approved plan/reviewed": (True, f"by the unsigned commit {sha[:12]} of Other")}
    assert reproduce(here, ID).sound


@pytest.mark.vfcc("REQ-RERUN")
def test_a_planted_approval_convinces_the_gate_and_is_red_while_nobody_committed_it(tmp_path: Path) -> None:
    here = world(tmp_path)
    event = plant(here, OTHER)

    assert asked(here, "reviewed").verdict is Verdict.PASS, "it is well made"
    one = only(here)
    assert (one.vouched, one.reason) == (False, f"it is not committed, so no commit vouches for {OTHER}")
    assert f"events/{event.id}.json" in one.step
    assert not reproduce(here, ID).sound


def test_a_planted_approval_is_red_when_somebody_else_committed_it(tmp_path: Path) -> None:
    here = world(tmp_path)
    plant(here, OTHER)
    sha = commit(here, "You")

    one = only(here)

    assert (one.vouched, one.reason) == (False, f"the commit {sha[:12]} that brought it is by You")
    assert one.step == f"git show {sha[:12]}"


def test_a_planted_approval_that_is_committed_in_the_persons_name_is_taken(tmp_path: Path) -> None:
    """Git takes any name that it is told; docs/how-to/ci.md says so, and what helps."""
    here = world(tmp_path)
    plant(here, OTHER)
    commit(here, "Other")

    assert only(here).vouched


def test_an_approval_by_an_agent_is_vouched_for_by_nobody(tmp_path: Path) -> None:
    here = world(tmp_path)
    plant(here, "agent:coder")
    sha = commit(here, "coder")

    assert only(here).reason == f"the commit {sha[:12]} that brought it is by coder"
    assert not only(here).vouched


def test_a_commit_of_the_person_after_a_foreign_one_does_not_heal_it(tmp_path: Path) -> None:
    here = world(tmp_path)
    plant(here, OTHER)
    commit(here, "You")
    put(here, "README.md", "# Log in, later\n")
    commit(here, "Other")

    assert not only(here).vouched


def test_a_request_is_nobodys_word_on_quality(tmp_path: Path) -> None:
    here = world(tmp_path)
    request_review(here, what_to_approve(here, ID), actor="agent:planner")

    assert words(here) == {}
    with pytest.raises(WorkspaceError, match="no evidence to reproduce"):
        reproduce(here, ID)


@pytest.mark.vfcc("REQ-RERUN")
def test_waivers_are_vouched_for_as_approvals_are(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    waive(here, what_to_waive(here, ID, "frozen"), "later", day(5), actor=YOU)
    assert words(here) == {"waived plan/frozen": (False, f"it is not committed, so no commit vouches for {YOU}")}

    commit(here, "You")
    assert words(here)["waived plan/frozen"][0]


@pytest.mark.vfcc("REQ-RERUN")
def test_skips_are_vouched_for_as_approvals_are(tmp_path: Path) -> None:
    here = world(tmp_path, LOOSE)
    skip_stage(here, what_to_skip(here, ID), "known already", actor="human:Third")
    sha = commit(here, "Other")
    assert words(here) == {"skipped plan": (False, f"the commit {sha[:12]} that brought it is by Other")}


def test_outside_of_git_nobody_vouches(tmp_path: Path) -> None:
    here = world(tmp_path / "project")
    plant(here, OTHER)
    (here.root / ".git").rename(tmp_path / "gone")

    assert words(here) == {"approved plan/reviewed": (False, "outside of a git repository no commit vouches for it")}


# Signed commits


@pytest.fixture
def signing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A repository that trusts one ssh key, that of `Other`."""
    here = world(tmp_path / "project")
    public = ssh_key(tmp_path)
    allow(tmp_path / "allowed", "other@example.org", public)
    for name, value in sign_with(here.root, public, tmp_path / "allowed").items():
        monkeypatch.setenv(name, value)
    return here


def sign(here: Workspace, message: str, *flags: str, author: str = "Other") -> str:
    who = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": f"{author.lower()}@example.org"}
    subprocess.run(
        ["git", "commit", "--quiet", "--allow-empty", "-S", *flags, "--message", message],
        cwd=here.root,
        env=environment(here.root, **{**PERSON, **who}),
        check=True,
        capture_output=True,
    )
    return git(here.root, "rev-parse", "HEAD").strip()


def line(here: Workspace) -> str:
    return what_to_approve(here, ID).line


def test_a_signed_commit_vouches_whoever_commits_the_event(signing: Workspace) -> None:
    sha = sign(signing, line(signing))
    approve_signed(signing, what_to_approve(signing, ID), YES, sha)
    commit(signing, "You")

    ((good, reason),) = words(signing).values()
    assert good
    assert re.fullmatch(f"by the signed commit {sha[:12]} of Other, key SHA256:[A-Za-z0-9+/]{{43}}", reason)


def test_it_is_told_that_the_commit_that_brought_a_word_is_signed(signing: Workspace) -> None:
    approve(signing, what_to_approve(signing, ID), YES, actor=OTHER)
    git(signing.root, "add", "--all")
    sha = sign(signing, "review")

    assert only(signing).reason.startswith(f"by the signed commit {sha[:12]} of Other, key SHA256:")


@pytest.mark.vfcc("REQ-RERUN")
def test_a_signature_that_cannot_be_checked_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world(tmp_path / "project")
    approve(here, what_to_approve(here, ID), YES, actor=OTHER)
    commit(here, "Other")
    sha = pretend_to_sign(here.root)
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin", "git"))

    reason = f"by the commit {sha[:12]} of Other; its signature cannot be checked: ssh-keygen is not installed"
    assert words(here) == {"approved plan/reviewed": (True, reason)}


@pytest.mark.vfcc("REQ-RERUN")
def test_an_approval_by_a_signed_commit_is_red_where_the_signature_cannot_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world(tmp_path / "project")
    sha = pretend_to_sign(here.root)
    plant(here, OTHER, signed=sha)
    commit(here, "Other")
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin", "git"))

    one = only(here)
    reason = f"the commit {sha[:12]}: its signature cannot be checked: ssh-keygen is not installed"
    assert (one.vouched, one.reason, one.step) == (False, reason, f"git verify-commit {sha[:12]}")
    assert not reproduce(here, ID).sound


def test_a_planted_approval_that_names_an_unsigned_commit_is_red(signing: Workspace) -> None:
    sha = git(signing.root, "rev-parse", "HEAD").strip()
    plant(signing, OTHER, signed=sha)

    assert (only(signing).vouched, only(signing).reason) == (False, f"the commit {sha[:12]}: it is not signed")


def test_a_planted_approval_that_names_a_signed_commit_on_something_else_is_red(signing: Workspace) -> None:
    sha = sign(signing, f"Vfcc-Approve: {ID}/plan {DIGEST.removeprefix('sha256:')[:12]}")
    plant(signing, OTHER, signed=sha)

    assert (only(signing).vouched, only(signing).reason) == (
        False,
        f"the signed commit {sha[:12]} approves something else",
    )


def test_a_planted_approval_that_names_another_persons_signed_commit_is_red(signing: Workspace) -> None:
    sha = sign(signing, line(signing))
    plant(signing, "human:Third", signed=sha)

    assert (only(signing).vouched, only(signing).reason) == (False, f"the signed commit {sha[:12]} is by Other")


def test_a_planted_approval_whose_signed_commit_names_another_than_its_signer_is_red(signing: Workspace) -> None:
    git(
        signing.root, "commit", "--quiet", "--allow-empty", "--message", "work", "--author", "Third <third@example.org>"
    )
    sha = sign(signing, line(signing), "--author", "Third <other@example.org>")
    plant(signing, "human:Third", signed=sha)

    reason = f"the signed commit {sha[:12]}: its key proves other@example.org alone, and the commit names Third"
    assert not only(signing).vouched
    assert only(signing).reason.startswith(reason)


def test_an_acceptance_must_stand_in_the_signed_commit_word_for_word(signing: Workspace) -> None:
    """What was signed is what was said; the event may be by another hand."""
    put(signing, PLAN.replace("plan.md", "risks.md"), "None.\n")
    commit(signing, "You")
    approve(signing, what_to_approve(signing, ID), YES, actor=OTHER)
    advance_stage(signing, ID, actor=YOU)
    put(signing, CHANGES, "A form.\n")
    what = what_to_approve(signing, ID, "build", "accepted")
    sha = sign(signing, f"Accept the form\n\n{what.line}\n\nIt showed a form.")
    said = {"stage": "build", "criterion": "accepted", "digest": what.asked.subject, "reason": None, "expires": None}
    for statement in ("It showed a form.", "It let me in."):
        heads = show_sprint(signing, ID).heads
        payload = {**said, "statement": statement, "signed": sha}
        event = make_event(EventType.ATTESTED, payload, parents=heads, actor=OTHER, at=signing.clock.now())
        write_tree(signing.root, {f".memory/sprint/{ID}/events/{event.id}.json": encode_event(event)})

    found = [one.reason for one in people_of(signing) if one.decision == "accepted build/accepted"]

    assert [each.partition(", key SHA256:")[0] for each in sorted(found)] == [
        f"by the signed commit {sha[:12]} of Other",
        f"the signed commit {sha[:12]} does not hold the statement",
    ]


def test_a_planted_approval_that_names_no_commit_is_red(signing: Workspace) -> None:
    plant(signing, OTHER, signed="0" * 40)

    assert (only(signing).vouched, only(signing).reason) == (False, f"git has no commit {'0' * 40}")


# Packed at the end of the sprint


def closed(here: Workspace) -> Workspace:
    close_sprint(here, ID, actor=YOU, unfinished_reason="enough")
    return Workspace(here.root, here.clock)


def test_who_closed_the_sprint_does_not_take_the_place_of_who_approved(tmp_path: Path) -> None:
    here = world(tmp_path)
    approve(here, what_to_approve(here, ID), YES, actor=OTHER)
    sha = commit(here, "Other")
    here = closed(here)

    expected = {"approved plan/reviewed": (True, f"by the unsigned commit {sha[:12]} of Other")}
    assert words(here) == expected, "while the pack is in no commit yet"
    commit(here, "You")
    assert words(here) == expected


def test_a_word_that_came_with_the_pack_alone_is_vouched_for_by_who_committed_that(tmp_path: Path) -> None:
    here = world(tmp_path)
    approve(here, what_to_approve(here, ID), YES, actor=OTHER)
    here = closed(here)
    assert only(here).vouched is False
    sha = commit(here, "You")

    assert words(here) == {"approved plan/reviewed": (False, f"the commit {sha[:12]} that brought it is by You")}


def test_a_merge_hides_no_word_that_a_branch_brought_and_packed(tmp_path: Path) -> None:
    here = world(tmp_path)
    git(here.root, "checkout", "--quiet", "-b", "side")
    approve(here, what_to_approve(here, ID), YES, actor=OTHER)
    sha = commit(here, "Other")
    here = closed(here)
    commit(here, "You")
    git(here.root, "checkout", "--quiet", "-B", "main", "side~2")
    git(here.root, "merge", "--quiet", "--no-ff", "--no-edit", "side")

    here = Workspace(here.root, here.clock)
    assert words(here) == {"approved plan/reviewed": (True, f"by the unsigned commit {sha[:12]} of Other")}
