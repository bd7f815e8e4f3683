"""Whether the stages before still hold: what they passed on has not changed, what was granted has not run out."""

from collections.abc import Callable, Iterator

from verifflowcc.domain.actors import Contributor
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Assessment, Criterion, Kind, Mode, Verdict
from verifflowcc.domain.sprints import StageState, StageStatus, artifacts_folder, drifted
from verifflowcc.records import dataclass, replace
from verifflowcc.text.canonical import digest_text
from verifflowcc.workflow.authors import objection_to
from verifflowcc.workflow.people import expired

Assess = Callable[[Criterion, str, Facts], Assessment]
MOST = 5


@dataclass(frozen=True, slots=True)
class Broken:
    """One thing that no longer holds, the step that mends it, and whether it closed its own gate."""

    reason: str
    step: str
    hard: bool = False


def assess_upstream(criterion: Criterion, stage_id: str, facts: Facts, assess: Assess) -> Assessment:
    """Return whether every stage before `stage_id` that was passed or skipped still stands on today's content.

    Hard criteria are asked again, whatever the ledger says of them. A soft one that was met at the pass and is not any
    more counts; one that went on record as unmet then does not. Where a hard one broke the result is hard, whatever the
    mode of `criterion`. With no earlier stage it passes.
    """
    earlier = _before(facts, stage_id)
    broken = [one for stage in earlier for one in _broken(stage, facts, assess)]
    if not broken:
        names = ", ".join(each.stage.id for each in earlier)
        return Assessment(criterion, Verdict.PASS, f"{names or 'no stage came before'}", subject=digest_text(names))
    told = [one.reason for one in broken]
    more = f"; and {len(told) - MOST} more" if len(told) > MOST else ""
    return Assessment(
        replace(criterion, mode=Mode.HARD) if any(one.hard for one in broken) else criterion,
        Verdict.FAIL,
        "; ".join(told[:MOST]) + more,
        broken[0].step,
        subject=digest_text("\n".join([criterion.id, *told])),
    )


def _before(facts: Facts, stage_id: str) -> list[StageState]:
    found = []
    for each in facts.sprint.stages:
        if each.stage.id == stage_id:
            break
        if each.status in {StageStatus.PASSED, StageStatus.SKIPPED}:
            found.append(each)
    return found


def _broken(stage: StageState, facts: Facts, assess: Assess) -> Iterator[Broken]:
    if stage.skip is not None:
        yield from _skipped(stage, facts, assess)
        return
    changed = list(_changed(stage, facts))
    yield from changed
    for criterion in asked_again(stage):
        if not (changed and criterion.kind is Kind.ARTIFACT):
            yield from _unmet(criterion, stage, facts, assess)


def asked_again(stage: StageState) -> Iterator[Criterion]:
    """Yield the hard criteria, whatever the pass says of them (it may be made by hand), and the soft ones met then.

    That a stage was entered with its comments dealt with is of that moment: later ones ask for nothing.
    """
    met = {one.criterion for one in stage.outcomes if one.verdict in {Verdict.PASS, Verdict.WAIVED}}
    of_entry = [each for each in stage.stage.enter if each.kind is not Kind.FEEDBACK and each.mode is Mode.HARD]
    for each in (*of_entry, *stage.stage.exit):
        if each.kind is Kind.UPSTREAM or each.mode is Mode.OFF:
            continue
        if each.mode is Mode.HARD or (each.kind is not Kind.ARTIFACT and each.id in met):
            yield each


def _unmet(criterion: Criterion, stage: StageState, facts: Facts, assess: Assess) -> Iterator[Broken]:
    now = assess(criterion, stage.stage.id, facts)
    if not now.met:
        step = _of_stage(now.step, stage.stage.id)
        why = f" ({'; '.join(now.notes)})" if now.notes else ""  # of a waiver, what became of it
        yield Broken(f"{stage.stage.id}/{criterion.id}: {now.reason}{why}", step, criterion.mode is Mode.HARD)


def _skipped(stage: StageState, facts: Facts, assess: Assess) -> Iterator[Broken]:
    """Yield why a skip does not hold: by nobody who may skip, over, or of what cannot be left out."""
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
        yield Broken(f"{name} was skipped until {skip.expires} only", again)
    else:
        for criterion in stage.stage.exit:
            if criterion.mode is Mode.HARD and not criterion.waivable and criterion.kind is not Kind.UPSTREAM:
                yield from _unmet(criterion, stage, facts, assess)
        yield from _own_work(stage, skip.by, facts, assess)


def _own_work(stage: StageState, who: Contributor, facts: Facts, assess: Assess) -> Iterator[Broken]:
    """Yield the reviews that the author of their content left out by skipping the stage."""
    name = stage.stage.id
    for criterion in stage.stage.exit:
        objection = objection_to(who, criterion, name, facts) if criterion.mode is Mode.HARD else ""
        if objection and not assess(criterion, name, facts).met:
            yield _no_leave(name, f"{name} was skipped by {who.actor}, {criterion.id} is unmet, and {objection}")


def _no_leave(name: str, reason: str) -> Broken:
    return Broken(reason, f'vfcc stage reopen {name} --reason "it was skipped without leave"', hard=True)


def _changed(stage: StageState, facts: Facts) -> Iterator[Broken]:
    name = stage.stage.id
    present = (one.artifact for one in facts.artifacts.get(name, ()))
    for path, gone in drifted(stage.artifacts, present):
        what = "is gone" if gone else "changed"
        where = f"{artifacts_folder(facts.sprint.id, name)}/{path}"
        yield Broken(f"{where} {what} after {name} passed", f'vfcc stage reopen {name} --reason "{what}"')
    for kind in sorted(stage.traced):
        if facts.traced.get(kind) != stage.traced[kind]:
            what = f"items of type {kind} changed"
            yield Broken(f"{what} after {name} passed", f'vfcc stage reopen {name} --reason "{what}"')


def _of_stage(step: str, stage_id: str) -> str:
    """Name the stage in a command that would else speak of the one in work."""
    runs = step.startswith("vfcc evidence run") and "--stage" not in step
    return f"{step} --stage {stage_id}" if runs else step
