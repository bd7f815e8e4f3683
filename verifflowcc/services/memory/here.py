"""The project that a command on items is about: none is needed for the person's own."""

from verifflowcc.adapters.files.user_home import USER
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.workspace import Workspace, open_workspace


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
