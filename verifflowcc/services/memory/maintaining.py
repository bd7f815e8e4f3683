"""Maintain items: merge their uses, archive what has ended and what is too much, complete ends of tasks.

All that happens to items in time happens here, when somebody asks for it, and each step is told with its reason.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from verifflowcc.adapters.clock import SystemClock
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.files.user_home import USER
from verifflowcc.domain.items import Item, Status
from verifflowcc.domain.memory import MemoryBackend
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.lifecycle.evict import evicted
from verifflowcc.lifecycle.expire import has_ended, why_ended
from verifflowcc.services.memory.access import PROJECT, log_folder
from verifflowcc.services.memory.evicting import archive
from verifflowcc.services.memory.forgetting_projects import forget_project
from verifflowcc.services.memory.here import required
from verifflowcc.services.memory.maintained import Maintained, Step, StepKind
from verifflowcc.services.memory.merging_uses import Stores, merge_uses, uses_to_merge
from verifflowcc.services.memory.opening import memory_settings, open_store
from verifflowcc.services.memory.permission import would_replace
from verifflowcc.services.memory.reading_only import open_for_reading
from verifflowcc.services.memory.tasks import all_tasks
from verifflowcc.services.workspace import Workspace

LOCK = "maintain.lock"
WAIT_S = 10.0


def maintain(
    workspace: Workspace | None,
    scope: str | None = None,
    *,
    actor: str,
    dry_run: bool = False,
    gone_project: str | None = None,
) -> Maintained:
    """Maintain the user's items, and those of the project and its parts; with a `scope`, one of the two.

    `gone_project` is a project that is there no more: it is taken off as the source of user items, which takes a
    person. Under `dry_run` nothing is written. Raises WorkspaceError where there is no project and its scope is asked
    for, NotAllowed, UsageError for a project that no user item names, and what the stores raise.
    """
    if scope == PROJECT:
        required(workspace)
    steps: list[Step] = []
    if gone_project is not None:
        steps += forget_project(gone_project, actor=actor, dry_run=dry_run)
    if scope in (None, USER):
        steps += _maintained(workspace, (USER,), dry_run=dry_run)
    if scope in (None, PROJECT) and workspace is not None:
        steps += _maintained(workspace, (PROJECT, *_parts(workspace)), dry_run=dry_run)
        steps += _ended_tasks(workspace, dry_run=dry_run)
    return Maintained(dry_run, tuple(steps))


def _maintained(workspace: Workspace | None, scopes: Sequence[str], *, dry_run: bool) -> list[Step]:
    main = scopes[0]
    folder, _ = log_folder(workspace, of_user=main == USER)
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(folder / LOCK, WAIT_S))
        opened = open_for_reading if dry_run else open_store
        stores = {scope: stack.enter_context(opened(workspace, scope)) for scope in scopes}
        uses = uses_to_merge(folder, main, stores) if dry_run else merge_uses(folder, main, stores)
        steps = list(uses)
        today = f"{(workspace.clock if workspace else SystemClock()).now():%Y-%m-%d}"
        for scope, store in stores.items():
            most = memory_settings(workspace).max_items if scope == PROJECT else None
            steps += _put_away(store, scope, today, most, dry_run=dry_run)
        steps += _problems(stores)
    return steps


def _put_away(store: MemoryBackend, scope: str, today: str, most: int | None, *, dry_run: bool) -> Iterator[Step]:
    """Archive what has ended, then what is too much of what remains."""
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(store.writing())
        items = [item for item in store.items() if item.status is not Status.ARCHIVED and not _only_proposed(item)]
        ended = [item for item in items if has_ended(item, today)]
        for item in ended:
            yield _archived(store, Step(StepKind.ENDED, scope, item.id, why_ended(item)), dry_run=dry_run)
        if most is None:
            return
        gone = evicted(_without(items, ended), most)
        for item in gone:
            why = f"more than {most:,} extracted and inferred items, and this is of the lowest tenth"
            yield _archived(store, Step(StepKind.EVICTED, scope, item.id, why), dry_run=dry_run)


def _only_proposed(item: Item) -> bool:
    """Whether an item is pending and would, once archived, supersede another that nobody meant to give up."""
    return item.status is Status.PENDING and would_replace(item)


def _archived(store: MemoryBackend, step: Step, *, dry_run: bool) -> Step:
    if dry_run:
        return step
    try:
        archive(store, step.item)
    except FormatError as error:
        return Step(StepKind.TOLD, step.scope, step.item, f"it cannot be archived ({step.why}): {error.message}")
    return step


def _without(items: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    ids = {item.id for item in others}
    return [item for item in items if item.id not in ids]


def _problems(stores: Stores) -> list[Step]:
    return [Step(StepKind.TOLD, scope, "", problem) for scope, store in stores.items() for problem in store.problems]


def _parts(workspace: Workspace) -> tuple[str, ...]:
    """The scopes of the project's sprints, stages, agents and tasks in work."""
    names = {kind: _folders(workspace.memory / kind) for kind in ("sprint", "stage", "agent")}
    stages = [
        f"stage/{sprint}/{name}" for sprint in names["stage"] for name in _folders(workspace.memory / "stage" / sprint)
    ]
    tasks = [f"task/{task.id}" for task in all_tasks(workspace) if not task.status.final]
    return (*(f"{kind}/{name}" for kind in ("sprint", "agent") for name in names[kind]), *stages, *tasks)


def _folders(folder: Path) -> tuple[str, ...]:
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(each.name for each in entries if each.is_dir(follow_symlinks=False)))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error


def _ended_tasks(workspace: Workspace, *, dry_run: bool) -> Iterator[Step]:
    """Complete ends of tasks that were interrupted: the items of a task that has ended are gone."""
    for task in all_tasks(workspace):
        if not task.status.final:
            continue
        opened = open_for_reading if dry_run else open_store
        with opened(workspace, f"task/{task.id}") as store:
            count = store.count()
            if count and not dry_run:
                store.clear()
        if count:
            yield Step(
                StepKind.TASK, f"task/{task.id}", "", f"the task has ended ({task.status}); {count} items are gone"
            )
