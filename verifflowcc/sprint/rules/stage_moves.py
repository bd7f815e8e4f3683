"""What each transition does to a sprint, and which are possible."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.errors import FormatError, LedgerError
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.formats.event_payloads import Payload
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, EvidenceTrust, Mode, Verdict
from verifflowcc.base.model.sprint_state import (
    DONE,
    Artifact,
    CriterionOutcome,
    Edits,
    Leg,
    Route,
    Skip,
    SprintState,
    SprintStatus,
    Stage,
    StageEntry,
    StageState,
    StageStatus,
    Workflow,
    artifact_criteria,
    default_uses,
    gaps_in,
    output_digest,
)
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY, TracePolicy, policy_from_json, policy_to_json
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import canonical, digest_bytes

# The line in a commit's message by which a signed commit approves a stage.

LEAST_DIGITS = 12
MARK = "Vfcc-Approve:"


def approval_line(sprint: str, stage: str, subject: str) -> str:
    """Return the line that approves what has the digest `subject`.

    >>> approval_line("login", "design", "sha256:0123456789abcdef")
    'Vfcc-Approve: login/design 0123456789ab'
    """
    return f"{MARK} {sprint}/{stage} {subject.removeprefix('sha256:')[:LEAST_DIGITS]}"


def approves(message: str, sprint: str, stage: str, subject: str) -> bool:
    """Say whether a line of a commit's message approves that stage of the sprint with that content."""
    digest = subject.removeprefix("sha256:")
    for line in message.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == MARK and words[1] == f"{sprint}/{stage}":
            given = words[2].removeprefix("sha256:").lower()
            if len(given) >= LEAST_DIGITS and digest.startswith(given):
                return True
    return False


# A criterion as it is in `sprint_started`: only what differs from the defaults.

_LISTS = ("files", "requires", "inputs", "checks", "items")
_TEXTS = ("command", "report", "pattern", "metric")
_LIMITS = ("at_least", "at_most")


def pin_criterion(criterion: Criterion) -> Json:
    """Return the criterion as a JSON object."""
    record: dict[str, Json] = {
        "id": criterion.id,
        "kind": str(criterion.kind),
        "title": criterion.title,
        "mode": str(criterion.mode),
    }
    if not criterion.waivable:
        record["waivable"] = False
    if criterion.trust is not EvidenceTrust.RAN_BY_VFCC:
        record["trust"] = str(criterion.trust)
    if criterion.tagged:
        record["tagged"] = True
    for name in _LISTS:
        if listed := getattr(criterion, name):
            record[name] = list(listed)
    for name in _TEXTS:
        if (value := getattr(criterion, name)) is not None:
            record[name] = value
    for name in _LIMITS:
        if limits := getattr(criterion, name):
            record[name] = dict(limits)
    return record


def unpin_criterion(record: fields.Payload) -> Criterion:
    """Return the criterion that `pin_criterion` wrote. Raises LedgerError where it is not one."""
    try:
        return Criterion(
            id=fields.text(record, "id"),
            kind=CriterionKind(fields.text(record, "kind")),
            title=fields.text(record, "title"),
            mode=Mode(fields.text(record, "mode")),
            waivable=record.get("waivable", True) is True,
            trust=EvidenceTrust(str(record.get("trust", EvidenceTrust.RAN_BY_VFCC))),
            tagged=record.get("tagged", False) is True,
            files=_listed(record, "files"),
            requires=_listed(record, "requires"),
            inputs=_listed(record, "inputs"),
            checks=_listed(record, "checks"),
            items=_listed(record, "items"),
            command=_optional_text(record, "command"),
            report=_optional_text(record, "report"),
            pattern=_optional_text(record, "pattern"),
            metric=_optional_text(record, "metric"),
            at_least=_numbers(record, "at_least"),
            at_most=_numbers(record, "at_most"),
        )
    except (ValueError, LedgerError) as error:
        raise LedgerError(f"a criterion of its workflow: {error}") from error


def _optional_text(record: fields.Payload, name: str) -> str | None:
    return fields.text(record, name) if name in record else None


def _listed(record: fields.Payload, name: str) -> tuple[str, ...]:
    return fields.texts(record, name) if name in record else ()


def _numbers(record: fields.Payload, name: str) -> dict[str, int]:
    value = record.get(name, {})
    if not isinstance(value, Mapping) or not all(isinstance(number, int) for number in value.values()):
        raise LedgerError(f"{name} must map names to whole numbers")
    return {key: number for key, number in value.items() if isinstance(number, int)}


# Payloads of transitions: made from values, and read back as values.


@dataclass(frozen=True, slots=True)
class GitStart:
    """What git knew when a sprint was started: the commit, the branch, and protected files that differed.

    `rules` has the digest of each protected file that was not as `base` has it, None where it was gone.
    """

    base: str | None = None
    branch: str | None = None
    rules: Mapping[str, str | None] | None = None


NO_GIT = GitStart()


def started(
    sprint: str,
    title: str,
    goals: Sequence[str],
    workflow: Workflow,
    *,
    carried: Sequence[str] = (),
    git: GitStart = NO_GIT,
) -> Payload:
    """Return the payload of `sprint_started`; the workflow is pinned in it, and its first stage entered."""
    return {
        "sprint": sprint,
        "title": title,
        "goals": list(goals),
        "workflow": pin(workflow),
        "entered": workflow.stages[0].id,
        "base": git.base,
        "carried": list(carried),
        **({"branch": git.branch} if git.branch else {}),
        **({} if git.rules is None else {"rules": dict(git.rules)}),
    }


def passed(
    stage: str,
    entered: str | None,
    artifacts: Sequence[Artifact],
    summary: str,
    gate: Sequence[Assessment] = (),
    traced: Mapping[str, str] | None = None,
    kept: Payload | None = None,
) -> Payload:
    """Return the payload of `stage_passed`; `summary` is the digest of `summary.md`, `gate` the exit gate's results.

    `traced` maps the types of trace items that the stage specifies to the digest of all of them. `kept` is what vfcc
    reads again of the summary and the metrics, as `kept_of` returns it.
    """
    files: list[Json] = [{"path": one.path, "digest": one.digest, "bytes": one.bytes} for one in artifacts]
    results: list[Json] = [
        {
            "criterion": each.criterion.id,
            "mode": str(each.criterion.mode),
            "verdict": str(each.verdict),
            "reason": each.reason,
            "evidence": list(each.used),
            "subject": each.subject,
        }
        for each in gate
    ]
    payload: Payload = {"stage": stage, "entered": entered, "artifacts": files, "summary": summary, "gate": results}
    return {**payload, **({"traced": dict(traced)} if traced else {}), **(kept or {})}


def reopened(stage: str, reason: str) -> Payload:
    """Return the payload of `stage_reopened`."""
    return {"stage": stage, "reason": reason}


def closed(state: SprintState, learnings: str | None, unfinished: str | None, ledger: Payload) -> Payload:
    """Return the payload of `sprint_closed`: the final state, so that a closed sprint is read from this event alone.

    `learnings` is a digest. `ledger` is `{events, digest}` over the ids of the events before this one.
    """
    stages: list[Json] = [
        {
            "id": each.stage.id,
            "status": str(each.status),
            "passes": each.passes,
            "reopened": each.reopened,
            **({} if each.metrics is None else {"metrics": dict(each.metrics)}),
        }
        for each in state.stages
    ]
    return {
        "sprint": state.id,
        "title": state.title,
        "learnings": learnings,
        "unfinished": unfinished,
        "counts": dict(state.counts),
        "stages": stages,
        "gaps": state.gaps,
        "ledger": ledger,
    }


def pin(workflow: Workflow) -> Json:
    """Return the workflow as `sprint_started` records it.

    The rules of the trace are in it only where they are its own.
    """
    stages: list[Json] = [
        {
            "id": stage.id,
            "title": stage.title,
            "pair": stage.pair,
            "leg": str(stage.leg),
            "role": stage.role,
            "artifacts": list(stage.artifacts),
            "edits": str(stage.edits),
            "uses": list(stage.uses),
            "enter": [pin_criterion(each) for each in stage.enter],
            "exit": [pin_criterion(each) for each in stage.exit],
            "route": {"after": stage.route.after, "to": stage.route.to} if stage.route else None,
        }
        for stage in workflow.stages
    ]
    pinned: dict[str, Json] = {
        "name": workflow.name,
        "title": workflow.title,
        "digest": workflow.digest,
        "gates": str(workflow.gates),
        "strict": workflow.strict,
        "stages": stages,
    }
    return pinned if workflow.trace == DEFAULT_POLICY else {**pinned, "trace": policy_to_json(workflow.trace)}


def pinned_digest(workflow: Workflow | None) -> str:
    """Return the digest of all that a ledger holds of a workflow; empty where a ledger has none that can be read."""
    return digest_bytes(canonical(pin(workflow))) if workflow else ""


def unpin(pinned: Json) -> Workflow:
    """Return the workflow that `pin` wrote.

    A stage pinned before gates had criteria needs its artifacts, hard, and uses the stage before it and its pair; what
    was pinned before there were rules of the trace has the default ones. Raises LedgerError where it is no workflow.
    """
    record = fields.record(pinned)
    stages: list[Stage] = []
    for each in fields.records(record, "stages"):
        stages.append(_stage(each, stages[-1] if stages else None))
    name = fields.text(record, "name")
    return Workflow(
        name,
        fields.text(record, "title") if "title" in record else name,
        tuple(stages),
        fields.text(record, "digest"),
        Mode(str(record.get("gates", Mode.HARD))),
        bool(record.get("strict", False)),
        _trace(record["trace"]) if "trace" in record else DEFAULT_POLICY,
    )


def rules_of(event: Event) -> Mapping[str, str | None] | None:
    """Return the protected files that a `sprint_started` names; None where it is of a version that names none."""
    if "rules" not in event.payload:
        return None
    record = fields.record(event.payload["rules"])
    return {path: fields.optional_text(record, path) for path in record}


def entry_of(event: Event) -> StageEntry | None:
    """Return what an event that enters a stage says of the files then; None where it says nothing."""
    head = fields.optional_text(event.payload, "head")
    if head is None:
        return None
    found = fields.record(event.payload["uncommitted"]) if "uncommitted" in event.payload else None
    return StageEntry(head, None if found is None else {path: fields.optional_text(found, path) for path in found})


def artifacts_of(event: Event) -> tuple[Artifact, ...]:
    """Return the artifacts that a `stage_passed` names."""
    return tuple(
        Artifact(fields.text(one, "path"), fields.text(one, "digest"), fields.number(one, "bytes"))
        for one in fields.records(event.payload, "artifacts")
    )


def traced_of(event: Event) -> Mapping[str, str]:
    """Return the digests of trace items, by type, that a `stage_passed` names; nothing where its stage specifies none.

    Raises LedgerError where it names something else.
    """
    record = fields.record(event.payload["traced"]) if "traced" in event.payload else {}
    return {name: fields.text(record, name) for name in record}


def metrics_of(record: Payload) -> Mapping[str, int | None] | None:
    """Return the numbers in a `stage_passed`, or in a stage of a `sprint_closed`; None where it is older than they are.

    Raises LedgerError where they are something else.
    """
    if "metrics" not in record:
        return None
    found = fields.record(record["metrics"])
    return {name: None if value is None else fields.number(found, name) for name, value in found.items()}


def outcomes_of(event: Event) -> tuple[CriterionOutcome, ...]:
    """Return what a `stage_passed` says of its gate; nothing where it was written before gates had criteria."""
    return tuple(
        CriterionOutcome(
            fields.text(one, "criterion"),
            Verdict(fields.text(one, "verdict")),
            fields.text(one, "reason"),
            fields.texts(one, "evidence"),
        )
        for one in (fields.records(event.payload, "gate") if "gate" in event.payload else ())
    )


def _trace(pinned: Json) -> TracePolicy:
    try:
        return policy_from_json(pinned)
    except FormatError as error:
        raise LedgerError(f"its rules of the trace: {error}") from error


def _stage(record: Payload, before: Stage | None) -> Stage:
    name = fields.text(record, "id")
    plain = Stage(
        name,
        fields.text(record, "title") if "title" in record else name.replace("_", " "),
        Leg(fields.text(record, "leg")),
        fields.optional_text(record, "pair"),
        fields.text(record, "role"),
        fields.texts(record, "artifacts"),
    )
    if "exit" not in record:
        return replace(plain, exit=artifact_criteria(plain.artifacts, Mode.HARD), uses=default_uses(plain, before))
    back = None if record.get("route") is None else fields.record(record["route"])
    route = Route(fields.number(back, "after"), fields.text(back, "to")) if back is not None else None
    return replace(
        plain,
        edits=Edits(fields.text(record, "edits")),
        uses=fields.texts(record, "uses"),
        enter=tuple(map(unpin_criterion, fields.records(record, "enter"))),
        exit=tuple(map(unpin_criterion, fields.records(record, "exit"))),
        route=route,
    )


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
    return _first_open(_with_stale_marked(_with_uses(stages, stage)))


def after_skipping(state: SprintState, stage: str) -> str | None:
    """Return the id of the stage to enter once `stage` is skipped; None where none is left to do."""
    stages = tuple(
        replace(each, status=StageStatus.SKIPPED) if each.stage.id == stage else each for each in state.stages
    )
    return _first_open(_with_stale_marked(stages))


def reopenable(state: SprintState) -> tuple[str, ...]:
    """Return the ids of the stages that can be reopened.

    Those before the active stage, or all of them when none is active.
    """
    ids = [each.stage.id for each in state.stages]
    reached = ids[: ids.index(state.current)] if state.current else ids
    return tuple(name for name, each in zip(ids, state.stages, strict=False) if name in reached and each.status in DONE)


def _start(state: SprintState, event: Event) -> SprintState:
    if state.status is not SprintStatus.BROKEN:
        raise LedgerError("a second sprint_started")
    workflow = unpin(event.payload.get("workflow"))
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
        rules=rules_of(event),
        carried_comments=fields.texts(event.payload, "carried") if "carried" in event.payload else (),
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
    stages = _with_stale_marked(_with_uses(stages, name))
    due = _first_open(stages)
    if entered is not None and entered not in {due, next_in_order(state, name)}:
        raise LedgerError(f"from {name} it enters {entered}, and not {due}")
    moved = replace(state, stages=stages, current=None)
    return _activate(moved, entered, event) if entered else moved


def _pass_stage(stage: StageState, event: Event) -> StageState:
    outcomes = outcomes_of(event)
    return replace(
        _passed(stage, artifacts_of(event), traced_of(event)),
        passes=stage.passes + 1,
        summary=fields.text(event.payload, "summary"),
        outcomes=outcomes,
        metrics=metrics_of(event.payload),
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
    return _activate(replace(state, stages=_with_stale_marked(stages)), name, event)


def _activate(state: SprintState, name: str, event: Event) -> SprintState:
    stages = tuple(
        replace(
            each,
            status=StageStatus.ACTIVE,
            entered_at=event.time,
            entered_by=event.id,
            entry=entry_of(event),
            gaps=0,
        )
        if each.stage.id == name
        else each
        for each in state.stages
    )
    return replace(state, stages=_with_stale_marked(stages), current=name)


def _with_stale_marked(stages: tuple[StageState, ...]) -> tuple[StageState, ...]:
    """Mark each passed stage as passed or stale, by the stages that it used.

    It stays passed while all of them are done, with the same output as it used.
    """
    known: dict[str, StageState] = {}
    for each in stages:
        now = each
        if each.status in {StageStatus.PASSED, StageStatus.STALE} and each.used:
            holds = all(
                known[name].status in DONE and output_digest(known[name].artifacts, known[name].traced) == digest
                for name, digest in each.used.items()
                if name in known
            )
            now = replace(each, status=StageStatus.PASSED if holds else StageStatus.STALE)
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
