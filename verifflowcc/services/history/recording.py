"""Add events to the history from the whole program, in the form in which hooks add them."""

import os
from collections.abc import Iterable, Mapping
from datetime import datetime

from verifflowcc.adapters.files.partitions import FOLDER, add_events
from verifflowcc.adapters.git.shared import Repository, repository_around
from verifflowcc.domain.events import Json
from verifflowcc.episodes.shape import VERSION, moment
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.invisible import withhold_json
from verifflowcc.text.quick_json import write
from verifflowcc.text.slug import ENTROPY_BYTES, ulid


def record(workspace: Workspace, kind: str, events: Iterable[Mapping[str, Json]], at: datetime | None = None) -> None:
    """Add events of one kind, as of `at` (default: now), each with an id of its own and without secrets.

    Raises WorkspaceError.
    """
    now = int((at or workspace.clock.now()).timestamp() * 1000)
    around = repository_around(str(workspace.root))
    place: dict[str, Json] = {"worktree": around.worktree} if around and around.worktree else {}
    lines = []
    for event in events:
        head: dict[str, Json] = {
            "v": VERSION,
            "kind": kind,
            "id": ulid(now, os.urandom(ENTROPY_BYTES)),
            "time": moment(now),
        }
        lines.append(write(head | place | withhold_json(dict(event))))  # type: ignore[arg-type, operator]
    if lines:
        add(workspace, moment(now)[:10], "".join(f"{line}\n" for line in lines).encode("ascii"), around)


def add(workspace: Workspace, day: str, lines: bytes, around: Repository | None = None) -> None:
    """Add whole lines to the history of a day; `around` as in `add_events`. Raises WorkspaceError."""
    try:
        add_events(str(workspace.root), day, lines, around)
    except OSError as error:
        where = error.filename or workspace.local / FOLDER
        raise WorkspaceError(f"cannot write {where}: {error.strerror or error}") from error
