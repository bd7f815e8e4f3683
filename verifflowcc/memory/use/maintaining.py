"""Maintain items: merge their uses, then all that time does to them, then complete ends of tasks.

All that happens to items in time happens here, when somebody asks for it, and each step is told with its reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from datetime import date, timedelta
from pathlib import Path

from verifflowcc.base.errors import FormatError, VfccError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.formats.item_render import render_uses
from verifflowcc.base.model.config_values import MemorySettings
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.process.clock import SystemClock, observed
from verifflowcc.base.use.workspace import Workspace, required
from verifflowcc.items.rules.front_matter import split
from verifflowcc.memory.rules.access_lines import (
    UsePlan,
    at_least,
    merged,
    plan_bytes,
    read_accesses,
    read_plan_bytes,
    uses_of,
)
from verifflowcc.memory.rules.consolidate import is_consolidation
from verifflowcc.memory.rules.stale_refs import FixedCheck
from verifflowcc.memory.store.access_log import (
    PLAN,
    drop_taken,
    note_consolidated,
    read_consolidated,
    read_plan,
    take_lines,
    waiting_lines,
)
from verifflowcc.memory.use.access_counts import PROJECT, log_folder
from verifflowcc.memory.use.consolidating import MaintenanceResult, MaintenanceStep, Shelf, StepKind
from verifflowcc.memory.use.forgetting import forget_project
from verifflowcc.memory.use.proving_fixes import fixes, turned_checks
from verifflowcc.memory.use.recording import changed
from verifflowcc.memory.use.stage_end import Stages
from verifflowcc.memory.use.stores import memory_settings, open_for_reading, open_store
from verifflowcc.memory.use.task_finding import all_tasks
from verifflowcc.memory.use.upkeep import Round, keep_up, parts_of
from verifflowcc.sprint.use.sprint_reading import open_sprints

# Merge the log of uses into the items, once for each use, whenever the merge was interrupted.
#
# The lines are taken from the log, a plan says what each item is to say then, the items are made to say it, and the
# lines and the plan are removed. What is found of an earlier merge is carried out to its end first.

Stores = Mapping[str, MemoryBackend]
"""The open stores by scope."""
_GONE = "it was used, and is not there any more"


def merge_uses(folder: Path, scope: str, stores: Stores) -> Iterator[MaintenanceStep]:
    """Merge the log in `folder`, which is that of `scope`, into the stores; yield what was done.

    Raises WorkspaceError, ConflictError and what the stores raise; the next merge then goes on from there.
    """
    while True:
        plan = _unfinished(folder)
        if plan is None:
            lines = take_lines(folder)
            if not lines.strip():
                drop_taken(folder)
                return
            plan, notices = _plan(lines, scope, stores)
            yield from notices
            write_atomic(folder / PLAN, plan_bytes(plan))
        yield from _carry_out(plan, stores)
        drop_taken(folder)


def uses_to_merge(folder: Path, scope: str, shelves: Mapping[str, Shelf]) -> Iterator[MaintenanceStep]:
    """Yield what a merge would do; the log stays, and only the shelves, of a dry run, have the uses then."""
    unfinished = _unfinished(folder)
    for each in unfinished or ():
        if each.scope in shelves:
            yield _count_uses(shelves[each.scope], each)
    plan, notices = _plan(waiting_lines(folder, taken=unfinished is None), scope, shelves)
    yield from notices
    yield from (_count_uses(shelves[each.scope], each) for each in plan)


def _unfinished(folder: Path) -> tuple[UsePlan, ...] | None:
    data = read_plan(folder)
    if data is None:
        return None
    try:
        return read_plan_bytes(data)
    except FormatError as error:
        raise FormatError(f"{folder / PLAN}:1: {error.message}", hint=f"rm {folder / PLAN}") from error


def _plan(
    lines: bytes, scope: str, stores: Stores | Mapping[str, Shelf]
) -> tuple[tuple[UsePlan, ...], list[MaintenanceStep]]:
    accesses, bad = read_accesses(lines, scope)
    notices = [MaintenanceStep(StepKind.NOT_DONE, scope, "", _bad_lines(bad))] if bad else []
    by_scope: dict[str, list[tuple[str, str]]] = {}
    for access in accesses:
        by_scope.setdefault(access.scope, []).extend((item, access.day) for item in access.ids)
    plan: list[UsePlan] = []
    for name in sorted(by_scope):
        noted = uses_of(by_scope[name])
        if name not in stores:
            notices.append(
                MaintenanceStep(
                    StepKind.NOT_DONE,
                    name,
                    "",
                    f"of {name}, {_items(len(noted))} used, and there is no such scope any more",
                )
            )
            continue
        known = {item.id: item.uses for item in stores[name].items()}
        notices += [
            MaintenanceStep(StepKind.NOT_DONE, name, item, _GONE) for item in sorted(noted.keys() - known.keys())
        ]
        plan += [
            UsePlan(name, item, merged(known[item], noted[item]), noted[item].count)
            for item in sorted(noted.keys() & known.keys())
        ]
    return tuple(plan), notices


def _carry_out(plan: Sequence[UsePlan], stores: Stores) -> Iterator[MaintenanceStep]:
    for scope in dict.fromkeys(each.scope for each in plan):
        if scope not in stores:
            continue
        with stores[scope].writing():
            for each in plan:
                if each.scope == scope:
                    yield _count_uses(stores[scope], each)


def _count_uses(store: MemoryBackend | Shelf, planned: UsePlan) -> MaintenanceStep:
    stored = store.get(planned.item)
    refused = _refused(stored)
    if stored is None or refused:
        return MaintenanceStep(StepKind.NOT_DONE, planned.scope, planned.item, refused)
    uses = at_least(stored.item.uses, planned.uses)
    if uses != stored.item.uses:
        try:
            store.add(changed(stored, {"uses": render_uses(uses)}))
        except FormatError as error:
            return MaintenanceStep(
                StepKind.NOT_DONE, planned.scope, planned.item, f"its uses are not counted: {error.message}"
            )
    return MaintenanceStep(StepKind.USES, planned.scope, planned.item, _why(planned))


def _refused(stored: StoredItem | None) -> str:
    """Return why an item keeps no count; empty where it does."""
    if stored is None:
        return _GONE
    if split(stored.text).block is None:
        return "it has no front matter, so that it keeps no count of its uses"
    return ""


def _why(planned: UsePlan) -> str:
    days = f", the last on {planned.uses.last[:10]}" if planned.uses.last else ""
    return f"{planned.new} more {'use' if planned.new == 1 else 'uses'}: {planned.uses.count} now{days}"


def _bad_lines(count: int) -> str:
    lines = "1 line" if count == 1 else f"{count:,} lines"
    return f"{lines} of the log of uses cannot be read, and {'is' if count == 1 else 'are'} left out"


def _items(count: int) -> str:
    return "1 item was" if count == 1 else f"{count:,} items were"


LOCK = "maintain.lock"
WAIT_S = 10.0


def maintain(
    workspace: Workspace | None,
    scope: str | None = None,
    *,
    actor: str,
    dry_run: bool = False,
    gone_project: str | None = None,
) -> MaintenanceResult:
    """Maintain the user's items, and those of the project and its parts; with a `scope`, one of the two.

    `gone_project` is a project that is there no more: it is taken off as the source of user items, which takes a
    person. Under `dry_run` nothing is written. Raises WorkspaceError where there is no project and its scope is asked
    for, NotAllowed, UsageError for a project that no user item names, and what the stores raise.
    """
    if scope == PROJECT:
        required(workspace)
    steps: list[MaintenanceStep] = []
    if gone_project is not None:
        steps += forget_project(gone_project, actor=actor, dry_run=dry_run)
    if scope in (None, USER):
        steps += _maintained(workspace, (USER,), dry_run=dry_run)
    if scope in (None, PROJECT) and workspace is not None:
        if not memory_settings(workspace).enabled:
            why = "memory.enabled is false: nothing of the project is maintained"
            return MaintenanceResult(dry_run, (*steps, MaintenanceStep(StepKind.NOT_DONE, PROJECT, "", why)))
        steps += _maintained(workspace, (PROJECT, *parts_of(workspace)), dry_run=dry_run)
        steps += _ended_tasks(workspace, dry_run=dry_run)
    return MaintenanceResult(dry_run, tuple(steps))


def _maintained(workspace: Workspace | None, scopes: Sequence[str], *, dry_run: bool) -> list[MaintenanceStep]:
    main = scopes[0]
    folder, _ = log_folder(workspace, of_user=main == USER)
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(folder / LOCK, WAIT_S))
        opened = open_for_reading if dry_run else open_store
        stores = {scope: stack.enter_context(opened(workspace, scope)) for scope in scopes}
        steps = [] if dry_run else list(merge_uses(folder, main, stores))
        shelves = {scope: Shelf(store, dry_run=dry_run) for scope, store in stores.items()}
        if dry_run:
            steps += uses_to_merge(folder, main, shelves)
        turned, notices = _turned(workspace) if workspace and _has_fixes(shelves, main) else ((), [])
        now = _round(workspace, shelves, main, turned)
        for scope, store in observed("maintaining scopes", stores.items()):
            with nullcontext() if dry_run else store.writing():
                shelf = shelves[scope] if dry_run else Shelf(store, dry_run=False)
                steps += keep_up(shelf, now)
        if not dry_run and now.consolidates and any(step.kind is StepKind.CONSOLIDATED for step in steps):
            note_consolidated(folder, now.today)
        steps += [*notices, *_problems(stores)]
    return steps


def _has_fixes(shelves: Mapping[str, Shelf], main: str) -> bool:
    return main != USER and any(fixes(shelf.items()) for shelf in shelves.values())


def _round(
    workspace: Workspace | None, shelves: Mapping[str, Shelf], main: str, turned: tuple[FixedCheck, ...]
) -> Round:
    today = f"{(workspace.clock if workspace else SystemClock()).now():%Y-%m-%d}"
    if workspace is None or main == USER:
        return Round(today, MemorySettings())
    settings, kept = memory_settings(workspace), read_consolidated(workspace.local)
    return Round(
        today,
        settings,
        settings.consolidation.enabled and _is_due(settings, kept.day or _newest(shelves[main]), today),
        kept.apart,
        turned,
        Stages(workspace),
        workspace,
    )


def _is_due(settings: MemorySettings, last: str | None, today: str) -> bool:
    """Say whether the interval since the last consolidation is over; a day that cannot be read is none."""
    days = timedelta(days=settings.consolidation.interval)
    try:
        return last is None or date.fromisoformat(last) + days <= date.fromisoformat(today)
    except (ValueError, OverflowError):
        return True


def _newest(shelf: Shelf) -> str | None:
    """Return the day of the newest summary: when this was last done, where nothing local says so."""
    return max((item.created[:10] for item in shelf.items() if item.created and is_consolidation(item)), default=None)


def _turned(workspace: Workspace) -> tuple[tuple[FixedCheck, ...], list[MaintenanceStep]]:
    """Return the checks of all open sprints that turned from fail to pass, and the sprints that cannot tell."""
    turned: list[FixedCheck] = []
    notices = []
    for sprint in open_sprints(workspace):
        try:
            turned += turned_checks(workspace, sprint)
        except VfccError as error:
            why = f"what its checks prove is not known: {error.message}"
            notices.append(MaintenanceStep(StepKind.NOT_DONE, f"sprint/{sprint.id}", "", why))
    return tuple(turned), notices


def _problems(stores: Stores) -> list[MaintenanceStep]:
    return [
        MaintenanceStep(StepKind.NOT_DONE, scope, "", problem)
        for scope, store in stores.items()
        for problem in store.problems
    ]


def _ended_tasks(workspace: Workspace, *, dry_run: bool) -> Iterator[MaintenanceStep]:
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
            yield MaintenanceStep(
                StepKind.TASK, f"task/{task.id}", "", f"the task has ended ({task.status}); {count} items are gone"
            )
