"""Take over into the ledger the edits that hooks recorded: who wrote the present bytes of a file.

The history of agents' calls stays on one machine, and a gate must come to the same answer in CI. So before a move or a
decision of a person, each edit whose digest is that of the file now becomes part of the ledger.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from verifflowcc.base.files.project_content import digest_file
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.sprint_state import Artifact, SprintState, SprintStatus, artifacts_folder
from verifflowcc.base.process.acting import clean_name
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import artifact_puts, edits_payload, recorded_edits
from verifflowcc.history.rules.event_shape import PLACED, is_of_project
from verifflowcc.history.rules.history_rows import with_place
from verifflowcc.history.use.history_reading import own_partitions
from verifflowcc.sprint.use.people_acting import add_note
from verifflowcc.sprint.use.sprint_reading import load_movable

MOST_FILES = 200
"""So many files go into one event, which has a largest size."""
_NEEDLES = (b'"operation":"edit"', b'"operation":"write"', f'"kind":"{PLACED}"'.encode())
_MEMORY = ".memory/"


def adopt_recorded_edits(workspace: Workspace, sprint_id: str) -> None:
    """Record in the ledger who wrote the present bytes of files, as far as hooks on this machine recorded it.

    Nothing happens where nothing is new, or the sprint is closed. Raises as `load_movable` and `add_note` do.
    """
    seen, state = load_movable(workspace, sprint_id)
    if state.status is SprintStatus.CLOSED:
        return
    stage = state.current or state.stages[-1].stage.id
    for actor, files in sorted(_new_edits(workspace, state, seen.events[0].time[:10]).items()):
        for part in _parts(sorted(files.items())):
            path, digest = part[0]
            first = Artifact(path, digest, (workspace.root / path).stat().st_size)
            payload = partial(_payload, edits_payload(stage, first, dict(part)))
            add_note(workspace, sprint_id, EventType.ARTIFACT_PUT, payload, actor=actor)


def _payload(made: Mapping[str, Json], _: SprintState) -> Mapping[str, Json]:
    return made


def _new_edits(workspace: Workspace, state: SprintState, since: str) -> Mapping[str, Mapping[str, str]]:
    """Return actor → path → digest of the recorded edits that left the bytes that are there now, without a record."""
    folders = {each.stage.id: artifacts_folder(state.id, each.stage.id) for each in state.stages}
    known = {(one.path, one.digest) for one in recorded_edits(state.notes)}
    known |= {(f"{folders.get(put.stage)}/{put.path}", put.digest) for put in artifact_puts(state.notes)}
    present: dict[str, str] = {}
    found: dict[str, dict[str, str]] = {}
    for actor, path, digest in _edits(workspace, since):
        concerns = is_of_project(path) and (
            not path.startswith(_MEMORY) or path.startswith(tuple(f"{folder}/" for folder in folders.values()))
        )
        if not concerns or (path, digest) in known:
            continue
        if path not in present:
            present[path] = _digest_now(workspace, path)
        if present[path] == digest:
            found.setdefault(actor, {})[path] = digest
    return found


def _edits(workspace: Workspace, since: str) -> Iterator[tuple[str, str, str]]:
    """Yield actor, path and digest of each edit that the machine's own history has since a day."""
    events: list[dict[str, Json]] = []
    places = []
    for file in own_partitions(workspace):
        if file.stem < since:
            continue
        for line in file.read_bytes().split(b"\n"):
            event = _parsed(line) if any(needle in line for needle in _NEEDLES) else None
            if event is None:
                continue
            if event.get("kind") == PLACED:
                places.append(event)
            elif event.get("kind") == "tool_execution":
                events.append(event)
    for event in events:
        role = with_place(event, places).get("role")
        actor = f"agent:{clean_name(role) if isinstance(role, str) else ''}"
        for path, digest in _written(event):
            yield (actor if actor != "agent:" else "agent:unknown"), path, digest


def _written(event: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    files = event.get("files")
    for each in files if isinstance(files, list) else ():
        if isinstance(each, dict):
            path, digest = each.get("path"), each.get("digest")
            if isinstance(path, str) and isinstance(digest, str):
                yield path, digest


def _parsed(line: bytes) -> dict[str, Json] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _digest_now(workspace: Workspace, path: str) -> str:
    full = workspace.root / path
    try:
        return digest_file(str(full)) if full.is_file() and not full.is_symlink() else ""
    except OSError:
        return ""


def _parts(files: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    return (files[start : start + MOST_FILES] for start in range(0, len(files), MOST_FILES))
