"""A brief has the newest recorded results of tests: how they ended, which failed, and on which content they ran."""

import re
from pathlib import Path

import pytest

from tests.evidence_project import ADD, SUB_FAILED, TEST, allow, config, project, run
from tests.history_world import hooked
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use import brief as briefs

FRESH, STALE = "of the files as they are now", "of other content: since then "
FAILING = {"tests/cases.xml": ADD + SUB_FAILED, "tests/exit": "1"}
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A sprint whose third stage asks for passing tests, and briefs that have the time that they take."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)
    return project(tmp_path / "project")


def results(here: Workspace) -> list[str]:
    """Return the lines below the heading, without the time of a run."""
    found = hooked(here.root, {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
    assert found.faults == []
    _, _, after = found.answer.context.partition("\nLast test results:\n")
    lines = re.match(r"(?:- .*\n)*", after)
    return re.sub(TIME, "TIME", lines[0]).splitlines() if lines else []


def test_without_a_recorded_run_a_brief_has_no_results(here: Workspace) -> None:
    assert results(here) == []


def test_a_failing_run_comes_with_the_tests_that_failed(here: Workspace) -> None:
    write_tree(here.root, FAILING)
    run(here, "tests")

    assert results(here) == [
        f"- check/tests, TIME: 1 of 2 tests failed, {FRESH}",
        "- failed: tests.suite::test_sub: 2 is not 1",
    ]


def test_a_passing_run_replaces_a_failing_one(here: Workspace) -> None:
    write_tree(here.root, FAILING)
    run(here, "tests")
    write_tree(here.root, {"tests/cases.xml": ADD, "tests/exit": "0"})
    assert results(here)[0].startswith(f"- check/tests, TIME: 1 of 2 tests failed, {STALE}tests/cases.xml changed")
    run(here, "tests")

    assert results(here) == [f"- check/tests, TIME: 1 test passed, {FRESH}"]


@pytest.mark.parametrize(
    ("changed", "since"),
    [
        ({"src/calc.py": "def add(a, b): return b + a\n"}, "src/calc.py changed"),
        ({"src/new.py": ""}, "src/new.py is new"),
        ({"src/calc.py": "", "src/m.py": "", "src/n.py": "", "src/o.py": ""},
         "src/calc.py changed, src/m.py is new and 2 more"),
    ],
)  # fmt: skip
def test_a_run_on_other_content_names_what_changed_since(here: Workspace, changed: dict[str, str], since: str) -> None:
    run(here, "tests")

    write_tree(here.root, changed)

    assert results(here)[0] == f"- check/tests, TIME: 1 test passed, {STALE}{since}"


def test_a_change_of_a_file_that_is_no_input_leaves_a_run_as_it_is(here: Workspace) -> None:
    write_tree(here.root, {".memory/config.yaml": config({"test": {**TEST, "inputs": ["src/**", "tests/**"]}})})
    allow(here)
    run(here, "tests")

    write_tree(here.root, {"notes/other.txt": "Not an input.\n"})

    assert results(here) == [f"- check/tests, TIME: 1 test passed, {FRESH}"]


def test_more_failed_tests_than_a_brief_lists_are_counted(here: Workspace) -> None:
    cases = "".join(SUB_FAILED.replace("test_sub", f"test_{number}") for number in range(9))
    write_tree(here.root, {"tests/cases.xml": cases, "tests/exit": "1"})
    run(here, "tests")

    found = hooked(here.root, {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})

    assert ": 9 of 9 tests failed, " in found.answer.context
    shown = found.answer.context.count("::test_")
    assert re.search(rf"{9 - shown} failed tests \(vfcc evidence show \S+\)", found.answer.context)
