"""Open the history of a project: what was recorded here, and what other people's clones committed of theirs."""

from verifflowcc.adapters.index.history import FILE, History, partitions_in
from verifflowcc.services.workspace import Workspace

SHARED = "history"
"""The folder below `.memory/` of what is committed."""


def open_history(workspace: Workspace) -> History:
    """Return the history's tables, to be entered as a context. What is there twice counts once."""
    own = partitions_in(workspace.local / "history")
    shared = partitions_in(workspace.memory / SHARED, "shared/")
    return History(workspace.local / FILE, (*own, *shared))
