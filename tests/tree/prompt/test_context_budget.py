"""Whatever is in the tree, the rendered prompt is within its budget, and nothing is lost without a word."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.pure.base.test_token_counts import oracle
from tests.trees import example, write_memory, write_tree
from verifflowcc.base.errors import BudgetError, StrictError
from verifflowcc.base.model.entries import ContextPackage, Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context

TASK = "mend the harbour 🌊 of a.py"
WORDS = (
    "tide",
    "harbour",
    "Küste",
    "潮位は変わる",
    "🌊🚢",
    "a_b.c(d)",
    "`code`",
    "x" * 700,
    "don't",
    "</s>",
    "{{ x }}",
)
words = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), min_size=1, max_size=60).map(" ".join)
fences = st.builds(
    lambda mark, info, body, closed: f"{mark}{info}\n{body}\n{mark if closed else ''}",
    st.sampled_from(("```", "~~~~", "`````", "   ```")),
    st.sampled_from(("", "python", " console")),
    words,
    st.booleans(),
)
tables = st.integers(1, 60).map(lambda rows: "| a | b |\n|---|---|\n" + "| tide | 4.18 |\n" * rows)
blocks = st.one_of(
    words, st.builds("## {}".format, words), fences, tables, st.builds("- {}\n- {}".format, words, words)
)
markdown = st.builds(
    lambda head, parts, times, newline: (head + "\n\n".join(parts * times)).replace("\n", newline),
    st.sampled_from(("", "# Title\n\n", "---\nimportance: 0.9\nstatus: active\ncreated: 2026-01-02\n---\n", "---\n")),
    st.lists(blocks, max_size=6),
    st.sampled_from((1, 1, 1, 6)),
    st.sampled_from(("\n", "\r\n")),
)
values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
data_files = st.builds(lambda value, indent: json.dumps(value, indent=indent), values, st.sampled_from((None, 2)))
NAMES = {
    "project": ("conventions/python.md", "conventions/b.md", *(f"decisions/000{n}-é.md" for n in range(1, 6))),
    "sprint/s1": ("goals.md", "context.md", "progress.json", "knowledge.md"),
    "stage/s1/coding": ("artifacts/a.md", "artifacts/b.json", "artifacts/c.yaml", "feedback.md"),
    "agent/coder": ("prompt.md", "tools.yaml", "context.json"),
}
ALL_NAMES = [f".memory/{folder}/{name}" for folder, names in NAMES.items() for name in names] + [
    "CLAUDE.md",
    "AGENTS.md",
]


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    chosen = draw(st.lists(st.sampled_from(ALL_NAMES), unique=True, max_size=12))
    return {name: draw(markdown if name.endswith(".md") else data_files) for name in chosen}


@st.composite
def configurations(draw: st.DrawFn) -> str:
    """A valid `config.yaml`; JSON is YAML."""
    cuts = sorted(draw(st.lists(st.integers(0, 100), min_size=3, max_size=3)))
    shares = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
    layers = ("project", "sprint", "stage", "agent")
    limits = st.one_of(st.just(20_000), st.integers(1, 2000))
    sizes = st.fixed_dictionaries({"max_tokens": limits, "head_tail_preserve": st.integers(0, 3)})
    allocation = {layer: share / 100 for layer, share in zip(layers, shares, strict=True)}
    strategy: dict[str, dict[str, object]] = {layer: {**draw(sizes)} for layer in layers}
    if draw(st.booleans()):
        strategy["project"]["always_load"] = draw(st.permutations(("decisions/*.md", "CLAUDE.md", "**/python.md")))
    return json.dumps({"format": 1, "loading_strategy": strategy, "token_allocation": {"coder": allocation}})


budgets = st.one_of(st.integers(1, 60), st.integers(60, 1500), st.integers(1500, 12_000))


@contextmanager
def project(files: dict[str, str], config: str) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        root = write_memory(Path(folder), {"config.yaml": config, "sprint/s1/.gitkeep": "", "stage/s1/coding/.k": ""})
        write_tree(root, {name: text.encode("utf-8", "replace") for name, text in files.items()})
        yield Workspace(root)


def ask(budget_tokens: int, task: str = TASK) -> Question:
    return Question("coder", "s1", "coding", task, budget_tokens)


def refusal(here: Workspace, question: Question) -> BudgetError | None:
    try:
        compile_context(here, question)
    except BudgetError as error:
        return error
    return None


def check(package: ContextPackage) -> None:
    prompt = package.prompt
    assert prompt.tokens == oracle("o200k_base")(prompt.text)
    assert prompt.tokens <= prompt.budget_tokens
    layers = {use.layer: use for use in prompt.layers}
    for use in layers.values():
        assert use.used_tokens <= use.budget_tokens
    for one in package.placed:
        assert one.reason
        assert (one.text is not None) == (one.outcome is Fate.TRIMMED)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BUDGET", "REQ-SMALL-BUDGET")
@settings(max_examples=15, deadline=None)
@given(trees(), configurations(), budgets)
def test_the_text_is_within_the_budget_or_the_smallest_that_would_do_is_told(
    files: dict[str, str], config: str, budget: int
) -> None:
    with project(files, config) as here:
        refused = refusal(here, ask(budget))
        if refused:
            assert refused.needed > budget
            assert refusal(here, ask(refused.needed)) is None
            assert refusal(here, ask(refused.needed - 1))
            assert refused.hint == f"--budget {refused.needed}"
        package = whole(here, budget)
        check(package)
        again = compile_context(here, ask(package.prompt.budget_tokens))
        assert again == package
        shutil.rmtree(here.local)
        assert compile_context(here, ask(package.prompt.budget_tokens)) == package


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EXPLAIN")
@settings(max_examples=12, deadline=None)
@given(trees(), configurations(), budgets)
def test_every_candidate_is_listed_once_with_its_fate(files: dict[str, str], config: str, budget: int) -> None:
    with project(files, config) as here:
        package = whole(here, budget)
    listed = [one.candidate.path for one in package.placed] + [one.path for one in package.skipped]
    core = ("CLAUDE.md", "AGENTS.md")
    expected = {name for name in files if name not in core} | {next((name for name in core if name in files), "")}
    optional = {"", "recent_actions.json", "progress.json"}
    narrow = {name for name in expected if name.startswith(".memory/project/")} if '"always_load"' in config else set()

    assert len(listed) == len(set(listed))
    assert expected - optional - narrow <= set(listed) <= expected | optional | {".memory/sprint/s1/progress.json"}
    assert all(one.reason for one in package.skipped)
    for one in package.placed:
        assert (one.outcome is Fate.DROPPED) == (one.candidate.path not in package.sources)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-FENCES")
@settings(max_examples=15, deadline=None)
@given(trees(), configurations(), budgets)
def test_no_entry_leaves_its_fence(files: dict[str, str], config: str, budget: int) -> None:
    with project(files, config) as here:
        package = whole(here, budget)
    tokens = MarkdownIt().parse(package.text)
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    kept = [one.candidate for one in package.placed if one.outcome is not Fate.DROPPED]
    printed = [one for one in kept if one.key != "prompt.md" and not (one.item and one.kind == "markdown")]
    pages = [one for one in printed if one.layer is Layer.PROJECT and one.always]
    ours = [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.tag in ("h2", "h3") and token.nesting > 0
    ]

    assert headings[-1] == "Task"
    assert package.text.endswith(f"### Task\n\n{TASK}\n")
    for one in printed:
        assert sum(each.partition(" (")[0] == one.key for each in ours) == 1
    fences = sum(token.type == "fence" and token.markup.startswith("```") for token in tokens)
    assert fences >= len(printed) - len(pages)
    known = {"Project Context", "Current Sprint", "Stage Artifacts", "Memory", "Your Task", "Task"}
    known |= {"Decisions", "Conventions"} if len(kept) > len(printed) else set()
    assert {each.partition(" (")[0] for each in ours} <= known | {one.key for one in printed}


def whole(here: Workspace, budget: int) -> ContextPackage:
    """The prompt at this budget, or at the smallest that would do."""
    try:
        return compile_context(here, ask(budget))
    except BudgetError as error:
        return compile_context(here, ask(error.needed))


@pytest.mark.sweep
@settings(max_examples=10, deadline=None)
@given(trees(), configurations(), st.integers(1, 3000), st.integers(0, 3000))
def test_a_larger_budget_is_never_refused_where_a_smaller_one_did(
    files: dict[str, str], config: str, budget: int, more: int
) -> None:
    with project(files, config) as here:
        if refusal(here, ask(budget)) is None:
            assert refusal(here, ask(budget + more)) is None


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-BUDGET")
@pytest.mark.parametrize("budget", [1, 50, 255, 256, 257, 300, 400, 512, 700, 1000, 1500, 2500, 4000, 6000, 50_000])
@pytest.mark.parametrize("agent", ["coder", "planner", "tester"])
def test_the_worked_example_is_within_any_budget(tmp_path: Path, agent: str, budget: int) -> None:
    here = Workspace(example(tmp_path))
    question = replace(ask(budget), agent=agent, sprint="sprint-02")
    try:
        package = compile_context(here, question)
    except BudgetError as error:
        package = compile_context(here, replace(question, budget_tokens=error.needed))
        with pytest.raises(BudgetError):
            compile_context(here, replace(question, budget_tokens=error.needed - 1))
    check(package)
    held = {one.candidate.layer for one in package.placed if one.outcome is not Fate.DROPPED}
    assert Layer.AGENT in held
    assert package.prompt.budget_tokens < 700 or budget == package.prompt.budget_tokens


def test_an_agent_layer_whose_cap_holds_none_of_its_entries_does_without_them(tmp_path: Path) -> None:
    """No budget, however large, would bring them in, so that none is asked for."""
    lists = "    always_load: [notes.md]\n    conditional_load: []\n    max_tokens: 5\n"
    notes = "---\ntrust: agent\n---\n" + "Write the code that the design asks for, and its tests.\n" * 9
    root = write_memory(
        tmp_path,
        {
            "config.yaml": f"loading_strategy:\n  agent:\n{lists}",
            "agent/coder/notes.md": notes,
            "project/decisions/0001.md": "# 1. Tides\n",
        },
    )
    package = compile_context(Workspace(root), Question("coder", budget_tokens=3000))

    assert "notes.md is always loaded but dropped" in " ".join(package.prompt.notices)
    assert "### Decisions\n\n- **1. Tides.**\n" in package.text
    with pytest.raises(StrictError, match=r"notes\.md is always loaded but dropped"):
        compile_context(Workspace(root), Question("coder", budget_tokens=3000, strict=True))


@pytest.mark.vfcc("REQ-LAYER-CAPS")
def test_the_cap_of_a_layer_holds_no_always_loaded_rule_back(tmp_path: Path) -> None:
    rules = "Write the code that the design asks for, and its tests.\n"
    files = {"agent/coder/prompt.md": rules * 9, "config.yaml": "loading_strategy:\n  agent:\n    max_tokens: 5\n"}
    package = compile_context(
        Workspace(write_memory(tmp_path, files)), Question("coder", budget_tokens=3000, strict=True)
    )

    assert package.text.count(rules) == 9


@pytest.mark.sweep
@pytest.mark.parametrize("task", ["x " * 100_000, "潮" * 60_000, "🌊" * 40_000, "y" * 300_000])
def test_a_task_larger_than_the_budget_is_a_budget_error(tmp_path: Path, task: str) -> None:
    here = Workspace(example(tmp_path))
    with pytest.raises(BudgetError) as caught:
        compile_context(here, Question("coder", task=task, budget_tokens=500))
    package = compile_context(here, Question("coder", task=task, budget_tokens=caught.value.needed))
    assert package.prompt.tokens == oracle("o200k_base")(package.text)


def test_an_empty_tree_has_a_prompt(tmp_path: Path) -> None:
    here = Workspace(write_memory(tmp_path, {}))
    package = compile_context(here, Question("coder"))
    assert (package.placed, package.prompt.layers[0].layer) == ((), Layer.AGENT)
    assert "## Your Task" in package.text


@pytest.mark.sweep
def test_a_file_just_below_the_largest_is_trimmed_and_one_above_is_named(tmp_path: Path) -> None:
    line = "The tide comes some fifty minutes later every day.\n"
    text = line * (1024 * 1024 // len(line))
    root = write_memory(tmp_path, {"agent/coder/prompt.md": text, "project/decisions/0001.md": text + line})
    package = compile_context(Workspace(root), Question("coder", budget_tokens=4000))
    check(package)

    assert [one.outcome for one in package.placed] == [Fate.TRIMMED]
    assert [(one.key, one.reason[:11]) for one in package.skipped if one.tokens or "0001" in one.key] == [
        ("decisions/0001.md", "has 1.0 MiB")
    ]
