"""Tasks for reading: a line for each, and one with its items."""

from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.tasks import Task
from verifflowcc.records import dataclass
from verifflowcc.services.memory.guarding import withheld
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.tasks import all_tasks, task_in_work
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task in a list: `notes` is the number of its items, `tokens` what they count together."""

    task: Task
    notes: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TaskPage:
    """A task with its items, oldest first; `problems` are files of it that cannot be read."""

    task: Task
    notes: tuple[StoredItem, ...]
    problems: tuple[str, ...]
    """Files that cannot be read."""


def list_tasks(workspace: Workspace, *, everything: bool = False) -> tuple[TaskLine, ...]:
    """Return the tasks that have not ended, newest first; all that there is a record of where `everything`."""
    tasks = [task for task in all_tasks(workspace) if everything or not task.status.final]
    return tuple(_line(workspace, task) for task in reversed(tasks))


def show_task(workspace: Workspace, name: str | None, agent: str | None) -> TaskPage:
    """Return a task with its items; the newest that is in work where none is named. Raises UsageError."""
    task = task_in_work(workspace, name, agent, command="")
    with open_store(workspace, f"task/{task.id}") as backend:
        stored = sorted(backend.list_all(), key=lambda each: (each.item.created or "", each.item.id))
        return TaskPage(task, tuple(map(withheld, stored)), backend.problems)


def _line(workspace: Workspace, task: Task) -> TaskLine:
    with open_store(workspace, f"task/{task.id}") as backend:
        items = backend.items()
    return TaskLine(task, len(items), sum(item.tokens or 0 for item in items))
