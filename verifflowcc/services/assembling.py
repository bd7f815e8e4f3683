"""Context for programs that keep their own tasks: from all lifetimes of memory at once, or as a list of items."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.config import THINKING, WORKING
from verifflowcc.domain.items import TURN
from verifflowcc.domain.memory import StoredItem
from verifflowcc.records import dataclass
from verifflowcc.services.memory.listing import BY_IMPORTANCE, Asked, list_items
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.tasks_ending import clear_task
from verifflowcc.services.memory_manager import MemoryContext, MemoryManager
from verifflowcc.services.workspace import Workspace, open_workspace

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
    asked = Asked(types=tuple(types), status="active", order=BY_IMPORTANCE, limit=most)
    ids = [row.item.id for row in list_items(workspace, [scope], asked).rows if row.item.type != TURN or TURN in types]
    with open_store(workspace, scope) as store:
        found = (store.get(each) for each in ids)
        return [each for each in found if each is not None]
