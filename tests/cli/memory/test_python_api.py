"""The names for programs: each is there, and what they return equals what the commands print."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verifflowcc
from tests.cli.process import git, vfcc
from tests.trees import add_settings
from verifflowcc.base.errors import SecretError, UsageError
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.use.backend_api import create_item
from verifflowcc.prompt.use.memory_manager import ContextAssembler, ContextRequest, MemoryManager

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "python.md"
OPTIONS = [
    ({}, ()),
    ({"task": "Export the calendar"}, ("--task", "Export the calendar")),
    ({"allocation": "lifetimes"}, ("--allocation", "lifetimes")),
    ({"committed": True}, ("--committed",)),
    ({"with_past": True, "task": "stations"}, ("--all", "--task", "stations")),
    ({"as_of": "2026-11-20"}, ("--as-of", "2026-11-20")),
    ({"token_budget": 3000, "task": "tides"}, ("--budget", "3000", "--task", "tides")),
]


@pytest.fixture
def repository(example: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    monkeypatch.setenv("HOME", str(example))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return example


@pytest.mark.points(3)
@pytest.mark.parametrize("agent", ["coder", "planner"])
@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=lambda each: " ".join(each) or "plain")
def test_the_manager_returns_what_the_command_prints(
    repository: Path, agent: str, options: dict[str, object], words: tuple[str, ...]
) -> None:
    printed = vfcc(repository, "context", "show", "--agent", agent, *words, "--json", "--full").out

    memory = MemoryManager(repository).load_context_for_agent(agent, count_uses=False, **options)  # type: ignore[arg-type]

    assert json.loads(memory.json()) == json.loads(printed)
    assert memory.json() + "\n" == printed
    assert verifflowcc.build_agent_prompt(agent, memory) == memory.text == json.loads(printed)["data"]["prompt"]["text"]
    assert memory.prompt.tokens <= memory.prompt.budget_tokens


def test_a_prompt_for_a_program_counts_as_a_use_unless_it_says_otherwise(repository: Path) -> None:
    manager, log = MemoryManager(repository), repository / ".memory/local/sent-prompts.jsonl"
    runs = len(log.read_text().splitlines()) if log.exists() else 0

    manager.load_context_for_agent("coder", count_uses=False)
    assert (len(log.read_text().splitlines()) if log.exists() else 0) == runs

    manager.load_context_for_agent("coder")
    assert len(log.read_text().splitlines()) == runs + 1


def test_the_manager_has_a_root_a_budget_and_counts_tokens(repository: Path) -> None:
    manager = MemoryManager(repository)
    assert (manager.memory_root, manager.token_budget) == (repository / ".memory", 50_000)
    assert manager.estimate_tokens("one two three") == 3
    manager.token_budget = 2_000
    assert manager.load_context_for_agent("coder").prompt.budget_tokens == 2_000
    add_settings(repository, "token_allocation: {coder: {budget: 3000}}")
    assert MemoryManager(repository).load_context_for_agent("coder").prompt.budget_tokens == 3_000


def test_each_layer_is_loaded_alone(repository: Path) -> None:
    manager = MemoryManager(repository)
    loaded = {
        "CLAUDE.md": manager.load_project_memory(2000),
        "goals.md": manager.load_sprint_memory("sprint-02", 2000),
        "artifacts/interface.json": manager.load_stage_memory("coding", 2000),
        "prompt.md": manager.load_agent_memory("coder", 2000),
    }

    for first, entries in loaded.items():
        assert entries[0].key == first
        assert sum(each.tokens for each in entries) <= 2000


def test_the_memory_of_one_agent_makes_no_prompt_of_another(repository: Path) -> None:
    memory = MemoryManager(repository).load_context_for_agent("coder")

    with pytest.raises(UsageError, match="loaded for coder, not for planner"):
        verifflowcc.build_agent_prompt("planner", memory)


def test_the_assembler_gives_the_context_of_a_task_and_removes_it(repository: Path) -> None:
    task = vfcc(repository, "task", "start", "Export the calendar", "--json", "--full").data["id"]
    noted = vfcc(repository, "task", "note", "The office folds lines at 75 bytes")
    assert noted.code == 0, noted
    assembler = ContextAssembler(repository)

    context = assembler.build_context("Export the calendar", ContextRequest("coder", 8000))
    assert "folds lines at 75 bytes" in context.text
    assert context.prompt.compression <= 1000

    assembler.cleanup_task(task)
    assert "folds lines at 75 bytes" not in assembler.build_context("Export the calendar").text


def test_an_item_is_made_by_the_program_and_kept_by_any_backend() -> None:
    item = create_item("decision", "Times carry their offset", tags=["time"], importance=0.9, id="offset")
    backend = InMemoryBackend("project")
    backend.add(item)

    (kept,) = backend.query({"type": "decision", "importance": {"$gte": 0.9}})
    assert (kept.item.id, kept.item.tags, kept.body.strip()) == ("offset", ("time",), "Times carry their offset")
    assert verifflowcc.ProjectMemoryStore("shop", backend).query_decisions(["time"]) == [kept]
    with pytest.raises(UsageError, match="decision"):
        create_item("decison", "x")
    with pytest.raises(SecretError):
        create_item("fact", "token ghp_" + "a1B2" * 9)


def test_the_items_of_a_project_are_listed_by_importance(repository: Path) -> None:
    with verifflowcc.open_store(verifflowcc.open_workspace(repository), "project") as backend:
        for number in (1, 9, 5):
            backend.add(create_item("fact", f"Fact {number}", importance=number / 10, id=f"fact-{number}"))

    found = verifflowcc.get_project_blocks(repository, ["fact"], 2)

    assert [each.item.id for each in found] == ["fact-9", "fact-5"]
    text = verifflowcc.assemble_work_agent_context(repository, include_user=False)
    assert "- fact: Fact 9\n" in text
    assert text == verifflowcc.format_combined_context([], verifflowcc.get_project_blocks(repository, max_items=50))


def _rows() -> list[tuple[str, str]]:
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index("## The names of the decision records") :]
    return [(row[0], row[1]) for row in re.findall(r"(?m)^\| (`[^|]+`) \| ([^|]+) \|", section)]


def test_each_name_of_the_decision_records_is_there_under_the_name_that_the_page_gives() -> None:
    rows = _rows()
    assert len(rows) > 30
    for old, cell in rows:
        names = re.findall(r"`([A-Za-z_][\w.]*)", cell)
        assert names, old
        found: object = verifflowcc
        for part in names[0].split("."):
            assert hasattr(found, part) or part in getattr(found, "__annotations__", {}), (old, cell)
            found = getattr(found, part, None)


NAMES = (
    "MemoryManager MemoryContext MemoryEntry MemoryLayer memory_root token_budget load_context_for_agent load_layer "
    "load_project_memory load_sprint_memory load_stage_memory load_agent_memory estimate_tokens update_stage_memory "
    "update_sprint_memory build_agent_prompt get_user_context get_project_blocks format_combined_context "
    "assemble_thinking_partner_context assemble_work_agent_context MemoryBackend InMemoryBackend SQLiteBackend "
    "JSONFileBackend ContextItem TaskMemoryStore add_reasoning add_tool_output get_stage_outputs ProjectMemoryStore "
    "add_decision add_convention add_failure query_decisions GlobalMemoryStore confirmation_callback add_preference "
    "add_pattern query_preferences clear_all ContextAssembler build_context cleanup_task ContextPackage ContextRequest "
    "ContextWindow maybe_prune prune_context prepare_context snapshot_context get_file_contents get_callers "
    "get_dependencies find_symbol find_similar_tasks record_file_interaction"
).split()


def test_the_page_has_each_public_name_of_the_decision_records() -> None:
    listed = " ".join(old for old, _ in _rows())

    assert [name for name in NAMES if not re.search(rf"\b{name}\b", listed)] == []


def test_importing_the_package_loads_none_of_its_names(tmp_path: Path) -> None:
    code = "import sys, verifflowcc; print(sorted(m for m in sys.modules if m.startswith('verifflowcc.')))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"
    for name in verifflowcc.__all__:
        assert getattr(verifflowcc, name) is not None
