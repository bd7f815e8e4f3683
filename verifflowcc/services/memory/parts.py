"""The parts of a project that have items of their own, whether they are open or not."""

import os
from pathlib import Path

from verifflowcc.errors import WorkspaceError
from verifflowcc.services.memory.tasks import all_tasks
from verifflowcc.services.workspace import Workspace


def parts_of(workspace: Workspace) -> tuple[str, ...]:
    """Return the scopes of the project's sprints, stages, agents and tasks in work. Raises WorkspaceError."""
    names = {kind: _folders(workspace.memory / kind) for kind in ("sprint", "stage", "agent")}
    stages = [
        f"stage/{sprint}/{name}" for sprint in names["stage"] for name in _folders(workspace.memory / "stage" / sprint)
    ]
    tasks = [f"task/{task.id}" for task in all_tasks(workspace) if not task.status.final]
    return (*(f"{kind}/{name}" for kind in ("sprint", "agent") for name in names[kind]), *stages, *tasks)


def _folders(folder: Path) -> tuple[str, ...]:
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(each.name for each in entries if each.is_dir(follow_symlinks=False)))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
