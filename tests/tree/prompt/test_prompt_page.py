"""The page that a prompt is: its order, its opening lines, the prefix that all tasks share, and what items cost."""

import re
from pathlib import Path

import pytest

from tests.ledger_samples import ANN
from tests.prompt_world import ask, item, person
from tests.pure.base.test_token_counts import oracle
from tests.trees import example, repository, write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

RULES = "# Click\n\nIt parses command lines.\n\n## Tests\n\nRun pytest.\n"
OF_0_1 = """\
{% include "partials/memory.md.j2" %}
## Your Task

Of our own.

{% for entry in project_entries %}
{% include "partials/entry.md.j2" %}
{% endfor %}
{% include "partials/task.md.j2" %}
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project in the stage planning of a sprint, with one item of several types and a person at home."""
    home = person(tmp_path, monkeypatch)
    item(home, "preference", "bullets", "Prefers bullet points.")
    root = write_tree(tmp_path / "click", {"CLAUDE.md": RULES})
    initialise(root)
    goals = ("A hidden prompt shows nothing",)
    start_sprint(Workspace(root), "Hidden prompts", goals=goals, workflow="light", actor=ANN)
    items = root / ".memory/project/items"
    item(items, "guideline", "voice", "Use the active voice.")
    item(items, "guideline", "short", "Errors have one line.", trust="agent", details="{promoted_by: human:Ann}")
    item(items, "failure", "pipe", "getpass hangs in a pipe.", title="getpass on Windows", details="{code: EPIPE}")
    item(items, "fact", "flask", "Flask uses click.")
    write_memory(root, {"stage/hidden-prompts/planning/feedback.md": "Say which prompts.\n"})
    return root


def headings(text: str) -> list[str]:
    return re.findall(
        r"^##? .*$", re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )


def test_the_page_has_its_sections_in_order_and_the_task_at_its_very_end(root: Path) -> None:
    text = ask(root, "planner", task="Plan it.\nAll of it.").text

    assert headings(text) == [
        "# Planner",
        "## Project Context",
        "## Current Sprint",
        "## Stage Artifacts",
        "## Memory",
        "## Your Task",
    ]
    assert text.endswith("\n### Task\n\nPlan it.\nAll of it.\n")
    assert text.index("## Your Task") < text.index("### The person") < text.index("### Task")


def test_two_lines_name_the_role_the_goal_and_what_is_owed(root: Path) -> None:
    owed = ".memory/stage/hidden-prompts/planning/artifacts/plan.md"

    first, second = ask(root, "planner").text.split("\n\n")[1].split("\n")
    assert (
        first
        == "You are the planner in the stage planning of the sprint hidden-prompts. Goal: A hidden prompt shows nothing"
    )
    assert second == f"You owe `{owed}`."
    other = ask(root, "coder").text
    assert "You are the coder. The sprint hidden-prompts is in the stage planning. Goal: " in other
    assert f"The planner owes `{owed}`." in other

    write_tree(root, {owed: "1. Say which prompts hide their input.\n"})
    assert "You owe no artifact of this stage any more." in ask(root, "planner").text


def test_the_task_says_the_commands_what_may_change_and_how_to_hand_in(root: Path) -> None:
    (root / ".memory/config.yaml").write_text('gates: {commands: {test: {run: [pytest, -q, "--junitxml={junit}"]}}}\n')

    planner, coder = (ask(root, agent).text.partition("## Your Task")[2] for agent in ("planner", "coder"))

    assert "- Hand in: `vfcc stage put plan.md --file FILE`, then `vfcc next`.\n" in planner
    assert "stage put" not in coder
    assert "- test: `pytest -q`; `vfcc evidence run test` records the result.\n" in coder
    assert (
        "- You may edit every file; run any command. In the stage Planning no file of the product may change.\n"
        in coder
    )
    assert "### tools.yaml" not in coder


def test_what_no_sentence_says_of_a_table_of_tools_is_shown_as_it_is_written(root: Path) -> None:
    path = root / ".memory/agent/coder/tools.yaml"
    tools = path.read_text(encoding="utf-8")

    path.write_text(f"{tools}network: false\n", encoding="utf-8")
    text = ask(root, "coder").text
    assert text.count("You may edit every file") == 1
    assert "### tools.yaml\n\n```text\nnetwork: false\n```\n" in text

    path.write_text("tools:\n  - name: run\n    commands: [make test]\n    shell: zsh\n", encoding="utf-8")
    text = ask(root, "coder").text
    assert "### tools.yaml\n\n```text\ntools:\n  - name: run\n    commands: [make test]\n    shell: zsh\n```" in text
    assert "You may edit" not in text


def test_the_commands_that_the_first_version_of_a_table_names_are_in_its_sentence(root: Path) -> None:
    path = root / ".memory/agent/coder/tools.yaml"
    path.write_text("tools:\n  - name: edit\n  - name: run\n    commands: [make test]\n", encoding="utf-8")

    text = ask(root, "coder").text

    assert "- You may edit every file; run `make test`. You may not read files, search, " in text
    assert "### tools.yaml" not in text


def test_a_persons_rules_are_instructions_and_what_agents_wrote_is_data(root: Path) -> None:
    text = ask(root, "coder").text

    rules = text.partition("## Project Context")[2].partition("## Current Sprint")[0]
    assert rules == (
        "\n\nRules of this project. Follow them.\n\n"
        "### CLAUDE.md\n\n#### Click\n\nIt parses command lines.\n\n##### Tests\n\nRun pytest.\n\n"
        "### Guidelines\n\n- Use the active voice.\n\n"
        "### Data written by agents\n\n```markdown\nGuidelines:\n- Errors have one line.\n```\n\n"
    )
    assert "### Failures\n\n- **getpass on Windows** (EPIPE). getpass hangs in a pipe.\n" in text


def test_all_tasks_and_all_machines_share_what_comes_before_the_local_parts(root: Path) -> None:
    repository(root)
    pages = [
        ask(root, "coder", task=task, **given).text
        for task in ("flask in a pipe", "the active voice")
        for given in ({}, {"with_local": False}, {"committed": True})
    ]

    shared = pages[0].partition("### The person")[0]
    assert "## Your Task" in shared
    assert [page.startswith(shared) for page in pages] == [True] * 6
    assert pages[1] == pages[2] == f"{shared}### Task\n\nflask in a pipe\n"


def test_goals_stages_and_tools_are_each_stated_once(root: Path) -> None:
    text = ask(root, "coder").text

    assert text.count("A hidden prompt shows nothing") == 1
    assert text.count("Active: planning.") == 1
    assert text.count("You may ") == 1
    assert "Sprint hidden-prompts (Hidden prompts) is open, in planning, workflow light. Active: planning. Pend" in text
    for name in ("goals.md", "progress.json", "tools.yaml", "context.json"):
        assert f"### {name}" not in text

    write_memory(root, {"sprint/hidden-prompts/goals.md": "# Hidden prompts\n\nDone when getpass is gone.\n"})
    assert (
        "### goals.md\n\n```markdown\n# Hidden prompts\n\nDone when getpass is gone.\n```\n" in ask(root, "coder").text
    )


def test_what_a_sprint_recorded_beside_its_progress_is_shown_as_it_is_written(root: Path) -> None:
    write_memory(root, {"sprint/hidden-prompts/results.json": '{"velocity": 3}\n'})

    text = ask(root, "coder").text

    assert "\nSprint hidden-prompts (Hidden prompts) is open, in planning, workflow light. Active: " in text
    assert '### progress.json (tool)\n\n```text\n{"results": {\n    "velocity": 3\n  }}\n```\n' in text


def test_a_rule_of_the_page_is_what_takes_room_as_a_rule(root: Path) -> None:
    decisions = {
        f"project/decisions/{name}.md": f"---\ntype: decision\ntitle: {name}\nstatus: {status}\n---\nUse {name}.\n"
        for name, status in (("tabs", "accepted"), ("spaces", "proposed"))
    }
    by_agent = "---\ntrust: agent\n---\nNever use tabs.\n"
    write_memory(
        root, {**decisions, "project/conventions/python.md": by_agent, "project/conventions/own.md": "Be brief.\n"}
    )

    package = ask(root, "coder")
    rules = package.text.partition("## Project Context")[2].partition("## Current Sprint")[0]

    kept = [one for one in package.placed if one.candidate.layer is Layer.PROJECT and one.outcome is not Fate.DROPPED]
    assert {one.candidate.key for one in kept if one.candidate.rule} >= {"CLAUDE.md", "decisions/tabs.md"}
    found = {one.candidate.key.rpartition("/")[2]: one.candidate.rule for one in kept}
    texts = {"tabs.md": "Use tabs.", "spaces.md": "Use spaces.", "own.md": "Be brief.", "python.md": "Never use tabs."}
    assert {name: text in rules for name, text in texts.items()} == {name: found[name] for name in texts}
    assert (found["tabs.md"], found["spaces.md"]) == (True, False)
    assert "- (proposed, not decided) Use spaces." in package.text


def test_requirements_outside_of_the_sprint_are_listed_apart(root: Path) -> None:
    items = root / ".memory/project/items"
    item(items, "requirement", "REQ-HIDE", title="A hidden prompt shall show nothing.")
    item(items, "requirement", "REQ-PDF", title="A prompt shall be printed.")
    write_memory(root, {"sprint/hidden-prompts/goals.md": "About REQ-HIDE.\n"})

    text = ask(root, "coder", task="Write the prompt").text

    inside, _, outside = text.partition("### Requirements\n")[2].partition("### Requirements outside of this sprint\n")
    assert ("REQ-HIDE" in inside, "REQ-PDF" in inside) == (True, False)
    assert "REQ-PDF" in outside


def test_without_a_sprint_and_memory_nothing_empty_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person(tmp_path, monkeypatch)
    root = write_memory(tmp_path / "new", {"config.yaml": "format: 1\n"})

    text = ask(root, "coder", task="Write it.").text

    assert headings(text) == ["# Coder", "## Your Task"]
    assert text.startswith(
        "# Coder\n\nYou are the coder. No sprint is open. The task at the end of this page is the goal.\n\n## Your"
    )
    assert "fences" not in text


@pytest.mark.parametrize("trust", ["human", "agent"])
def test_thirty_items_of_one_line_cost_a_third_more_than_their_tokens_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trust: str
) -> None:
    person(tmp_path, monkeypatch)
    root, count = write_memory(tmp_path / "new", {"config.yaml": "format: 1\n"}), oracle("o200k_base")
    before, own = count(ask(root, "coder").text), 0
    for number in range(30):
        text = f"The endpoint number {number} answers within {number + 3} ms on the test server."
        front = {"trust": trust, "details": "{promoted_by: human:Ann}"} | (
            {"title": f"Limit {number}"} if number % 2 else {}
        )
        item(root / ".memory/project/items", ("fact", "guideline", "insight")[number % 3], f"n{number}", text, **front)
        own += count(text) + (count(f"Limit {number}") if number % 2 else 0)

    after = ask(root, "coder")

    assert len(after.prompt.items["project"]) == 30
    assert count(after.text) - before <= own * 135 // 100


def test_a_template_of_0_1_still_renders_everything(root: Path) -> None:
    write_memory(root, {"templates/coder.md.j2": OF_0_1})

    text = ask(root, "coder", task="Write it.").text

    assert "Of our own.\n" in text
    assert "### CLAUDE.md\n\nFrom CLAUDE.md, trust human\n" in text
    assert text.endswith("### Task\n\nWrite it.\n")


@pytest.mark.parametrize("name", ["stage/hidden-prompts/planning/artifacts/plan.md", "agent/planner/tools.yaml"])
def test_a_kept_prompt_is_made_again_once_a_fact_of_its_page_changed(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    question = Question("planner")
    before = compile_prompt_only(Workspace(root), question)
    assert compile_prompt_only(Workspace(root), question).cached
    write_memory(root, {name: "version: 2\ntools: [read]\nsays: something\n"})

    after = compile_prompt_only(Workspace(root), question)

    assert not after.cached
    assert after.text != before.text


def test_the_worked_examples_coder_reads_rules_before_data(tmp_path: Path) -> None:
    text = ask(example(tmp_path), "coder", sprint="sprint-02", stage="coding").text

    assert text.index("Rules of this project.") < text.index("### CLAUDE.md") < text.index("```json")
    assert "#### 0001 Predict from harmonic constituents\n\n##### Context\n" in text
