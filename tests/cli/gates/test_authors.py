"""Who wrote it and who approves it, in the shipped workflows: with real git, real hooks, and a person at a terminal."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.hooked import forked_hook, said
from tests.cli.process import Ran, environment, vfcc
from tests.made_once import copied
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import own_partitions

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

SPRINT = "log-in"
FOLDER = f".memory/stage/{SPRINT}/planning/artifacts"
PLAN = f"{FOLDER}/sprint-plan.md"
TEXT = "# Plan\n\n## Goals\n\nA form that lets people in.\n\n## Scope\n\nOne page.\n"
STRICT = pytest.mark.parametrize("workflow", ["standard", "safety"])
REFUSED = "is an author of planning and cannot approve it"
APPROVED = "pass     approved: approved by human:Ana"
PLANNER = {"VFCC_AGENT": "planner"}


@dataclass(frozen=True)
class Person:
    """A name and an e-mail address, as git has them."""

    name: str
    email: str


ANA, BO = Person("Ana", "ana@example.org"), Person("Bo", "bo@example.org")


@dataclass(frozen=True)
class Project:
    """A project in git, in the planning of a sprint; `Ana` started it, and sits at its terminal."""

    root: Path

    def sits(self, person: Person) -> None:
        """Let `person` be the one whom git's settings name."""
        self.git("config", "user.name", person.name)
        self.git("config", "user.email", person.email)

    def git(self, *arguments: str, author: Person = ANA, committer: Person | None = None) -> str:
        """Run git as `author`, committed by `committer` (default: the author)."""
        by = {"AUTHOR": author, "COMMITTER": committer or author}
        who = {f"GIT_{role}_NAME": each.name for role, each in by.items()}
        addresses = {f"GIT_{role}_EMAIL": each.email for role, each in by.items()}
        env = environment(self.root.parent, **who, **addresses)
        return subprocess.run(
            ["git", *arguments], cwd=self.root, env=env, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, author: Person = ANA, committer: Person | None = None) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "log-in: work", author=author, committer=committer)

    def writes(self, text: str = TEXT, path: str = PLAN) -> None:
        """Write a file with an editor, of which vfcc learns nothing."""
        write_tree(self.root, {path: text})

    def agent_puts(self, text: str = TEXT) -> None:
        """Let an agent store the plan with `stage put`."""
        write_tree(self.root, {"draft.tmp": text})
        ran = self.vfcc("stage", "put", "sprint-plan", "--file", "draft.tmp", env=PLANNER)
        assert ran.code == 0, ran
        (self.root / "draft.tmp").unlink()

    def agent_edits(self, text: str = TEXT, path: str = PLAN, tool: str = "Write") -> None:
        """Let an agent write a file with its client's tool, which a hook records."""
        write_tree(self.root, {path: text})
        call = {"file_path": str(self.root / path), "content": text}
        self.recorded(tool, call)

    def recorded(self, tool: str, call: Mapping[str, str]) -> None:
        """Report a call of a tool, as a client does after it."""
        words = said("PostToolUse", tool_name=tool, tool_input=dict(call), tool_response={}, cwd=str(self.root))
        ran = forked_hook(self.root, words, env={**PLANNER, "XDG_DATA_HOME": str(self.root.parent / "data")})
        assert (ran.code, ran.err) == (0, ""), ran

    def vfcc(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run vfcc without a terminal."""
        return vfcc(self.root, *arguments, env=env)

    def approves(self, stage: str = "planning") -> Ran:
        """Let the person at the terminal approve a stage."""
        return typed(self.root, "approve", stage, "--yes")

    def gate(self) -> str:
        """Return what `check gate` prints."""
        return self.vfcc("check", "gate", "planning").out


def refused(ran: Ran, *words: str) -> None:
    """Assert that a person was refused with these words."""
    assert ran.code == 3, ran
    for word in words or (REFUSED,):
        assert word in ran.err, ran


def _begun(folder: Path, workflow: str) -> Path:
    project = Project(folder / "project")
    write_tree(project.root, {"src/form.py": "print('in')\n", ".gitignore": "*.tmp\n"})
    project.git("init", "--quiet", "--initial-branch", "main")
    project.sits(ANA)
    project.commit()
    assert project.vfcc("init", "--workflow", workflow).code == 0
    project.commit()
    ran = typed(project.root, "sprint", "start", "Log in")
    assert ran.code == 0, ran
    project.commit()
    return project.root


def begun(folder: Path, workflow: str = "standard") -> Project:
    """A project whose sprint has just begun."""
    return Project(copied(folder, _begun, workflow))


# What an agent wrote, a person approves


def test_a_person_approves_what_an_agent_stored_and_the_person_committed(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_puts()
    project.commit()

    assert project.approves().code == 0
    project.commit()
    assert APPROVED in project.gate()
    rerun = project.vfcc("check", "--rerun")
    assert rerun.code == 0, rerun
    assert "approved planning/approved by human:Ana; written by agent:planner (stage put): by the unsigned" in rerun.out


def test_a_person_approves_what_a_hook_saw_an_agent_write(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_edits()
    project.commit()

    assert project.approves().code == 0
    project.commit()
    assert APPROVED in project.gate()
    rerun = project.vfcc("check", "--rerun")
    assert "approved planning/approved by human:Ana; written by agent:planner (recorded edit): by the" in rerun.out


@pytest.mark.sweep
@pytest.mark.parametrize("way", ["put", "edit"])
def test_in_safety_two_people_approve_what_an_agent_wrote(tmp_path: Path, way: str) -> None:
    project = begun(tmp_path, "safety")
    project.agent_puts() if way == "put" else project.agent_edits()
    project.commit()

    for person in (ANA, Person("A n a", "else@example.org"), Person("Else", "ANA@example.org")):
        project.sits(person)
        assert project.approves().code == 0
        assert f"1 of 2 approvals, by human:{person.name}" in project.gate(), "one person under three names"
    project.sits(BO)
    assert project.approves().code == 0
    assert f"{APPROVED.removesuffix('Ana')}Else and human:Bo" in project.gate()


@pytest.mark.sweep
def test_a_clone_without_the_history_comes_to_the_same_answer(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_edits()
    project.commit()
    assert project.approves().code == 0
    project.commit()
    subprocess.run(["git", "clone", "--quiet", project.root, tmp_path / "clone"], check=True)
    clone = Project(tmp_path / "clone")

    assert not own_partitions(Workspace(clone.root))
    assert APPROVED in clone.gate()
    assert clone.vfcc("check", "--rerun").code == 0


@pytest.mark.sweep
@pytest.mark.parametrize("tool", ["Edit", "Bash", "apply_patch"])
def test_every_way_in_which_a_client_writes_is_recorded(tmp_path: Path, tool: str) -> None:
    project = begun(tmp_path)
    project.writes()
    project.recorded(
        tool,
        {
            "Edit": {"file_path": str(project.root / PLAN), "old_string": "in.", "new_string": "in.\n"},
            "Bash": {"command": f"cat > {PLAN} <<'END'\n{TEXT}END"},
            "apply_patch": {"patch": f"*** Begin Patch\n*** Add File: {PLAN}\n+# Plan\n*** End Patch\n"},
        }[tool],
    )
    project.commit()

    assert project.approves().code == 0


def test_a_failed_call_is_no_edit(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.writes()
    words = said(
        "PostToolUseFailure", tool_name="Write", tool_input={"file_path": str(project.root / PLAN)}, error="no"
    )
    forked_hook(project.root, words, env=PLANNER)
    project.commit()

    refused(project.approves())


@pytest.mark.sweep
def test_the_code_that_a_hook_saw_an_agent_write_is_approved_by_the_person_who_committed_it(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_edits("print('in')\nprint('out')\n", "src/form.py")
    project.agent_edits("print('new')\n", "src/new.py")
    project.commit()

    assert project.approves(stage="coding").code == 0
    project.writes("print('mine')\n", "src/form.py")
    project.commit()
    refused(project.approves(stage="coding"), "human:Ana is an author of coding and cannot approve it")


# A person's own work needs somebody else


@pytest.mark.points(1)
@STRICT
def test_a_request_by_an_agent_does_not_make_a_persons_work_the_agents(tmp_path: Path, workflow: str) -> None:
    project = begun(tmp_path, workflow)
    project.writes()
    project.commit()
    assert project.vfcc("approve", "planning", "--request").code == 0

    refused(project.approves())
    project.sits(Person("Y o u", ANA.email))
    refused(project.approves(), REFUSED, "(recorded as human:Ana <ana@example.org>)")
    project.sits(Person("A.N-A ", "other@example.org"))
    refused(project.approves())
    project.sits(BO)
    assert project.approves().code == 0


@pytest.mark.sweep
@STRICT
def test_a_planted_approval_by_the_author_is_found_by_the_gate_and_the_second_run(
    tmp_path: Path, workflow: str
) -> None:
    """Bo approves, and the same event is in the ledger in Ana's name."""
    from tests.cli.forgery import plant
    from verifflowcc.base.model.events import EventType
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.gates.use.approvals import what_to_approve

    project = begun(tmp_path, workflow)
    project.writes()
    project.commit()
    assert project.vfcc("approve", "planning", "--request").code == 0
    subject = what_to_approve(Workspace(project.root), SPRINT, "planning").asked.subject
    payload = {"stage": "planning", "criterion": "approved", "verdict": "approved", "digest": subject}
    plant(
        project.root,
        EventType.REVIEW_RECORDED,
        {**payload, "reason": None, "expires": None, "signed": None, "email": "new@example.org"},
        actor="human:A n a",
    )
    project.commit(Person("A n a", "new@example.org"))

    assert "FAIL     approved (hard): approved by human:A n a, who is its author" in project.gate()
    rerun = project.vfcc("check", "--rerun")
    assert rerun.code == 1
    assert "RED  approved planning/approved by human:A n a; written by agent:program (review request)" in rerun.out


@pytest.mark.sweep
def test_an_old_approval_has_the_address_of_the_commit_that_brought_it(tmp_path: Path) -> None:
    """Version 0.1 recorded names alone; `Else` has the e-mail address of the author."""
    project = begun(tmp_path)
    project.writes()
    project.commit()
    project.sits(Person("Else", ""))
    assert project.approves().code == 0
    assert "pass     approved: approved by human:Else" in project.gate()

    project.commit(Person("Else", ANA.email))

    assert "FAIL     approved (hard): approved by human:Else, who is its author" in project.gate()
    rerun = project.vfcc("check", "--rerun")
    assert "RED  approved planning/approved by human:Else; written by human:Ana <ana@example.org>" in rerun.out


@pytest.mark.sweep
def test_author_and_committer_are_both_authors(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.writes()
    project.commit(BO, committer=ANA)

    refused(project.approves())
    project.sits(BO)
    refused(project.approves(), f"human:Bo {REFUSED}")
    project.sits(Person("Cy", "cy@example.org"))
    assert project.approves().code == 0


@pytest.mark.sweep
def test_one_byte_by_hand_makes_the_person_an_author(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_puts()
    project.agent_edits(f"{TEXT}More.\n")
    project.writes(f"{TEXT}More!\n")

    refused(project.approves(), "cannot tell who wrote sprint-plan.md, so self-approval cannot be ruled out")
    project.commit()
    refused(project.approves())


@pytest.mark.sweep
def test_who_commits_a_persons_bytes_with_git_takes_no_authorship_from_them(tmp_path: Path) -> None:
    """An agent may commit in its own name what a person wrote and committed before."""
    project = begun(tmp_path)
    project.writes()
    project.commit()
    project.writes(f"{TEXT}\nTwo pages.\n")
    project.commit(Person("coder", "coder@agents.example.org"))

    refused(project.approves())


def test_a_waiver_and_a_skip_by_the_author_are_refused(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.writes()
    project.commit()
    reason = ("--reason", "in a hurry", "--yes")

    refused(
        typed(project.root, "waive", "approved", "--stage", "planning", *reason),
        "human:Ana cannot waive planning/approved: they are its author",
    )
    refused(
        typed(project.root, "stage", "skip", *reason),
        "human:Ana cannot skip planning: approved is unmet, and they are its author",
    )


def test_a_person_without_a_name_approves_nothing(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.agent_puts()
    project.git("config", "--unset", "user.name")

    ran = typed(project.root, "approve", "planning", "--yes", env={"GIT_CONFIG_GLOBAL": os.devnull})
    refused(ran, "needs a person whom git has a name for")


def test_git_lists_the_commits_of_a_change_once_for_all_gates(tmp_path: Path) -> None:
    """The addresses and committers come with that call."""
    project = begun(tmp_path)
    project.writes()
    project.commit()
    log = tmp_path / "calls"
    found = next(Path(each) / "git" for each in os.environ["PATH"].split(os.pathsep) if (Path(each) / "git").exists())
    write_tree(tmp_path, {"bin/git": f'#!/bin/sh\necho "$*" >> "{log}"\nexec "{found}" "$@"\n'})
    (tmp_path / "bin/git").chmod(0o755)

    project.vfcc("check", "gate", env={"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"})

    calls = log.read_text().splitlines()
    assert sum("%ce" in call for call in calls) == sum("%an" in call for call in calls) == 1
    assert not [call for call in calls if " config " in call]
