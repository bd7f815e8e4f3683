"""What a prompt's numbers say: its budget, how much of what was found is in it, and which files each layer offers."""

from pathlib import Path

import pytest

from tests.trees import write_tree
from verifflowcc.base.model.entries import ContextPackage, Question
from verifflowcc.base.model.layers import Layer as MemoryLayer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context

BUDGETS = "token_allocation:\n  coder: {agent: 1, budget: 3000}\n"
TREE = {
    "CLAUDE.md": "# Core\n",
    ".memory/project/conventions/python.md": "# Python\n",
    ".memory/project/decisions/0001-one.md": "# 1. One\n\n## Status\n\nAccepted\n",
    ".memory/sprint/s1/goals.md": "# Goals\n\nTides.\n",
    ".memory/sprint/s1/context.md": "# Context\n\nThe harbour.\n",
    ".memory/sprint/s1/knowledge.md": "# Knowledge\n\nAsk the clerk.\n",
    ".memory/sprint/s1/progress.json": '{"done": 1}\n',
    ".memory/sprint/s0/retrospective.md": "# Looking back\n\nShort.\n",
    ".memory/stage/s1/coding/artifacts/notes.md": "# Notes\n\nOne.\n",
    ".memory/stage/s1/coding/feedback.md": "# Feedback\n\nName it.\n",
    ".memory/agent/coder/prompt.md": "You write.\n",
    ".memory/agent/coder/tools.yaml": "tools: [edit]\n",
    ".memory/agent/coder/context.json": '{"branch": "main"}\n',
}
OFFERED = {
    MemoryLayer.PROJECT: {"CLAUDE.md", "conventions/python.md", "decisions/0001-one.md"},
    MemoryLayer.SPRINT: {"goals.md", "context.md", "knowledge.md", "progress.json", "sprint/s0/retrospective.md"},
    MemoryLayer.STAGE: {"artifacts/notes.md", "feedback.md"},
    MemoryLayer.AGENT: {"prompt.md", "tools.yaml", "context.json"},
}


def asked(root: Path, agent: str = "coder", budget: int | None = None) -> ContextPackage:
    return compile_context(Workspace(root), Question(agent, "s1", "coding", budget_tokens=budget))


@pytest.mark.vfcc("REQ-PROJECT-FILES", "REQ-SPRINT-FILES", "REQ-STAGE-FILES", "REQ-AGENT-FILES")
@pytest.mark.parametrize("layer", OFFERED)
def test_each_layer_offers_its_files(tmp_path: Path, layer: MemoryLayer) -> None:
    package = asked(write_tree(tmp_path, TREE))

    assert {one.candidate.key for one in package.placed if one.candidate.layer is layer} == OFFERED[layer]


@pytest.mark.vfcc("REQ-DEFAULT-BUDGET")
def test_a_budget_is_the_one_asked_for_else_the_roles_else_50000(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**TREE, ".memory/config.yaml": BUDGETS})

    assert asked(root, "coder", 2000).prompt.budget_tokens == 2000
    assert asked(root, "coder").prompt.budget_tokens == 3000
    assert asked(root, "planner").prompt.budget_tokens == 50_000


@pytest.mark.vfcc("REQ-COMPRESSION")
def test_the_compression_is_what_is_in_the_prompt_over_what_was_found(tmp_path: Path) -> None:
    goals = "".join(
        f"## Goal {number}\n\nThe harbour is to know tide {number} of the year.\n\n" for number in range(99)
    )
    root = write_tree(tmp_path, {**TREE, ".memory/sprint/s1/goals.md": goals})
    whole, cut = asked(root), asked(root, budget=1500)

    offered = sum(one.candidate.tokens for one in cut.placed)
    used = sum(one.tokens for one in cut.placed)
    assert whole.prompt.compression == 1000
    assert 0 < cut.prompt.compression == used * 1000 // offered < 1000
