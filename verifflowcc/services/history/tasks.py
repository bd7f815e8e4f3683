"""Tasks that somebody starts and ends by name, in the history: what was asked for, and what came of it."""

from verifflowcc.domain.tasks import Task
from verifflowcc.errors import VfccError
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.history.recording import record
from verifflowcc.services.workspace import Workspace


def note_task(workspace: Workspace, task: Task) -> None:
    """Record how a task stands now, where the project records at all. Raises WorkspaceError where it cannot."""
    try:
        if not effective_config(workspace).config.hooks.record:
            return
    except VfccError:
        return  # the settings are told of by whatever needs them
    event = {
        "task": task.id,
        "status": str(task.status),
        "description": task.description,
        "outcome": task.outcome,
        "role": task.agent,
        "sprint": task.sprint,
        "stage": task.stage,
    }
    record(workspace, "task", [{name: value for name, value in event.items() if value}])
