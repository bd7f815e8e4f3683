"""What a person decides against a gate, for a reason and until a day: to waive a criterion, or to leave a stage out."""

from collections.abc import Callable
from functools import partial

from verifflowcc.base.errors import ConflictError, GateClosed, NotAllowed, UsageError
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Assessment, CriterionKind, Mode, Verdict
from verifflowcc.base.model.people import Contributor, Waiver
from verifflowcc.base.model.sprint_state import SprintState, artifacts_digest
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.stage_words import find_stage, one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import objection_to
from verifflowcc.gates.rules.gate_check import entry_gate, exit_gate
from verifflowcc.gates.rules.people_criteria import by_person, waived_subject, waiver_fault
from verifflowcc.gates.use.approvals import chosen_gates, pick
from verifflowcc.gates.use.gates_now import sound_facts
from verifflowcc.gates.use.owed import hard_at
from verifflowcc.gates.use.recorded_edits import adopt_recorded_edits
from verifflowcc.memory.use.stage_end import with_memory_ended
from verifflowcc.sprint.rules.sprint_people import waivers
from verifflowcc.sprint.rules.stage_moves import after_skipping
from verifflowcc.sprint.use.people_acting import (
    Transition,
    add_note,
    address,
    last_day,
    record,
    require_open,
    require_person,
    settle,
)
from verifflowcc.sprint.use.sprint_reading import load_movable
from verifflowcc.sprint.use.stage_entry import entry_fields


@dataclass(frozen=True, slots=True)
class WaivableCriterion:
    """A criterion that can be waived, as it was asked; `given` are the waivers for it that hold today.

    `needed` is the number of people who must waive it: two where the workflow is strict. `objection` says why somebody
    may not, as an author of what is to be reviewed; empty where they may.
    """

    sprint: str
    stage: str
    asked: Assessment
    given: tuple[Waiver, ...]
    needed: int
    objection: Callable[[Contributor], str]

    @property
    def command(self) -> str:
        """What a person types to waive it."""
        return f'vfcc waive {self.asked.criterion.id} --stage {self.stage} --reason "…"'


@dataclass(frozen=True, slots=True)
class WaiverResult:
    """A waiver on record, and what became of the criterion by it: `people_so_far` of `needed` have waived it."""

    waiver: Waiver
    assessment: Assessment
    people_so_far: int
    """How many people waived it."""
    needed: int
    """How many people must."""
    move: Transition


def what_to_waive(
    workspace: Workspace, sprint_id: str, criterion_id: str, stage_id: str | None = None
) -> WaivableCriterion:
    """Return a criterion of a stage's gates (default: of those that block now).

    The ledger takes over recorded edits first, so that the authors are known. Raises UsageError for an unknown
    criterion and for one that is met, NotAllowed for one that cannot be waived.
    """
    adopt_recorded_edits(workspace, sprint_id)
    state = load_movable(workspace, sprint_id)[1]
    require_open(state)
    facts, gates = chosen_gates(workspace, state, stage_id)
    found = [(gate, one) for gate in gates for one in gate.assessments]
    if not found:
        raise UsageError(f"{stage_id} has no criterion", hint="vfcc stage list")
    gate, asked = pick(found, criterion_id, "vfcc waive")
    if asked.verdict is Verdict.PASS:
        raise UsageError(f"{gate.stage}/{criterion_id} is met ({asked.reason}): there is nothing to waive")
    if not asked.criterion.waivable:
        hint = asked.step or f"vfcc check gate {gate.stage}"
        raise NotAllowed(f"{gate.stage}/{criterion_id} cannot be waived: {asked.reason}", hint=hint)
    given = [one for one in facts.waivers if (one.stage, one.criterion) == (gate.stage, criterion_id)]
    holding = tuple(one for one in given if not waiver_fault(one, asked, gate.stage, facts))
    strict = bool(state.workflow and state.workflow.strict)
    objection = partial(objection_to, criterion=asked.criterion, stage_id=gate.stage, facts=facts)
    return WaivableCriterion(state.id, gate.stage, asked, holding, 2 if strict else 1, objection)


def check_waiver(
    workspace: Workspace, what: WaivableCriterion, reason: str, expires: str | None, *, actor: str, email: str = ""
) -> None:
    """Raise what `waive` would raise, before anybody is asked whether they mean it."""
    require_person(actor, "waiving", hint=f"{what.command}  # at a terminal of your own")
    if not one_line(reason, "the reason"):
        raise UsageError("a waiver needs a reason", hint=what.command)
    day = last_day(expires, workspace.today())
    strict = what.needed > 1
    if strict and day is None and what.asked.criterion.mode is Mode.HARD:
        raise UsageError(
            "a strict workflow waives no hard criterion for ever; say until when", hint=f"{what.command} --expires DAY"
        )
    who = Contributor(actor, email)
    if objection := what.objection(who):
        raise NotAllowed(
            f"{actor} cannot waive {what.stage}/{what.asked.criterion.id}: {objection}",
            hint=f"{what.command}  # by somebody else",
        )
    if strict and any(who.is_same(one.by) for one in what.given):
        raise NotAllowed(
            f"{actor} has waived it already; {what.needed} different people must",
            hint=f"{what.command}  # by somebody else",
        )


def waive(
    workspace: Workspace,
    what: WaivableCriterion,
    reason: str,
    expires: str | None = None,
    *,
    actor: str,
    email: str = "",
    commit: bool = False,
) -> WaiverResult:
    """Record a person's waiver for what was shown.

    Raises NotAllowed for anybody but a named person, for an author who would waive the review of their own work, and in
    a strict workflow for one who has waived it already;
    UsageError for no reason, a last day that is none or over, and where a strict workflow needs one; ConflictError
    where what the criterion looks at is no longer what was shown.
    """
    check_waiver(workspace, what, reason, expires, actor=actor, email=email)
    criterion = what.asked.criterion.id
    now = what_to_waive(workspace, what.sprint, criterion, what.stage)
    if waived_subject(now.asked) != waived_subject(what.asked):
        raise ConflictError("what was shown has changed since; nothing was recorded", hint=what.command)
    payload: dict[str, Json] = {
        "stage": what.stage,
        "criterion": criterion,
        "reason": one_line(reason, "the reason"),
        "digest": waived_subject(what.asked),
        "expires": last_day(expires, workspace.today()),
        **address(email),
    }
    done = add_note(workspace, what.sprint, EventType.WAIVED, lambda _: payload, actor=actor)
    done = settle(workspace, done, f"{what.sprint}: {what.stage} {criterion} waived", commit=commit)
    after = what_to_waive(workspace, what.sprint, criterion, what.stage)
    return WaiverResult(waivers([done.event])[0], after.asked, len(by_person(after.given)), what.needed, done)


@dataclass(frozen=True, slots=True)
class SkippableStage:
    """The active stage, what it leaves unmet if skipped, and the stage entered then.

    `objection` says why somebody may not skip it, as an author of what is to be reviewed; empty where they may.
    """

    sprint: str
    stage: str
    following: str | None
    unmet: tuple[Assessment, ...]
    objection: Callable[[Contributor], str]


def what_to_skip(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> SkippableStage:
    """Return the active stage, if it may be skipped.

    Raises UsageError where another stage is named; NotAllowed where the workflow is strict (there each criterion is
    waived by two people) and where a criterion that cannot be waived is not met; GateClosed where the next stage cannot
    be entered.
    """
    adopt_recorded_edits(workspace, sprint_id)
    return _looked(load_movable(workspace, sprint_id)[1], workspace, stage_id)[0]


def check_skip(
    workspace: Workspace, what: SkippableStage, reason: str, expires: str | None, *, actor: str, email: str = ""
) -> None:
    """Raise what `skip_stage` would raise, before anybody is asked whether they mean it."""
    command = f'vfcc stage skip {what.stage} --reason "…"'
    require_person(actor, "skipping a stage", hint=f"{command}  # at a terminal of your own")
    if not one_line(reason, "the reason"):
        raise UsageError("skipping a stage needs a reason", hint=command)
    last_day(expires, workspace.today())
    if objection := what.objection(Contributor(actor, email)):
        raise NotAllowed(f"{actor} cannot skip {what.stage}: {objection}", hint=f"{command}  # by somebody else")


def skip_stage(
    workspace: Workspace,
    what: SkippableStage,
    reason: str,
    expires: str | None = None,
    *,
    actor: str,
    email: str = "",
    commit: bool = False,
) -> Transition:
    """Leave the active stage without its exit gate, and enter the next.

    Raises as `what_to_skip` does, NotAllowed for anybody but a named person, UsageError for no reason and for a last
    day that is none or over.
    """
    check_skip(workspace, what, reason, expires, actor=actor, email=email)
    seen, state = load_movable(workspace, what.sprint)
    now, facts = _looked(state, workspace, what.stage)
    payload: dict[str, Json] = {
        "stage": now.stage,
        "entered": now.following,
        "reason": one_line(reason, "the reason"),
        "expires": last_day(expires, workspace.today()),
        "digest": _left_behind(facts, now.stage),
        **address(email),
        **entry_fields(workspace, state.workflow, now.following),
    }
    done = record(workspace, seen, state, (EventType.STAGE_SKIPPED, payload), actor=actor)
    done = with_memory_ended(workspace, done)
    return settle(workspace, done, f"{what.sprint}: {what.stage} skipped", commit=commit)


def _looked(state: SprintState, workspace: Workspace, stage_id: str | None) -> tuple[SkippableStage, Facts]:
    require_open(state)
    current = state.current
    if current is None:
        raise UsageError(f"{state.id} has no active stage", hint=f"vfcc sprint close {state.id}")
    if stage_id is not None and find_stage(state, stage_id).stage.id != current:
        raise UsageError(f"only the active stage can be skipped, and that is {current}", hint="vfcc stage list")
    if state.workflow and state.workflow.strict:
        raise NotAllowed(
            f"{current} cannot be skipped: the workflow {state.workflow.name} is strict",
            hint=f'vfcc waive CRITERION --stage {current} --reason "…" --expires DAY  # each one, by two people',
        )
    facts = sound_facts(workspace, state)
    unmet = tuple(each for each in exit_gate(current, facts).assessments if not each.met)
    _require_waivable(current, unmet)
    following = after_skipping(state, current)
    if following:
        _require_entry(following, facts)
    objection = partial(_objection, current, unmet, facts)
    return SkippableStage(state.id, current, following, unmet, objection), facts


def _objection(stage_id: str, unmet: tuple[Assessment, ...], facts: Facts, who: Contributor) -> str:
    found = ((each.criterion, objection_to(who, each.criterion, stage_id, facts)) for each in unmet if each.blocks)
    return next((f"{criterion.id} is unmet, and {why}" for criterion, why in found if why), "")


def _require_waivable(stage_id: str, unmet: tuple[Assessment, ...]) -> None:
    asked_later = CriterionKind.RULES  # by the gates of all later stages, and before the sprint is closed
    firm = [
        each for each in unmet if each.blocks and not each.criterion.waivable and each.criterion.kind is not asked_later
    ]
    if firm:
        raise NotAllowed(
            f"{stage_id} cannot be skipped: {firm[0].criterion.id} cannot be waived ({firm[0].reason})",
            hint=firm[0].step or f"vfcc check gate {stage_id}",
        )


def _require_entry(stage_id: str, facts: Facts) -> None:
    gate = entry_gate(stage_id, facts)
    blockers = gate.blockers
    if blockers:
        listed = "\n".join(f"- {each.criterion.id}: {each.reason}" for each in blockers)
        raise GateClosed(
            f"{stage_id} cannot be entered yet\n{listed}",
            hint=blockers[0].step or None,
            blockers=hard_at(gate),
        )


def _left_behind(facts: Facts, stage_id: str) -> str:
    """Return the digest of what the stage holds as it is skipped."""
    return artifacts_digest(one.artifact for one in facts.artifacts.get(stage_id, ()))
