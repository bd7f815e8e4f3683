"""What holds where `config.yaml` is silent. `templates/config.yaml`, which `vfcc init` writes, says the same."""

from verifflowcc.domain.config import Allocation, Config, GitSettings, LayerStrategy, TokenSettings
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.sources import CODE, HANDOVER, HISTORY, RECALL, TASK, TRACE, USER
from verifflowcc.text.digest import digest_text

LAYERS = (Layer.PROJECT, Layer.SPRINT, Layer.STAGE, Layer.AGENT, Layer.USER)
"""The layers that a configuration speaks of, in the order of the file."""

WORKFLOW = "light"

STRATEGIES = {
    Layer.PROJECT: LayerStrategy(
        ("CLAUDE.md", "conventions/python.md", "conventions/*.md"),
        ("decisions/*.md", RECALL),
        5_000,
    ),
    Layer.SPRINT: LayerStrategy(
        ("goals.md", "progress.json"),
        (TRACE, "context.md", "knowledge.md", "retrospectives/*.md"),
        10_000,
    ),
    Layer.STAGE: LayerStrategy(
        ("current_artifacts/*",),
        ("feedback.md", HANDOVER),
        15_000,
    ),
    Layer.AGENT: LayerStrategy(
        ("prompt_template.md", "tools_config.yaml"),
        (TASK, CODE, "context.json", "recent_actions.json", HISTORY),
        20_000,
    ),
    Layer.USER: LayerStrategy((), (USER,), 3_000),
}


def _shares(project: int, sprint: int, stage: int, agent: int) -> Allocation:
    return Allocation(dict(zip(LAYERS, (project, sprint, stage, agent, 0), strict=True)))


ALLOCATIONS = {
    "planner": _shares(300_000, 400_000, 200_000, 100_000),
    "coder": _shares(100_000, 100_000, 300_000, 500_000),
}
"""Taken where the file has no `token_allocation`; where it has one, that alone counts."""


def default_config() -> Config:
    """Return the configuration of a project whose `config.yaml` is empty or absent."""
    return Config(STRATEGIES, ALLOCATIONS, WORKFLOW, GitSettings(), TokenSettings(), digest_text(b""))
