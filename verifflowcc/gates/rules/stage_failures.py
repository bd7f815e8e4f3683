"""How often a stage's evidence failed since the stage was entered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.baseline_rules import baseline_for
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Assessment, Criterion, Gate, Mode, Verdict
from verifflowcc.base.model.people import Review, Waiver
from verifflowcc.base.model.sprint_state import DONE, Artifact, SprintState, StageState, StageStatus, drifted
from verifflowcc.gates.rules.evidence_criteria import judge
from verifflowcc.sprint.rules.sprint_people import expired

# What did not go as the workflow has it, up to the exit of a stage; one clause each.

Outputs = Mapping[str, tuple[Artifact, ...]]
LONGEST = 400
"""Characters of a reason that are shown: it may quote somebody's test."""


def deviations(state: SprintState, gate: Gate, present: Outputs) -> tuple[str, ...]:
    """Return what deviates when a stage is left: in the sprint so far, then in its `gate`.

    `present` maps each stage whose artifacts are to be as they were to those that lie there now.
    """
    return (*deviations_in_sprint(state, present), *_in_gate(gate))


def deviations_in_sprint(state: SprintState, present: Outputs) -> Iterator[str]:
    """Yield stages reopened and skipped, artifacts changed since their stage passed, sides of forks set aside."""
    for each in state.stages:
        name = each.stage.id
        if each.reopened:
            yield f"{name} was reopened {times(each.reopened)}"
        if each.status is StageStatus.SKIPPED or (each.status in DONE and not each.passes):
            yield skipped(each)
        if name in present and each.status in {*DONE, StageStatus.STALE}:
            yield from _changes(name, each.artifacts, present[name])
    for move in state.set_aside:
        why = f": {move.reason}" if move.reason else ""
        yield clause(f"{move.actor} {move.action}, which {move.decided_by} set aside{why}")


def clause(text: str) -> str:
    """Return a text as one line of bounded length.

    >>> clause("two\\nlines")
    'two lines'
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def times(count: int) -> str:
    """Return how often: `once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"


def skipped(stage: StageState) -> str:
    """Return that a stage was skipped, by whom, until when and why, as far as that is on record."""
    skip = stage.skip
    if skip is None:
        return f"{stage.stage.id} was skipped"
    ends = f", until {skip.expires}" if skip.expires else ""
    return clause(f"{stage.stage.id} was skipped by {skip.actor}{ends}: {skip.reason}")


def _changes(stage: str, passed: Sequence[Artifact], present: Sequence[Artifact]) -> Iterator[str]:
    for path, gone in drifted(passed, present):
        yield f"{stage}/{path} {'is gone since' if gone else 'changed after'} {stage} passed"


def _in_gate(gate: Gate) -> Iterator[str]:
    for each in gate.assessments:
        name = each.criterion.id
        if not each.met:
            soft = " (soft)" if each.criterion.mode is Mode.SOFT else ""
            yield clause(f"{name}{soft} is not met: {each.reason}")
        elif each.verdict is Verdict.WAIVED:
            yield clause(f"{name} is not met and waived: {each.reason}")
        for note in each.notes:
            yield clause(f"{name}: {note}")


# A review or a waiver as one line, with what is wrong with it now.


def review_line(review: Review, assessment: Assessment | None, today: str) -> str:
    """Return a review as a line: criterion, opinion, person, date and expiry.

    `assessment` is the criterion as it was asked; with it, the line says whether the word is on what lies there now.
    """
    word = "accepted" if review.statement else str(review.opinion)
    ends = f", until {review.expires}" if review.expires else ""
    signed = f", signed in {review.signed[:12]}" if review.signed else ""
    why = review.statement or review.reason
    because = f": {why}" if why else ""
    faults = []
    if assessment and review.subject != assessment.subject:
        faults.append("for other content than lies there now")
    if expired(review.expires, today):
        faults.append("expired")
    where = f"`{review.criterion}` " if review.criterion else ""
    return clause(f"{where}{word} by {review.actor} on {review.time[:10]}{ends}{signed}{because}") + _shown(faults)


def waiver_line(waiver: Waiver, assessment: Assessment | None, today: str, fault: str = "") -> str:
    """Return which criterion is waived by whom, why and for how long.

    `assessment` is the criterion as it was asked; with it, the line says that nothing needs the waiver. `fault` is why
    it does not hold.
    """
    ends = f"until {waiver.expires}" if waiver.expires else "without end"
    faults = []
    if assessment and assessment.met and not assessment.waiver:
        faults.append("not needed")
    elif fault:
        faults.append(fault)
    elif expired(waiver.expires, today):
        faults.append("expired")
    line = f"`{waiver.criterion}` waived by {waiver.actor} on {waiver.time[:10]}, {ends}: {waiver.reason}"
    return clause(line) + _shown(faults)


def _shown(faults: list[str]) -> str:
    return f" ({'; '.join(faults)})" if faults else ""


def failures_of(stage: StageState, facts: Facts) -> int:
    """Return how many runs, made since `stage` was entered, left evidence that did not meet its criterion.

    One run of a command may fail several criteria; that is one failure. Since when is told by the events' clocks, which
    inform and decide nothing: a fail route is advice.
    """
    criteria = {each.id: each for each in (*stage.stage.enter, *stage.stage.exit)}
    since = stage.entered_at or ""
    failed = [
        one.evidence
        for one in sorted(facts.recorded, key=lambda one: one.order)
        if one.evidence
        and not one.problem
        and one.evidence.stage == stage.stage.id
        and one.evidence.time >= since
        and one.evidence.criterion in criteria
        and not _met(criteria[one.evidence.criterion], one.evidence, facts)
    ]
    return len(list(_runs(failed)))


def _met(criterion: Criterion, evidence: Evidence, facts: Facts) -> bool:
    return judge(criterion, evidence, baseline_for(criterion, facts)).met


def _runs(found: Iterable[Evidence]) -> Iterator[list[Evidence]]:
    """Yield the pieces that one run left: the same run, and no criterion twice."""
    group: list[Evidence] = []
    for one in found:
        same = bool(group) and one.run is not None and one.run == group[-1].run
        if group and (not same or one.criterion in {each.criterion for each in group}):
            yield group
            group = []
        group.append(one)
    if group:
        yield group
