"""What each transition does to a sprint, and which are possible."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.domain.events import Event, EventType
from verifflowcc.domain.sprints import (
    DONE,
    Artifact,
    Skip,
    SprintState,
    SprintStatus,
    StageState,
    StageStatus,
    gaps_in,
    output_digest,
)
from verifflowcc.errors import LedgerError
from verifflowcc.formats import events_payload as fields
from verifflowcc.records import replace
from verifflowcc.workflow import payloads


def apply(state: SprintState, event: Event) -> SprintState:
    """Return the state after a transition. Raises LedgerError with the reason where it cannot follow on `state`."""
    moved = _applied(state, event)
    return replace(moved, gaps=sum(each.gaps for each in moved.stages))


def _applied(state: SprintState, event: Event) -> SprintState:
    if event.type is EventType.SPRINT_STARTED:
        return _start(state, event)
    if state.status is SprintStatus.CLOSED:
        raise LedgerError(f"a {event.type} after the sprint was closed")
    if state.status is not SprintStatus.OPEN:
        raise LedgerError(f"a {event.type} before the sprint was started")
    match event.type:
        case EventType.SPRINT_CLOSED:
            return _close(state, event)
        case EventType.STAGE_ENTERED:
            return _enter(state, event)
        case EventType.STAGE_REOPENED:
            return _reopen(state, event)
        case _:
            return _leave(state, event)


def after_passing(
    state: SprintState, stage: str, artifacts: Sequence[Artifact], traced: Mapping[str, str] | None = None
) -> str | None:
    """Return the id of the stage to enter once `stage` has passed with what it specifies; None after the last."""
    stages = tuple(_passed(each, artifacts, traced or {}) if each.stage.id == stage else each for each in state.stages)
    return _first_open(_standing(_with_uses(stages, stage)))


def after_skipping(state: SprintState, stage: str) -> str | None:
    """Return the id of the stage to enter once `stage` is skipped; None where none is left to do."""
    stages = tuple(
        replace(each, status=StageStatus.SKIPPED) if each.stage.id == stage else each for each in state.stages
    )
    return _first_open(_standing(stages))


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
    entered = fields.text(event.payload, "entered")
    if entered != ids[0]:
        raise LedgerError(f"it enters {entered}, and not the first stage, {ids[0]}")
    stages = tuple(StageState(stage) for stage in workflow.stages)
    started = replace(
        state,
        title=fields.text(event.payload, "title"),
        goals=fields.texts(event.payload, "goals"),
        workflow=workflow,
        base=fields.optional_text(event.payload, "base"),
        rules=payloads.rules_of(event),
        carried=fields.texts(event.payload, "carried") if "carried" in event.payload else (),
        branch=fields.optional_text(event.payload, "branch"),
        status=SprintStatus.OPEN,
        stages=stages,
    )
    return _activate(started, entered, event)


def _close(state: SprintState, event: Event) -> SprintState:
    unfinished = fields.optional_text(event.payload, "unfinished")
    left = [each.stage.id for each in state.stages if each.status not in DONE]
    if left and not unfinished:
        raise LedgerError(f"it closes the sprint, gives no reason, and {left[0]} is not passed")
    return replace(state, status=SprintStatus.CLOSED, current=None, unfinished=unfinished)


def _leave(state: SprintState, event: Event) -> SprintState:
    name = fields.text(event.payload, "stage")
    entered = fields.optional_text(event.payload, "entered")
    if name != state.current:
        raise LedgerError(f"a {event.type} for {name}, which is not the active stage ({state.current or 'none'})")
    left = _pass_stage if event.type is EventType.STAGE_PASSED else _skip_stage
    stages = tuple(left(each, event) if each.stage.id == name else each for each in state.stages)
    stages = _standing(_with_uses(stages, name))
    due = _first_open(stages)
    if entered is not None and entered not in {due, next_in_order(state, name)}:
        raise LedgerError(f"from {name} it enters {entered}, and not {due}")
    moved = replace(state, stages=stages, current=None)
    return _activate(moved, entered, event) if entered else moved


def _pass_stage(stage: StageState, event: Event) -> StageState:
    outcomes = payloads.outcomes_of(event)
    return replace(
        _passed(stage, payloads.artifacts_of(event), payloads.traced_of(event)),
        passes=stage.passes + 1,
        summary=fields.text(event.payload, "summary"),
        outcomes=outcomes,
        metrics=payloads.metrics_of(event.payload),
        handover=fields.optional_text(event.payload, "handover"),
        gaps=gaps_in(outcomes),
    )


def _passed(stage: StageState, artifacts: Sequence[Artifact], traced: Mapping[str, str]) -> StageState:
    return replace(stage, status=StageStatus.PASSED, artifacts=tuple(artifacts), traced=traced, skip=None)


def _skip_stage(stage: StageState, event: Event) -> StageState:
    skip = Skip(
        event.id,
        fields.text(event.payload, "reason"),
        event.actor,
        fields.optional_text(event.payload, "expires"),
        fields.optional_text(event.payload, "email") or "",
    )
    return replace(stage, status=StageStatus.SKIPPED, skip=skip, gaps=0)


def _enter(state: SprintState, event: Event) -> SprintState:
    name = fields.text(event.payload, "stage")
    due = _first_open(state.stages)
    if state.current is not None or name != due:
        raise LedgerError(f"a stage_entered for {name}, which is not due ({state.current or due or 'none is'})")
    return _activate(state, name, event)


def _reopen(state: SprintState, event: Event) -> SprintState:
    name = fields.text(event.payload, "stage")
    if name not in reopenable(state):
        raise LedgerError(f"a stage_reopened for {name}, which was not left behind")
    stages = tuple(
        replace(each, reopened=each.reopened + 1, status=StageStatus.PENDING)
        if each.stage.id == name
        else replace(each, status=StageStatus.PENDING)
        if each.status is StageStatus.ACTIVE
        else each
        for each in state.stages
    )
    return _activate(replace(state, stages=_standing(stages)), name, event)


def _activate(state: SprintState, name: str, event: Event) -> SprintState:
    stages = tuple(
        replace(
            each,
            status=StageStatus.ACTIVE,
            entered_at=event.time,
            entered_by=event.id,
            entry=payloads.entry_of(event),
            gaps=0,
        )
        if each.stage.id == name
        else each
        for each in state.stages
    )
    return replace(state, stages=_standing(stages), current=name)


def _standing(stages: tuple[StageState, ...]) -> tuple[StageState, ...]:
    """Say anew which passed stages stand: those whose every used stage is done, with what was used of it."""
    known: dict[str, StageState] = {}
    for each in stages:
        now = each
        if each.status in {StageStatus.PASSED, StageStatus.STALE} and each.used:
            stands = all(
                known[name].status in DONE and output_digest(known[name].artifacts, known[name].traced) == digest
                for name, digest in each.used.items()
                if name in known
            )
            now = replace(each, status=StageStatus.PASSED if stands else StageStatus.STALE)
        known[each.stage.id] = now
    return tuple(known.values())


def _with_uses(stages: tuple[StageState, ...], name: str) -> tuple[StageState, ...]:
    """Note, on the stage just passed, what the stages which it uses specify now."""
    outputs = {each.stage.id: output_digest(each.artifacts, each.traced) for each in stages}
    return tuple(
        replace(each, used={use: outputs[use] for use in each.stage.uses if use in outputs})
        if each.stage.id == name
        else each
        for each in stages
    )


def _first_open(stages: Iterable[StageState]) -> str | None:
    return next((each.stage.id for each in stages if each.status not in DONE), None)


def next_in_order(state: SprintState, name: str) -> str | None:
    """Return the id of the stage that the workflow has after `name`; None after the last."""
    after = state.workflow.after(name) if state.workflow else None
    return after.id if after else None
