"""Trace items in prompts: those that the sprint is about, with their tests and state, then those near to the task."""

import sys
from pathlib import Path

import pytest

from tests.evidence_project import SPRINT, project, run
from tests.prompt_world import ask, item, keys, person, skipped
from tests.trees import commit, example, git, repository, write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import ContextPackage, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

pytestmark = pytest.mark.vfcc("REQ-TRACE-IN-PROMPT")

TESTS = '''\
import sys
from pathlib import Path


def test_add():
    """vfcc: REQ-ADD"""


cases = Path("tests/cases.xml").read_text()
Path(sys.argv[1]).write_text(f'<testsuite name="suite">{cases}</testsuite>')
'''
PASSED = '<testcase classname="tests.test_calc" name="test_add"/>'
FAILED = '<testcase classname="tests.test_calc" name="test_add"><failure message="1 is 2"/></testcase>'


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person(tmp_path, monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a need, two requirements below it, and a sprint that names none of them."""
    here = write_memory(tmp_path / "project", {"config.yaml": "format: 1\n"})
    start_sprint(Workspace(here), "Boats", workflow="light", actor="human:a", sprint_id="boats")
    items = here / ".memory" / "project" / "items"
    item(items, "need", "NEED-1", "Boats come home.")
    refines = "[{to: NEED-1, relation: refines}]"
    item(items, "requirement", "REQ-1", "It shall ring the bell.", links=refines, verification="test")
    item(items, "requirement", "REQ-2", "It shall light the lamp.", links=refines, verification="test")
    return here


def why(package: ContextPackage) -> dict[str, str]:
    """Return id → why, of the trace items that a prompt was offered, in their order."""
    return {one.candidate.key: one.candidate.why for one in package.placed if one.candidate.origin == "@trace"}


def test_the_coder_of_the_worked_example_reads_the_requirement_that_the_goals_name(tmp_path: Path) -> None:
    package = ask(example(tmp_path / "tidewater"), task="write the calendar export")

    assert "- REQ-CALENDAR (no test yet): `tidewater export` shall write a range of up to 366 days" in package.text
    assert list(why(package).items())[:2] == [
        ("REQ-CALENDAR", "named by goals.md"),
        ("NEED-TABLES", "named by planning/artifacts/plan.md"),
    ]


@pytest.mark.parametrize(
    ("path", "named_by"),
    [
        ("sprint/boats/goals.md", "named by goals.md"),
        ("stage/boats/planning/artifacts/plan.md", "named by planning/artifacts/plan.md"),
        ("stage/boats/coding/artifacts/notes.md", "named by coding/artifacts/notes.md"),
    ],
)
def test_what_goals_and_artifacts_name_comes_with_what_it_refines(root: Path, path: str, named_by: str) -> None:
    write_memory(root, {path: "We do (REQ-2).\n"})

    found = list(why(ask(root)).items())
    assert found == [
        ("REQ-2", named_by),
        ("NEED-1", "REQ-2 refines it"),
        ("REQ-1", "not in the sprint's scope; there is room for it"),
    ]


def test_the_goals_of_the_ledger_name_items(tmp_path: Path, root: Path) -> None:
    start_sprint(Workspace(root), "Bells", goals=("Do REQ-1",), workflow="light", actor="human:a", sprint_id="bells")

    assert list(why(ask(root, sprint="bells")))[:2] == ["REQ-1", "NEED-1"]
    assert why(ask(root, sprint="bells"))["REQ-1"] == "named by the sprint's goals"


def test_a_branch_names_an_item_and_a_commit_has_no_branch(root: Path) -> None:
    repository(root)
    git(root, "switch", "--quiet", "--create", "feature/12-req-2-lamp")

    assert why(ask(root))["REQ-2"] == "named by the branch feature/12-req-2-lamp"
    assert why(ask(root, with_local=False))["REQ-2"] != why(ask(root))["REQ-2"]
    assert why(ask(root, committed=True))["REQ-2"] == "not in the sprint's scope; there is room for it"


def test_who_builds_a_need_sees_what_refines_it_and_who_plans_does_not(root: Path) -> None:
    write_memory(root, {"sprint/boats/goals.md": "NEED-1\n"})

    assert why(ask(root, "coder"))["REQ-2"] == "it refines NEED-1"
    assert why(ask(root, "planner"))["REQ-2"] == "not in the sprint's scope; there is room for it"


def test_a_sprint_that_names_a_need_and_one_requirement_is_about_that_one(root: Path) -> None:
    write_memory(root, {"sprint/boats/goals.md": "NEED-1, by REQ-1\n"})

    assert list(why(ask(root)).items()) == [
        ("NEED-1", "named by goals.md"),
        ("REQ-1", "named by goals.md"),
        ("REQ-2", "not in the sprint's scope; there is room for it"),
    ]


def test_a_need_with_many_requirements_brings_twenty_and_lists_the_others(root: Path) -> None:
    items = root / ".memory" / "project" / "items"
    for number in range(10, 40):
        item(items, "requirement", f"REQ-{number}", links="[{to: NEED-1, relation: refines}]")
    write_memory(root, {"sprint/boats/goals.md": "NEED-1\n"})
    package = ask(root)

    above = [
        name for name, reason in skipped(package).items() if reason.endswith("items below those that the sprint names")
    ]
    assert len(why(package)) == 21
    assert len(above) == 12
    assert len({*above, *why(package)}) == 33


def test_words_of_the_task_order_what_is_outside_of_the_scope_and_exclude_nothing(root: Path) -> None:
    found = why(ask(root, task="repair the lamps"))

    assert list(found.items()) == [
        ("REQ-2", "words of the task are in it"),
        ("NEED-1", "not in the sprint's scope; there is room for it"),
        ("REQ-1", "not in the sprint's scope; there is room for it"),
    ]
    assert next(iter(why(ask(root, task="the lamps of REQ-1")).items())) == ("REQ-1", "named by the task")


def test_every_item_of_the_trace_is_in_the_explanation_once(root: Path) -> None:
    items = root / ".memory" / "project" / "items"
    for number in range(10, 25):
        item(items, "requirement", f"REQ-{number}")
    item(items, "requirement", "REQ-9", status="archived")
    (items / "requirement" / "REQ-8.md").write_bytes(b"\xff")
    package = ask(root)

    listed = [*why(package), *(one.key for one in package.skipped if one.layer is Layer.SPRINT)]
    names = {path.stem for path in items.rglob("*.md")}
    of_trace = [name for name in listed if "REQ" in name or "NEED" in name]
    assert sorted(name.rpartition("/")[2].removesuffix(".md") for name in of_trace) == (sorted(names))
    assert skipped(package)["REQ-9"] == "retired"
    assert "not UTF-8" in skipped(package)["items/requirement/REQ-8.md"]
    assert list(skipped(package).values()).count("above the 10 items outside of the sprint's scope") == 8


def test_an_item_whose_file_the_strategy_names_is_not_listed_twice(root: Path) -> None:
    write_memory(root, {"config.yaml": "loading_strategy: {project: {always_load: ['items/requirement/REQ-2.md']}}\n"})
    package = ask(root)

    assert keys(package, Layer.PROJECT)[:1] == ["items/requirement/REQ-2.md"]
    assert list(why(package)) == ["NEED-1", "REQ-1"]
    assert package.text.count("light the lamp") == 1


def test_without_the_source_no_item_is_read(root: Path) -> None:
    write_memory(root, {"config.yaml": "loading_strategy: {sprint: {conditional_load: [context.md]}}\n"})

    assert why(ask(root)) == {}


def test_a_text_of_several_lines_stays_one_list_item(root: Path) -> None:
    text = "It shall ring.\n\n```\nbell\n"
    item(root / ".memory" / "project" / "items", "requirement", "REQ-1", text, verification="review", planned="May")
    package = ask(root)

    assert "- REQ-1 (planned: May): It shall ring.\n\n  ```\n  bell\n  ```\n" in package.text


@pytest.fixture
def calculator(tmp_path: Path) -> Workspace:
    """A sprint whose goals name a requirement with a test, in a repository."""
    requirement = "---\nid: REQ-ADD\ntype: requirement\ntitle: It adds\nverification: test\n---\nIt adds.\n"
    files = {
        "tests/test_calc.py": TESTS,
        "tests/cases.xml": PASSED,
        ".memory/project/items/requirement/REQ-ADD.md": requirement,
    }
    here = project(tmp_path / "calc", files, test={"run": [sys.executable, "-B", "tests/test_calc.py", "{junit}"]})
    write_memory(here.root, {f"sprint/{SPRINT}/goals.md": "REQ-ADD\n"})
    return here


def state(here: Workspace, **question: object) -> str:
    """Return what a prompt says of the requirement before its text."""
    text = ask(here.root, "tester", **question).text
    return text.partition("- REQ-ADD (")[2].partition("):")[0]


def test_the_state_is_that_of_the_evidence_on_the_content_of_now(calculator: Workspace) -> None:
    test = "verified by tests/test_calc.py::test_add"
    assert state(calculator) == f"{test}; unknown"

    run(calculator, "tests")
    assert state(calculator) == f"{test}; passing"

    write_tree(calculator.root, {"src/calc.py": "def add(a, b): return b + a\n"})
    assert state(calculator) == f"{test}; stale"

    write_tree(calculator.root, {"tests/cases.xml": FAILED})
    run(calculator, "tests")
    assert state(calculator) == f"{test}; failing"


def test_a_commit_has_the_state_of_its_own_evidence_for_its_own_content(calculator: Workspace) -> None:
    test = "verified by tests/test_calc.py::test_add"
    repository(calculator.root)
    run(calculator, "tests")
    assert (state(calculator), state(calculator, committed=True)) == (f"{test}; passing", f"{test}; unknown")

    commit(calculator.root, "evidence")
    write_tree(calculator.root, {"src/calc.py": "def add(a, b): return b + a\n"})
    assert (state(calculator), state(calculator, committed=True)) == (f"{test}; stale", f"{test}; passing")

    commit(calculator.root, "change")
    assert state(calculator, committed=True) == f"{test}; stale"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".memory/project/items/requirement/REQ-ADD.md", "---\nid: REQ-ADD\ntype: requirement\n---\nIt also adds.\n"),
        (".memory/project/items/requirement/REQ-NEW.md", "---\nid: REQ-NEW\ntype: requirement\n---\nIt is new.\n"),
        (".memory/project/items/need/NEED-NEW.md", "---\nid: NEED-NEW\ntype: need\n---\nIt is new.\n"),
        ("tests/test_more.py", "def test_more():\n    # vfcc: REQ-ADD\n    ...\n"),
        ("tests/deep/test_more.py", "def test_more():\n    # vfcc: REQ-ADD\n    ...\n"),
        ("src/calc.py", "def add(a, b): return b + a\n"),
    ],
)
def test_a_kept_prompt_notices_a_changed_item_test_or_source(
    calculator: Workspace, monkeypatch: pytest.MonkeyPatch, path: str, content: str
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    run(calculator, "tests")
    write_tree(calculator.root, {".memory/project/items/need/.gitkeep": ""})
    asked = Question("tester")
    before = compile_prompt_only(calculator, asked).text
    assert prompt_cache.recall(calculator, asked) is not None

    write_tree(calculator.root, {path: content})

    assert prompt_cache.recall(calculator, asked) is None
    assert compile_prompt_only(calculator, asked).text != before
