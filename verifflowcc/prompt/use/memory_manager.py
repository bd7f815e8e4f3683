"""Context for programs that keep their own tasks: from all lifetimes of memory at once, or as a list of items."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.config_values import DEFAULT_BUDGET_TOKENS, THINKING, WORKING
from verifflowcc.base.model.entries import ContextPackage, PlacedCandidate, Prompt, Question
from verifflowcc.base.model.item_values import TURN
from verifflowcc.base.model.layers import Layer as MemoryLayer
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.document_form import data_text
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.gates.use.sprints import update_sprint
from verifflowcc.memory.use.item_search import read_as_of
from verifflowcc.memory.use.memory_listing import BY_IMPORTANCE, ListQuery, list_items
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_ending import clear_task
from verifflowcc.prompt.use.prompt_use import load_entries, load_layer_entries, note_prompt
from verifflowcc.prompt.use.stages import update_stage
from verifflowcc.sprint.use.sprint_reading import active_sprint

# The memory hierarchy decision's own names, for programs that import vfcc: a thin front for the services.

__all__ = ["ContextPackage", "MemoryContext", "MemoryEntry", "MemoryLayer", "MemoryManager", "build_agent_prompt"]


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A piece of memory as the prompt shows it.

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

    `user` is what is known of the person, on this machine alone. `package` is the whole answer of `vfcc context show`;
    `notices` are what could not be noted of this prompt.
    """

    project: list[MemoryEntry]
    sprint: list[MemoryEntry]
    stage: list[MemoryEntry]
    agent: list[MemoryEntry]
    total_tokens: int
    user: list[MemoryEntry]
    package: ContextPackage
    notices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The prompt itself, as `vfcc context show` prints it."""
        return self.package.text

    @property
    def prompt(self) -> Prompt:
        """The prompt with its account: tokens, layers, notices, typed items."""
        return self.package.prompt

    def json(self) -> str:
        """Return what `vfcc context show --json --full` prints."""
        return data_text(self.package, full=True).rstrip("\n")


class PromptOptions(TypedDict, total=False):
    """How a prompt is compiled: the options of `vfcc context show`.

    `allocation` is a preset, a role, or shares such as `agent=0.6,project=0.4`; `with_past` is `--all`.
    """

    task: str
    allocation: str | None
    committed: bool
    strict: bool
    with_past: bool
    as_of: str | None
    count_uses: bool


def build_agent_prompt(agent: str, memory: MemoryContext) -> str:
    """Return the prompt of an agent from its memory. Raises UsageError where the memory is another agent's."""
    if agent != memory.prompt.agent:
        raise UsageError(f"this memory was loaded for {memory.prompt.agent}, not for {agent}")
    return memory.text


class MemoryManager:
    """Loads and updates the memory of one project.

    `token_budget` is the budget of prompts that give none; None leaves it to the role's own, else 50,000.

    >>> MemoryManager(Path(".")).load_context_for_agent("planner", "sprint-01", "planning", 10_000)  # doctest: +SKIP
    """

    def __init__(self, project_root: Path, token_budget: int | None = None) -> None:
        self._workspace = open_workspace(project_root)
        self._token_budget = token_budget

    @property
    def project_root(self) -> Path:
        """The folder that holds `.memory/`."""
        return self._workspace.root

    @property
    def memory_root(self) -> Path:
        """The folder `.memory/`."""
        return self._workspace.memory

    @property
    def token_budget(self) -> int:
        """The budget of prompts that give none and whose role has none."""
        return self._token_budget or DEFAULT_BUDGET_TOKENS

    @token_budget.setter
    def token_budget(self, tokens: int) -> None:
        self._token_budget = tokens

    def load_context_for_agent(
        self,
        agent_name: str,
        sprint_id: str | None = None,
        stage: str | None = None,
        token_budget: int | None = None,
        **options: Unpack[PromptOptions],
    ) -> MemoryContext:
        """Return the agent's prompt and what it holds: all that `vfcc context show` with these options returns.

        As with the command, the items in the prompt count as used, unless `count_uses` is False. Raises what the
        command reports: UsageError, BudgetError, StrictError, FormatError.
        """
        day = options.get("as_of")
        question = Question(
            agent=agent_name,
            sprint=sprint_id,
            stage=stage,
            task=options.get("task", ""),
            budget_tokens=token_budget or self._token_budget,
            strict=options.get("strict", False),
            committed=options.get("committed", False),
            allocation=options.get("allocation"),
            with_past=options.get("with_past", False),
            as_of=read_as_of(day) if day else None,
        )
        count_uses = options.get("count_uses", True)
        package, loaded = load_entries(self._workspace, question)
        notices = note_prompt(self._workspace, question, package.prompt) if count_uses else ()
        entries = _entries(loaded)
        by_layer = {layer: [one for one in entries if one.layer is layer] for layer in MemoryLayer}
        return MemoryContext(
            project=by_layer[MemoryLayer.PROJECT],
            sprint=by_layer[MemoryLayer.SPRINT],
            stage=by_layer[MemoryLayer.STAGE],
            agent=by_layer[MemoryLayer.AGENT],
            total_tokens=sum(one.tokens for one in entries),
            user=by_layer[MemoryLayer.USER],
            package=package,
            notices=notices,
        )

    def load_layer(
        self, layer: MemoryLayer | str, agent_name: str, sprint_id: str | None, stage: str | None, token_budget: int
    ) -> list[MemoryEntry]:
        """Return what fits of one layer alone within `token_budget`, bodies only, without a template around them."""
        if token_budget <= 0:
            return []
        question = Question(agent_name, sprint_id, stage, budget_tokens=token_budget)
        return _entries(load_layer_entries(self._workspace, question, MemoryLayer(layer)))

    def load_project_memory(self, budget: int, agent_name: str = "coder") -> list[MemoryEntry]:
        """Return what fits of the project layer, as this role is offered it."""
        return self.load_layer(MemoryLayer.PROJECT, agent_name, None, None, budget)

    def load_sprint_memory(self, sprint_id: str, budget: int, agent_name: str = "coder") -> list[MemoryEntry]:
        """Return what fits of the sprint layer."""
        return self.load_layer(MemoryLayer.SPRINT, agent_name, sprint_id, None, budget)

    def load_stage_memory(
        self, stage: str, budget: int, sprint_id: str | None = None, agent_name: str = "coder"
    ) -> list[MemoryEntry]:
        """Return what fits of the stage layer, of the current sprint where none is named."""
        return self.load_layer(MemoryLayer.STAGE, agent_name, sprint_id, stage, budget)

    def load_agent_memory(self, agent_name: str, budget: int) -> list[MemoryEntry]:
        """Return what fits of the agent layer."""
        return self.load_layer(MemoryLayer.AGENT, agent_name, None, None, budget)

    def estimate_tokens(self, text: str) -> int:
        """Return the tokens of a text, as the project's settings count them."""
        from verifflowcc.history.use.prompt_record import project_counter

        with project_counter(self._workspace) as counter:
            return counter.count(text)

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


def _entries(loaded: tuple[tuple[PlacedCandidate, str], ...]) -> list[MemoryEntry]:
    return [
        MemoryEntry(
            layer=one.candidate.layer,
            key=one.candidate.key,
            content=text,
            metadata={
                "path": one.candidate.path,
                "digest": one.candidate.digest,
                "rank": one.candidate.rank,
                "fate": str(one.outcome),
                "reason": one.reason,
                "date": one.candidate.date,
                "trust": one.candidate.trust,
            },
            tokens=one.tokens,
        )
        for one, text in loaded
    ]


PROGRAM = "tool:program"
USER_ITEMS, PROJECT_ITEMS = THINKING.user_items, THINKING.project_items
"""The most items that a role which plans and decides is offered."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Whose context is asked for, and within which limits; what is None has its default."""

    agent: str = "coder"
    budget_tokens: int | None = None
    sprint_id: str | None = None
    stage: str | None = None
    allocation: str | None = None
    committed: bool = False


class ContextAssembler:
    """Assembles the context of a task from what the task, the project and the person remember.

    >>> ContextAssembler(Path(".")).build_context("Fix the login", ContextRequest("coder")).text  # doctest: +SKIP
    """

    def __init__(self, project_root: Path) -> None:
        self._manager = MemoryManager(project_root)

    def build_context(self, task: str, request: ContextRequest | None = None) -> MemoryContext:
        """Return the context of a task, given in words. Raises as `MemoryManager.load_context_for_agent` does."""
        asked = request or ContextRequest()
        return self._manager.load_context_for_agent(
            asked.agent,
            asked.sprint_id,
            asked.stage,
            asked.budget_tokens,
            task=task,
            allocation=asked.allocation,
            committed=asked.committed,
        )

    def cleanup_task(self, task_id: str) -> None:
        """Remove what an ended task remembered. Raises UsageError where there is no such task."""
        clear_task(open_workspace(self._manager.project_root), task_id, actor=PROGRAM)


def get_user_context(categories: Sequence[str] = (), max_items: int = USER_ITEMS) -> list[StoredItem]:
    """Return what is known of the person, in force, the most important first; of these types alone, or of all."""
    return _items(None, USER, categories, max_items)


def get_project_blocks(
    project_root: Path, types: Sequence[str] = (), max_items: int = PROJECT_ITEMS
) -> list[StoredItem]:
    """Return the project's typed items in force, the most important first; of these types alone, or of all."""
    return _items(open_workspace(project_root), "project", types, max_items)


def format_combined_context(user_context: Iterable[StoredItem], project_context: Iterable[StoredItem]) -> str:
    """Return items of the person and of the project as two lists in Markdown."""
    parts = (("What is known of the person", user_context), ("What is known of the project", project_context))
    blocks = []
    for heading, items in parts:
        lines = [f"- {each.item.type}: {' '.join(each.body.split())}" for each in items]
        if lines:
            blocks.append("\n".join((f"## {heading}", "", *lines)))
    return "\n\n".join(blocks)


def assemble_thinking_partner_context(project_root: Path | None = None) -> str:
    """Return the items for a role that plans and decides; without a project, those of the person alone."""
    project = get_project_blocks(project_root) if project_root else []
    return format_combined_context(get_user_context(), project)


def assemble_work_agent_context(project_root: Path, include_user: bool = True) -> str:
    """Return the items for a role that works: the project's, and of the person's those on form and style."""
    user = get_user_context(WORKING.user_types or (), WORKING.user_items) if include_user else []
    return format_combined_context(user, get_project_blocks(project_root, max_items=WORKING.project_items))


def _items(workspace: Workspace | None, scope: str, types: Sequence[str], most: int) -> list[StoredItem]:
    if most < 1:
        return []
    asked = ListQuery(types=tuple(types), status="active", order=BY_IMPORTANCE, limit=most)
    ids = [row.item.id for row in list_items(workspace, [scope], asked).rows if row.item.type != TURN or TURN in types]
    with open_store(workspace, scope) as store:
        found = (store.get(each) for each in ids)
        return [each for each in found if each is not None]
