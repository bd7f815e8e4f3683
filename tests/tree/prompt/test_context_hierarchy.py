"""The memory hierarchy: what each layer loads, in which order, and what is told of the rest."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.ledger_samples import ANN
from tests.trees import example, write_memory, write_tree
from verifflowcc.base.errors import FormatError, StrictError, UsageError
from verifflowcc.base.model.entries import ContextPackage, Fate, PlacedCandidate, Question
from verifflowcc.base.model.layers import Layer as MemoryLayer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use.memory_manager import MemoryManager
from verifflowcc.prompt.use.prompt_use import compile_context

SEED = Path(__file__).resolve().parents[2] / "fixtures" / "seed-config.yaml"
CAPITAL = "Nothing of this is in the tide tables.\n"


def ask(root: Path, agent: str = "coder", **question: object) -> ContextPackage:
    return compile_context(Workspace(root), Question(agent, **question))  # type: ignore[arg-type]


def placed(package: ContextPackage, layer: MemoryLayer, *fates: Fate) -> list[PlacedCandidate]:
    return [one for one in package.placed if one.candidate.layer is layer and (not fates or one.outcome in fates)]


def keys(package: ContextPackage, layer: MemoryLayer, *fates: Fate) -> list[str]:
    """The keys of a layer's candidates in rank order."""
    return [one.candidate.key for one in placed(package, layer, *fates)]


def skipped(package: ContextPackage) -> dict[str, str]:
    return {one.key: one.reason for one in package.skipped}


def words_of(text: str) -> set[str]:
    """Return the words of a text without the marks of its headings."""
    return set(text.replace("#", " ").replace("*", " ").split())


def decision(number: int, title: str, status: str = "Accepted", body: str = "") -> str:
    head = f"# {number}. {title}\n\nDate: 2026-01-{number:02}\n\n"
    return f"{head}## Status\n\n{status}\n\n## Decision\n\n{body or title}.\n"


@pytest.mark.vfcc("REQ-MANAGER")
class TestMemoryManager:
    """The decision's own names and its two tests, as it asserts them."""

    def test_memory_loading(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        context = manager.load_context_for_agent("planner", "sprint-01", "planning", 10000)
        assert context.total_tokens <= 10000
        assert len(context.project) > 0
        assert len(context.sprint) > 0

    def test_memory_priority(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        context = manager.load_context_for_agent("coder", "sprint-01", "coding", 1000)
        assert len(context.agent) > 0
        assert len(context.project) == 0

    @pytest.mark.vfcc("REQ-ENTRIES", "REQ-AGENT-FILES")
    def test_the_entries_are_those_of_the_prompt(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        context = manager.load_context_for_agent("coder", "sprint-02", "coding")
        package = ask(tmp_path, sprint="sprint-02", stage="coding")
        entries = [*context.project, *context.sprint, *context.stage, *context.agent]

        assert context.total_tokens == sum(one.tokens for one in entries) < package.prompt.tokens
        assert {one.metadata["path"] for one in entries} == set(package.sources)
        for one in entries:
            assert words_of(one.content) <= words_of(package.text)
        assert [one.key for one in context.agent] == ["prompt.md", "tools.yaml", "context.json"]

    @pytest.mark.vfcc("REQ-ONE-LAYER")
    def test_a_layer_alone_has_the_whole_budget(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        for layer, first in (("project", "CLAUDE.md"), ("sprint", "goals.md"), ("stage", "artifacts/interface.json")):
            entries = manager.load_layer(MemoryLayer(layer), "coder", "sprint-02", "coding", 2000)
            assert entries[0].key == first
            assert {one.layer for one in entries} == {layer}
            assert sum(one.tokens for one in entries) <= 2000
        assert manager.load_layer(MemoryLayer.PROJECT, "coder", "sprint-02", "coding", 10) == []

    @pytest.mark.vfcc("REQ-STAGE-UPDATE", "REQ-STAGE-FILES")
    def test_a_stages_artifacts_are_saved_with_a_summary_for_the_next(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        written = manager.update_stage_memory("coding", {"changes": {"files": ["tidewater/calendar.py"]}})

        folder = ".memory/stage/sprint-02/coding"
        assert written == (f"{folder}/artifacts/changes.json", f"{folder}/summary.md")
        assert json.loads((tmp_path / written[0]).read_text()) == {"files": ["tidewater/calendar.py"]}
        testing = manager.load_context_for_agent("tester", "sprint-02", "testing")
        assert "changes.json" in next(one.content for one in testing.stage if one.key.endswith("coding/summary.md"))
        coding = manager.load_context_for_agent("coder", "sprint-02", "coding")
        assert "artifacts/changes.json" in [one.key for one in coding.stage]

    @pytest.mark.vfcc("REQ-SPRINT-UPDATE")
    def test_a_sprints_results_are_in_its_progress_and_its_learnings_in_its_knowledge(self, tmp_path: Path) -> None:
        manager = MemoryManager(example(tmp_path))
        manager.update_sprint_memory("sprint-02", {"velocity": 21, "learnings": "Ask the clerk early."})

        sprint = manager.load_context_for_agent("planner", "sprint-02", "planning").sprint
        texts = {one.key: one.content for one in sprint}
        assert '"velocity": 21' in texts["progress.json"]
        progress = tmp_path / ".memory/sprint/sprint-02/progress.json"
        assert json.loads(progress.read_text())["results"] == {"velocity": 21}
        assert "Ask the clerk early." in texts["knowledge.md"]


SEED_TREE = {
    "CLAUDE.md": "# Core\n",
    ".memory/config.yaml": SEED.read_text(),
    ".memory/project/conventions/python.md": "# Python\n",
    ".memory/project/conventions/other.md": "# Not in the lists\n",
    ".memory/project/decisions/0001-one.md": decision(1, "One"),
    ".memory/sprint/s1/goals.md": "# Goals\n",
    ".memory/sprint/s1/progress.json": '{"done": 1}\n',
    ".memory/sprint/s0/retrospective.md": "# Looking back\n",
    ".memory/agent/coder/prompt.md": "You write.\n",
    ".memory/agent/coder/tools.yaml": "tools: [edit]\n",
    ".memory/stage/s1/coding/artifacts/notes.md": "# Notes\n",
    ".memory/stage/s1/coding/artifacts/deep/more.md": "# Deeper than the pattern\n",
}


@pytest.mark.vfcc("REQ-SEED-NAMES", "REQ-PROJECT-FILES")
def test_the_seeds_configuration_loads_what_its_names_stand_for(tmp_path: Path) -> None:
    package = ask(write_tree(tmp_path, SEED_TREE), sprint="s1", stage="coding")

    assert keys(package, MemoryLayer.PROJECT) == ["CLAUDE.md", "conventions/python.md", "decisions/0001-one.md"]
    assert keys(package, MemoryLayer.SPRINT) == ["goals.md", "progress.json", "sprint/s0/retrospective.md"]
    assert keys(package, MemoryLayer.STAGE) == ["artifacts/notes.md"]
    assert keys(package, MemoryLayer.AGENT) == ["prompt.md", "tools.yaml"]
    assert skipped(package) == {"recent_actions.json": "nothing recorded yet"}
    assert package.prompt.notices == ()


@pytest.mark.vfcc("REQ-SEED-NAMES", "REQ-STAGE-FILES")
def test_the_seeds_configuration_finds_the_preceding_stages_summary(tmp_path: Path) -> None:
    example(tmp_path)
    write_memory(tmp_path, {"config.yaml": SEED.read_text()})
    package = ask(tmp_path)

    assert keys(package, MemoryLayer.STAGE) == [
        "artifacts/interface.json",
        "artifacts/notes.md",
        "stage/sprint-02/design/artifacts/design.md",
        "stage/sprint-02/design/artifacts/interface.json",
        "stage/sprint-02/planning/artifacts/plan.md",
        "stage/sprint-02/design/summary.md",
    ]
    assert keys(ask(tmp_path, stage="planning"), MemoryLayer.STAGE) == ["artifacts/plan.md"]
    assert "sprint/sprint-01/retrospective.md" in keys(package, MemoryLayer.SPRINT)
    earlier = keys(ask(tmp_path, sprint="sprint-01"), MemoryLayer.SPRINT)
    assert not [key for key in earlier if key.endswith("retrospective.md")]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-ALLOCATION", "REQ-LAYER-CAPS")
def test_the_seeds_allocation_and_caps_hold(tmp_path: Path) -> None:
    """A planner's project layer has 0.3 of the budget; a cap of 5,000 holds whatever the leftovers."""
    decisions = {f".memory/project/decisions/{n:04}.md": decision(n, "Tides", body=CAPITAL * 30) for n in range(1, 40)}
    goals = {".memory/sprint/s1/goals.md": CAPITAL * 2000}
    write_tree(tmp_path, SEED_TREE | decisions | goals)
    for budget, least, most in ((10_000, 2000, 3000), (50_000, 4600, 5000)):
        package = ask(tmp_path, "planner", sprint="s1", stage="coding", budget_tokens=budget)
        use = {one.layer: one for one in package.prompt.layers}
        assert least < use[MemoryLayer.PROJECT].used_tokens <= most, budget
        assert use[MemoryLayer.SPRINT].used_tokens <= 10_000


@pytest.mark.vfcc("REQ-ALLOCATION")
def test_leftovers_go_to_the_layers_that_can_use_them(tmp_path: Path) -> None:
    files = {f"project/decisions/{n:04}.md": decision(n, "Tides", body=CAPITAL * 10) for n in range(1, 30)}
    write_memory(tmp_path, {"agent/coder/prompt.md": "Write.\n", **files})
    package = ask(tmp_path, budget_tokens=4000)
    use = {one.layer: one for one in package.prompt.layers}

    assert use[MemoryLayer.PROJECT].used_tokens > 3000
    assert "left over by other layers" in placed(package, MemoryLayer.PROJECT, Fate.KEPT)[-1].reason


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-SMALL-BUDGET")
def test_under_a_small_budget_the_agent_survives_and_the_project_goes_first(tmp_path: Path) -> None:
    example(tmp_path)
    held = []
    for budget in (290, 300, 700, 1000, 1600, 2200, 3500, 20_000):
        package = ask(tmp_path, budget_tokens=budget)
        held.append({one.candidate.layer for one in package.placed if one.outcome is not Fate.DROPPED})
    assert held[0] == {MemoryLayer.AGENT}
    assert held[-1] == {MemoryLayer.AGENT, MemoryLayer.STAGE, MemoryLayer.SPRINT, MemoryLayer.PROJECT}
    assert all(MemoryLayer.AGENT in layers for layers in held)
    without_project = [layers for layers in held if MemoryLayer.PROJECT not in layers]
    assert {MemoryLayer.AGENT, MemoryLayer.STAGE} in without_project
    assert held == sorted(held, key=len)


@pytest.mark.vfcc("REQ-SMALL-BUDGET")
def test_an_agent_with_no_share_survives_all_the_same(tmp_path: Path) -> None:
    config = json.dumps({"token_allocation": {"coder": {"project": 1}}})
    files = {f"project/decisions/{n:04}.md": decision(n, "Tides", body=CAPITAL) for n in range(1, 40)}
    write_memory(tmp_path, {"config.yaml": config, "agent/coder/prompt.md": CAPITAL * 20, **files})
    package = ask(tmp_path, budget_tokens=1000)

    assert keys(package, MemoryLayer.AGENT, Fate.KEPT) == ["prompt.md"]
    assert any("its share went to the agent layer" in one.reason for one in placed(package, MemoryLayer.PROJECT))


@pytest.mark.vfcc("REQ-LOADING")
def test_always_load_keeps_the_order_in_which_it_is_written(tmp_path: Path) -> None:
    names = ["z.md", "m.md", "a.md"]
    lists = {"always_load": ["conventions/z.md", "CLAUDE.md", "conventions/m.md", "conventions/*.md"]}
    write_memory(tmp_path, {f"project/conventions/{name}": f"# {name}\n" for name in names})
    write_memory(tmp_path, {"config.yaml": json.dumps({"loading_strategy": {"project": lists}})})
    write_tree(tmp_path, {"CLAUDE.md": "# Core\n"})

    package = ask(tmp_path, task="a m z")
    assert keys(package, MemoryLayer.PROJECT) == ["CLAUDE.md", *(f"conventions/{name}" for name in names)]
    places = [package.text.index(each) for each in ("### CLAUDE.md", "- **z.md.**", "- **m.md.**", "- **a.md.**")]
    assert places == sorted(places)


@pytest.mark.vfcc("REQ-CORE-FILE")
@pytest.mark.parametrize(
    ("core", "loaded"),
    [(["CLAUDE.md"], "CLAUDE.md"), (["AGENTS.md"], "AGENTS.md"), (["AGENTS.md", "CLAUDE.md"], "CLAUDE.md")],
)
def test_the_core_file_is_claude_md_or_else_agents_md(tmp_path: Path, core: list[str], loaded: str) -> None:
    write_memory(tmp_path, {"project/conventions/python.md": "# Python\n"})
    write_tree(tmp_path, {name: f"# {name}\n" for name in core})

    assert keys(ask(tmp_path), MemoryLayer.PROJECT) == [loaded, "conventions/python.md"]


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("@AGENTS.md\n", ["CLAUDE.md", "AGENTS.md"]),
        ("# Here\n\nThe rules are in @./AGENTS.md.\n", ["CLAUDE.md", "AGENTS.md"]),
        ("Not taken in: `@AGENTS.md`, me@AGENTS.md, @AGENTS.md5\n", ["CLAUDE.md"]),
    ],
)
def test_claude_md_that_takes_in_agents_md_brings_it(tmp_path: Path, text: str, loaded: list[str]) -> None:
    write_tree(write_memory(tmp_path, {}), {"CLAUDE.md": text, "AGENTS.md": "# Run `make lint` first\n"})

    package = ask(tmp_path)
    assert keys(package, MemoryLayer.PROJECT) == loaded
    assert package.text.count("# Run `make lint` first") == len(loaded) - 1

    write_tree(tmp_path, {"CLAUDE.md": "# Now alone\n"})
    assert keys(ask(tmp_path), MemoryLayer.PROJECT) == ["CLAUDE.md"]


def test_a_core_file_that_is_a_link_to_the_other_is_loaded_once(tmp_path: Path) -> None:
    write_memory(write_tree(tmp_path, {"AGENTS.md": "# Ours\n"}), {})
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    package = ask(tmp_path)
    assert keys(package, MemoryLayer.PROJECT) == ["CLAUDE.md"]
    assert package.text.count("# Ours") == 1


@pytest.mark.vfcc("REQ-LOADING")
def test_an_always_load_pattern_of_a_person_that_matches_nothing_is_a_notice(tmp_path: Path) -> None:
    lists = {"always_load": ["rules.md", "guides/*.md"], "conditional_load": ["no-such/*.md"]}
    write_memory(tmp_path, {"config.yaml": json.dumps({"loading_strategy": {"project": lists}})})

    (notice,) = (one for one in ask(tmp_path).prompt.notices if "not found" in one)
    assert notice == "not found (optional): project rules.md, project guides/*.md"


@pytest.mark.vfcc("REQ-LOADING")
def test_a_shipped_pattern_that_names_no_file_of_the_project_is_no_notice(tmp_path: Path) -> None:
    write_tree(tmp_path, {"package.json": "{}", "src/harbour.ts": "export const gate = 1;\n"})
    initialise(tmp_path)
    write_memory(tmp_path, {"project/conventions/typescript.md": "# TypeScript\n"})

    assert not [one for one in ask(tmp_path).prompt.notices if "python.md" in one or "not found" in one]


@pytest.mark.vfcc("REQ-SUPERSEDED", "REQ-ITEM-STATUS", "REQ-DECISION-RECORDS")
def test_what_does_not_stand_is_out_with_the_reason(tmp_path: Path) -> None:
    files = {
        "0001-old.md": decision(1, "Old"),
        "0002-new.md": decision(2, "New", body="Supersedes [1](0001-old.md)").replace(
            "Accepted", "Accepted\n\nSupersedes [1. Old](0001-old.md)"
        ),
        "0003-no.md": decision(3, "No", "Rejected"),
        "0004-gone.md": "---\nstatus: archived\n---\n" + decision(4, "Gone"),
        "0005-maybe.md": "---\nstatus: pending\n---\n" + decision(5, "Maybe"),
        "0006-by-link.md": "---\nlinks: [{to: 0007-older, relation: supersedes}]\n---\n" + decision(6, "Link"),
        "0007-older.md": decision(7, "Older"),
        "0008-empty.md": "",
    }
    write_memory(tmp_path, {f"project/decisions/{name}": text for name, text in files.items()})
    package = ask(tmp_path)

    assert keys(package, MemoryLayer.PROJECT) == ["decisions/0006-by-link.md", "decisions/0002-new.md"]
    out = {key.removeprefix("decisions/"): reason for key, reason in skipped(package).items() if "decisions" in key}
    assert out == {
        "0001-old.md": "superseded by .memory/project/decisions/0002-new.md",
        "0003-no.md": "rejected",
        "0004-gone.md": "archived",
        "0005-maybe.md": "pending",
        "0007-older.md": "superseded by .memory/project/decisions/0006-by-link.md",
        "0008-empty.md": "empty",
    }
    for text in ("# 1. Old", "# 3. No", "# 4. Gone", "# 5. Maybe", "# 7. Older"):
        assert text not in package.text


TITLES = ("Mooring", "Calendar", "Sluice", "Calendar export", "Dredging")


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    files = {f"project/decisions/{n:04}.md": decision(n, title) for n, title in enumerate(TITLES, 1)}
    return write_memory(tmp_path, files)


def numbers(package: ContextPackage) -> list[int]:
    return [int(key[-7:-3]) for key in keys(package, MemoryLayer.PROJECT)]


@pytest.mark.vfcc("REQ-RECENT-DECISIONS")
def test_without_a_task_the_newest_come_first(harbour: Path) -> None:
    assert numbers(ask(harbour)) == [5, 4, 3, 2, 1]


@pytest.mark.vfcc("REQ-LOADING", "REQ-RANK-BY-WORTH")
def test_the_task_ranks_what_bears_on_it_first(harbour: Path) -> None:
    assert numbers(ask(harbour, task="export the calendar"))[:2] == [4, 2]
    assert numbers(ask(harbour, task="mend the sluice"))[0] == 3
    assert numbers(ask(harbour, task="something else entirely")) == [5, 4, 3, 2, 1]


@pytest.mark.vfcc("REQ-CITED-FILES")
def test_an_entry_that_cites_a_file_of_the_task_comes_first(harbour: Path) -> None:
    cites = "---\nrefs: [{path: src/gate.py}]\n---\n" + decision(1, "Mooring")
    write_memory(harbour, {"project/decisions/0001.md": cites})

    assert numbers(ask(harbour, task="look at src/gate.py."))[0] == 1


@pytest.mark.vfcc("REQ-HEAD-TAIL")
def test_head_tail_preserve_keeps_the_first_and_the_last_of_the_ranked(tmp_path: Path) -> None:
    lists = {"always_load": [], "conditional_load": ["decisions/*.md"], "max_tokens": 500, "head_tail_preserve": 2}
    files = {f"project/decisions/{n:04}.md": decision(n, "Tides", body=CAPITAL * 5) for n in range(1, 13)}
    write_memory(tmp_path, {"config.yaml": json.dumps({"loading_strategy": {"project": lists}}), **files})
    package = ask(tmp_path)
    kept = [int(key[-7:-3]) for key in keys(package, MemoryLayer.PROJECT, Fate.KEPT)]

    assert numbers(package) == [*range(12, 0, -1)]
    assert {12, 11, 2, 1} <= set(kept)
    assert len(kept) < 12


def test_strict_refuses_what_is_not_whole(tmp_path: Path) -> None:
    example(tmp_path)
    assert ask(tmp_path, strict=True).prompt.tokens < 50_000
    with pytest.raises(StrictError, match=r"conventions/.*\.md is always loaded but (dropped|trimmed)"):
        ask(tmp_path, strict=True, budget_tokens=4000)


@pytest.mark.parametrize(
    ("name", "content"), [("project/conventions/python.md", b"\xff"), ("agent/coder/prompt.md", b"x" * 2_000_000)]
)
def test_an_always_load_file_that_cannot_be_read_is_an_error_with_its_name(
    tmp_path: Path, name: str, content: bytes
) -> None:
    example(tmp_path)
    write_memory(tmp_path, {name: content})
    with pytest.raises(FormatError, match=rf"^\.memory/{name}[: ]"):
        ask(tmp_path)


def test_another_file_that_cannot_be_read_is_left_out_with_a_notice(tmp_path: Path) -> None:
    example(tmp_path)
    write_tree(tmp_path, {".memory/project/decisions/0009-é.md": b"# \xe9\n"})
    odd = tmp_path / ".memory/project/decisions" / bytes.fromhex("6361e9").decode("utf-8", "surrogateescape")
    odd.with_name(odd.name + ".md").write_text("# Odd\n")
    package = ask(tmp_path)

    notices = [notice for notice in package.prompt.notices if "it is left out" in notice]
    assert len(notices) == 2
    assert any("not UTF-8: byte 2" in notice for notice in notices)
    assert any("has a name that is not UTF-8" in notice for notice in notices)
    assert {"has a name that is not UTF-8"} <= set(skipped(package).values())


def test_no_sprint_at_all_is_told_and_the_rest_is_loaded(tmp_path: Path) -> None:
    write_memory(tmp_path, {"agent/coder/prompt.md": "Write.\n", "project/decisions/0001.md": decision(1, "One")})
    package = ask(tmp_path)

    assert any("no sprint is open" in notice for notice in package.prompt.notices)
    assert {one.candidate.layer for one in package.placed} == {MemoryLayer.AGENT, MemoryLayer.PROJECT}
    assert "## Current Sprint" not in package.text
    with pytest.raises(UsageError, match="no sprint is open"):
        ask(tmp_path, stage="coding")


def test_a_sprint_written_by_hand_is_loaded_as_its_folder_stands(tmp_path: Path) -> None:
    write_tree(tmp_path, {name: text for name, text in SEED_TREE.items() if "config" not in name})
    package = ask(tmp_path, sprint="s1", stage="coding")

    assert "progress.json" in keys(package, MemoryLayer.SPRINT)
    assert '"done": 1' in package.text
    assert (package.prompt.sprint, package.prompt.stage) == ("s1", "coding")
    assert keys(ask(tmp_path, sprint="s1"), MemoryLayer.STAGE) == []
    with pytest.raises(UsageError, match="s1 has no stage codin; there is coding"):
        ask(tmp_path, sprint="s1", stage="codin")


@pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")
def test_several_open_sprints_must_be_told_apart(tmp_path: Path) -> None:
    example(tmp_path)
    start_sprint(Workspace(tmp_path), "Another", workflow="light", actor=ANN)

    with pytest.raises(UsageError, match="several sprints are open: another, sprint-02") as caught:
        ask(tmp_path)
    assert caught.value.hint == "export VFCC_SPRINT=another  # or: --sprint another"
    assert ask(tmp_path, sprint="sprint-02").prompt.stage == "coding"


@pytest.mark.points(4)
@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"agent": "codr"}, "codr; did you mean coder"),
        ({"agent": "../coder"}, r"\.\./coder"),
        ({"agent": ""}, "there is no agent"),
        ({"sprint": "sprint-2"}, "there is no sprint sprint-2; did you mean sprint-02"),
        ({"sprint": "../sprint-02"}, "sprint"),
        ({"stage": "codin"}, "sprint-02 has no stage codin; did you mean coding"),
        ({"stage": ".."}, "sprint-02 has no stage"),
    ],
)
def test_what_there_is_not_is_a_usage_error_with_the_nearest_name(
    tmp_path: Path, question: Mapping[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        compile_context(Workspace(example(tmp_path)), Question(**{"agent": "coder", **question}))  # type: ignore[arg-type]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TEMPLATES")
def test_a_template_of_the_project_is_used_and_says_so(tmp_path: Path) -> None:
    example(tmp_path)
    shipped = ask(tmp_path)
    write_memory(
        tmp_path, {"templates/coder.md.j2": "# {{ agent }} at work\n\n{% include 'partials/memory.md.j2' %}\n"}
    )
    own = ask(tmp_path)

    assert own.text.startswith("# coder at work\n")
    assert own.inputs["template"] != shipped.inputs["template"]
    assert ask(tmp_path, "tester").inputs["template"] == ask(tmp_path, "tester").inputs["template"]
