"""How sprints and stages are shown to a person."""

from collections.abc import Sequence

from verifflowcc.base.model.sprint_state import SprintState, StageState, stage_status, with_gaps
from verifflowcc.base.terminal.table import table
from verifflowcc.gates.cli.gate_output import following, one_gate
from verifflowcc.prompt.use.stages import StageDetails
from verifflowcc.sprint.cli import move_output as fork_views


def whole(state: SprintState, people_lines: Sequence[str] = ()) -> str:
    """Return a sprint: goals, stages, recorded statements, and problems."""
    lines = [f"{state.id}: {state.title} ({state.status}{with_gaps(state.gaps)})"]
    lines += [f"goal: {goal}" for goal in state.goals]
    if state.unfinished:
        lines.append(f"closed unfinished: {state.unfinished}")
    lines += ["", stages(state)]
    lines += ["", *people_lines] if people_lines else []
    for more in (fork_views.sides(state), fork_views.aside(state), fork_views.problems(state)):
        lines += ["", *more] if more else []
    return "\n".join(lines)


def stages(state: SprintState) -> str:
    """Return the stages of a sprint as a table."""
    rows = [_row(each, each.stage.id == state.current) for each in state.stages]
    return table(("", "stage", "leg", "pair", "role", "status", "artifacts"), rows)


def one_stage(view: StageDetails, *, full: bool = False) -> str:
    """Return a stage with its files and what it still needs, and with whole ids where they are to be `full`."""
    stage = view.stage.stage
    pair = f", answered by {stage.pair}" if stage.pair else ""
    status = stage_status(view.stage)
    lines = [f"{view.sprint.id}/{stage.id}: {stage.title} ({status}; {stage.leg} leg{pair})", ""]
    for gate in view.gates:
        lines += [one_gate(gate, full=full)] if gate.assessments else []
    lines += ["", f"artifacts in {view.folder}/"]
    lines += [f"- {file.artifact.path}{' (empty)' if file.empty else ''}" for file in view.files] or ["- none"]
    lines += ["", following(view.next)] if view.next else []
    return "\n".join(lines)


def _row(each: StageState, current: bool) -> tuple[str, ...]:
    stage = each.stage
    names = ", ".join(artifact.path for artifact in each.artifacts) or "–"
    return (">" if current else "", stage.id, str(stage.leg), stage.pair or "–", stage.role, stage_status(each), names)
