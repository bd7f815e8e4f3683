"""The one most useful thing to do now."""

from verifflowcc.domain.sprints import SprintLine, SprintState, SprintStatus
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.gates import StageGates, ask_stage, way_on
from verifflowcc.services.sprints import list_sprints, show_sprint
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.in_sprint import in_sprint


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, why, and the command (or, where no command can do it, the words)."""

    sprint: str | None
    why: str
    command: str


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
    return replace(step, command=in_sprint(step.command, state.id)) if len(open_ones) > 1 else step


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
    if state.current is None:
        return NextStep(state.id, f"{state.id} has passed all its stages", f"vfcc sprint close {state.id}")
    try:
        return _at_gate(ask_stage(workspace, state.id))
    except VfccError as error:
        return NextStep(state.id, error.message.splitlines()[0], error.hint or "vfcc doctor")


def _at_gate(asked: StageGates) -> NextStep:
    name = asked.stage.stage.id
    if asked.is_open:
        return NextStep(asked.sprint.id, f"the gate of {name} is open", f"vfcc stage advance {asked.sprint.id}")
    if asked.route:
        why = f"{name} failed {asked.failures} times; its route goes back to {asked.route.to}"
        return NextStep(asked.sprint.id, why, way_on(asked))
    blockers = [each for gate in asked.gates for each in gate.blockers]
    first = next((each for each in blockers if each.step), blockers[0])
    return NextStep(asked.sprint.id, f"{name}: {first.criterion.id}: {first.reason}", way_on(asked))
