"""The project that a command on items is about: none is needed for the person's own."""

from verifflowcc.adapters.files.private import USER
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.workspace import Workspace, open_workspace


def required(workspace: Workspace | None, hint: str = "--scope user") -> Workspace:
    """Return the project. Raises WorkspaceError where there is none, and `hint` says what can be done."""
    if workspace is None:
        raise WorkspaceError("there is no project here, and only user memory needs none", hint=hint)
    return workspace


def workspace_for(scope: str | None) -> Workspace | None:
    """Return the project of the current folder; None where there is none and only user items are asked for.

    Raises WorkspaceError where there is none and one is needed.
    """
    try:
        return open_workspace()
    except WorkspaceError:
        if scope == USER:
            return None
        raise
