"""The one most useful thing to do now."""

from verifflowcc.domain.gates import Mode
from verifflowcc.domain.sprints import SprintLine, SprintState, SprintStatus
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.gates import StageGates, ask_stage
from verifflowcc.services.owed import ADVANCE, Owed, owed_by, owed_to_close, way_on
from verifflowcc.services.sprints import list_sprints, show_sprint
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.gaps import with_gaps
from verifflowcc.workflow.in_sprint import in_sprint


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, why, and the command (or, where no command can do it, the words).

    `owed` are all criteria that are not met, in the order in which to meet them. `instead` is what a person may run to
    leave all of them open; empty where a hard one is among them. `notes` are those of the gate.
    """

    sprint: str | None
    why: str
    command: str
    owed: tuple[Owed, ...] = ()
    instead: str = ""
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Owed | None:
        """The criterion that the command is for; None where it is for none."""
        return next((each for each in self.owed if each.command == self.command), None)


def next_step(workspace: Workspace, sprint_id: str | None = None) -> NextStep:
    """Return the next step in a sprint; of several open ones, in the first by id that needs something.

    It runs and writes nothing. Raises UsageError for a sprint that is not there.
    """
    asked = show_sprint(workspace, sprint_id) if sprint_id is not None else None
    open_ones = [line for line in list_sprints(workspace) if line.status is not SprintStatus.CLOSED]
    if asked is None and not open_ones:
        return NextStep(None, "no sprint is open", 'vfcc sprint start "Title"')
    state = asked or show_sprint(workspace, min(open_ones, key=_urgency).id)
    step = _in_sprint(workspace, state)
    return _named(step, state.id) if len(open_ones) > 1 else step


def _named(step: NextStep, sprint_id: str) -> NextStep:
    """Return a step whose commands name the sprint."""
    owed = tuple(replace(each, command=in_sprint(each.command, sprint_id)) for each in step.owed)
    command, instead = in_sprint(step.command, sprint_id), in_sprint(step.instead, sprint_id)
    return replace(step, command=command, owed=owed, instead=instead)


def _urgency(line: SprintLine) -> tuple[bool, str]:
    sound = line.status is SprintStatus.OPEN and not line.problems
    return (sound, line.id)


def _in_sprint(workspace: Workspace, state: SprintState) -> NextStep:
    if state.status is SprintStatus.CLOSED:
        return NextStep(state.id, f"{state.id} is closed", 'vfcc sprint start "Title"')
    if state.problems:
        many = len(state.problems)
        return NextStep(state.id, f"{many} of its event files cannot be trusted", f"vfcc sprint show {state.id}")
    if state.fork:
        return NextStep(state.id, f"{state.id} was moved on two sides", f"vfcc sprint resolve {state.id}")
    try:
        if state.current is None:
            return _at_end(state, owed_to_close(workspace, state))
        asked = ask_stage(workspace, state.id)
        return replace(_at_gate(asked), notes=asked.exit.notes)
    except VfccError as error:
        return NextStep(state.id, error.message.splitlines()[0], error.hint or "vfcc doctor")


def _at_end(state: SprintState, owed: tuple[Owed, ...]) -> NextStep:
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
    return NextStep(asked.sprint.id, f"{name}: {first.line}", command, owed, _instead(owed, ADVANCE))


def _instead(owed: tuple[Owed, ...], command: str) -> str:
    return "" if any(each.mode is Mode.HARD for each in owed) else command
