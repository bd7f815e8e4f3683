"""Find tasks: the one that is meant, the open one, all of them."""

from pathlib import Path

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import ambiguous, fitting_ids
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.guarding import withheld
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.tasks import Task, TaskStatus
from verifflowcc.memory.store.task_files import TASKS, load_task, task_ids
from verifflowcc.memory.use.stores import open_store

_START = 'vfcc task start "What it is about"'


def open_task(workspace: Workspace, agent: str | None, sprint: str | None) -> Task | None:
    """Return the newest active task that is not another agent's and is of this sprint or of none; None without one.

    Raises WorkspaceError or FormatError where a task's record cannot be read.
    """
    mine = open_tasks(workspace, agent, sprint)
    return mine[-1] if mine else None


def open_tasks(workspace: Workspace, agent: str | None, sprint: str | None) -> tuple[Task, ...]:
    """Return the active tasks that are not another agent's and are of this sprint or of none, oldest first."""
    return tuple(
        task
        for task in all_tasks(workspace)
        if task.status is TaskStatus.ACTIVE and task.agent in (None, agent) and task.sprint in (None, sprint)
    )


def all_tasks(workspace: Workspace) -> tuple[Task, ...]:
    """Return every task that there is a record of, oldest first."""
    folder = tasks_folder(workspace)
    loaded = (load_task(folder, task_id) for task_id in task_ids(folder))
    return tuple(sorted((task for task in loaded if task), key=lambda task: (task.started, task.id)))


def find_task(workspace: Workspace, name: str) -> Task:
    """Return the task of that id, or the only one that it fits. Raises UsageError with the nearest."""
    by_id = {task.id: task for task in all_tasks(workspace)}
    found = fitting_ids(name, by_id)
    if len(found) == 1:
        return by_id[found[0]]
    if found:
        raise UsageError(ambiguous(name, found, "tasks"), hint=f"vfcc task show {min(found)}")
    near = nearest(name.strip().casefold(), by_id)
    choice = f"; did you mean {near}?" if near else "" if by_id else ": there is none at all"
    hint = f"vfcc task show {near}" if near else "vfcc task list --all" if by_id else _START
    raise UsageError(f"there is no task {name}{choice}", hint=hint)


def fitting_task_id(workspace: Workspace, name: str) -> str:
    """Return the id of the only task that `name` fits; `name` itself where none does, as for a task of a client.

    Raises UsageError where several fit.
    """
    found = fitting_ids(name, task_ids(tasks_folder(workspace)))
    if len(found) > 1:
        raise UsageError(ambiguous(name, found, "tasks"), hint="vfcc task list --all")
    return found[0] if found else name


def active_task(workspace: Workspace, name: str | None, agent: str | None, *, command: str) -> Task:
    """Return the task called `name`, by default the newest active one here.

    Raises UsageError where there is none, or where `name` is left out and the one that is meant is not plain: for a
    `command` that ends a task, several that are in work.
    """
    if name is not None:
        return find_task(workspace, name)
    from verifflowcc.sprint.use.sprint_reading import resolve_sprint

    tasks = open_tasks(workspace, agent, resolve_sprint(workspace).id)
    if not tasks:
        raise UsageError(f"no task is active{f' for {agent}' if agent else ''}", hint=_START)
    if command and len(tasks) > 1:
        names = ", ".join(task.id for task in tasks)
        raise UsageError(f"several tasks are active: {names}; name one", hint=f"{command} {tasks[-1].id}")
    return tasks[-1]


def tasks_folder(workspace: Workspace) -> Path:
    """Return the folder of the tasks' records."""
    return workspace.local / TASKS


# Tasks for reading: a line for each, and one with its items.


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
    """Return a task with its items, by default the newest active one.

    Raises UsageError.
    """
    task = active_task(workspace, name, agent, command="")
    with open_store(workspace, f"task/{task.id}") as backend:
        stored = sorted(backend.list_all(), key=lambda each: (each.item.created or "", each.item.id))
        return TaskPage(task, tuple(map(withheld, stored)), backend.problems)


def _line(workspace: Workspace, task: Task) -> TaskLine:
    with open_store(workspace, f"task/{task.id}") as backend:
        items = backend.items()
    return TaskLine(task, len(items), sum(item.tokens or 0 for item in items))
