"""What each transition does to a sprint, and which are possible."""

from dataclasses import replace

from verifflowcc.domain.events import Event, EventType
from verifflowcc.domain.sprints import DONE, SprintState, SprintStatus, StageState, StageStatus
from verifflowcc.errors import LedgerError
from verifflowcc.workflow import payloads


def apply(state: SprintState, event: Event) -> SprintState:
    """Return the state after a transition. Raises LedgerError with the reason where it cannot follow on `state`."""
    if event.type is EventType.SPRINT_STARTED:
        return _start(state, event)
    if state.status is SprintStatus.CLOSED:
        raise LedgerError(f"a {event.type} after the sprint was closed")
    if state.status is not SprintStatus.OPEN:
        raise LedgerError(f"a {event.type} before the sprint was started")
    match event.type:
        case EventType.SPRINT_CLOSED:
            unfinished = payloads.optional_text(event.payload, "unfinished")
            return replace(state, status=SprintStatus.CLOSED, current=None, unfinished=unfinished)
        case EventType.STAGE_ENTERED:
            return _enter(state, event)
        case EventType.STAGE_REOPENED:
            return _reopen(state, event)
        case _:
            return _leave(state, event)


def next_stage(state: SprintState, stage: str) -> str | None:
    """Return the id of the stage after `stage`, or None after the last."""
    after = state.workflow.after(stage) if state.workflow else None
    return after.id if after else None


def reopenable(state: SprintState) -> tuple[str, ...]:
    """Return the ids of the stages that can be reopened: those before the one in work, or all when none is."""
    ids = [each.stage.id for each in state.stages]
    reached = ids[: ids.index(state.current)] if state.current else ids
    return tuple(name for name, each in zip(ids, state.stages, strict=False) if name in reached and each.status in DONE)


def _start(state: SprintState, event: Event) -> SprintState:
    if state.status is not SprintStatus.BROKEN:
        raise LedgerError("a second sprint_started")
    workflow = payloads.unpin(event.payload.get("workflow"))
    ids = [stage.id for stage in workflow.stages]
    if len(set(ids)) != len(ids):
        raise LedgerError("its workflow names a stage twice")
    entered = payloads.text(event.payload, "entered")
    if entered != ids[0]:
        raise LedgerError(f"it enters {entered}, and not the first stage, {ids[0]}")
    stages = tuple(StageState(stage) for stage in workflow.stages)
    started = replace(
        state,
        title=payloads.text(event.payload, "title"),
        goals=payloads.texts(event.payload, "goals"),
        workflow=workflow,
        status=SprintStatus.OPEN,
        stages=stages,
    )
    return _activate(started, entered, event.time)


def _leave(state: SprintState, event: Event) -> SprintState:
    name = payloads.text(event.payload, "stage")
    entered = payloads.optional_text(event.payload, "entered")
    if name != state.current:
        raise LedgerError(f"a {event.type} for {name}, which is not the stage in work ({state.current or 'none'})")
    if entered is not None and entered != next_stage(state, name):
        raise LedgerError(f"from {name} it enters {entered}, and not {next_stage(state, name)}")
    left = _pass_stage if event.type is EventType.STAGE_PASSED else _skip_stage
    stages = tuple(left(each, event) if each.stage.id == name else each for each in state.stages)
    moved = replace(state, stages=stages, current=None)
    return _activate(moved, entered, event.time) if entered else moved


def _pass_stage(stage: StageState, event: Event) -> StageState:
    return replace(
        stage,
        status=StageStatus.PASSED,
        passes=stage.passes + 1,
        artifacts=payloads.artifacts_of(event),
        summary=payloads.text(event.payload, "summary"),
    )


def _skip_stage(stage: StageState, _: Event) -> StageState:
    return replace(stage, status=StageStatus.SKIPPED)


def _enter(state: SprintState, event: Event) -> SprintState:
    name = payloads.text(event.payload, "stage")
    due = next((each.stage.id for each in state.stages if each.status not in DONE), None)
    if state.current is not None or name != due:
        raise LedgerError(f"a stage_entered for {name}, which is not due ({state.current or due or 'none is'})")
    return _activate(state, name, event.time)


def _reopen(state: SprintState, event: Event) -> SprintState:
    name = payloads.text(event.payload, "stage")
    if name not in reopenable(state):
        raise LedgerError(f"a stage_reopened for {name}, which was not left behind")
    place = [each.stage.id for each in state.stages].index(name)
    stages = list(state.stages)
    stages[place] = replace(stages[place], reopened=stages[place].reopened + 1)
    for index in range(place + 1, len(stages)):
        was = stages[index]
        stale = was.passes > 0 or was.status is StageStatus.SKIPPED
        stages[index] = replace(was, status=StageStatus.STALE if stale else StageStatus.PENDING)
    return _activate(replace(state, stages=tuple(stages)), name, event.time)


def _activate(state: SprintState, name: str, time: str) -> SprintState:
    stages = tuple(
        replace(each, status=StageStatus.ACTIVE, entered_at=time) if each.stage.id == name else each
        for each in state.stages
    )
    return replace(state, stages=stages, current=name)
