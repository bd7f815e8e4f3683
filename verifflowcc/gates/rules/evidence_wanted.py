"""Which criteria need evidence now."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import RECORDED, Assessment, Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.people import Contributor
from verifflowcc.base.model.sprint_state import SprintState, StageState, StageStatus, artifacts_folder, drifted
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.sprint.rules.sprint_people import expired
from verifflowcc.sprint.rules.stage_moves import after_passing

# Whether the stages before still hold: what they passed on has not changed, what was granted has not run out.

Assess = Callable[[Criterion, str, Facts], Assessment]
MOST = 5


@dataclass(frozen=True, slots=True)
class UpstreamBreak:
    """One thing that no longer holds, the step that mends it, and whether it closed its own gate."""

    reason: str
    step: str
    hard: bool = False


def assess_upstream(criterion: Criterion, stage_id: str, facts: Facts, assess: Assess) -> Assessment:
    """Check that every passed or skipped stage before `stage_id` still holds.

    Hard criteria are asked again, whatever the ledger says of them. A soft one that was met at the pass and is not any
    more counts; one that went on record as unmet then does not. Where a hard one broke the result is hard, whatever the
    mode of `criterion`. With no earlier stage it passes.
    """
    earlier = _before(facts, stage_id)
    broken = [one for stage in earlier for one in _broken(stage, facts, assess)]
    if not broken:
        names = ", ".join(each.stage.id for each in earlier)
        return Assessment(criterion, Verdict.PASS, f"{names or 'no stage came before'}", subject=digest_text(names))
    reasons = [one.reason for one in broken]
    more = f"; and {len(reasons) - MOST} more" if len(reasons) > MOST else ""
    return Assessment(
        replace(criterion, mode=Mode.HARD) if any(one.hard for one in broken) else criterion,
        Verdict.FAIL,
        "; ".join(reasons[:MOST]) + more,
        broken[0].step,
        subject=digest_text("\n".join([criterion.id, *reasons])),
    )


def _before(facts: Facts, stage_id: str) -> list[StageState]:
    found = []
    for each in facts.sprint.stages:
        if each.stage.id == stage_id:
            break
        if each.status in {StageStatus.PASSED, StageStatus.SKIPPED}:
            found.append(each)
    return found


def _broken(stage: StageState, facts: Facts, assess: Assess) -> Iterator[UpstreamBreak]:
    if stage.skip is not None:
        yield from _skipped(stage, facts, assess)
        return
    changed = list(_changed(stage, facts))
    yield from changed
    for criterion in asked_again(stage):
        if not (changed and criterion.kind is CriterionKind.ARTIFACT):
            yield from _unmet(criterion, stage, facts, assess)


def asked_again(stage: StageState) -> Iterator[Criterion]:
    """Yield the hard criteria, whatever the pass says of them (it may be made by hand), and the soft ones met then.

    That a stage was entered with its comments dealt with is of that moment: later ones ask for nothing.
    """
    met = {one.criterion for one in stage.outcomes if one.verdict in {Verdict.PASS, Verdict.WAIVED}}
    of_entry = [
        each for each in stage.stage.enter if each.kind is not CriterionKind.FEEDBACK and each.mode is Mode.HARD
    ]
    for each in (*of_entry, *stage.stage.exit):
        if each.kind is CriterionKind.UPSTREAM or each.mode is Mode.OFF:
            continue
        if each.mode is Mode.HARD or (each.kind is not CriterionKind.ARTIFACT and each.id in met):
            yield each


def _unmet(criterion: Criterion, stage: StageState, facts: Facts, assess: Assess) -> Iterator[UpstreamBreak]:
    now = assess(criterion, stage.stage.id, facts)
    if not now.met:
        step = _of_stage(now.step, stage.stage.id)
        why = f" ({'; '.join(now.notes)})" if now.notes else ""  # of a waiver, what became of it
        yield UpstreamBreak(f"{stage.stage.id}/{criterion.id}: {now.reason}{why}", step, criterion.mode is Mode.HARD)


def _skipped(stage: StageState, facts: Facts, assess: Assess) -> Iterator[UpstreamBreak]:
    """Yield why a skip does not hold: wrong actor, expired, or not skippable."""
    skip, name = stage.skip, stage.stage.id
    if skip is None:
        return
    workflow = facts.sprint.workflow
    if not skip.actor.startswith("human:"):
        yield _no_leave(name, f"{name} was skipped by {skip.actor}, and only people skip a stage")
    elif workflow and workflow.strict:
        reason = f"{name} was skipped, and the workflow {workflow.name} is strict"
        yield _no_leave(name, reason)
    elif expired(skip.expires, facts.today):
        again = f'vfcc stage reopen {name} --reason "the leave to skip it has run out"'
        yield UpstreamBreak(f"{name} was skipped until {skip.expires} only", again)
    else:
        for criterion in stage.stage.exit:
            if criterion.mode is Mode.HARD and not criterion.waivable and criterion.kind is not CriterionKind.UPSTREAM:
                yield from _unmet(criterion, stage, facts, assess)
        yield from _own_work(stage, skip.by, facts, assess)


def _own_work(stage: StageState, who: Contributor, facts: Facts, assess: Assess) -> Iterator[UpstreamBreak]:
    """Yield the reviews that the author of their content left out by skipping the stage."""
    from verifflowcc.gates.rules.artifact_criteria import objection_to  # few stages are skipped

    name = stage.stage.id
    for criterion in stage.stage.exit:
        objection = objection_to(who, criterion, name, facts) if criterion.mode is Mode.HARD else ""
        if objection and not assess(criterion, name, facts).met:
            yield _no_leave(name, f"{name} was skipped by {who.actor}, {criterion.id} is unmet, and {objection}")


def _no_leave(name: str, reason: str) -> UpstreamBreak:
    return UpstreamBreak(reason, f'vfcc stage reopen {name} --reason "it was skipped without leave"', hard=True)


def _changed(stage: StageState, facts: Facts) -> Iterator[UpstreamBreak]:
    name = stage.stage.id
    present = (one.artifact for one in facts.artifacts.get(name, ()))
    for path, gone in drifted(stage.artifacts, present):
        what = "is gone" if gone else "changed"
        where = f"{artifacts_folder(facts.sprint.id, name)}/{path}"
        yield UpstreamBreak(f"{where} {what} after {name} passed", f'vfcc stage reopen {name} --reason "{what}"')
    for kind in sorted(stage.traced):
        if facts.traced.get(kind) != stage.traced[kind]:
            what = f"items of type {kind} changed"
            yield UpstreamBreak(f"{what} after {name} passed", f'vfcc stage reopen {name} --reason "{what}"')


def _of_stage(step: str, stage_id: str) -> str:
    """Return the command with its stage named, where it would take the active one."""
    runs = step.startswith("vfcc evidence run") and "--stage" not in step
    return f"{step} --stage {stage_id}" if runs else step


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
    from verifflowcc.gates.rules.evidence_criteria import specified

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
    from verifflowcc.gates.rules.evidence_criteria import assess_recorded

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
    from verifflowcc.gates.rules.evidence_criteria import waits_for_items

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
