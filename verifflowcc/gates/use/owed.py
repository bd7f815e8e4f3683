"""The criteria that a stage does not meet yet, and the next command: one answer for every screen, prompt and hook.

Hard criteria come first, since they close the gate; then soft ones, which a person may leave open and an agent may not.
Only where nothing is owed is the next command to advance, or to close the sprint.
"""

from collections.abc import Sequence

from verifflowcc.base.errors import GateClosed
from verifflowcc.base.model.command_classes import PERSON, class_of
from verifflowcc.base.model.gate_values import Assessment, CriterionKind, Gate, Mode, Side
from verifflowcc.base.model.people import described, is_named_person
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.gate_check import closing_gate
from verifflowcc.gates.use.gates_now import StageGates, sound_facts
from verifflowcc.sprint.use.sprint_reading import command_in

ADVANCE = "vfcc stage advance"


@dataclass(frozen=True, slots=True)
class UnmetCriterion:
    """A criterion that is not met, and what to do about it.

    `stage` is the stage whose gate asks; `entering` says that it is the entry gate of the stage to come. `command` is a
    command, or the one thing to do in words. `file` is the artifact to write, below the project's root, with text under
    each of `headings`; empty for other kinds. `person` says that only a person can do it.
    """

    criterion: str
    kind: CriterionKind
    mode: Mode
    stage: str
    entering: bool
    """Whether it belongs to the gate into the stage."""
    reason: str
    command: str
    file: str = ""
    """The artifact to write; empty for other kinds."""
    headings: tuple[str, ...] = ()
    """Headings that need text."""
    person: bool = False
    """Whether only a person can meet it."""

    @property
    def line(self) -> str:
        """The criterion with its reason, on one line."""
        to_enter = f"to enter {self.stage}: " if self.entering else ""
        return f"{to_enter}{self.criterion}: {self.reason}"

    @property
    def todo(self) -> str:
        """What to do, and whether only a person can."""
        by = " (a person, at a terminal)" if self.person else ""
        return f"{self.command or 'vfcc check gate'}{by}"


def owed_by(asked: StageGates) -> tuple[UnmetCriterion, ...]:
    """Return all that a stage owes on its way to the next, as `owed_at` orders it."""
    return owed_at(*asked.gates)


def owed_at(*gates: Gate) -> tuple[UnmetCriterion, ...]:
    """Return all that gates ask for and do not have, hard criteria first, each group in the workflow's order.

    A change comes before what is written about it.
    """
    found = [_owed(gate, each) for gate in gates for each in gate.assessments if not each.met]
    return tuple(sorted(found, key=lambda each: (each.mode is not Mode.HARD, each.kind is not CriterionKind.DIFF)))


def hard_at(*gates: Gate) -> tuple[UnmetCriterion, ...]:
    """Return the hard criteria that keep gates closed."""
    return tuple(each for each in owed_at(*gates) if each.mode is Mode.HARD)


def way_on(asked: StageGates) -> str:
    """Return the one command, or the one thing to do, that brings the stage nearer to its end."""
    if asked.route and not asked.is_open:
        return f'vfcc stage reopen {asked.route.to} --reason "{asked.stage.stage.id} failed {asked.failures} times"'
    if asked.stage.stage.id != asked.sprint.current and asked.is_open:
        return "vfcc next"
    owed = owed_by(asked)
    steps = [each.command for each in owed if each.command]
    return steps[0] if steps else "vfcc check gate" if owed else ADVANCE


def next_command(workspace: Workspace, asked: StageGates) -> str:
    """Return `way_on`, with the name of the sprint where the command would act on another one, or on none."""
    return command_in(workspace, asked.sprint.id)(way_on(asked))


def owed_to_close(workspace: Workspace, state: SprintState) -> tuple[UnmetCriterion, ...]:
    """Return what keeps a sprint that has passed all its stages from a close without a finding."""
    gate = closing_gate(sound_facts(workspace, state))
    return tuple(_owed(gate, each) for each in gate.assessments if not each.met)


def require_leave(workspace: Workspace, asked: StageGates, *, actor: str) -> None:
    """Raise GateClosed, with all that is owed, unless `actor` may leave the stage now.

    A hard criterion holds everybody. A soft one holds agents, jobs and programs: nobody would answer for the gap.
    """
    owed = owed_by(asked)
    person = is_named_person(actor)
    holding = [each for each in owed if each.mode is Mode.HARD or not person]
    if not holding:
        return
    total = sum(len(gate.assessments) for gate in asked.gates)
    are = "is" if len(holding) == 1 else "are"
    head = f"{asked.sprint.id} cannot leave {asked.stage.stage.id}: {len(holding)} of {total} criteria {are} not met"
    if asked.is_open:
        head = f"{head}, and only a person at a terminal may leave a gap (this is {described(actor)})"
    lines = [_line(each, with_step=not person) for each in holding]
    raise GateClosed("\n".join([head, *lines]), hint=_hint(workspace, asked, holding, actor), blockers=tuple(holding))


def _owed(gate: Gate, each: Assessment) -> UnmetCriterion:
    criterion = each.criterion
    return UnmetCriterion(
        criterion=criterion.id,
        kind=criterion.kind,
        mode=criterion.mode,
        stage=gate.stage,
        entering=gate.side is Side.ENTRY,
        reason=each.reason + (f" ({'; '.join(each.notes)})" if each.notes else ""),
        command=each.step,
        file=each.file,
        headings=criterion.requires if each.file else (),
        person=_is_of_person(each.step),
    )


def _is_of_person(step: str) -> bool:
    """Whether vfcc refuses this step to anybody but a person at a terminal."""
    program, *words = step.partition("  # ")[0].split() or [""]
    return program == "vfcc" and class_of(words) == PERSON


def _line(each: UnmetCriterion, *, with_step: bool) -> str:
    soft = " (soft)" if each.mode is Mode.SOFT else ""
    step = f"; to do: {each.todo}" if with_step else ""
    return f"- {each.line}{soft}{step}"


def _hint(workspace: Workspace, asked: StageGates, holding: Sequence[UnmetCriterion], actor: str) -> str:
    """Return the first thing to do and, unless that leads elsewhere, what follows once it is done."""
    step = way_on(asked)
    if asked.is_open and actor.startswith("human:"):
        step = 'git config --global user.name "Your Name"  # an advance with gaps is recorded with a name'
    elif not (asked.route or "  # " in step):
        step = f"{step}  # then: {ADVANCE if len(holding) == 1 else 'vfcc next'}"
    return command_in(workspace, asked.sprint.id)(step)
