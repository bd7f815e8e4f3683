"""`vfcc check --rerun` as a CI job runs it: what it prints and how it ends."""

from pathlib import Path

import pytest

from tests.cli.process import CI, git, vfcc
from tests.evidence_project import ADD, BUILD, SUB_FAILED, TEST, TREE, config
from tests.made_once import copied
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-RERUN")

TESTS = ".memory/stage/log-in/check/evidence"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project in git with a sprint, whose commands are allowed on this machine."""
    return copied(tmp_path, _begun)


def _begun(made: Path) -> Path:
    table = {"test": TEST, "build": BUILD}
    folder = write_tree(made / "project", TREE | {".memory/config.yaml": config(table)})
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    assert vfcc(folder, "sprint", "start", "Log in").code == 0
    assert vfcc(folder, "allow", "--yes", env=CI).code == 0
    return folder


def clone(root: Path) -> Path:
    """A clone of the project with all of it committed, on a machine that has allowed nothing."""
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "log-in: evidence")
    machine = root.parent / "ci"
    machine.mkdir()
    git(machine, "clone", "--quiet", str(root), "project")
    return machine / "project"


@pytest.mark.sweep
def test_a_clone_reproduces_what_was_recorded_elsewhere(root: Path) -> None:
    assert vfcc(root, "evidence", "run", "tests", "frozen").code == 0
    there = clone(root)
    assert vfcc(there, "allow", "--yes", env=CI).code == 0

    done = vfcc(there, "check", "--rerun")

    assert done.code == 0, done
    lines = done.out.splitlines()
    assert lines[0].startswith("     check/frozen: reproduced: 1 file (")
    assert lines[1].startswith("     check/tests: reproduced: exit 0, passed 1, tests 1 (")
    assert lines[2:] == ["log-in: none of 2 is red"]
    assert git(there, "status", "--short") == "", "nothing went on record"


@pytest.mark.sweep
def test_a_clone_that_allowed_nothing_runs_nothing(root: Path) -> None:
    assert vfcc(root, "evidence", "run", "tests").code == 0

    done = vfcc(clone(root), "check", "--rerun")

    done.refused(3, "the project's commands are not allowed on this machine", "hint: vfcc allow")


def test_what_does_not_come_out_is_red_with_the_command_that_shows_it(root: Path) -> None:
    write_tree(root, {".gitignore": "weather\n", "weather": "fine"})
    suite = "import sys, pathlib\n" + TREE["tests/suite.py"]
    lucky = "if pathlib.Path('weather').exists(): cases = '" + ADD + "'"
    write_tree(root, {"tests/suite.py": suite.replace("Path(sys.argv[1])", f"{lucky}\nPath(sys.argv[1])", 1)})
    write_tree(root, {"tests/cases.xml": ADD + SUB_FAILED})
    assert vfcc(root, "evidence", "run", "tests").code == 0
    there = clone(root)
    assert vfcc(there, "allow", "--yes", env=CI).code == 0

    done = vfcc(there, "check", "--rerun")

    assert done.code == 1, done
    first, second, last = done.out.splitlines()
    assert first.startswith(
        "RED  check/tests: differs: recorded exit 0, passed 1, tests 1; now exit 0, failed 1, passed 1, tests 2 ("
    )
    assert second == "       → vfcc evidence run tests --stage check"
    assert last == "log-in: 1 of 1 are red"


def test_an_edited_evidence_file_is_refused_before_anything_runs(root: Path) -> None:
    assert vfcc(root, "evidence", "run", "tests").code == 0
    (file,) = (root / TESTS).iterdir()
    file.write_bytes(file.read_bytes().replace(b'"passed":1', b'"passed":9'))

    vfcc(root, "check", "--rerun").refused(3, file.name)


def test_with_nothing_to_reproduce_it_is_an_error(root: Path) -> None:
    vfcc(root, "check", "--rerun").refused(3, "log-in has no evidence to reproduce", "hint: vfcc evidence run")


def test_with_no_sprint_it_is_an_error(young: Path) -> None:
    vfcc(young, "check", "--rerun").refused(3, "no sprint is open")


def test_a_sprint_that_is_not_there_is_a_usage_error(root: Path) -> None:
    vfcc(root, "check", "--rerun", "--sprint", "log-out").refused(2, "log-out")


def test_json_says_the_same_and_ends_the_same(root: Path) -> None:
    assert vfcc(root, "evidence", "run", "tests").code == 0
    write_tree(root, {"tests/cases.xml": ADD + SUB_FAILED})

    done = vfcc(root, "check", "--rerun", "--json", "--full")

    value = done.data
    assert (value["sprint"], value["people"]) == ("log-in", [])
    assert [(row["criterion"], row["result"]) for row in value["rows"]] == [("tests", "waiting")]
    assert done.code == 0, "no stage rests on it yet"
