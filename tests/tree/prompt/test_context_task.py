"""The open task in a prompt: first of what competes in the agent layer, last in the text, gone when the task ends."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.prompt_world import ask, item, keys, person, skipped
from tests.ticking import Ticking
from tests.trees import committed_example, example, write_memory
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.use.task_ending import end_task
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

YOU = "human:You"
HEADING = "### Open task\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return person(tmp_path, monkeypatch)


@pytest.fixture
def here(tmp_path: Path, home: Path) -> Workspace:
    return Workspace(example(tmp_path / "project"), Ticking())


def begin(here: Workspace, text: str = "Mend the calendar", agent: str | None = None) -> str:
    return start_task(here, text, actor=YOU, agent=agent).id


def note(here: Workspace, text: str, task: str, type_name: str = "reasoning") -> str:
    tool = "pytest" if type_name == "tool_output" else None
    return note_in_task(here, Note(text, type_name, tool=tool), actor=YOU, task=task).item.id


@pytest.mark.vfcc("REQ-TASK-IN-PROMPT")
def test_the_open_task_comes_first_of_what_competes_in_the_agent_layer(here: Workspace) -> None:
    before = ask(here.root)
    task = begin(here)
    thought = note(here, "The fold must count octets.", task)
    said = note(here, "3 failed, 40 passed", task, "tool_output")
    package = ask(here.root)

    assert keys(package, Layer.AGENT) == [
        *("prompt.md", "tools.yaml"),
        *(f"task/tool_output/{said}.md", f"task/reasoning/{thought}.md"),
        "context.json",
    ]
    assert package.text.startswith(before.text)
    assert HEADING in package.text.removeprefix(before.text)
    assert "#### Reasoning\n\n- The fold must count octets.\n" in package.text
    assert package.prompt.items[f"task/{task}"] == (said, thought)
    assert package.tiers["task"] > 0
    assert package.inputs["@task"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TASK-IN-PROMPT")
def test_the_tasks_of_other_roles_and_tasks_that_ended_are_not_in_it(here: Workspace) -> None:
    task = begin(here, agent="tester")
    note(here, "Only testers ask this.", task)

    assert HEADING not in ask(here.root, "coder").text
    assert "Only testers ask this." in ask(here.root, "tester").text
    end_task(here, task, TaskStatus.COMPLETED, actor=YOU, outcome="done", promote=())
    assert HEADING not in ask(here.root, "tester").text


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-ALL-LIFETIMES", "REQ-LIFETIMES-PRESET")
def test_a_prompt_draws_on_the_task_the_project_and_the_person_each_within_its_share(
    here: Workspace, home: Path
) -> None:
    (here.root / "CLAUDE.md").unlink()
    shutil.rmtree(here.memory / "project")
    task = begin(here)
    for n in range(30):
        note(here, f"Thought {n}. " * 60, task)
        item(here.memory / "project" / "items", "fact", f"f{n:02}", f"Fact {n}. " * 60)
        item(home, "preference", f"p{n:02}", f"Preference {n}. " * 60)
    package = ask(here.root, "planner", budget_tokens=10_000, allocation="lifetimes")
    use = {one.layer: one.used_tokens for one in package.prompt.layers}

    assert package.prompt.tokens <= 10_000
    for layer, origin, share in (
        (Layer.AGENT, "@task", 0.4),
        (Layer.PROJECT, "@recall", 0.2),
        (Layer.USER, "@user", 0.2),
    ):
        kept = [one for one in package.placed if one.candidate.origin == origin and one.outcome is Fate.KEPT]
        assert kept
        assert use[layer] <= 10_000 * share + 2_000
    assert all(package.tiers[tier] > 500 for tier in ("task", "project", "global"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST", "REQ-TASK-IN-PROMPT")
def test_the_open_task_comes_before_the_person_and_neither_is_in_a_prompt_of_a_commit(
    tmp_path: Path, home: Path
) -> None:
    here = Workspace(committed_example(tmp_path / "project"), Ticking())
    before = ask(here.root, committed=True).text
    note(here, "The fold must count octets.", begin(here))
    item(home, "preference", "bullets")
    text = ask(here.root).text

    assert text.index("## Your Task") < text.index("### The person\n") < text.index(HEADING)
    assert ask(here.root, committed=True).text == before
    assert HEADING not in ask(here.root, with_local=False).text


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TASK-IN-PROMPT", "REQ-BACKEND-CHOICE")
def test_a_task_that_is_kept_in_sqlite_is_in_the_prompt_too(here: Workspace) -> None:
    write_memory(here.root, {"config.yaml": "memory: {backends: {task: sqlite}}\n"})
    thought = note(here, "The fold must count octets.", begin(here))
    package = ask(here.root, task="count octets")

    assert keys(package, Layer.AGENT)[2] == f"task/reasoning/{thought}.md"
    assert "The fold must count octets." in package.text


@pytest.mark.sweep
def test_a_task_whose_record_is_broken_is_a_notice(here: Workspace) -> None:
    task = begin(here)
    (here.local / "tasks" / task / "task.json").write_text("{")

    assert any(notice.startswith("@task left out: ") for notice in ask(here.root).prompt.notices)


TEXTS = st.text(alphabet="tide calendar export.\n#-`", min_size=1, max_size=300).filter(str.strip)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST")
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, max_size=5), st.integers(900, 8_000))
def test_no_item_of_a_task_moves_how_the_rest_is_ranked(here: Workspace, texts: list[str], budget: int) -> None:
    write_memory(here.root, {"agent/coder/notes.json": '{"calendar": 1}'})
    lists = {"conditional_load": ["*.json", "@task"]}
    write_memory(here.root, {"config.yaml": json.dumps({"loading_strategy": {"agent": lists}})})
    alone = ask(here.root, task="the calendar export", budget_tokens=budget)
    task = begin(here)
    for text in texts:
        note(here, text, task)
    package = ask(here.root, task="the calendar export", budget_tokens=budget)
    end_task(here, task, TaskStatus.FAILED, actor=YOU, outcome="", promote=())

    def shared(one: object) -> list[tuple[str, int, str]]:
        placed = one.placed  # type: ignore[attr-defined]
        return [(c.candidate.key, c.candidate.score, c.candidate.why) for c in placed if not c.candidate.local]

    assert package.prompt.tokens <= budget
    assert shared(package) == shared(alone)
    assert skipped(package).keys() - skipped(alone).keys() == set()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_what_happens_to_a_task_is_seen_at_once(here: Workspace, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -1)
    write_memory(here.root, {"config.yaml": f"memory: {{backends: {{task: {backend}}}}}\n"})
    question = Question("coder")

    def warm() -> str:
        compile_prompt_only(here, question)
        text = compile_prompt_only(here, question).text
        kept = prompt_cache.recall(here, question)
        assert kept is not None
        assert kept.text == text
        return text

    texts = [warm()]
    task = begin(here)
    note(here, "One.", task)
    texts.append(warm())
    note(here, "Two.", task)
    texts.append(warm())
    end_task(here, task, TaskStatus.COMPLETED, actor=YOU, outcome="done", promote=())
    assert warm() == texts[0]
    assert len(set(texts)) == 3
