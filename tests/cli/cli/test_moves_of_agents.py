"""Agents, programs and jobs start a configured sprint while none is open, and close one that owes nothing."""

from pathlib import Path

import pytest

from tests.cli.process import CI, Ran, by_person, git, vfcc
from tests.cli.trees import everything
from tests.trees import OWN_WORKFLOW, write_memory

pytestmark = pytest.mark.vfcc("REQ-ACTORS")

WHO = [{"VFCC_AGENT": "coder"}, {}, CI]
IDS = ["agent", "program", "job"]
PERSON = "needs a person at a terminal, and this is "
ARTIFACTS = {
    "planning": "plan.md",
    "design": "design.md",
    "coding": "changes.md",
    "testing": "results.md",
    "validation": "acceptance.md",
}


@pytest.fixture
def soft(young: Path) -> Path:
    """A project whose configured workflow asks, softly, for one artifact in each stage."""
    write_memory(young, {"workflow.yaml": OWN_WORKFLOW.replace("gates: hard", "gates: soft")})
    assert by_person(young, "workflow", "use", "own").code == 0
    return young


def artifact(root: Path, stage: str) -> None:
    write_memory(root, {f"stage/log-in/{stage}/artifacts/{ARTIFACTS[stage]}": "# It\n\nIt says something.\n"})


def all_passed(root: Path, *, without: str = "") -> None:
    """Bring the sprint to its end; the artifact of one stage is missing, which a person accepts as a gap."""
    for stage in ARTIFACTS:
        if stage != without:
            artifact(root, stage)
        ran = by_person(root, "stage", "advance")
        assert ran.code == 0, ran


def unchanged(root: Path, ran: Ran, code: int, *words: str, before: dict[str, str | bytes]) -> None:
    ran.refused(code, *words)
    assert everything(root) == before


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_start_in_the_configured_workflow_while_none_is_open(soft: Path, env: dict[str, str]) -> None:
    assert vfcc(soft, "sprint", "start", "Log in", env=env).code == 0
    before = everything(soft)

    again = vfcc(soft, "sprint", "start", "Another", env=env)

    unchanged(
        soft,
        again,
        3,
        f"on a branch with an open one, log-in, {PERSON}",
        'hint: vfcc sprint start "Title"',
        before=before,
    )
    assert by_person(soft, "sprint", "start", "Another").code == 0


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_an_open_sprint_of_another_branch_does_not_hinder_them(soft: Path, env: dict[str, str]) -> None:
    git(soft, "init", "--quiet", "--initial-branch", "main")
    assert vfcc(soft, "sprint", "start", "Log in", env=env).code == 0
    git(soft, "symbolic-ref", "HEAD", "refs/heads/feature")

    assert vfcc(soft, "sprint", "start", "Another", env=env).code == 0


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_choose_no_other_workflow(soft: Path, env: dict[str, str]) -> None:
    before = everything(soft)

    ran = vfcc(soft, "sprint", "start", "Log in", "--workflow", "light", env=env)

    unchanged(soft, ran, 3, f"in another workflow, light, {PERSON}", "--workflow light  # a person", before=before)
    assert vfcc(soft, "sprint", "start", "Log in", "--workflow", "own", env=env).code == 0


def test_a_person_starts_in_any_workflow(soft: Path) -> None:
    assert by_person(soft, "sprint", "start", "Log in", "--workflow", "light").code == 0


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_close_a_sprint_that_owes_nothing(soft: Path, env: dict[str, str]) -> None:
    assert vfcc(soft, "sprint", "start", "Log in").code == 0
    all_passed(soft)

    assert vfcc(soft, "sprint", "close", env=env).out.startswith("log-in: closed\n")
    assert vfcc(soft, "sprint", "start", "Next", env=env).code == 0


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_close_no_sprint_with_a_gap_and_a_person_does(soft: Path, env: dict[str, str]) -> None:
    assert vfcc(soft, "sprint", "start", "Log in").code == 0
    all_passed(soft, without="design")
    before = everything(soft)

    ran = vfcc(soft, "sprint", "close", env=env)

    unchanged(soft, ran, 4, f"closing log-in with 1 gap {PERSON}", "hint: vfcc sprint close log-in", before=before)
    assert by_person(soft, "sprint", "close").out.startswith("log-in: closed with 1 gap\n")


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_close_no_sprint_whose_artifact_is_gone(soft: Path, env: dict[str, str]) -> None:
    assert vfcc(soft, "sprint", "start", "Log in").code == 0
    all_passed(soft)
    (soft / ".memory/stage/log-in/design/artifacts/design.md").unlink()
    before = everything(soft)

    ran = vfcc(soft, "sprint", "close", env=env)

    unchanged(soft, ran, 4, f"{PERSON}", "design", before=before)
    assert by_person(soft, "sprint", "close").code == 0


@pytest.mark.points(1)
@pytest.mark.parametrize("env", WHO, ids=IDS)
def test_they_leave_no_sprint_unfinished(soft: Path, env: dict[str, str]) -> None:
    assert vfcc(soft, "sprint", "start", "Log in").code == 0
    before = everything(soft)

    ran = vfcc(soft, "sprint", "close", "--unfinished", "enough", env=env)

    unchanged(soft, ran, 3, f"vfcc sprint close {PERSON}", "hint: vfcc sprint close --unfinished", before=before)
    assert by_person(soft, "sprint", "close", "--unfinished", "enough").code == 0
