"""Record what a client says, and find what it is answered."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifflowcc.clients.answer import Answer
from verifflowcc.episodes.shape import line_of, moment
from verifflowcc.services.history.recording import add
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.ulid import ENTROPY_BYTES


def answer_hook(root: Path, client: str, said: Mapping[str, Any]) -> Answer:
    """Record what a client says in its project, and return what it is answered. Raises VfccError."""
    workspace = Workspace(root)
    now = int(workspace.clock.now().timestamp() * 1000)
    line = line_of(said, client, str(root), now, os.urandom(ENTROPY_BYTES), {})
    if line is not None:
        add(workspace, moment(now)[:10], line)
    return Answer()
