"""The memory hierarchy decision's own names, for programs that import vfcc: a thin front for the services."""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.domain.entries import Placed
from verifflowcc.domain.layers import Layer as MemoryLayer
from verifflowcc.domain.question import Question
from verifflowcc.records import dataclass, field
from verifflowcc.services.context import load_entries, load_layer_entries
from verifflowcc.services.current_sprint import active_sprint
from verifflowcc.services.sprints import update_sprint
from verifflowcc.services.stages import update_stage
from verifflowcc.services.workspace import open_workspace

__all__ = ["MemoryContext", "MemoryEntry", "MemoryLayer", "MemoryManager"]


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A piece of memory as it stands in the prompt.

    `metadata` has its path, digest, rank, fate, reason, date and trust. `tokens` counts `content`.
    """

    layer: MemoryLayer
    key: str
    content: str
    metadata: Mapping[str, str | int | bool | None]
    tokens: int


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What an agent's prompt holds, layer by layer, and the tokens of all its entries.

    `user` is what is known of the person, on this machine alone.
    """

    project: list[MemoryEntry]
    sprint: list[MemoryEntry]
    stage: list[MemoryEntry]
    agent: list[MemoryEntry]
    total_tokens: int
    user: list[MemoryEntry] = field(default_factory=list)


class MemoryManager:
    """Loads and updates the memory of one project.

    >>> MemoryManager(Path(".")).load_context_for_agent("planner", "sprint-01", "planning", 10_000)  # doctest: +SKIP
    """

    def __init__(self, project_root: Path) -> None:
        self._workspace = open_workspace(project_root)

    @property
    def project_root(self) -> Path:
        """The folder that holds `.memory/`."""
        return self._workspace.root

    def load_context_for_agent(
        self, agent_name: str, sprint_id: str, stage: str, token_budget: int | None = None
    ) -> MemoryContext:
        """Return what the agent's prompt holds within `token_budget` (the role's own, else 50,000).

        Raises what `vfcc context show` reports: UsageError, BudgetError, FormatError.
        """
        question = Question(agent_name, sprint_id, stage, budget_tokens=token_budget)
        entries = _entries(load_entries(self._workspace, question))
        by_layer = {layer: [one for one in entries if one.layer is layer] for layer in MemoryLayer}
        return MemoryContext(
            project=by_layer[MemoryLayer.PROJECT],
            sprint=by_layer[MemoryLayer.SPRINT],
            stage=by_layer[MemoryLayer.STAGE],
            agent=by_layer[MemoryLayer.AGENT],
            total_tokens=sum(one.tokens for one in entries),
            user=by_layer[MemoryLayer.USER],
        )

    def load_layer(
        self, layer: MemoryLayer | str, agent_name: str, sprint_id: str, stage: str, token_budget: int
    ) -> list[MemoryEntry]:
        """Return what fits of one layer alone within `token_budget`, bodies only, without a template around them."""
        if token_budget <= 0:
            return []
        question = Question(agent_name, sprint_id, stage, budget_tokens=token_budget)
        return _entries(load_layer_entries(self._workspace, question, MemoryLayer(layer)))

    def update_stage_memory(
        self, stage: str, artifacts: Mapping[str, object], sprint_id: str | None = None
    ) -> tuple[str, ...]:
        """Save each artifact as `<name>.json` of the stage and write its summary for the next one.

        Returns the paths written. The open sprint is meant where none is named.
        """
        sprint = active_sprint(self._workspace, sprint_id).id
        return update_stage(self._workspace, sprint, stage, artifacts)

    def update_sprint_memory(self, sprint_id: str, results: Mapping[str, object]) -> tuple[str, ...]:
        """Merge `results` into the sprint's progress; `learnings` go to `knowledge.md`. Returns the paths written."""
        return update_sprint(self._workspace, sprint_id, results)


def _entries(loaded: tuple[tuple[Placed, str], ...]) -> list[MemoryEntry]:
    return [
        MemoryEntry(
            layer=one.candidate.layer,
            key=one.candidate.key,
            content=text,
            metadata={
                "path": one.candidate.path,
                "digest": one.candidate.digest,
                "rank": one.candidate.rank,
                "fate": str(one.fate),
                "reason": one.reason,
                "date": one.candidate.date,
                "trust": one.candidate.trust,
            },
            tokens=one.tokens,
        )
        for one, text in loaded
    ]
