"""What changed about the evidence of a criterion is in its gate: its command and its tests."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.evidence_project import ADD, BUILD, PYTHON, SPRINT, SUB_FAILED, TEST, TREE, YOU, Ticking, allow, config, run
from tests.trees import commit, repository, write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.rerun import reproduce
from verifflowcc.gates.use.sprints import start_sprint

FLOW = """\
name: own
title: One stage that asks for tests
gates: hard
stages:
  - id: check
    title: Check
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test}
      - {id: scanned, kind: sarif, title: nothing new, command: scan, trust: asserted}
"""
SUB = '<testcase classname="tests.suite" name="test_sub"/>'
OTHER_TEST = {"run": [*PYTHON, "-W", "ignore", "tests/suite.py", "{junit}"]}


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


def world(tmp_path: Path, commands: Mapping[str, object], *, in_git: bool = True) -> Workspace:
    """A project whose sprint asks for tests, with everything committed before it started."""
    files = {**TREE, ".memory/workflow.yaml": FLOW, ".memory/config.yaml": config(commands)}
    here = Workspace(write_tree(tmp_path / "project", files), Ticking())
    if in_git:
        repository(here.root)
    start_sprint(here, "Log in", workflow="own", actor=YOU)
    allow(here)
    return here


def configure(here: Workspace, commands: Mapping[str, object]) -> None:
    write_tree(here.root, {".memory/config.yaml": config(commands)})
    allow(here)


def notes(here: Workspace, criterion: str = "tests") -> tuple[str, ...]:
    """The notes of a criterion in the gate."""
    return next(one.notes for one in ask_stage(here, SPRINT).exit.assessments if one.criterion.id == criterion)


def test_a_command_that_is_not_that_of_the_sprints_start_is_shown_with_both(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST, "build": BUILD})
    assert notes(here) == ()
    configure(here, {"test": OTHER_TEST, "build": BUILD})

    (note,) = notes(here)
    was, _, now = note.partition(" Now: ")
    assert was.startswith("test: command changed since the sprint started. Was: ")
    assert was.endswith("tests/suite.py '{junit}'")
    assert now.endswith("-W ignore tests/suite.py '{junit}'")


def test_it_is_still_shown_once_there_is_new_evidence_and_in_a_second_run(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    write_tree(here.root, {"tests/exit": "1"})
    run(here, "tests")
    configure(here, {"test": OTHER_TEST})
    write_tree(here.root, {"tests/exit": "0"})
    run(here, "tests")
    run(here, "tests")
    commit(here.root, "work")

    (note,) = [each for each in notes(here) if "command" in each]
    assert note.startswith("test: command changed since the sprint started.")
    rows = [row for row in reproduce(here, SPRINT).rows if row.criterion == "tests"]
    assert note in rows[0].notes


def test_outside_of_git_the_command_of_earlier_evidence_is_compared(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST}, in_git=False)
    run(here, "tests")
    configure(here, {"test": OTHER_TEST})

    (note,) = notes(here)
    assert note.startswith("test: command changed since earlier evidence. Was: ")


def test_a_command_that_the_start_did_not_have_is_shown_to_be_new(tmp_path: Path) -> None:
    here = world(tmp_path, {"build": BUILD})
    configure(here, {"build": BUILD, "test": TEST})

    (note,) = notes(here)
    assert note.startswith("test: command added after the sprint started. Now: ")


def test_another_change_of_the_configuration_adds_no_note_on_the_command(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    configure(here, {"test": TEST, "build": BUILD})

    assert notes(here) == ()


def test_a_configuration_that_was_not_committed_at_the_start_is_found_by_its_digest(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    configure(here, {"test": OTHER_TEST})
    start_sprint(here, "Second", workflow="own", actor=YOU, sprint_id="second")
    commit(here.root, "configured")
    configure(here, {"test": TEST})

    found = next(one for one in ask_stage(here, "second").exit.assessments if one.criterion.id == "tests")
    assert found.notes[0].partition("Was: ")[2].partition(" Now: ")[0].endswith("-W ignore tests/suite.py '{junit}'")


def test_fewer_tests_than_before_are_counted(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    write_tree(here.root, {"tests/cases.xml": ADD + SUB_FAILED})
    run(here, "tests")
    assert notes(here) == ()
    write_tree(here.root, {"tests/cases.xml": ADD})
    run(here, "tests")
    assert notes(here) == ("fewer tests ran: 1 now, 2 before",)
    run(here, "tests")
    assert notes(here)[-1] == "fewer tests ran: 1 now, 2 before"

    write_tree(here.root, {"tests/cases.xml": ADD + SUB})
    run(here, "tests")
    assert notes(here) == ()


def test_a_skipped_test_did_not_run(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    write_tree(here.root, {"tests/cases.xml": ADD + SUB})
    run(here, "tests")
    write_tree(here.root, {"tests/cases.xml": ADD + SUB.replace("/>", "><skipped/></testcase>")})
    run(here, "tests")

    assert notes(here) == ("fewer tests ran: 1 now, 2 before",)


def test_a_log_that_is_no_longer_a_baseline_is_named(tmp_path: Path) -> None:
    here = world(tmp_path, {"test": TEST})
    assert notes(here, "scanned") == ()
    path = ".memory/project/baselines/scan.sarif"
    write_tree(here.root, {path: '{"version": "2.1.0", "runs": []}'})

    assert notes(here, "scanned") == (f"{path} is no longer read; see vfcc baseline lint",)
