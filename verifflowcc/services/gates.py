"""Gates as they stand now: asked from the ledger, the tree and git, with nothing run and nothing written."""

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Gate
from verifflowcc.domain.sprints import Route, SprintState, StageState
from verifflowcc.records import dataclass, replace
from verifflowcc.services.facts import gather_facts, with_changes
from verifflowcc.services.finding import find_stage, stage_meant
from verifflowcc.services.pinned_workflow import check_pinned_workflow
from verifflowcc.services.sprint_reading import changed_by_hand, load_movable
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_trace import asks_trace, specified
from verifflowcc.workflow.failures import failures_of
from verifflowcc.workflow.gate import entry_gate, exit_gate
from verifflowcc.workflow.moves import after_passing, next_in_order


@dataclass(frozen=True, slots=True)
class StageGates:
    """What stands between a stage and the next one.

    `exit` is the stage's own gate, `entry` that of the `following` stage, if there is one: the next that is open, of a
    stage in work, else the next in order. `failures` counts the stage's evidence that failed since it was entered;
    `route` is set where that makes its fail route due. `notices` are sentences.
    """

    sprint: SprintState
    stage: StageState
    exit: Gate
    entry: Gate | None
    following: str | None
    """The next stage."""
    failures: int
    """Failed evidence since the stage was entered."""
    route: Route | None
    """Where the workflow sends you back, once that is due."""
    notices: tuple[str, ...] = ()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Both, or the one that there is."""
        return (self.exit, self.entry) if self.entry else (self.exit,)

    @property
    def is_open(self) -> bool:
        """Whether the stage may be left."""
        return all(gate.is_open for gate in self.gates)


def ask_stage(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> StageGates:
    """Return the gates of a stage, the one in work where none is named (else the last).

    Raises LedgerError where the ledger or an evidence file was not written by vfcc as it stands, ConflictError under a
    fork, ConfigError where the project's own workflow is gone, UsageError for an unknown stage.
    """
    return ask_stage_with_facts(workspace, sprint_id, stage_id)[0]


def ask_stage_with_facts(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> tuple[StageGates, Facts]:
    """Return the gates of a stage and the facts that they were asked with. Raises as `ask_stage` does."""
    state = load_movable(workspace, sprint_id)[1]
    wanted = stage_meant(state, stage_id).stage.id
    notices = check_pinned_workflow(workspace, state)
    facts = sound_facts(workspace, state)
    return gates_of(state, wanted, facts, notices), facts


def ask_entry(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> Gate:
    """Return the entry gate of a stage, the one in work where none is named. Raises as `ask_stage` does."""
    state = load_movable(workspace, sprint_id)[1]
    wanted = stage_meant(state, stage_id).stage.id
    check_pinned_workflow(workspace, state)
    return entry_gate(wanted, sound_facts(workspace, state))


def gates_of(state: SprintState, stage_id: str, facts: Facts, notices: tuple[str, ...] = ()) -> StageGates:
    """Return the gates of a stage from facts that are already there."""
    stage = find_stage(state, stage_id)
    artifacts = tuple(one.artifact for one in facts.artifacts.get(stage_id, ()))
    following = (
        after_passing(state, stage_id, artifacts, specified(stage.stage, facts))
        if stage_id == state.current
        else next_in_order(state, stage_id)
    )
    failures = failures_of(stage, facts)
    route = stage.stage.route
    return StageGates(
        sprint=state,
        stage=stage,
        exit=exit_gate(stage_id, facts),
        entry=entry_gate(following, facts) if following else None,
        following=following,
        failures=failures,
        route=route if route and failures >= route.after else None,
        notices=notices,
    )


def sound_facts(workspace: Workspace, state: SprintState) -> Facts:
    """Return the facts of a sprint. Raises LedgerError, one line per file, where evidence is not what vfcc wrote."""
    facts = gather_facts(workspace, state)
    wrong = [f"{one.path}:1: {one.problem}" for one in facts.recorded if one.problem]
    if wrong:
        raise changed_by_hand(wrong, f".memory/stage/{state.id}")
    facts = with_changes(workspace, facts)
    if not asks_trace(state.workflow):
        return facts
    from verifflowcc.services.configuration import effective_config
    from verifflowcc.services.results_command import results_command
    from verifflowcc.services.trace_checking import check_trace

    command = results_command(effective_config(workspace).config, state)
    report = check_trace(workspace, workflow=state.workflow, state=state).report
    return replace(facts, trace=report, results_command=command)
