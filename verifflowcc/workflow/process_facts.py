"""What a ledger tells the trace checks: artifacts that are gone, a left side that moved, waivers that lapsed."""

from collections.abc import Iterator, Mapping

from verifflowcc.domain.actors import Waiver
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion, Kind, Mode, Verdict
from verifflowcc.domain.sprints import Leg, StageState, StageStatus, artifacts_folder, drifted
from verifflowcc.domain.trace import ProcessFact
from verifflowcc.records import replace
from verifflowcc.workflow.assess_people import waived_subject
from verifflowcc.workflow.assess_recorded import assess_recorded
from verifflowcc.workflow.fold import event_file
from verifflowcc.workflow.gate import assess
from verifflowcc.workflow.people import expired


def process_facts(facts: Facts, traced: Mapping[str, str]) -> tuple[ProcessFact, ...]:
    """Return what is wrong with the course of a sprint; `traced` are the digests of trace items by type, as of now.

    The facts hold no trace, since these are among what the trace is made from: waivers of trace criteria are left to
    the gate, which sees both.
    """
    found: list[ProcessFact] = []
    for stage in facts.sprint.stages:
        found += _missing(stage, facts)
        found += _left_changed(stage, facts, traced)
        found += _low_coverage(stage, facts)
    for waiver in facts.waivers:
        found += _waiver(waiver, facts)
    return tuple(found)


def _missing(stage: StageState, facts: Facts) -> Iterator[ProcessFact]:
    if stage.status is not StageStatus.PASSED:
        return
    name = stage.stage.id
    folder = artifacts_folder(facts.sprint.id, name)
    present = [one.artifact for one in facts.artifacts.get(name, ())]
    for path, gone in drifted(stage.artifacts, present):
        if gone:
            message = f"{name} of {facts.sprint.id} was passed with {path}, which is gone"
            step = f'vfcc stage reopen {name} --reason "{path} is gone"'
            yield ProcessFact("missing-artifact", f"{facts.sprint.id}/{name}/{path}", message, f"{folder}/{path}", step)


def _left_changed(stage: StageState, facts: Facts, traced: Mapping[str, str]) -> Iterator[ProcessFact]:
    left = facts.sprint.stage(stage.stage.pair) if stage.stage.pair else None
    if stage.stage.leg is not Leg.RIGHT or stage.status is not StageStatus.PASSED or left is None:
        return
    present = [one.artifact for one in facts.artifacts.get(left.stage.id, ())]
    what = [path for path, _ in drifted(left.artifacts, present)]
    what += [f"items of type {kind}" for kind in sorted(left.traced) if traced.get(kind) != left.traced[kind]]
    if what:
        name, pair = stage.stage.id, left.stage.id
        message = f"{name} of {facts.sprint.id} passed, and what {pair} handed over changed since: {', '.join(what)}"
        step = f'vfcc stage reopen {pair} --reason "it changed"'
        path = artifacts_folder(facts.sprint.id, pair)
        yield ProcessFact("left-changed", f"{facts.sprint.id}/{name}", message, path, step)


def _low_coverage(stage: StageState, facts: Facts) -> Iterator[ProcessFact]:
    name = stage.stage.id
    for criterion in stage.stage.exit:
        if criterion.kind is not Kind.COVERAGE or criterion.mode is Mode.OFF:
            continue
        asked = assess_recorded(criterion, name, facts)
        if asked.used and asked.verdict is Verdict.FAIL:
            where = f".memory/stage/{facts.sprint.id}/{name}/evidence/{asked.used[0]}.json"
            message = f"{name}/{criterion.id} of {facts.sprint.id}: {asked.reason}"
            yield ProcessFact("low-coverage", f"{facts.sprint.id}/{name}/{criterion.id}", message, where, asked.step)


def _waiver(waiver: Waiver, facts: Facts) -> Iterator[ProcessFact]:
    found = _fault(waiver, facts)
    if found is not None:
        code, why = found
        where = f"{facts.sprint.id}/{waiver.stage}/{waiver.criterion}"
        step = f'vfcc waive {waiver.criterion} --stage {waiver.stage} --reason "…"'
        if code == "waiver-orphaned":
            step = f"vfcc check gate --sprint {facts.sprint.id}"
        message = f"the waiver of {where} by {waiver.actor} {why}"
        path = event_file(facts.sprint.id, waiver.event, facts.sprint.packed)
        yield ProcessFact(code, f"{where}/{waiver.event}", message, path, step)


def _fault(waiver: Waiver, facts: Facts) -> tuple[str, str] | None:
    """Return what is wrong with a waiver that is still needed; a criterion that is met needs none."""
    stage = facts.sprint.stage(waiver.stage)
    every = (*stage.stage.enter, *stage.stage.exit) if stage else ()
    criterion = next((each for each in every if each.id == waiver.criterion), None)
    if stage is None or criterion is None:
        return "waiver-orphaned", "speaks of what the workflow does not have"
    if not waiver.actor.startswith("human:"):
        return "waiver-unapproved", "counts for nothing: only people waive"
    if criterion.kind in {Kind.TRACE, Kind.UPSTREAM} or _superseded(waiver, facts):
        return None
    return _lapsed(waiver, criterion, facts)


def _lapsed(waiver: Waiver, criterion: Criterion, facts: Facts) -> tuple[str, str] | None:
    asked = assess(criterion, waiver.stage, replace(facts, waivers=()))
    if asked.met:
        return None
    if expired(waiver.expires, facts.today):
        return "waiver-expired", f"expired on {waiver.expires}, and it is not met: {asked.reason}"
    if waiver.subject != waived_subject(asked):
        return "waiver-orphaned", "was for other content than lies there now"
    return None


def _superseded(waiver: Waiver, facts: Facts) -> bool:
    """Whether the same person waived it again later, so that this word is history."""
    same = [each for each in facts.waivers if (each.stage, each.criterion) == (waiver.stage, waiver.criterion)]
    later = same[same.index(waiver) + 1 :]
    return any(each.actor == waiver.actor for each in later)
