"""The one most useful thing to do now."""

from verifflowcc.base.errors import VfccError
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus, with_gaps
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.gates_now import StageGates, ask_stage
from verifflowcc.gates.use.owed import ADVANCE, UnmetCriterion, owed_by, owed_to_close, way_on
from verifflowcc.sprint.use.sprint_reading import command_in, not_chosen, resolve_sprint, show_sprint


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, why, and the command (or, where no command can do it, the words).

    `unmet` are all criteria that are not met, in the order in which to meet them. `alternative` is what a person may
    run to leave all of them open; empty where a hard one is among them. `chosen_by` is what chose the sprint of several
    open ones. `notes` are those of the gate.
    """

    sprint: str | None
    """Null if there is none."""
    why: str
    command: str
    unmet: tuple[UnmetCriterion, ...] = ()
    """Criteria that are not met, hard ones first."""
    alternative: str = ""
    """A person's command to leave them open; empty if one is hard."""
    chosen_by: str = ""
    """What selected the sprint among several, or empty."""
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> UnmetCriterion | None:
        """The criterion that the command is for; None where it is for none."""
        return next((each for each in self.unmet if each.command == self.command), None)


def next_step(workspace: Workspace, sprint_id: str | None = None, stage_id: str | None = None) -> NextStep:
    """Return the next step in a stage of a sprint; the current ones where none is named.

    It runs and writes nothing. Raises UsageError for a sprint or a stage that is not there, and where none of several
    sprints is chosen.
    """
    if sprint_id is not None:
        return _named(workspace, _in_sprint(workspace, show_sprint(workspace, sprint_id), stage_id), sprint_id)
    found = resolve_sprint(workspace)
    if found.id is None:
        if found.problem:
            raise not_chosen(found)
        return NextStep(None, "no sprint is open", 'vfcc sprint start "Title"')
    step = _in_sprint(workspace, show_sprint(workspace, found.id), stage_id)
    return replace(step, chosen_by=found.by) if found.label else step


def _named(workspace: Workspace, step: NextStep, sprint_id: str) -> NextStep:
    """Return a step whose commands name the sprint where they would act on another one, or on none."""
    named = command_in(workspace, sprint_id)
    owed = tuple(replace(each, command=named(each.command)) for each in step.unmet)
    return replace(step, command=named(step.command), unmet=owed, alternative=named(step.alternative))


def _in_sprint(workspace: Workspace, state: SprintState, stage_id: str | None) -> NextStep:
    if stage_id is not None:
        find_stage(state, stage_id)
    if state.status is SprintStatus.CLOSED:
        return NextStep(state.id, f"{state.id} is closed", 'vfcc sprint start "Title"')
    if state.problems:
        many = len(state.problems)
        return NextStep(state.id, f"{many} of its event files cannot be trusted", f"vfcc sprint show {state.id}")
    if state.fork:
        return NextStep(state.id, f"{state.id} was moved on two sides", f"vfcc sprint resolve {state.id}")
    try:
        if state.current is None and stage_id is None:
            return _at_end(state, owed_to_close(workspace, state))
        asked = ask_stage(workspace, state.id, stage_id)
        return replace(_at_gate(asked), notes=asked.exit.notes)
    except VfccError as error:
        return NextStep(state.id, error.message.splitlines()[0], error.hint or "vfcc doctor")


def _at_end(state: SprintState, owed: tuple[UnmetCriterion, ...]) -> NextStep:
    close = f"vfcc sprint close {state.id}"
    if owed:
        return NextStep(state.id, owed[0].reason, owed[0].command or "vfcc check gate", owed, _instead(owed, close))
    return NextStep(state.id, f"{state.id} has passed all its stages{with_gaps(state.gaps)}", close)


def _at_gate(asked: StageGates) -> NextStep:
    name, owed, command = asked.stage.stage.id, owed_by(asked), way_on(asked)
    if not owed:
        return NextStep(asked.sprint.id, f"{name} owes nothing", command)
    if asked.route and not asked.is_open:
        why = f"{name} failed {asked.failures} times; its route goes back to {asked.route.to}"
        return NextStep(asked.sprint.id, why, command, owed)
    first = next((each for each in owed if each.command), owed[0])
    why = f"{name}: {first.line}"
    if name != asked.sprint.current:  # its gate may be open with gaps, and still it is this stage that was asked about
        return NextStep(asked.sprint.id, why, first.command or "vfcc check gate", owed)
    return NextStep(asked.sprint.id, why, command, owed, _instead(owed, ADVANCE))


def _instead(owed: tuple[UnmetCriterion, ...], command: str) -> str:
    return "" if any(each.mode is Mode.HARD for each in owed) else command
