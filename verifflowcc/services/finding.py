"""Find a stage by its name, and tell the nearest one where there is none."""

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
