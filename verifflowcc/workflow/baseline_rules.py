"""Which baseline counts in a sprint: one rule for tests, lint and trace."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.baselines import NO_BASELINE, OF_KIND, Baseline, BaselineAct, BaselineKind, BaselineStatus
from verifflowcc.domain.contributors import is_named_person
from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.domain.facts import Facts, RuleChange
from verifflowcc.domain.gates import Criterion
from verifflowcc.domain.sprints import SprintState
from verifflowcc.workflow import fields


def baseline_payload(baseline: Baseline, digest: str, email: str) -> Mapping[str, Json]:
    """Return the payload of `baseline_set`; `digest` is that of the baseline's file."""
    return {
        "of": str(baseline.kind),
        "path": baseline.kind.path,
        "digest": digest,
        "base": baseline.base,
        "entries": len(baseline.entries),
        "reason": baseline.reason,
        "expires": baseline.expires,
        **({"email": email} if email else {}),
    }


def baseline_acts(notes: Sequence[Event]) -> tuple[BaselineAct, ...]:
    """Return who made which baseline in a sprint, in the order of its events."""
    return tuple(
        BaselineAct(
            kind=BaselineKind(fields.text(event.payload, "of")),
            digest=fields.text(event.payload, "digest"),
            base=fields.text(event.payload, "base"),
            actor=event.actor,
            expires=fields.text(event.payload, "expires"),
            reason=fields.text(event.payload, "reason"),
            entries=fields.number(event.payload, "entries"),
            day=event.time[:10],
        )
        for event in notes
        if event.type is EventType.BASELINE_SET
    )


def expiry_problem(baseline: Baseline, today: str) -> str:
    """Return why a baseline is over; "" while it is not."""
    return f"it ended on {baseline.expires}" if baseline.expires < today else ""


def baseline_problem(baseline: Baseline, digest: str, state: SprintState, today: str) -> str:
    """Return why a baseline does not count in a sprint, as a clause; "" where it counts.

    `digest` is that of its file. It counts until its last day, in the sprint on whose base it was made, exactly as a
    person made it, and in no strict workflow.
    """
    if state.workflow and state.workflow.strict:
        return f"the workflow {state.workflow.name} is strict and accepts none"
    if baseline.base != state.base:
        return f"it was made on {baseline.base[:7]}, and {state.id} began at {(state.base or 'no commit')[:7]}"
    act = _last_act(baseline.kind, state)
    if act is None or act.digest != digest:
        return "its file is not as a person made it"
    if not is_named_person(act.actor):
        return f"it was made by {act.actor}, and not by a person"
    return expiry_problem(baseline, today)


def is_act_of_person(change: RuleChange, state: SprintState) -> bool:
    """Whether a changed protected file is a baseline, exactly as a person made it in the sprint."""
    kind = next((each for each in BaselineKind if each.path == change.path), None)
    act = _last_act(kind, state) if kind else None
    return act is not None and act.digest == change.digest and is_named_person(act.actor)


def _last_act(kind: BaselineKind, state: SprintState) -> BaselineAct | None:
    return next((each for each in reversed(baseline_acts(state.notes)) if each.kind is kind), None)


def baseline_for(criterion: Criterion, facts: Facts) -> BaselineStatus:
    """Return the baseline that a criterion is compared with."""
    kind = OF_KIND.get(criterion.kind)
    return facts.baselines.get(kind, NO_BASELINE) if kind else NO_BASELINE


def baseline_step(kind: BaselineKind) -> str:
    """Return the command with which a person makes a baseline."""
    return f'vfcc baseline {kind} --reason "…" --expires DAY'
