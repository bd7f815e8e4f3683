"""Which criteria need evidence now."""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import RECORDED, Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.sprint_state import SprintState, StageState, StageStatus
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.gates.rules.evidence_criteria import assess_recorded, specified, waits_for_items
from verifflowcc.sprint.rules.stage_moves import after_passing


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """A criterion of a stage for which evidence is to be made."""

    stage: str
    criterion: Criterion

    def __str__(self) -> str:
        return f"{self.stage}/{self.criterion.id}"


def everything(state: SprintState) -> tuple[EvidenceRequest, ...]:
    """Return the criteria of all stages that rest on evidence files."""
    return tuple(one for stage in state.stages for one in of_stage(stage))


def of_stage(stage: StageState) -> tuple[EvidenceRequest, ...]:
    """Return the criteria of both of a stage's gates that rest on evidence files, and are asked at all."""
    return _asked(stage, (*stage.stage.enter, *stage.stage.exit))


def due(facts: Facts) -> tuple[EvidenceRequest, ...]:
    """Return the criteria that need evidence now, of gates ahead and of passed stages.

    Those are the exit of the active stage, the entry of the next one, and evidence that went stale. Where the active
    stage needs none, the next stage that needs some counts.
    """
    here = _in_the_way(facts)
    return _once((*(here or _further_on(facts.sprint)), *_gone_stale(facts)))


def named(facts: Facts, names: Sequence[str], stage_id: str | None) -> tuple[EvidenceRequest, ...]:
    """Return the criteria that `names` mean: ids of criteria, or names of the commands that show them.

    Without a stage those that stand in the way now are meant, else those of the next stage that has one of that name,
    else of the last before. Raises UsageError for a name that means nothing.
    """
    found: list[EvidenceRequest] = []
    for name in names:
        found += _meant(facts, name, stage_id)
    return _once(found)


def one_named(facts: Facts, criterion_id: str, stage_id: str | None) -> EvidenceRequest:
    """Return the criterion of that id, as `named` finds it. Raises UsageError where there is none."""
    places = _places(facts, stage_id)
    found = next((one for place in places for one in place if one.criterion.id == criterion_id), None)
    if found is None:
        raise _unknown(facts.sprint, criterion_id, stage_id, [one for place in places for one in place])
    return found


def _meant(facts: Facts, name: str, stage_id: str | None) -> tuple[EvidenceRequest, ...]:
    places = _places(facts, stage_id)
    for place in places:
        meant = tuple(one for one in place if name in {one.criterion.id, one.criterion.command})
        if meant:
            return meant
    raise _unknown(facts.sprint, name, stage_id, [one for place in places for one in place])


def _places(facts: Facts, stage_id: str | None) -> list[tuple[EvidenceRequest, ...]]:
    stages = facts.sprint.stages
    if stage_id is not None:
        return [of_stage(each) for each in stages if each.stage.id == stage_id]
    here = _index(facts.sprint)
    later, earlier = stages[here:], tuple(reversed(stages[:here]))
    return [_in_the_way(facts), *(of_stage(each) for each in (*later, *earlier))]


def _unknown(state: SprintState, name: str, stage_id: str | None, there: Iterable[EvidenceRequest]) -> UsageError:
    other = [
        each
        for stage in state.stages
        if stage_id in {None, stage.stage.id}
        for each in (*stage.stage.enter, *stage.stage.exit)
        if each.id == name
    ]
    if other:
        if other[0].mode is Mode.OFF:
            return UsageError(f"{name} is off in {state.id}: nothing asks for it", hint="vfcc check gate")
        kind = other[0].kind
        return UsageError(f"{name} is of the kind {kind}, for which nothing is run", hint="vfcc check gate")
    known = {word for one in there for word in (one.criterion.id, one.criterion.command) if word}
    near = nearest(name, known)
    have = f"there is {', '.join(sorted(known))}" if known else "none needs evidence"
    where = f"{state.id}/{stage_id}" if stage_id else state.id
    advice = f"did you mean {near}?" if near else have
    return UsageError(f"{where} has no criterion and no command {name}; {advice}", hint="vfcc evidence list --all")


def _in_the_way(facts: Facts) -> tuple[EvidenceRequest, ...]:
    state = facts.sprint
    stage = state.stage(state.current) if state.current else None
    if stage is None:
        return ()
    first = state.stages[0] is stage
    here = _asked(stage, (*stage.stage.enter, *stage.stage.exit) if first else stage.stage.exit)
    artifacts = tuple(one.artifact for one in facts.artifacts.get(stage.stage.id, ()))
    following = state.stage(after_passing(state, stage.stage.id, artifacts, specified(stage.stage, facts)) or "")
    return (*here, *_asked(following, following.stage.enter)) if following else here


def _further_on(state: SprintState) -> tuple[EvidenceRequest, ...]:
    for stage in state.stages[_index(state) :]:
        found = of_stage(stage)
        if found:
            return found
    return ()


def _gone_stale(facts: Facts) -> Iterator[EvidenceRequest]:
    """Yield the criteria of passed stages that were met then, and can no longer be evaluated."""
    for stage in facts.sprint.stages:
        if stage.status is not StageStatus.PASSED or stage.stage.id == facts.sprint.current:
            continue
        met = {one.criterion for one in stage.outcomes if one.verdict is Verdict.PASS}
        for one in of_stage(stage):
            if one.criterion.id not in met:
                continue
            if assess_recorded(one.criterion, one.stage, facts).verdict is Verdict.NOT_EVALUABLE:
                yield one


def _index(state: SprintState) -> int:
    ids = [each.stage.id for each in state.stages]
    return ids.index(state.current) if state.current else len(ids)


def _asked(stage: StageState, criteria: Iterable[Criterion]) -> tuple[EvidenceRequest, ...]:
    return tuple(
        EvidenceRequest(stage.stage.id, each)
        for each in criteria
        if each.kind in RECORDED and each.mode is not Mode.OFF
    )


def _once(found: Iterable[EvidenceRequest]) -> tuple[EvidenceRequest, ...]:
    return tuple({(one.stage, one.criterion.id): one for one in found}.values())


# Soft criteria that are not asked, because the project has nothing that they could look at.


def idle(criterion: Criterion, facts: Facts) -> bool:
    """Whether a gate leaves a criterion out; a hard one is never left out, and closes its gate."""
    return waits_for_items(criterion, facts) or _is_unreadable(criterion, facts)


def without_idle(wanted: Iterable[EvidenceRequest], facts: Facts) -> tuple[EvidenceRequest, ...]:
    """Return the criteria that gates ask, of those that need evidence."""
    return tuple(one for one in wanted if not idle(one.criterion, facts))


def _is_unreadable(criterion: Criterion, facts: Facts) -> bool:
    """Whether a proof needs outcomes that no runner can read.

    The words of the command are a rule of the project: to change them takes a person's approval.
    """
    soft = criterion.kind is CriterionKind.RED_FIRST and criterion.mode is Mode.SOFT
    return soft and criterion.command in facts.unreadable
