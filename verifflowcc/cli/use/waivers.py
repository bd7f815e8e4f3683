"""Waive a criterion that is not met: for what lies there now, until a day, on a person's word."""

from collections.abc import Callable
from functools import partial

from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.gate_values import Assessment, Mode, Verdict
from verifflowcc.base.model.people import Contributor, Waiver
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import objection_to
from verifflowcc.gates.rules.people_criteria import by_person, waived_subject, waiver_fault
from verifflowcc.gates.use.approvals import chosen_gates, pick
from verifflowcc.gates.use.recorded_edits import adopt_recorded_edits
from verifflowcc.sprint.rules.sprint_people import waivers
from verifflowcc.sprint.use.people_acting import (
    Transition,
    add_note,
    address,
    last_day,
    require_open,
    require_person,
    settle,
)
from verifflowcc.sprint.use.sprint_reading import load_movable


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
