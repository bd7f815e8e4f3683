"""Traces that look closed and are not: untested, failed, stale, only planned, changed after somebody looked."""

from pathlib import Path

import pytest

from tests.cli.honest_world import (
    ADD,
    SUB_FAILED,
    TREE,
    commit,
    done,
    edited,
    project,
    refused,
    rows,
    shown,
    tried,
    workflow,
)
from tests.cli.process import vfcc

pytestmark = pytest.mark.vfcc("REQ-TRACE-GATES")

REQUIREMENT = ".memory/project/items/requirement/REQ-add.md"
TEXT = (
    "---\nid: REQ-add\ntype: requirement\ntitle: Add\nverification: test\nderived: true\nrationale: for sums\n"
    "source: {kind: explicit, actor: human:You}\n---\n\nIt shall add two numbers.\n"
)
TRACED = "{id: traced, kind: trace, title: it is tested, checks: [identity, schema, not-verified, results]}"
REVIEWED = "{id: reviewed, kind: trace, title: it is reviewed, checks: [change], items: [requirement]}"
TESTS = "{id: tests, kind: junit, title: the tests pass, command: test, mode: soft}"
MARKED = TREE["tests/suite.py"].replace("def test_add(): ...", "def test_add(): ...  # vfcc: REQ-add")
ADD_FAILED = ADD.replace("/>", '><failure message="2 is not 3"/></testcase>')
FAILED = f'<testsuite name="suite" tests="2">{ADD_FAILED}{SUB_FAILED}</testsuite>'


def traced(folder: Path, *, text: str = TEXT, suite: str = MARKED, criterion: str = TRACED, **files: str) -> Path:
    """A project with one requirement, the tests of which are measured."""
    more = {f"tests/{name}.xml": each for name, each in files.items()}
    items = {REQUIREMENT: text} if text else {}
    root = project(folder, TESTS, criterion, files={"tests/suite.py": suite, **items, **more})
    tried(root, "evidence", "run")
    return root


def test_what_is_traced_is_let_through(tmp_path: Path) -> None:
    root = traced(tmp_path)

    done(root, "check", "gate")
    done(root, "check", "--rerun")


def test_requirement_without_a_test(tmp_path: Path) -> None:
    refused("requirement-without-a-test", traced(tmp_path, suite=TREE["tests/suite.py"]))


def test_failed_test_of_a_requirement(tmp_path: Path) -> None:
    refused("failed-test-of-a-requirement", traced(tmp_path, junit=FAILED))


def test_results_of_other_content(tmp_path: Path) -> None:
    root = traced(tmp_path)
    edited(root / "src/calc.py", "a + b", "b + a")

    refused("results-of-other-content", root)


def test_edited_results(tmp_path: Path) -> None:
    root = traced(tmp_path, junit=FAILED)
    (results,) = root.glob(".memory/stage/*/*/results/*.jsonl")
    edited(results, "failed", "passed")

    refused("edited-results", root)


def test_requirement_that_says_nothing(tmp_path: Path) -> None:
    refused("requirement-that-says-nothing", traced(tmp_path, text=TEXT.partition("It shall")[0] + "TODO\n"))


def test_requirements_only_planned(tmp_path: Path) -> None:
    text = TEXT.replace("derived:", "planned: some day\nderived:")

    refused("requirements-only-planned", traced(tmp_path, text=text))


def test_requirements_all_retired(tmp_path: Path) -> None:
    refused("requirements-all-retired", traced(tmp_path, text=TEXT.replace("derived:", "status: archived\nderived:")))


def test_requirement_with_a_made_up_stamp(tmp_path: Path) -> None:
    stamp = "reviewed: {fingerprint: 'sha256:title.text/00000000000000000000', by: 'human:Other', on: 2026-11-21}\n"

    refused(
        "requirement-with-a-made-up-stamp",
        traced(tmp_path, text=TEXT.replace("source:", f"{stamp}source:"), criterion=REVIEWED),
    )


def test_rules_softened_in_mid_sprint(tmp_path: Path) -> None:
    root = traced(tmp_path, suite=TREE["tests/suite.py"])
    flow = workflow(TESTS, TRACED).replace("stages:", "trace: {severity: {not-verified: off}}\nstages:")
    (root / ".memory/workflow.yaml").write_text(flow, encoding="utf-8")
    commit(root)

    refused("rules-softened-in-mid-sprint", root)


def test_typed_results(tmp_path: Path) -> None:
    root = traced(tmp_path, suite=TREE["tests/suite.py"])
    typed = (
        '<testsuite name="suite" tests="1"><testcase classname="tests.suite" name="test_add">'
        '<properties><property name="vfcc" value="REQ-add"/></properties></testcase></testsuite>'
    )
    (tmp_path / "typed.xml").write_text(typed, encoding="utf-8")
    row = rows()["typed-results"]

    shown(row, vfcc(root, "check", "trace", "--junit", str(tmp_path / "typed.xml")), 1)


def test_project_without_an_item(tmp_path: Path) -> None:
    root = traced(tmp_path, text="")
    row = rows()["project-without-an-item"]

    shown(row, vfcc(root, "check", "trace"), 3)
