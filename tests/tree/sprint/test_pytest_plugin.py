"""The pytest plugin, in real runs: ids as properties, and the content on which the tests ran."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.trees import environment, repository, write_tree
from verifflowcc.base.files.project_content import project_content
from verifflowcc.sprint.rules.evidence_files import inputs_digest
from verifflowcc.sprint.rules.junit_tests import JUnitTests, read_tests

pytestmark = pytest.mark.vfcc("REQ-TRACE-PYTEST")

MARKED = """\
import pytest

pytestmark = pytest.mark.vfcc("REQ-file")


@pytest.mark.vfcc("REQ-a", "REQ-b")
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.vfcc("REQ-two"))])
def test_cases(n): ...


@pytest.mark.vfcc(["REQ-class"])
class TestForm:
    @pytest.mark.vfcc("REQ-a, REQ-class")
    def test_it(self): ...

    @pytest.mark.skip(reason="later")
    def test_later(self): ...

    def test_wrong(self):
        assert 0
"""
PLAIN = "def test_plain(): ...\n"
FORGETFUL = 'def test_it():\n    open("written.txt", "w").close()\n'


def pytest_in(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run pytest with the plugin that ships, and return what it prints."""
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def project(root: Path, **tests: str) -> Path:
    files = {f"tests/{name}.py": text for name, text in tests.items()}
    return write_tree(root, {".memory/config.yaml": "format: 1\n", ".gitignore": ".memory/local/\n"} | files)


def report(path: Path) -> JUnitTests:
    return read_tests(path.read_bytes())


def content(root: Path, *without: str) -> str:
    files = {path: digest for path, digest in project_content(root, None).items() if path not in without}
    return inputs_digest(files, ()).digest


@pytest.mark.sweep
def test_each_test_case_has_the_ids_of_all_its_marks(tmp_path: Path) -> None:
    project(tmp_path, test_marked=MARKED, test_plain=PLAIN)
    pytest_in(tmp_path, "--strict-markers", "-W", "error", "--junitxml=r.xml", code=1)

    assert {each.name: set(each.items) for each in report(tmp_path / "r.xml").tests} == {
        "test_cases[1]": {"REQ-file", "REQ-a", "REQ-b"},
        "test_cases[2]": {"REQ-file", "REQ-a", "REQ-b", "REQ-two"},
        "test_it": {"REQ-file", "REQ-class", "REQ-a"},
        "test_later": {"REQ-file", "REQ-class"},
        "test_wrong": {"REQ-file", "REQ-class"},
        "test_plain": set(),
    }
    properties = [
        each.get("value")
        for case in ElementTree.parse(tmp_path / "r.xml").iter("testcase")
        for each in case.iter("property")
    ]
    assert len(properties) == 14


@pytest.mark.sweep
@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize("where", [".", "tests"])
def test_a_report_says_on_which_content_its_tests_ran(tmp_path: Path, in_git: bool, where: str) -> None:
    project(tmp_path, test_plain=PLAIN)
    if in_git:
        repository(tmp_path)
    pytest_in(tmp_path / where, "--junitxml=r.xml")

    inside = os.path.normpath(f"{where}/r.xml")
    read = report(tmp_path / inside)
    assert (read.content, read.unsure) == (content(tmp_path, inside), "")
    # A second run finds the report of the first, which is no input.
    pytest_in(tmp_path / where, "--junitxml=r.xml")
    assert report(tmp_path / inside).content == read.content


@pytest.mark.sweep
def test_a_report_elsewhere_says_so_too_and_an_edit_changes_what_it_says(tmp_path: Path) -> None:
    root = project(tmp_path / "project", test_plain=PLAIN)
    pytest_in(root, f"--junitxml={tmp_path / 'r.xml'}")
    before = report(tmp_path / "r.xml").content
    assert before == content(root)

    write_tree(root, {"src/a.py": "x = 1\n"})
    pytest_in(root, f"--junitxml={tmp_path / 'r.xml'}")
    assert report(tmp_path / "r.xml").content == content(root) != before


@pytest.mark.sweep
def test_tests_that_change_the_project_ran_on_no_content(tmp_path: Path) -> None:
    project(tmp_path, test_it=FORGETFUL)
    pytest_in(tmp_path, "--junitxml=r.xml")

    read = report(tmp_path / "r.xml")
    assert read.content is None
    assert "changed while the tests ran" in read.unsure


@pytest.mark.sweep
def test_without_a_project_the_report_has_the_ids_alone(tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_marked.py": MARKED})
    pytest_in(tmp_path, "--strict-markers", "--junitxml=r.xml", code=1)

    read = report(tmp_path / "r.xml")
    assert (read.content, read.unsure) == (None, "")
    assert {item for each in read.tests for item in each.items} >= {"REQ-a", "REQ-class"}


@pytest.mark.sweep
def test_without_a_report_nothing_is_written_and_the_marker_is_known(tmp_path: Path) -> None:
    project(tmp_path, test_marked=MARKED)
    (tmp_path / ".memory/local").mkdir()
    before = sorted(tmp_path.rglob("*"))
    pytest_in(tmp_path, "--strict-markers", "-W", "error", code=1)

    assert sorted(tmp_path.rglob("*")) == before
    assert "vfcc(*ids)" in pytest_in(tmp_path, "--markers")


@pytest.mark.sweep
@pytest.mark.parametrize("mark", ["vfcc()", "vfcc(1)", 'vfcc(id="REQ-a")'])
def test_a_mark_that_names_no_item_is_refused(tmp_path: Path, mark: str) -> None:
    project(tmp_path, test_it=f"import pytest\n\n@pytest.mark.{mark}\ndef test_it(): ...\n")
    told = pytest_in(tmp_path, "--junitxml=r.xml", code=4)
    assert "takes ids of trace items" in told


@pytest.mark.sweep
def test_a_project_that_cannot_be_read_is_told_in_the_report(tmp_path: Path) -> None:
    project(tmp_path, test_plain=PLAIN)
    repository(tmp_path)
    write_tree(tmp_path, {".git/index": "no index"})
    pytest_in(tmp_path, "--junitxml=r.xml")

    read = report(tmp_path / "r.xml")
    assert read.content is None
    assert read.unsure


def test_the_plugin_costs_pytest_nothing_of_ours_before_it_is_asked(tmp_path: Path) -> None:
    script = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport verifflowcc.pytest_plugin\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['verifflowcc', 'verifflowcc.pytest_plugin']"
