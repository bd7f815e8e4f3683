"""A sprint in which people are asked: a plan to review, code to review and accept, comments to deal with, in a git
repository where `You` committed the plan."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from tests.event_samples import START
from tests.made_once import copied
from tests.trees import git
from verifflowcc.base.model.gate_values import Assessment
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.approvals import chosen_gates
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.sprint.use.sprint_reading import load_sprint

ID = "log-in"
YOU, OTHER, THIRD = "human:You", "human:Other", "human:Third"
CODER = "agent:coder"
PLAN = f".memory/stage/{ID}/plan/artifacts/plan.md"
WORKFLOW = """\
name: people
title: People
stages:
  - id: plan
    title: Plan
    leg: left
    pair: check
    role: planner
    artifacts: ["plan.*"]
    enter:
      - {id: comments, kind: feedback, title: comments are dealt with}
    exit:
      - {id: reviewed, kind: review, title: somebody else approved the plan}
      - {id: frozen, kind: artifact, title: the plan has risks, files: ["risks.*"], waivable: false}
  - id: build
    title: Build
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: reviewed, kind: review, title: two others approved the code, at_least: {approvals: 2}}
      - {id: accepted, kind: attestation, title: somebody accepted the code}
  - id: check
    title: Check
    leg: right
    pair: plan
    role: tester
    artifacts: ["results.*"]
    exit:
      - {id: comments, kind: feedback, title: comments are dealt with}
"""


def world(folder: Path, workflow: str = WORKFLOW) -> Workspace:
    """A project in git with a sprint whose plan `You` committed since it began."""
    return _made(folder, _planned, workflow)


def _planned(folder: Path, workflow: str) -> Path:
    here = started(folder, workflow)
    put(here, PLAN, "# Plan\n\nA form.\n")
    commit(here, "You")
    return folder


def started(folder: Path, workflow: str = WORKFLOW) -> Workspace:
    """A project in git with a sprint, and what lay in the folder before committed; nothing else in it."""
    return _made(folder, _started, workflow)


def _made(folder: Path, make: Callable[[Path, str], Path], workflow: str) -> Workspace:
    """Copy what `make` makes of an empty folder; of another one it makes its own."""
    empty = not folder.exists() or not any(folder.iterdir())
    return Workspace(copied(folder, make, workflow) if empty else make(folder, workflow), FixedClock(START))


def _started(folder: Path, workflow: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    here = Workspace(folder, FixedClock(START))
    put(here, ".memory/.gitignore", "local/\nprogress.json\n")
    put(here, ".memory/workflow.yaml", workflow)
    put(here, "README.md", "# Log in\n")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(here, "You")
    start_sprint(here, "Log in", workflow="people", actor=YOU)
    return folder


def put(here: Workspace, path: str, text: str) -> None:
    """Write a file below the project's root."""
    target = here.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def commit(here: Workspace, author: str) -> str:
    """Commit everything as written by `author`; return the commit's id."""
    git(here.root, "add", "--all")
    git(here.root, "commit", "--quiet", "--message", "work", "--author", f"{author} <{author.lower()}@example.org>")
    return git(here.root, "rev-parse", "HEAD").strip()


def later(here: Workspace, days: int) -> Workspace:
    """The same project some days on."""
    return Workspace(here.root, FixedClock(START + timedelta(days=days)))


def day(days: int) -> str:
    """The day so many days after the sprint began."""
    return f"{START + timedelta(days=days):%Y-%m-%d}"


def asked(here: Workspace, criterion: str, stage: str | None = None) -> Assessment:
    """What becomes of a criterion now."""
    _, gates = chosen_gates(here, load_sprint(here, ID)[1], stage)
    return next(one for gate in gates for one in gate.assessments if one.criterion.id == criterion)
