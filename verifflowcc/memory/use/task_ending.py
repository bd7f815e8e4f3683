"""End a task: what is promoted is kept first, then the end is put on record, then the task's items are gone.

Each step can be done again, so that an end that was interrupted is completed by the same command.
"""

from collections.abc import Iterable, Sequence

from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.base.model.item_values import Item, Link, Relation, Status, least_trust
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import ambiguous, fitting_ids
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.guarding import refuse_item, refuse_secrets
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace, provider
from verifflowcc.memory.rules.tasks import Task, TaskStatus
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item
from verifflowcc.memory.store.task_files import changing_task, load_task, remove_task, save_task
from verifflowcc.memory.use.adding import active_of_key, keyed
from verifflowcc.memory.use.archiving import restored_item
from verifflowcc.memory.use.item_scope import proposes
from verifflowcc.memory.use.recording import changed, promoted, rewritten, with_link, without_vouching
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_finding import all_tasks, find_task, tasks_folder

KEPT_TASKS = 200
"""Ended tasks that there is still a record of."""


@dataclass(frozen=True, slots=True)
class PromotedItem:
    """An item of a task that stays in the project; a `pending` one waits for a person."""

    id: str
    title: str
    pending: bool
    """Whether a person has to promote it."""


@dataclass(frozen=True, slots=True)
class EndedTask:
    """A task that has ended, what stays of it, and the items that are gone."""

    task: Task
    promoted: tuple[PromotedItem, ...]
    removed: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class TaskEndPlan:
    """What the end of a task would do: the items that stay, and those that go."""

    task: Task
    stay: tuple[Item, ...]
    go: tuple[Item, ...]


def plan_end(workspace: Workspace, name: str, promote: Sequence[str] = ()) -> TaskEndPlan:
    """Return what the end of a task would do. Raises UsageError for an item that the task does not have."""
    task = find_task(workspace, name)
    with open_store(workspace, f"task/{task.id}") as backend:
        items = tuple(backend.items())
    stay = _chosen(task, items, promote)
    return TaskEndPlan(task, stay, tuple(item for item in items if item.id not in {each.id for each in stay}))


def end_task(
    workspace: Workspace,
    name: str,
    status: TaskStatus,
    *,
    actor: str,
    outcome: str = "",
    promote: Sequence[str] = (),
) -> EndedTask:
    """End a task. A person's promoted items are active in the project, anybody else's wait for a person.

    Raises UsageError for a task that there is not, or of which nothing is left, and for an item that it does not have;
    ConflictError where the project has another item under such an id; and as the stores do.
    """
    outcome_line, folder = one_line(outcome, "--outcome"), tasks_folder(workspace)
    refuse_secrets(("--outcome", outcome_line))
    task_id = find_task(workspace, name).id
    with changing_task(folder, workspace.memory, task_id):
        task = load_task(folder, task_id) or find_task(workspace, name)
        with open_store(workspace, f"task/{task_id}") as own:
            items = tuple(own.items())
            if task.status.final and not items:
                raise UsageError(f"the task {task_id} has ended already ({task.status})", hint="vfcc task list --all")
            kept = _promote(workspace, own, _chosen(task, items, promote), actor=actor)
            ended = _ended(task, status, stamp(workspace.clock.now()), outcome_line, kept)
            save_task(folder, workspace.memory, ended)
            own.clear()
    provider("task history")(workspace, ended)
    _forget_oldest(workspace)
    stay = {each.id for each in kept}
    return EndedTask(ended, kept, tuple(item for item in items if item.id not in stay))


def clear_task(workspace: Workspace, name: str, *, actor: str) -> EndedTask:
    """Remove the items of a task that is not tried again, and of no other; it has failed then, if it had not ended.

    Of a task that has ended nothing is left, mostly; then nothing is done. Raises UsageError for a task that there is
    not, and as the store does.
    """
    task = find_task(workspace, name)
    with open_store(workspace, f"task/{task.id}") as backend:
        empty = backend.count() == 0
    if task.status.final and empty:
        return EndedTask(task, (), ())
    return end_task(workspace, task.id, TaskStatus.FAILED, actor=actor, outcome="cleared")


def _chosen(task: Task, items: Sequence[Item], names: Sequence[str]) -> tuple[Item, ...]:
    by_id = {item.id: item for item in items}
    chosen: dict[str, Item] = {}
    for name in names:
        if name in task.promoted and name not in by_id:
            continue  # by an end that was interrupted
        found = fitting_ids(name, by_id)
        if len(found) != 1:
            raise _unknown(task, name, by_id, found)
        chosen[found[0]] = by_id[found[0]]
    return tuple(chosen.values())


def _unknown(task: Task, name: str, known: Iterable[str], found: Sequence[str]) -> UsageError:
    if found:
        return UsageError(ambiguous(name, found, "items"), hint=f"vfcc task show {task.id}")
    near = nearest(name, known)
    choice = f"; did you mean {near}?" if near else ""
    return UsageError(f"the task {task.id} has no item {name}{choice}", hint=f"vfcc task show {task.id}")


def _promote(
    workspace: Workspace, own: MemoryBackend, items: Sequence[Item], *, actor: str
) -> tuple[PromotedItem, ...]:
    """Keep copies in the project, under the ids that they have; a copy that is there already is not made again."""
    if not items:
        return ()
    pending, today = proposes("project", actor), workspace.today()
    found = [stored for item in items if (stored := own.get(item.id))]
    for stored in found:
        refuse_item(stored)
    with open_store(workspace, "project") as project, project.writing():
        by = None if pending else actor
        kept = [_kept(project, stored, by=by, today=today) for stored in found]
        for before, after in kept:
            if before is None or before.text != after.text:
                project.add(after)
    return tuple(PromotedItem(after.item.id, after.item.title, pending) for _, after in kept)


def _kept(
    project: MemoryBackend, stored: StoredItem, *, by: str | None, today: str
) -> tuple[StoredItem | None, StoredItem]:
    """Return what the project has, and what it is to have: one active item of a key, and one proposal of it.

    `by` is the person who promotes it, None where it is only proposed. Nothing rises by being copied: the text that
    takes the place of another is trusted as the less trusted of both.
    """
    pending = by is None
    item = stored.item
    there = project.get(item.id)
    if there is not None:
        if there.item.title != item.title:
            raise ConflictError(
                f"the project has another item {item.id}; nothing was removed", hint=f"vfcc memory show {item.id}"
            )
        return there, there
    active = active_of_key(project, item.type, item.key)
    same = active if not pending else keyed(project, item.type, item.key)
    if same is not None:
        trust = least_trust(same.item.trust, item.trust)
        says = replace(same.item, title=item.title, tags=item.tags, details=item.details, trust=trust)
        says = says if by is None else promoted(says, by, today, vouch=False)
        return same, rewritten(same, replace(says, updated=today), stored.body.strip("\n"))
    copy = _copy(stored, by=by, today=today)
    return None, with_link(copy, Link(active.item.id, Relation.SUPERSEDES)) if active else copy


def _copy(stored: StoredItem, *, by: str | None, today: str) -> StoredItem:
    stored = restored_item(stored) if stored.item.status is Status.ARCHIVED else stored
    item = stored.item
    path = home_path(folder_of("project"), item.type, item.id)
    there = stored_item(path, stored.text.encode("utf-8"))
    kept = without_vouching(changed(there, {"status": "pending" if by is None else "active", "tokens": None}))
    return kept if by is None else rewritten(kept, promoted(kept.item, by, today, vouch=False))


def _ended(task: Task, status: TaskStatus, now: str, outcome: str, kept: Sequence[PromotedItem]) -> Task:
    """Return a task with its end: the first end counts, promoted items add up."""
    promoted = tuple(dict.fromkeys((*task.promoted, *(each.id for each in kept))))
    if task.status.final:
        return replace(task, promoted=promoted)
    return replace(task, status=status, ended=now, outcome=outcome, promoted=promoted)


def _forget_oldest(workspace: Workspace) -> None:
    """Keep the record of the latest ended tasks alone; one whose items are not gone yet stays."""
    ended = sorted((task for task in all_tasks(workspace) if task.status.final), key=lambda task: (task.ended, task.id))
    for task in ended[:-KEPT_TASKS]:
        with open_store(workspace, f"task/{task.id}") as backend:
            empty = backend.count() == 0
        if empty:
            remove_task(tasks_folder(workspace), task.id)
