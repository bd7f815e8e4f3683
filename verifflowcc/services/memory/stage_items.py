"""Items that end with their stage: what a stage was in the middle of is archived once the stage is left."""

from collections.abc import Iterator

from verifflowcc.domain.items import Item, ScopeKind, Status, item_type
from verifflowcc.domain.sprints import SprintState, SprintStatus, StageStatus
from verifflowcc.errors import FormatError, UsageError
from verifflowcc.services.memory.maintained import Step, StepKind
from verifflowcc.services.memory.putting_away import STAGE, put_away
from verifflowcc.services.memory.shelf import Shelf
from verifflowcc.services.memory.tasks import find_task
from verifflowcc.services.sprint_reading import load_sprint
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import with_article

_LEFT = frozenset({StageStatus.PASSED, StageStatus.SKIPPED, StageStatus.STALE})


class Stages:
    """Which stages were left, each sprint read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._states: dict[str, SprintState | None] = {}

    def left(self, sprint: str | None, stage: str | None) -> bool:
        """Say whether a stage is over: passed or skipped, and not in work again; or its sprint is closed.

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


def end_with_stage(shelf: Shelf, workspace: Workspace, stages: Stages, today: str) -> Iterator[Step]:
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


def _archived(shelf: Shelf, item: Item, why: str, today: str) -> Step:
    stored = shelf.get(item.id)
    try:
        if stored is not None:
            shelf.add(put_away(stored, today=today, why=STAGE))
    except FormatError as error:
        return Step(StepKind.TOLD, shelf.scope, item.id, f"it cannot be archived ({why}): {error.message}")
    return Step(StepKind.STAGE, shelf.scope, item.id, why)
