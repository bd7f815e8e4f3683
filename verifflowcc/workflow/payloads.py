"""Payloads of transitions: made from values, and read back as values."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Event, Json
from verifflowcc.domain.gates import Assessment, Mode, Verdict
from verifflowcc.domain.sprints import (
    Artifact,
    Edits,
    Leg,
    Outcome,
    Route,
    SprintState,
    Stage,
    StageEntry,
    Workflow,
    artifact_criteria,
    default_uses,
)
from verifflowcc.domain.trace_codes import DEFAULT_POLICY, TracePolicy
from verifflowcc.errors import FormatError, LedgerError
from verifflowcc.formats import events_payload as fields
from verifflowcc.formats.events_payload import Payload
from verifflowcc.formats.policy_record import policy_from_json, policy_to_json
from verifflowcc.records import dataclass, replace
from verifflowcc.workflow.pinned_criterion import pin_criterion, unpin_criterion


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
    payload: Payload = {"stage": stage, "entered": entered, "artifacts": files, "summary": summary, "gate": said}
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
    """Return the workflow as it stands in `sprint_started`; its rules of the trace only where they are its own."""
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


def outcomes_of(event: Event) -> tuple[Outcome, ...]:
    """Return what a `stage_passed` says of its gate; nothing where it was written before gates had criteria."""
    return tuple(
        Outcome(
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
