"""How sprints and stages are shown to a person."""

from verifflowcc.cli.table import table
from verifflowcc.domain.sprints import SprintState, StageState
from verifflowcc.services.stages import StageView


def whole(state: SprintState) -> str:
    """Return a sprint with its goals, stages and problems."""
    lines = [f"{state.id}: {state.title} ({state.status})"]
    lines += [f"goal: {goal}" for goal in state.goals]
    if state.unfinished:
        lines.append(f"closed unfinished: {state.unfinished}")
    lines += ["", stages(state)]
    if state.fork:
        lines += ["", "forked: these moves were made apart from each other"]
        lines += [f"- {move.actor} {move.does} ({move.time}, {move.event})" for move in state.fork.moves]
    if state.problems:
        lines += ["", "problems:", *(f"- {problem}" for problem in state.problems)]
    return "\n".join(lines)


def stages(state: SprintState) -> str:
    """Return the stages of a sprint as a table."""
    rows = [_row(each, each.stage.id == state.current) for each in state.stages]
    return table(("", "stage", "leg", "pair", "role", "status", "artifacts"), rows)


def one_stage(view: StageView) -> str:
    """Return a stage with its files and what it still needs."""
    stage = view.stage.stage
    pair = f", answered by {stage.pair}" if stage.pair else ""
    lines = [f"{view.sprint.id}/{stage.id}: {stage.title} ({view.stage.status}; {stage.leg} leg{pair})", ""]
    for criterion in view.criteria:
        lines.append(f"{'met' if criterion.met else 'not met':8} {criterion.name}")
        if not criterion.met:
            lines.append(f"{'':8} {criterion.reason}; {criterion.step}")
    lines += ["", f"artifacts in {view.folder}/"]
    lines += [f"- {file.artifact.path}{' (empty)' if file.empty else ''}" for file in view.files] or ["- none"]
    return "\n".join(lines)


def _row(each: StageState, current: bool) -> tuple[str, ...]:
    stage = each.stage
    names = ", ".join(artifact.path for artifact in each.artifacts) or "–"
    return (">" if current else "", stage.id, str(stage.leg), stage.pair or "–", stage.role, str(each.status), names)
