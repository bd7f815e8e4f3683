"""Ask a gate: each criterion of a stage's entry or exit, against the facts.

`domain.gates.KINDS` names the function of each kind; what is the same for all of them is here.
"""

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import KINDS, Assessment, Criterion, Gate, Kind, Mode, Side, Verdict
from verifflowcc.domain.lazy import load
from verifflowcc.domain.sprints import Stage
from verifflowcc.errors import LedgerError
from verifflowcc.records import replace
from verifflowcc.workflow.assess_people import apply_waiver
from verifflowcc.workflow.assess_rules import asks_rules, rules_criterion
from verifflowcc.workflow.evidence_changes import evidence_changes
from verifflowcc.workflow.gate_notes import gate_notes
from verifflowcc.workflow.idle import idle
from verifflowcc.workflow.upstream import assess_upstream

CLOSING = Criterion("stages-hold", Kind.UPSTREAM, "every stage still holds", waivable=False)
"""What closing a sprint asks, in the mode of its workflow."""
NOTHING = Criterion("nothing-to-evaluate", Kind.UPSTREAM, "a gate has at least one criterion", waivable=False)
"""Stands in a gate that has nothing to ask: it blocks."""


def exit_gate(stage_id: str, facts: Facts) -> Gate:
    """Return the exit gate of a stage; the first stage's entry criteria are asked with it.

    Before the first stage there is no ledger in which what they ask for could have been recorded.
    """
    stage, first = _stage(stage_id, facts)
    return _asked(stage_id, Side.EXIT, (*stage.enter, *stage.exit) if first else stage.exit, facts)


def entry_gate(stage_id: str, facts: Facts) -> Gate:
    """Return the entry gate of a stage; it may have no criterion, and is then open."""
    stage, first = _stage(stage_id, facts)
    return _asked(stage_id, Side.ENTRY, () if first else stage.enter, facts)


def closing_gate(facts: Facts) -> Gate:
    """Return the gate before a sprint is closed: all that its stages were passed on still holds."""
    mode = facts.sprint.workflow.gates if facts.sprint.workflow else Mode.HARD
    asked = assess_upstream(replace(CLOSING, mode=mode), "", facts, assess)
    return Gate(facts.sprint.id, "", Side.EXIT, (asked, *_rules("", facts)))


def assess(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return what becomes of one criterion now, waivers included."""
    asked: Assessment = load(KINDS[criterion.kind].assess)(criterion, stage_id, facts)
    if criterion.kind is not Kind.UPSTREAM:
        asked = replace(asked, notes=(*asked.notes, *evidence_changes(criterion, stage_id, facts)))
    return apply_waiver(asked, stage_id, facts)


def assess_stages(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether all that the stages before were passed on still holds."""
    return assess_upstream(criterion, stage_id, facts, assess)


def _stage(stage_id: str, facts: Facts) -> tuple[Stage, bool]:
    """Return a stage and whether it is the first."""
    found = facts.sprint.stage(stage_id)
    if found is None:
        raise LedgerError(f"{facts.sprint.id} has no stage {stage_id}")
    return found.stage, facts.sprint.stages[0] is found


def _asked(stage_id: str, side: Side, criteria: tuple[Criterion, ...], facts: Facts) -> Gate:
    asked = tuple(
        assess(each, stage_id, facts) for each in criteria if each.mode is not Mode.OFF and not idle(each, facts)
    )
    if side is Side.EXIT and not [each for each in asked if each.criterion.kind is not Kind.UPSTREAM]:
        why = f"its workflow asks nothing of {stage_id}"
        step = f'vfcc sprint close {facts.sprint.id} --unfinished "{why}"  # and start one that asks for something'
        asked += (Assessment(NOTHING, Verdict.NOT_EVALUABLE, f"{stage_id} has no criterion to leave by", step),)
    if side is Side.ENTRY:
        return Gate(facts.sprint.id, stage_id, side, asked)
    return Gate(facts.sprint.id, stage_id, side, (*asked, *_rules(stage_id, facts)), gate_notes(stage_id, facts))


def _rules(stage_id: str, facts: Facts) -> tuple[Assessment, ...]:
    """Return what a gate asks of protected files; nothing while all are as at the sprint's start."""
    return (assess(rules_criterion(facts), stage_id, facts),) if asks_rules(facts) else ()
