"""The role and the task of a prompt where a command names no role: those of the sprint's stage."""

from verifflowcc.errors import UsageError
from verifflowcc.services.finding import find_stage
from verifflowcc.services.sprint_reading import active_sprint, resolve_sprint
from verifflowcc.services.workspace import Workspace


def role_and_task(workspace: Workspace | None, sprint: str | None, stage: str | None, task: str) -> tuple[str, str]:
    """Return the role of the stage, the active one where None, and the task: `task`, or the sprint's title and goals.

    Raises UsageError where no sprint is open, the sprint has no such stage, or none is active.
    """
    if workspace is None or (sprint is None and not resolve_sprint(workspace).branches):
        raise UsageError("vfcc context show needs --agent ROLE", hint="vfcc context show --help")
    state = active_sprint(workspace, sprint)
    wanted = stage or state.current
    if wanted is None:
        raise UsageError(
            f"{state.id} has no active stage, so vfcc context show needs --agent ROLE", hint="vfcc context show --help"
        )
    return find_stage(state, wanted).stage.role, task or ". ".join((state.title, *state.goals))
