"""Open the history of a project: what was recorded here, and what other people's clones committed of theirs."""

import json
from pathlib import Path

from verifflowcc.adapters.index.history import FILE, History, Partition, partitions_in
from verifflowcc.domain.events import Json
from verifflowcc.episodes.places import with_place
from verifflowcc.episodes.shape import PLACED
from verifflowcc.services.workspace import Workspace

SHARED = "history"
"""The folder below `.memory/` of what is committed."""


def open_history(workspace: Workspace) -> History:
    """Return the history's tables, to be entered as a context. What is there twice counts once."""
    return History(workspace.local / FILE, _partitions(workspace))


def history_files(workspace: Workspace) -> tuple[Path, ...]:
    """Return the files of the history, the machine's own first."""
    return tuple(each.path for each in _partitions(workspace))


def _partitions(workspace: Workspace) -> tuple[Partition, ...]:
    own = partitions_in(workspace.local / "history")
    return (*own, *partitions_in(workspace.memory / SHARED, "shared/"))


def session_events(workspace: Workspace, session: str) -> list[dict[str, Json]]:
    """Return the events of a session, from the files of the history, each with its place as far as it is known."""
    events, places = [], []
    needles = (json.dumps(session).encode("utf-8"), b'"kind":"place"')
    for path in sorted((workspace.local / "history").glob("*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            if any(each in line for each in needles):
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict) and value.get("gen_ai.conversation.id") == session:
                    events.append(value)
                elif isinstance(value, dict) and value.get("kind") == PLACED:
                    places.append(value)
    return [with_place(event, places) for event in events]
