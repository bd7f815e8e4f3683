"""What gets the room: rules before code, items whatever words the task has, and code to the end of the budget."""

from pathlib import Path

import pytest

from tests.trees import git, write_memory, write_tree
from verifflowcc.base.model.entries import ContextPackage, Fate, PlacedCandidate, Question
from verifflowcc.base.model.layers import CODE
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.prompt.use.prompt_use import compile_context

EXPORT = "Export the calendar of the second chapter"
RULE = "## Rule {0}\n\nAlways keep rule number {0} of the harbour when you change the calendar.\n\n"
FUNCTION = '''\
def export_calendar_{0}_{1}(calendar, chapter):
    """Export the calendar number {1} of chapter {0}."""
    return [entry.export({0}, {1}) for entry in calendar if entry.chapter == chapter + {1}]


'''


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    """A repository with far more code for the task than any prompt here holds."""
    files = {f"src/calendar_{n}.py": "".join(FUNCTION.format(n, k) for k in range(24)) for n in range(40)}
    git(write_tree(tmp_path, files), "init", "-q")
    initialise(tmp_path)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def ask(root: Path, budget: int, agent: str = "coder", task: str = EXPORT) -> ContextPackage:
    return compile_context(Workspace(root), Question(agent, task=task, budget_tokens=budget))


def named(package: ContextPackage, name: str) -> PlacedCandidate:
    return next(one for one in package.placed if one.candidate.key == name)


def of_code(package: ContextPackage) -> list[PlacedCandidate]:
    return [one for one in package.placed if one.candidate.origin == CODE and one.outcome is not Fate.DROPPED]


@pytest.mark.vfcc("REQ-LAYER-CAPS", "REQ-ALLOCATION")
@pytest.mark.parametrize(("rules", "budget", "least"), [(45, 8_000, 800), (360, 50_000, 7_000)])
def test_no_rule_is_cut_while_spare_tokens_go_to_code(coded: Path, rules: int, budget: int, least: int) -> None:
    write_tree(coded, {"CLAUDE.md": "# Rules\n\n" + "".join(map(RULE.format, range(rules)))})
    package = ask(coded, budget)

    assert named(package, "CLAUDE.md").outcome is Fate.KEPT
    assert named(package, "CLAUDE.md").tokens > least
    assert of_code(package)


def test_a_larger_budget_holds_more_code(coded: Path) -> None:
    small, large = (sum(one.tokens for one in of_code(ask(coded, budget))) for budget in (16_000, 40_000))

    assert large > small > 8_000


ITEMS = (
    "Use their brand voice guide",
    "Quote prices in euro",
    "Photographs need a caption",
    "Names of ships are in italics",
    "Never print a telephone number",
)


def items(texts: list[str], kind: str) -> dict[str, str]:
    return {f"project/items/{kind}/{n:02}.md": f"---\ntype: {kind}\n---\n{text}.\n" for n, text in enumerate(texts)}


@pytest.mark.vfcc("REQ-LOADING")
def test_a_task_that_shares_no_word_with_memory_leaves_no_item_out(tmp_path: Path) -> None:
    write_memory(tmp_path, items(list(ITEMS), "guideline"))
    package = ask(tmp_path, 50_000, task="Write the second chapter")

    for text in ITEMS:
        assert text in package.text
    assert not [one for one in package.skipped if "items/" in one.key]


@pytest.mark.vfcc("REQ-LOADING")
@pytest.mark.parametrize(("agent", "cap"), [("planner", 30), ("coder", 50)])
def test_a_task_offers_as_many_items_as_there_are_without_one(tmp_path: Path, agent: str, cap: int) -> None:
    write_memory(tmp_path, items([f"Pilot {n} boards at dawn" for n in range(60)], "fact"))

    for task in ("", "Write the second chapter"):
        package = ask(tmp_path, 50_000, agent, task)
        assert sum(one.candidate.type == "fact" and one.outcome is Fate.KEPT for one in package.placed) == cap


def test_data_files_are_sentences_and_other_keys_stay(tmp_path: Path) -> None:
    tools = "version: 2\ntools:\n  - name: read\n  - name: edit\n    paths: ['src/**']\n"
    progress = '{"id": "s1", "stage": "coding", "status": "open", "deadline": "Friday"}\n'
    files = {"tools.yaml": tools, "context.json": "{}\n"}
    write_memory(tmp_path, {f"agent/coder/{name}": text for name, text in files.items()})
    write_memory(tmp_path, {"sprint/s1/progress.json": progress, "stage/s1/coding/.k": ""})
    package = compile_context(Workspace(tmp_path), Question("coder", "s1", "coding"))

    assert "You may edit `src/**`. You may not search, run commands, use git, change git, " in package.text
    assert "### tools.yaml" not in package.text
    assert 'Sprint s1 is open, in coding.\n{"deadline": "Friday"}' in package.text
    assert "context.json" not in package.text
    assert {"tools.yaml", "progress.json"} <= {one.candidate.key for one in package.placed}
    assert [(one.key, one.reason) for one in package.skipped if one.key == "context.json"] == [
        ("context.json", "empty")
    ]


def test_an_empty_data_file_is_listed_by_its_path(tmp_path: Path) -> None:
    write_memory(tmp_path, {"sprint/s1/progress.json": "{}\n", "stage/s1/coding/.k": ""})
    package = compile_context(Workspace(tmp_path), Question("coder", "s1", "coding"))

    assert (".memory/sprint/s1/progress.json", "empty") in [(one.path, one.reason) for one in package.skipped]
