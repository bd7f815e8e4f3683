"""Payloads of transitions: made from values, and read back as values."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Event, Json
from verifflowcc.domain.sprints import Artifact, SprintState
from verifflowcc.domain.workflows import Leg, Stage, Workflow
from verifflowcc.errors import LedgerError

Payload = Mapping[str, Json]


def started(sprint: str, title: str, goals: Sequence[str], workflow: Workflow) -> Payload:
    """Return the payload of `sprint_started`; the workflow is pinned in it, and its first stage entered."""
    return {
        "sprint": sprint,
        "title": title,
        "goals": list(goals),
        "workflow": pin(workflow),
        "entered": workflow.stages[0].id,
    }


def passed(stage: str, entered: str | None, artifacts: Sequence[Artifact], summary: str) -> Payload:
    """Return the payload of `stage_passed`; `summary` is the digest of `summary.md`."""
    files: list[Json] = [{"path": one.path, "digest": one.digest, "bytes": one.bytes} for one in artifacts]
    return {"stage": stage, "entered": entered, "artifacts": files, "summary": summary}


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
            "pair": stage.pair,
            "leg": str(stage.leg),
            "role": stage.role,
            "artifacts": list(stage.artifacts),
        }
        for stage in workflow.stages
    ]
    return {"name": workflow.name, "digest": workflow.digest, "stages": stages}


def unpin(pinned: Json) -> Workflow:
    """Return the workflow that `pin` wrote; titles are made from ids."""
    record = _record(pinned)
    stages = tuple(_stage(_record(each)) for each in _list(record, "stages"))
    name = text(record, "name")
    return Workflow(name, name, stages, text(record, "digest"))


def artifacts_of(event: Event) -> tuple[Artifact, ...]:
    """Return the artifacts that a `stage_passed` names."""
    records = [_record(each) for each in _list(event.payload, "artifacts")]
    return tuple(Artifact(text(one, "path"), text(one, "digest"), number(one, "bytes")) for one in records)


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


def _stage(record: Payload) -> Stage:
    name = text(record, "id")
    leg = Leg(text(record, "leg"))
    title = name.replace("_", " ")
    return Stage(name, title, leg, optional_text(record, "pair"), text(record, "role"), texts(record, "artifacts"))


def _record(value: Json) -> Payload:
    if not isinstance(value, Mapping):
        raise LedgerError("an object is expected")
    return value


def _list(payload: Payload, field: str) -> Sequence[Json]:
    value = payload.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise LedgerError(f"{field} must be a list")
    return value
