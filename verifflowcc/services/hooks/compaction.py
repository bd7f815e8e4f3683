"""What survives when a client compacts its agent's context: a snapshot before, the window's essence after."""

from collections.abc import Callable, Mapping
from typing import Any

from verifflowcc.services.workspace import Workspace


def keep_window(workspace: Workspace, said: Mapping[str, Any]) -> None:
    """Keep the window of a session as it is before its client compacts it. Raises VfccError."""


def window_after(workspace: Workspace, session: str, budget_tokens: int, count: Callable[[str], int]) -> list[str]:
    """Return lines of what matters most of a session's window. Raises VfccError."""
    return []
