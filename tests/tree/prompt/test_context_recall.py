"""The project's typed items in a prompt: with its decisions, by rank, no more than a role is offered."""

import json
from pathlib import Path

import pytest

from tests.prompt_world import ask, item, keys, person, skipped
from tests.trees import commit, repository, write_memory
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.stores import open_store
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.prompt_use import compile_prompt_only

SQLITE = "memory: {backends: {project: sqlite}}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    person(tmp_path, monkeypatch)
    return write_memory(tmp_path / "project", {"config.yaml": "format: 1\n", "agent/coder/prompt.md": "Write.\n"})


@pytest.fixture
def items(root: Path) -> Path:
    return root / ".memory" / "project" / "items"


def decision(root: Path, number: int, importance: float = 0.9) -> None:
    head = f"---\nimportance: {importance}\n---\n"
    write_memory(root, {f"project/decisions/{number:04}.md": f"{head}# {number}. Tides\n\nWe do.\n"})


@pytest.mark.vfcc("REQ-ALL-LIFETIMES", "REQ-RANK-BY-WORTH")
def test_typed_items_compete_with_the_decisions_by_what_the_task_asks(root: Path, items: Path) -> None:
    decision(root, 1)
    item(items, "fact", "client", "The client is Acme.")
    item(items, "failure", "sluice", "The sluice was left open overnight.")
    item(items, "requirement", "REQ-1", "It shall open the sluice.")

    package = ask(root, task="mend the sluice")
    assert keys(package, Layer.PROJECT) == ["items/failure/sluice.md", "decisions/0001.md", "items/fact/client.md"]
    assert keys(ask(root), Layer.PROJECT)[0] == "decisions/0001.md"
    assert "items/fact/client.md" in keys(ask(root), Layer.PROJECT)


def test_what_stands_in_the_trace_is_not_recalled_whatever_the_workflow_calls_it(root: Path, items: Path) -> None:
    from verifflowcc.sprint.store.workflow_load import templates_folder

    workflow = (templates_folder() / "workflows" / "safety.yaml").read_text().replace("name: safety", "name: own")
    write_memory(root, {"workflow.yaml": workflow, "config.yaml": "workflow: own\n"})
    for type_name in ("need", "hazard", "unit", "lore", "safety_goal"):
        item(items, type_name, "x")

    assert "items/lore/x.md" in keys(ask(root), Layer.PROJECT)
    assert not {"items/need/x.md", "items/hazard/x.md", "items/unit/x.md"} & set(keys(ask(root), Layer.PROJECT))


@pytest.mark.vfcc("REQ-THINKING-CONTEXT", "REQ-WORKING-CONTEXT", "REQ-ASSEMBLY-CAPS")
def test_thirty_for_a_thinking_role_and_fifty_for_a_working_one_decisions_among_them(root: Path, items: Path) -> None:
    for n in range(40):
        decision(root, n, importance=round(0.3 + n / 100, 2))
        item(items, "fact", f"f{n:02}", importance=round(0.305 + n / 100, 3))
    thinking, working = ask(root, "planner"), ask(root, "coder")

    assert len(keys(thinking, Layer.PROJECT)) == 30
    assert len(keys(working, Layer.PROJECT)) == 50
    assert keys(working, Layer.PROJECT)[:30] == keys(thinking, Layer.PROJECT)
    assert {key.partition("/")[0] for key in keys(thinking, Layer.PROJECT)} == {"decisions", "items"}
    above = "above the 30 items that a thinking role is offered (memory.assembly.thinking.project_items)"
    assert list(skipped(thinking).values()).count(above) == 50
    assert (thinking.caps["project_items"], working.caps["project_items"]) == (30, 50)


@pytest.mark.vfcc("REQ-ASSEMBLY-CAPS")
def test_the_cap_is_a_setting_and_what_is_always_loaded_does_not_count(root: Path, items: Path) -> None:
    write_memory(root, {f"project/conventions/c{n}.md": f"# C{n}\n" for n in range(3)})
    for n in range(4):
        item(items, "fact", f"f{n}")
    write_memory(root, {"config.yaml": json.dumps({"memory": {"assembly": {"working": {"project_items": 2}}}})})

    assert keys(ask(root), Layer.PROJECT) == [
        *(f"conventions/c{n}.md" for n in range(3)),
        *("items/fact/f0.md", "items/fact/f1.md"),
    ]


@pytest.mark.vfcc("REQ-SUPERSEDED", "REQ-ITEM-STATUS")
def test_an_item_supersedes_a_decision_and_a_decision_an_item(root: Path, items: Path) -> None:
    decision(root, 1)
    decision(root, 2)
    item(items, "insight", "newer", links="[{to: 0001, relation: supersedes}]")
    item(items, "fact", "older")
    head = "---\nlinks: [{to: older, relation: supersedes}]\n---\n"
    write_memory(root, {"project/decisions/0003.md": f"{head}# 3. Tides\n"})
    item(items, "fact", "gone", status="archived")
    item(items, "fact", "maybe", status="pending")
    package = ask(root)

    assert sorted(keys(package, Layer.PROJECT)) == ["decisions/0002.md", "decisions/0003.md", "items/insight/newer.md"]
    out = {key: reason for key, reason in skipped(package).items() if "/" in key}
    assert out == {
        "decisions/0001.md": "superseded by .memory/project/items/insight/newer.md",
        "items/fact/gone.md": "archived",
        "items/fact/maybe.md": "pending",
        "items/fact/older.md": "superseded by .memory/project/decisions/0003.md",
    }
    everything = ask(root, with_past=True)
    assert sorted(keys(everything, Layer.PROJECT)[3:]) == [
        *("decisions/0001.md", "items/fact/gone.md", "items/fact/older.md"),
    ]
    assert "(not in force: superseded by .memory/project/items/insight/newer.md)" in everything.text
    assert list(skipped(everything)) == ["items/fact/maybe.md", "recent_actions.json"]


def test_all_takes_no_place_from_what_holds(root: Path, items: Path) -> None:
    for n in range(50):
        item(items, "fact", f"f{n:02}", importance=0.1)
    item(items, "fact", "gone", status="archived", importance=1.0)

    package = ask(root, with_past=True)
    assert set(keys(package, Layer.PROJECT)) == {*keys(ask(root), Layer.PROJECT), "items/fact/gone.md"}
    assert not any("above the 50 items" in reason for reason in skipped(package).values())


@pytest.mark.vfcc("REQ-BACKEND-CHOICE")
def test_items_in_sqlite_compete_with_the_decisions_and_are_in_no_prompt_of_a_commit(root: Path) -> None:
    write_memory(root, {"config.yaml": SQLITE})
    decision(root, 1)
    repository(root)
    texts = {
        "sluice": "---\nid: sluice\nlinks: [{to: 0001, relation: supersedes}]\n---\nMend the sluice.\n",
        "maybe": "---\nid: maybe\nstatus: pending\n---\nPerhaps.\n",
    }
    with open_store(Workspace(root), "project") as store:
        for name, text in texts.items():
            store.add(stored_item(f".memory/project/items/fact/{name}.md", text.encode()))
    package = ask(root, task="the sluice")

    assert keys(package, Layer.PROJECT) == ["items/fact/sluice.md"]
    assert skipped(package)["decisions/0001.md"] == "superseded by .memory/project/items/fact/sluice.md"
    assert skipped(package)["items/fact/maybe.md"] == "pending"
    shared = ask(root, committed=True)
    assert keys(shared, Layer.PROJECT) == ["decisions/0001.md"]
    assert "@recall is left out: the project's items are kept in sqlite, and not in the commit" in shared.prompt.notices


@pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_an_item_that_comes_or_changes_is_seen_at_once(
    root: Path, items: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -1)
    write_memory(root, {"config.yaml": SQLITE.replace("sqlite", backend)})
    here, question = Workspace(root), Question("coder")

    def warm() -> str:
        compile_prompt_only(here, question)
        text = compile_prompt_only(here, question).text
        assert prompt_cache.recall(here, question) is not None
        return text

    def put(text: str) -> None:
        if backend == "files":
            item(items, "fact", "f", text)
            return
        with open_store(here, "project") as store:
            store.add(stored_item(".memory/project/items/fact/f.md", f"---\nid: f\n---\n{text}\n".encode()))

    texts = [warm()]
    for text in ("One.", "Two.", "Six."):
        put(text)
        texts.append(warm())
        assert text in texts[-1]
    assert len(set(texts)) == 4


def test_a_commit_of_items_is_recalled_from_the_commit(root: Path, items: Path) -> None:
    item(items, "fact", "first")
    repository(root)
    item(items, "fact", "second")

    assert keys(ask(root, committed=True), Layer.PROJECT) == ["items/fact/first.md"]
    commit(root, "more")
    assert keys(ask(root, committed=True), Layer.PROJECT) == ["items/fact/first.md", "items/fact/second.md"]
