"""Find a stage by its name, or the one that is meant, and tell the nearest one where there is none."""

from verifflowcc.domain.sprints import SprintState, StageState
from verifflowcc.errors import UsageError
from verifflowcc.text.near import nearest


def find_stage(state: SprintState, stage_id: str) -> StageState:
    """Return the stage of that id. Raises UsageError with the nearest name."""
    found = state.stage(stage_id)
    if found:
        return found
    known = [each.stage.id for each in state.stages]
    near = nearest(stage_id, known)
    more = f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"
    raise UsageError(f"{state.id} has no stage {stage_id}; {more}", hint="vfcc stage list")


def stage_meant(state: SprintState, stage_id: str | None) -> StageState:
    """Return the stage of that id; where none is named the one in work, else the last. Raises as `find_stage` does."""
    last = state.stages[-1].stage.id if state.stages else ""
    return find_stage(state, stage_id or state.current or last)
