"""Payloads of transitions: made from values, and read back as values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from verifflowcc.domain.events import Event, Json
from verifflowcc.domain.gates import Assessment, Mode, Verdict
from verifflowcc.domain.sprints import Artifact, Outcome, SprintState
from verifflowcc.domain.workflows import Edits, Leg, Route, Stage, Workflow, artifact_criteria, default_uses
from verifflowcc.errors import LedgerError
from verifflowcc.workflow.pinned_criterion import pin_criterion, unpin_criterion

Payload = Mapping[str, Json]


def started(
    sprint: str,
    title: str,
    goals: Sequence[str],
    workflow: Workflow,
    *,
    base: str | None = None,
    carried: Sequence[str] = (),
) -> Payload:
    """Return the payload of `sprint_started`; the workflow is pinned in it, and its first stage entered."""
    return {
        "sprint": sprint,
        "title": title,
        "goals": list(goals),
        "workflow": pin(workflow),
        "entered": workflow.stages[0].id,
        "base": base,
        "carried": list(carried),
    }


def passed(
    stage: str, entered: str | None, artifacts: Sequence[Artifact], summary: str, gate: Sequence[Assessment] = ()
) -> Payload:
    """Return the payload of `stage_passed`; `summary` is the digest of `summary.md`, `gate` what its exit gate said."""
    files: list[Json] = [{"path": one.path, "digest": one.digest, "bytes": one.bytes} for one in artifacts]
    said: list[Json] = [
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
    return {"stage": stage, "entered": entered, "artifacts": files, "summary": summary, "gate": said}


def reopened(stage: str, reason: str) -> Payload:
    """Return the payload of `stage_reopened`."""
    return {"stage": stage, "reason": reason}


def closed(state: SprintState, learnings: str | None, unfinished: str | None, ledger: Payload) -> Payload:
    """Return the payload of `sprint_closed`: the final state, so that a closed sprint is read from this event alone.

    `learnings` is a digest. `ledger` is `{events, digest}` over the ids of the events before this one.
    """
    stages: list[Json] = [
        {"id": each.stage.id, "status": str(each.status), "passes": each.passes, "reopened": each.reopened}
        for each in state.stages
    ]
    return {
        "sprint": state.id,
        "title": state.title,
        "learnings": learnings,
        "unfinished": unfinished,
        "counts": dict(state.counts),
        "stages": stages,
        "ledger": ledger,
    }


def pin(workflow: Workflow) -> Json:
    """Return the workflow as it stands in `sprint_started`."""
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
    return {
        "name": workflow.name,
        "title": workflow.title,
        "digest": workflow.digest,
        "gates": str(workflow.gates),
        "strict": workflow.strict,
        "stages": stages,
    }


def unpin(pinned: Json) -> Workflow:
    """Return the workflow that `pin` wrote.

    A stage pinned before gates had criteria needs its artifacts, hard, and uses the stage before it and its pair.
    """
    record = _record(pinned)
    stages: list[Stage] = []
    for each in records(record, "stages"):
        stages.append(_stage(each, stages[-1] if stages else None))
    name = text(record, "name")
    return Workflow(
        name,
        text(record, "title") if "title" in record else name,
        tuple(stages),
        text(record, "digest"),
        Mode(str(record.get("gates", Mode.HARD))),
        bool(record.get("strict", False)),
    )


def artifacts_of(event: Event) -> tuple[Artifact, ...]:
    """Return the artifacts that a `stage_passed` names."""
    records = [_record(each) for each in _list(event.payload, "artifacts")]
    return tuple(Artifact(text(one, "path"), text(one, "digest"), number(one, "bytes")) for one in records)


def outcomes_of(event: Event) -> tuple[Outcome, ...]:
    """Return what a `stage_passed` says of its gate; nothing where it was written before gates had criteria."""
    return tuple(
        Outcome(text(one, "criterion"), Verdict(text(one, "verdict")), text(one, "reason"), texts(one, "evidence"))
        for one in (records(event.payload, "gate") if "gate" in event.payload else ())
    )


def text(payload: Payload, field: str) -> str:
    """Return a field that is text. Raises LedgerError where it is not."""
    value = payload.get(field)
    if not isinstance(value, str):
        raise LedgerError(f"{field} must be text")
    return value


def optional_text(payload: Payload, field: str) -> str | None:
    """Return a field that is text or null."""
    return None if payload.get(field) is None else text(payload, field)


def texts(payload: Payload, field: str) -> tuple[str, ...]:
    """Return a field that is a list of texts."""
    return tuple(str(each) for each in _list(payload, field))


def number(payload: Payload, field: str) -> int:
    """Return a field that is a whole number."""
    value = payload.get(field)
    if not isinstance(value, int):
        raise LedgerError(f"{field} must be a whole number")
    return value


def records(payload: Payload, field: str) -> tuple[Payload, ...]:
    """Return a field that is a list of objects."""
    return tuple(_record(each) for each in _list(payload, field))


def _stage(record: Payload, before: Stage | None) -> Stage:
    name = text(record, "id")
    plain = Stage(
        name,
        text(record, "title") if "title" in record else name.replace("_", " "),
        Leg(text(record, "leg")),
        optional_text(record, "pair"),
        text(record, "role"),
        texts(record, "artifacts"),
    )
    if "exit" not in record:
        return replace(plain, exit=artifact_criteria(plain.artifacts, Mode.HARD), uses=default_uses(plain, before))
    back = record.get("route")
    route = Route(number(_record(back), "after"), text(_record(back), "to")) if back is not None else None
    return replace(
        plain,
        edits=Edits(text(record, "edits")),
        uses=texts(record, "uses"),
        enter=tuple(map(unpin_criterion, records(record, "enter"))),
        exit=tuple(map(unpin_criterion, records(record, "exit"))),
        route=route,
    )


def _record(value: Json) -> Payload:
    if not isinstance(value, Mapping):
        raise LedgerError("an object is expected")
    return value


def _list(payload: Payload, field: str) -> Sequence[Json]:
    value = payload.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise LedgerError(f"{field} must be a list")
    return value
