"""What the end of a stage does to memory: what was in the middle of it ends, and its items are consolidated.

The stage has been left when this is done, and stays left whatever becomes of this: what fails is told, and the next
`vfcc memory maintain` does it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from verifflowcc.base.errors import FormatError, UsageError, VfccError
from verifflowcc.base.model.config_values import MemorySettings
from verifflowcc.base.model.item_values import Item, ScopeKind, Status, item_type
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus, StageStatus
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import with_article
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.stale_refs import FixedCheck
from verifflowcc.memory.rules.tasks import Task
from verifflowcc.memory.use.archiving import STAGE, archive_item
from verifflowcc.memory.use.consolidating import (
    ConsolidationTerms,
    MaintenanceStep,
    Shelf,
    StepKind,
    complete_interrupted,
    consolidate,
)
from verifflowcc.memory.use.proving_fixes import fixes, raise_confidence, turned_checks
from verifflowcc.memory.use.stores import memory_settings, open_store
from verifflowcc.memory.use.task_finding import all_tasks, find_task
from verifflowcc.sprint.use.people_acting import Transition
from verifflowcc.sprint.use.sprint_reading import load_sprint

# Items that end with their stage: what a stage was in the middle of is archived once the stage is left.

_LEFT = frozenset({StageStatus.PASSED, StageStatus.SKIPPED, StageStatus.STALE})


class Stages:
    """Which stages were left, each sprint read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._states: dict[str, SprintState | None] = {}

    def left(self, sprint: str | None, stage: str | None) -> bool:
        """Say whether a stage is over: passed, skipped, or of a closed sprint.

        A stage that was opened again is not over.

        Of a sprint that is not there, forked or broken, nothing is over.
        """
        state = self._state(sprint) if sprint and stage else None
        if state is None or stage is None or state.fork or state.problems:
            return False
        found = state.stage(stage)
        if state.status is SprintStatus.CLOSED:
            return found is not None
        return found is not None and found.status in _LEFT and state.current != stage

    def _state(self, sprint: str) -> SprintState | None:
        if sprint not in self._states:
            try:
                self._states[sprint] = load_sprint(self._workspace, sprint)[1]
            except UsageError:  # a folder or a task of a sprint that has no ledger here
                self._states[sprint] = None
        return self._states[sprint]


def end_with_stage(shelf: Shelf, workspace: Workspace, stages: Stages, today: str) -> Iterator[MaintenanceStep]:
    """Archive the items of a stage or a task that end with a stage that is over; yield what was done.

    A task's item is of the stage that it says, else of that in which the task began. Raises as the store does.
    """
    kind, _, name = shelf.scope.partition("/")
    ending = [item for item in shelf.items() if _ends(item)] if kind in (ScopeKind.STAGE, ScopeKind.TASK) else []
    if not ending:
        return
    if kind == ScopeKind.STAGE:
        sprint, _, began_in = name.partition("/")
    else:
        task = find_task(workspace, name)
        sprint, began_in = task.sprint or "", task.stage or ""
    for item in ending:
        stage = dict(item.details).get("stage", began_in) if kind == ScopeKind.TASK else began_in
        if stages.left(sprint, stage):
            why = f"{with_article(item.type)} ends with its stage, and {stage} of {sprint} is over"
            yield _archived(shelf, item, why, today)


def _ends(item: Item) -> bool:
    return item.status is not Status.ARCHIVED and item_type(item.type).ends_with_stage


def _archived(shelf: Shelf, item: Item, why: str, today: str) -> MaintenanceStep:
    stored = shelf.get(item.id)
    try:
        if stored is not None:
            shelf.add(archive_item(stored, today=today, why=STAGE))
    except FormatError as error:
        return MaintenanceStep(
            StepKind.NOT_DONE, shelf.scope, item.id, f"it cannot be archived ({why}): {error.message}"
        )
    return MaintenanceStep(StepKind.STAGE, shelf.scope, item.id, why)


LISTED = 6
_Part = Callable[[Workspace, SprintState, str, MemorySettings], Sequence[str]]


@dataclass(frozen=True, slots=True)
class StageMemory:
    """What was done at the end of a stage: `notes` say it, `warnings` say what could not be done."""

    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def with_memory_ended(workspace: Workspace, done: Transition) -> Transition:
    """Return a transition out of a stage with what it did to what is remembered in its notes and warnings."""
    if done.before is None:
        return done
    ended = end_stage_memory(workspace, done.state, done.before)
    return replace(done, notes=(*done.notes, *ended.notes), warnings=(*done.warnings, *ended.warnings))


def end_stage_memory(workspace: Workspace, state: SprintState, stage: str) -> StageMemory:
    """End what ends with a stage of a sprint, consolidate its items, and make the fixes surer that its checks prove.

    What raises VfccError is told in the warnings, and the rest is done all the same.
    """
    notes: list[str] = []
    warnings: list[str] = []
    parts: tuple[tuple[str, _Part], ...] = (
        ("what ends with the stage has not ended", _end_tasks),
        ("the stage's items are not looked after", _in_stage),
        ("no fix is made surer", _proven),
    )
    for problem, part in parts:
        try:
            settings = memory_settings(workspace)
            notes += part(workspace, state, stage, settings) if settings.enabled else ()
        except VfccError as error:
            warnings.append(f"{problem}: {error.message}; vfcc memory maintain does it later")
    return StageMemory(tuple(notes), tuple(warnings))


def _end_tasks(workspace: Workspace, state: SprintState, stage: str, _: MemorySettings) -> Sequence[str]:
    """End the items of the sprint's tasks that are of the stage; name the tasks that began in it and are still open."""
    notes: list[str] = []
    stages, today = Stages(workspace), workspace.today()
    open_ones = [task for task in all_tasks(workspace) if not task.status.final and task.sprint == state.id]
    for task in open_ones:
        with open_store(workspace, f"task/{task.id}") as store, store.writing():
            steps = tuple(end_with_stage(Shelf(store, dry_run=False), workspace, stages, today))
        notes += _ended(steps, f"task/{task.id}")
    return [*(_still_open(task) for task in open_ones if task.stage == stage), *notes]


def _still_open(task: Task) -> str:
    return f"still open: task {task.id}, begun in {task.stage} ({task.description}): vfcc task finish {task.id}"


def _ended(steps: Iterable[MaintenanceStep], scope: str) -> list[str]:
    """Offer what was not promoted: it is archived, and stays until its task or sprint is gone."""
    every = list(steps)
    ids = [step.item for step in every if step.kind is StepKind.STAGE]
    undone = [f"{step.item}: {step.why}" for step in every if step.kind is StepKind.NOT_DONE]
    if not ids:
        return undone
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    keep = f"vfcc memory promote {ids[0]} --to project --scope {scope}"
    return [f"ended with the stage, in {scope}: {', '.join(ids[:LISTED])}{more}; to keep one: {keep}", *undone]


def _in_stage(workspace: Workspace, state: SprintState, stage: str, settings: MemorySettings) -> Sequence[str]:
    scope, today = f"stage/{state.id}/{stage}", workspace.today()
    with open_store(workspace, scope) as store:
        if not store.count():
            return ()
        with store.writing():
            shelf = Shelf(store, dry_run=False)
            ended = _ended(end_with_stage(shelf, workspace, Stages(workspace), today), scope)
            steps = list(complete_interrupted(shelf, today))
            if settings.consolidation.enabled:
                steps += consolidate(shelf, ConsolidationTerms(today, settings.ttl_days))
    return [*ended, *(f"consolidated: {step.item}: {step.why}" for step in steps)]


def _proven(workspace: Workspace, state: SprintState, stage: str, _: MemorySettings) -> Sequence[str]:
    notes: list[str] = []
    turned: tuple[FixedCheck, ...] | None = None
    for scope in ("project", f"sprint/{state.id}", f"stage/{state.id}/{stage}"):
        with open_store(workspace, scope) as store:
            if not fixes(store.items()):
                continue
            turned = turned_checks(workspace, state) if turned is None else turned
            if turned:
                with store.writing():
                    steps = list(raise_confidence(Shelf(store, dry_run=False), turned))
                notes += [f"proven: {step.item}: {step.why}" for step in steps]
    return notes
