"""Open the history of a project: what was recorded here, and what other people's clones committed of theirs."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from verifflowcc.base.errors import ConflictError, VfccError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.git.git_repository import Repository, repository_around, worktree_tops
from verifflowcc.base.model.events import Json
from verifflowcc.base.text.hidden_text import withhold_json
from verifflowcc.base.text.identifiers import ENTROPY_BYTES, ulid
from verifflowcc.base.text.quick_json import write
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import PLACED, VERSION, moment
from verifflowcc.history.rules.history_rows import with_place
from verifflowcc.history.store.history_tables import FILE, HistoryTables, Partition, partitions_in, sizes_read
from verifflowcc.history.store.partitions import ENDING, FOLDER, LOCAL, add_events, folders_of, move_days
from verifflowcc.memory.rules.tasks import Task
from verifflowcc.sprint.use.configuration import effective_config

# Add events to the history from the whole program, in the form in which hooks add them.


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


# Tasks that somebody starts and ends by name, in the history: what was asked for, and what came of it.


def note_task(workspace: Workspace, task: Task) -> None:
    """Record the status of a task, where the project records at all. Raises WorkspaceError where it cannot."""
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


SHARED = "history"
"""The folder below `.memory/` of what is committed."""
_GATHERING = "history.lock"


def open_history(workspace: Workspace) -> HistoryTables:
    """Return the history's tables, to be entered as a context. A duplicate counts once."""
    gather_history(workspace)
    return HistoryTables(workspace.local / FILE, _partitions(workspace))


MOST_UNREAD_BYTES = 8 << 20
"""About a second of reading: who asks for something else does not wait for more."""


def open_history_soon(workspace: Workspace) -> HistoryTables:
    """Return the history's tables as `open_history` does, where little is left to read into them.

    Raises ConflictError where it is more, as in a fresh clone or after an import.
    """
    read = sizes_read(workspace.local / FILE)
    unread = sum(max(_size(each.path) - read.get(each.name, 0), 0) for each in _partitions(workspace))
    if unread > MOST_UNREAD_BYTES:
        raise ConflictError("the history was not read yet, which takes a while once", hint="vfcc history show")
    return open_history(workspace)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def history_folders(workspace: Workspace) -> tuple[Path, ...]:
    """Return the folders of the machine's own history: first the one that events are added to, if it can be written.

    In a repository that is the folder which all worktrees share. The project's own has what an older version recorded,
    or a hook that could not write there.
    """
    return tuple(map(Path, folders_of(str(workspace.root))))


def gather_history(workspace: Workspace) -> None:
    """Move the finished days of every worktree's own history to the repository's, which outlasts the worktree.

    What cannot be moved stays where it is.
    """
    around = repository_around(str(workspace.root))
    if around is None:
        return
    for local in _scattered(around):
        with suppress(WorkspaceError, ConflictError), locked(local / _GATHERING, 0):
            move_days(str(local), around.folder, workspace.today())


def scattered_days(workspace: Workspace) -> tuple[tuple[Path, Path], ...]:
    """Return the files of days in worktrees' own folders, each with its path in the repository's history."""
    around = repository_around(str(workspace.root))
    if around is None:
        return ()
    days = (day for local in _scattered(around) for day in sorted((local / FOLDER).glob(f"*{ENDING}")))
    return tuple((day, Path(around.folder, FOLDER, day.name)) for day in days)


def _scattered(around: Repository) -> Iterator[Path]:
    """Yield the local folder of each worktree that has a history of its own."""
    locals_ = (Path(top, LOCAL) for top in worktree_tops(around))
    yield from (local for local in locals_ if (local / FOLDER).is_dir())


def own_partitions(workspace: Workspace) -> tuple[Path, ...]:
    """Return the files of the machine's own history."""
    return tuple(each.path for each in _own(workspace))


def history_files(workspace: Workspace) -> tuple[Path, ...]:
    """Return the files of the history, the machine's own first."""
    return tuple(each.path for each in _partitions(workspace))


def _partitions(workspace: Workspace) -> tuple[Partition, ...]:
    return (*_own(workspace), *partitions_in(workspace.memory / SHARED, "shared/"))


def _own(workspace: Workspace) -> tuple[Partition, ...]:
    first, *more = history_folders(workspace)
    return (*partitions_in(first), *(each for folder in more for each in partitions_in(folder, "local/")))


def session_events(workspace: Workspace, session: str) -> list[dict[str, Json]]:
    """Return the events of a session, from the files of the history, each with its place as far as it is known."""
    events, places = [], []
    needles = (json.dumps(session).encode("utf-8"), b'"kind":"place"')
    for path in own_partitions(workspace):
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
