"""Approvals, waivers and skips: only a person who did not make it, at a terminal, for what lies there, until a day."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.forgery import NOWHERE, asked, plant, plant_approval, plant_waiver, tomorrow, yesterday
from tests.cli.honest_world import (
    CHANGES,
    COMMANDS,
    EVENTS,
    ID,
    OTHER,
    PLAN,
    PROSE,
    REVIEWED,
    TESTS,
    YOU,
    commit,
    done,
    edited,
    events,
    kept,
    project,
    refused,
    rows,
    shown,
    unseen,
    workflow,
)
from tests.cli.process import VFCC, Ran, environment, git, vfcc
from tests.made_once import copied
from tests.signing import allow, sign_with, ssh_key
from tests.trees import write_tree
from verifflowcc.base.model.events import EventType

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

FIRM = "{id: tests, kind: junit, title: the tests pass, command: test, waivable: false}"
MARKS = [{"VFCC_AGENT": "coder"}, {"CLAUDECODE": "1"}, {"CODEX_THREAD_ID": "x"}, {"CURSOR_AGENT": "1"}, {"CI": "true"}]
STORED = PLAN.replace("plan.md", "plan.txt")
SKIPPED = {"stage": "plan", "entered": "build", "reason": "no time", "expires": None}


def reviewable(folder: Path, *criteria: str) -> Path:
    """A project whose plan `You` wrote after the sprint began, with `Other` at the terminal."""
    return copied(folder, _reviewable, *(criteria or (REVIEWED,)))


def _reviewable(folder: Path, *criteria: str) -> Path:
    root = project(folder, *criteria)
    write_tree(root, {PLAN: f"{PROSE}\nAnd a way out.\n"})
    commit(root)
    return person(root, "Other")


def refused_at_terminal(anchor: str, root: Path, *arguments: str, **env: str) -> None:
    """As `refused`, for a command that a person, or somebody who looks like one, types."""
    row = rows()[anchor]
    (code,) = row.found_by.values()
    before = kept(root)
    shown(row, typed(root, *arguments, env=env), code)
    assert kept(root) == before


def test_what_another_person_approves_is_let_through(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    assert typed(root, "approve", "--yes").code == 0
    commit(root, "Other")

    done(root, "check", "--rerun")
    assert done(root, "stage", "advance").startswith("log-in: plan → build")


def test_changed_after_approval(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    assert typed(root, "approve", "--yes").code == 0
    edited(root / PLAN, "lets people in", "lets everybody in")

    refused("changed-after-approval", root)


def test_own_review_by_request(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "You")
    assert typed(root, "approve", "--request").code == 0

    refused_at_terminal("own-review-by-request", root, "approve", "--yes")


def test_own_review_by_git(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "You")

    refused_at_terminal("own-review-by-git", root, "approve", "--yes")


def test_own_review_of_a_stored_text(tmp_path: Path) -> None:
    """Git names another as the author; the record of the very bytes counts for more."""
    root = person(reviewable(tmp_path), "You")
    write_tree(root, {"draft.md": f"{PROSE}\nAnd a door.\n"})
    assert typed(root, "stage", "put", "plan", "--file", "draft.md").code == 0
    commit(root, "Other")

    refused_at_terminal("own-review-of-a-stored-text", root, "approve", "--yes")


def test_stored_text_changed_by_hand(tmp_path: Path) -> None:
    root = person(stored_by_agent(tmp_path), "You")
    edited(root / STORED, "lets people in", "lets everybody in")

    refused_at_terminal("stored-text-changed-by-hand", root, "approve", "--yes")


def test_own_file_beside_a_stored_text(tmp_path: Path) -> None:
    root = person(stored_by_agent(tmp_path), "You")
    write_tree(root, {PLAN.replace("plan.md", "plan.rst"): f"{PROSE}\nAnd a hatch.\n"})

    refused_at_terminal("own-file-beside-a-stored-text", root, "approve", "--yes")


def stored_by_agent(folder: Path) -> Path:
    """A project whose plan an agent stored, so that any person can approve it; git knows no author of it."""
    root = project(folder, REVIEWED)
    (root / PLAN).unlink()
    commit(root)
    write_tree(root, {"draft.md": f"{PROSE}\nAnd a door.\n"})
    done = vfcc(root, "stage", "put", "plan.txt", "--file", "draft.md", env={"VFCC_AGENT": "planner"})
    assert done.code == 0
    return root


@pytest.mark.points(1)
@pytest.mark.parametrize("name", ["you", " YOU"])
def test_own_review_spelled_otherwise(tmp_path: Path, name: str) -> None:
    root = person(reviewable(tmp_path), name)

    refused_at_terminal("own-review-spelled-otherwise", root, "approve", "--yes")


def test_request_to_get_rid_of_authorship(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "You")
    assert vfcc(root, "approve", "--request").code == 0

    refused_at_terminal("request-to-get-rid-of-authorship", root, "approve", "--yes")


def test_second_person_with_the_same_address(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "New")
    git(root, "config", "user.email", "YOU@example.org")

    refused_at_terminal("second-person-with-the-same-address", root, "approve", "--yes")


def test_own_review_as_committer(tmp_path: Path) -> None:
    """`You` commits what `Third` wrote, and git tells both."""
    root = person(reviewable(tmp_path), "You")
    edited(root / PLAN, "lets people in", "lets everybody in")
    commit(root, "Third")

    refused_at_terminal("own-review-as-committer", root, "approve", "--yes")


def test_author_waives_the_review(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "You")

    refused_at_terminal("author-waives-the-review", root, "waive", "reviewed", "--reason", "soon", "--yes")


def test_planted_waiver_of_the_author(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_waiver(root, "reviewed")

    refused("planted-waiver-of-the-author", root)


def test_author_skips_the_review(tmp_path: Path) -> None:
    root = person(reviewable(tmp_path), "You")

    refused_at_terminal("author-skips-the-review", root, "stage", "skip", "--reason", "soon", "--yes")


def test_planted_own_review(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_approval(root, YOU)

    refused("planted-own-review", root)


def test_unknown_author(tmp_path: Path) -> None:
    """What git does not have yet may be the reviewer's own work."""
    root = project(tmp_path, REVIEWED)
    (root / PLAN).unlink()
    commit(root)
    write_tree(root, {PLAN.replace("plan.md", "plan.txt"): PROSE})
    plant_approval(root, OTHER)

    refused("unknown-author", root)


@pytest.mark.points(1)
@pytest.mark.parametrize("env", MARKS, ids=lambda env: next(iter(env)))
def test_approval_by_an_agent(tmp_path: Path, env: dict[str, str]) -> None:
    """It sits at a real terminal, and git has a person's name."""
    refused_at_terminal("approval-by-an-agent", reviewable(tmp_path), "approve", "--yes", **env)


def test_approval_without_a_terminal(tmp_path: Path) -> None:
    refused("approval-without-a-terminal", reviewable(tmp_path), approve=("approve", "--yes"))


def test_terminal_below_a_client(tmp_path: Path) -> None:
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    root = reviewable(tmp_path)
    client = tmp_path / "claude"
    client.write_text('#!/bin/sh\nscript -qec "$1" /dev/null\nexit $?\n', encoding="utf-8")
    client.chmod(0o755)
    before = kept(root)
    done = subprocess.run(
        [client, f"env -u CLAUDECODE -u VFCC_AGENT {VFCC} approve --yes"],
        cwd=root,
        env=environment(tmp_path, CLAUDECODE="1", VFCC_AGENT="coder"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    shown(rows()["terminal-below-a-client"], Ran(done.returncode, done.stdout, done.stderr), 3)
    assert kept(root) == before


def test_self_made_key(tmp_path: Path) -> None:
    """Git itself believes the repository: `git verify-commit` is green."""
    root = reviewable(tmp_path)
    key = ssh_key(tmp_path, "self-made")
    allow(tmp_path / "allowed", "you@example.org", key)
    sign_with(root, key, tmp_path / "allowed")
    git(root, "config", "gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    line = f"Vfcc-Approve: {ID}/plan {asked(root, 'reviewed').subject.removeprefix('sha256:')[:12]}"
    git(root, "commit", "--quiet", "--allow-empty", "-S", "--author", "Other <you@example.org>", "--message", line)
    git(root, "verify-commit", "HEAD")

    refused("self-made-key", root, approve=("approve", "--signed", "HEAD"))


def test_unsigned_approval(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    line = f"Vfcc-Approve: {ID}/plan {asked(root, 'reviewed').subject.removeprefix('sha256:')[:12]}"
    commit(root, "Other", line)

    refused("unsigned-approval", root, approve=("approve", "--signed", "HEAD"))


def test_planted_agents_approval(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_approval(root, "agent:reviewer")

    refused("planted-agents-approval", root)


def test_expired_approval(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_approval(root, OTHER, expires=yesterday())

    refused("expired-approval", root)


def test_planted_approval(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_approval(root, OTHER)

    refused("planted-approval", root)
    unseen("planted-approval", root, "gate", "doctor")


def test_planted_approval_committed_by_the_author(tmp_path: Path) -> None:
    root = reviewable(tmp_path)
    plant_approval(root, OTHER)
    commit(root)

    refused("planted-approval-committed-by-the-author", root)
    unseen("planted-approval-committed-by-the-author", root, "gate", "doctor")


def test_planted_approval_under_a_false_name(tmp_path: Path) -> None:
    """Nothing finds this: whoever can write commits can write another's name into one that nobody signs."""
    root = reviewable(tmp_path)
    plant_approval(root, OTHER)
    commit(root, "Other")

    unseen("planted-approval-under-a-false-name", root, "gate", "rerun", "doctor")
    assert rows()["planted-approval-under-a-false-name"].said_in(vfcc(root, *COMMANDS["rerun"]).out)
    assert git(root, "log", "-1", "--format=%G? %an %cn", "--", EVENTS).split() == ["N", "Other", "You"]


def test_removed_rejection(tmp_path: Path) -> None:
    """The newest event has no successor that names it: without it, the ledger is as it was before."""
    root = reviewable(tmp_path)
    assert typed(root, "approve", "--yes").code == 0
    known = set(events(root))
    assert typed(root, "approve", "--reject", "--reason", "too vague", "--yes").code == 0
    commit(root, "Other")
    assert vfcc(root, "check", "gate").code == 4
    (rejection,) = set(events(root)) - known
    rejection.unlink()

    unseen("removed-rejection", root, "gate", "rerun", "doctor")
    assert rows()["removed-rejection"].said_in(git(root, "status", "--short"))


def test_waiver_without_a_terminal(tmp_path: Path) -> None:
    waive = ("waive", "tests", "--reason", "it is only a small thing", "--yes")

    refused("waiver-without-a-terminal", project(tmp_path, TESTS), waive=waive)


def test_waiver_of_what_cannot_be_waived(tmp_path: Path) -> None:
    root = person(project(tmp_path, FIRM), "Other")
    words = ("waive", "tests", "--reason", "it is only a small thing", "--yes")

    refused_at_terminal("waiver-of-what-cannot-be-waived", root, *words)


def test_planted_waiver_of_what_cannot_be_waived(tmp_path: Path) -> None:
    root = project(tmp_path, FIRM)
    plant_waiver(root, "tests")

    refused("planted-waiver-of-what-cannot-be-waived", root)


def test_planted_agents_waiver(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_waiver(root, "tests", actor="agent:coder")

    refused("planted-agents-waiver", root)


def test_expired_waiver(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_waiver(root, "tests", expires=yesterday())

    refused("expired-waiver", root)


def test_expired_waiver_of_an_earlier_stage(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_waiver(root, "tests", expires=yesterday())
    plant(root, EventType.STAGE_PASSED, {"stage": "plan", "entered": "build", "artifacts": [], "summary": NOWHERE})
    write_tree(root, {CHANGES: PROSE})

    refused("expired-waiver-of-an-earlier-stage", root)


def test_waiver_of_other_content(tmp_path: Path) -> None:
    root = person(project(tmp_path, TESTS), "Other")
    words = ("waive", "tests", "--reason", "it is only a small thing", "--yes", "--expires", tomorrow())
    assert typed(root, *words).code == 0
    done(root, "check", "gate")
    edited(root / "src/calc.py", "a + b", "a - b")

    refused("waiver-of-other-content", root)


def test_planted_waiver(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_waiver(root, "tests", actor=OTHER)

    refused("planted-waiver", root)
    unseen("planted-waiver", root, "gate", "doctor")


def test_one_waiver_where_two_are_needed(tmp_path: Path) -> None:
    root = project(tmp_path, flow=workflow(TESTS, strict=True))
    plant_waiver(root, "tests", expires=tomorrow())
    plant_waiver(root, "tests", actor="human:you", expires=tomorrow())

    refused("one-waiver-where-two-are-needed", root)


def test_skip_without_a_terminal(tmp_path: Path) -> None:
    refused("skip-without-a-terminal", project(tmp_path, TESTS), skip=("stage", "skip", "--reason", "no time", "--yes"))


def test_skip_of_what_cannot_be_waived(tmp_path: Path) -> None:
    root = person(project(tmp_path, FIRM), "Other")

    refused_at_terminal("skip-of-what-cannot-be-waived", root, "stage", "skip", "--reason", "no time", "--yes")


def test_skip_in_a_strict_workflow(tmp_path: Path) -> None:
    root = person(project(tmp_path, flow=workflow(TESTS, strict=True)), "Other")

    refused_at_terminal("skip-in-a-strict-workflow", root, "stage", "skip", "--reason", "no time", "--yes")


@pytest.mark.points(1)
@pytest.mark.parametrize("actor", ["agent:coder", "ci", "tool:vfcc"])
def test_planted_skip_by_no_person(tmp_path: Path, actor: str) -> None:
    root = project(tmp_path, TESTS)
    plant(root, EventType.STAGE_SKIPPED, SKIPPED, actor=actor)
    write_tree(root, {CHANGES: PROSE})

    refused("planted-skip-by-no-person", root)


def test_planted_skip_of_what_cannot_be_waived(tmp_path: Path) -> None:
    root = project(tmp_path, FIRM)
    plant(root, EventType.STAGE_SKIPPED, SKIPPED)
    write_tree(root, {CHANGES: PROSE})

    refused("planted-skip-of-what-cannot-be-waived", root)


def test_planted_skip_in_a_strict_workflow(tmp_path: Path) -> None:
    root = project(tmp_path, flow=workflow(TESTS, strict=True))
    plant(root, EventType.STAGE_SKIPPED, SKIPPED)
    write_tree(root, {CHANGES: PROSE})

    refused("planted-skip-in-a-strict-workflow", root)


def test_expired_skip(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant(root, EventType.STAGE_SKIPPED, {**SKIPPED, "expires": yesterday()})
    write_tree(root, {CHANGES: PROSE})

    refused("expired-skip", root)


def test_planted_skip(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant(root, EventType.STAGE_SKIPPED, SKIPPED, actor=OTHER)
    write_tree(root, {CHANGES: PROSE})

    refused("planted-skip", root)
    unseen("planted-skip", root, "gate", "doctor")
