"""`vfcc approve`: a person at a real terminal; agents, pipes and authors are refused in one line."""

import os
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, project, typed
from tests.cli.process import Ran, git, vfcc
from tests.people_world import ID, PLAN, YOU, put
from tests.signing import pretend_to_sign
from tests.trees import path_with
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

AGENTS = [{"VFCC_AGENT": "coder"}, {"CLAUDECODE": "1"}, {"CODEX_THREAD_ID": "x"}, {"CI": "true"}]


def silent(here: Workspace) -> bool:
    """Whether nobody has said anything in the sprint."""
    return show_sprint(here, ID).notes == ()


def refused_at_terminal(ran: Ran, *words: str, code: int = 3) -> None:
    assert (ran.code, ran.out) == (code, ""), ran
    assert ran.err.count("error: ") == 1
    for word in words:
        assert word in ran.err, ran


@pytest.mark.sweep
def test_a_person_sees_what_is_approved_and_is_asked(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "approve", keys="y\n")

    assert ran.code == 0, ran
    assert f"{ID}/plan, reviewed: somebody else approved the plan" in ran.err
    assert "human:You <you@example.org>\n- " in ran.err
    assert f"- {PLAN} (16 bytes, sha256:" in ran.err
    assert "Approve? [y/N]" in ran.err
    assert ran.out.startswith(f"{ID}/plan, reviewed: approved by human:Other\nto commit: git add ")


@pytest.mark.parametrize("keys", ["\n", "n\n", "no\n", "\x04"])
def test_anything_but_a_yes_records_nothing(tmp_path: Path, keys: str) -> None:
    here = project(tmp_path)
    ran = typed(here.root, "approve", keys=keys)

    assert (ran.code, ran.out) == (130, "")
    assert ran.err.endswith("aborted\n")
    assert silent(here)


def test_a_yes_beforehand_is_not_asked_for_again(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = typed(
        here.root, "approve", "plan", "--yes", "--reason", "fine", "--expires", "2999-12-31", "--json", "--full"
    )

    assert ran.code == 0, ran
    assert "[y/N]" not in ran.err
    value = ran.data
    assert (value["review"]["actor"], value["review"]["expires"]) == ("human:Other", "2999-12-31")
    assert value["assessment"]["verdict"] == "pass"


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-ACTORS")
@pytest.mark.parametrize("env", AGENTS, ids=lambda env: next(iter(env)))
def test_an_agent_or_a_job_approves_nothing_even_at_a_terminal(tmp_path: Path, env: dict[str, str]) -> None:
    here = project(tmp_path)
    for more in ((), ("--reject", "--reason", "no")):
        ran = typed(here.root, "approve", "--yes", *more, env=env)
        refused_at_terminal(ran, "vfcc approve needs a person at a terminal", "hint: vfcc approve --request")
    assert silent(here)


@pytest.mark.vfcc("REQ-ACTORS")
def test_without_a_terminal_nobody_is_a_person(tmp_path: Path) -> None:
    here = project(tmp_path)
    for more in ((), ("--reject", "--reason", "no")):
        vfcc(here.root, "approve", "--yes", *more).refused(
            3, "this is a program without a terminal", "hint: vfcc approve --request"
        )
    assert silent(here)


def test_an_author_is_refused_in_one_line(tmp_path: Path) -> None:
    here = project(tmp_path)
    person(here.root, "You")
    ran = typed(here.root, "approve", "--yes")

    refused_at_terminal(ran, "human:You is an author of plan and cannot approve it", "hint: vfcc approve plan")
    assert silent(here)


def test_a_person_whom_git_has_no_name_for_is_told_to_give_one(tmp_path: Path) -> None:
    here = project(tmp_path)
    git(here.root, "config", "--unset", "user.name")
    ran = typed(here.root, "approve", "--yes", env={"GIT_CONFIG_GLOBAL": os.devnull})

    refused_at_terminal(ran, 'hint: git config --global user.name "Your Name"')


def test_anybody_may_ask_for_a_review_which_makes_them_one_more_author(tmp_path: Path) -> None:
    here = project(tmp_path)
    ran = vfcc(here.root, "approve", "--request", env={"VFCC_AGENT": "coder"})
    assert ran.code == 0, ran
    lines = ran.out.splitlines()
    assert lines[:2] == [
        f"{ID}/plan, reviewed: requested by agent:coder",
        "next: vfcc approve plan  # by somebody else, at a terminal",
    ]
    assert lines[2].startswith(f"or a signed commit that says: Vfcc-Approve: {ID}/plan ")

    person(here.root, "You")
    refused_at_terminal(typed(here.root, "approve", "--yes"), "human:You is an author of plan and cannot approve it")
    person(here.root, "Other")
    assert typed(here.root, "approve", "--yes").code == 0


def test_a_rejection_needs_a_reason_and_closes_the_gate(tmp_path: Path) -> None:
    here = project(tmp_path)
    refused_at_terminal(typed(here.root, "approve", "--reject", "--yes"), "a rejection needs a reason", code=2)
    ran = typed(here.root, "approve", "--reject", "--reason", "too vague", keys="y\n")

    assert ran.code == 0, ran
    assert "Reject? [y/N]" in ran.err
    assert "rejected by human:Other" in ran.out
    assert "still not met: rejected by human:Other: 'too vague'" in ran.out


@pytest.mark.sweep
def test_what_was_approved_and_then_changed_is_not_approved(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert typed(here.root, "approve", "--yes").code == 0
    put(here, PLAN.replace("plan.md", "risks.md"), "None.\n")

    vfcc(here.root, "stage", "advance").refused(4, "approved by human:Other, but risks.md changed since")


def test_options_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    here = project(tmp_path)
    vfcc(here.root, "approve", "--reject", "--request").refused(2, "say one of --reject, --request and --signed")
    vfcc(here.root, "approve", "--signed", "HEAD").refused(3, "vouches for nothing: it is not signed")
    vfcc(here.root, "approve", "--signed", "nowhere").refused(2, "git has no commit nowhere")
    refused_at_terminal(typed(here.root, "approve", "--yes", "--expires", "2020-01-01"), "is over", code=2)
    assert silent(here)


def test_a_signed_commit_is_refused_where_ssh_keygen_is_not_installed(tmp_path: Path) -> None:
    here = project(tmp_path)
    sha = pretend_to_sign(here.root)

    ran = vfcc(here.root, "approve", "--signed", sha, env={"PATH": path_with(tmp_path / "bin", "git")})

    ran.refused(3)
    assert ran.err.splitlines() == [
        f"error: the commit {sha} vouches for nothing: its signature cannot be checked: ssh-keygen is not installed",
        f"hint: git verify-commit {sha}",
    ]
    assert silent(here)


@pytest.mark.sweep
def test_a_status_tells_what_people_said(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert typed(here.root, "approve", "--yes", "--expires", "2999-12-31").code == 0
    for command in (("status",), ("sprint", "show")):
        shown = vfcc(here.root, *command).out
        assert "approved: plan/reviewed by human:Other until 2999-12-31\n" in shown
    [sprint] = vfcc(here.root, "status", "--json", "--full").data["open"]
    assert [(one["opinion"], one["actor"], one["expired"]) for one in sprint["opinions"]] == [
        ("approved", "human:Other", False)
    ]
    assert YOU not in str(sprint)
