"""The records of tasks: one folder for each task in the local part of the memory tree, with its `task.json`."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.layout import Stamps, as_on_disk, check_inside, settled, stamp
from verifflowcc.base.files.write import DerivedFile, sweep, write_atomic

if TYPE_CHECKING:
    from verifflowcc.memory.rules.tasks import Task

# Which scopes are open, remembered in `local/scopes.json` beside the stamps of all that they follow from.
#
# One stat for each file of the ledgers and tasks takes the place of reading them.

OPEN_SCOPES_FILE = "scopes.json"
_FILE = DerivedFile(OPEN_SCOPES_FILE, 2, keyed_by="stamps of ledgers and tasks")


def recall_scopes(root: Path, local: Path) -> tuple[str, ...] | None:
    """Return the scopes of the project in `root` that were remembered; None where something has changed since."""
    kept = _FILE.read(local / OPEN_SCOPES_FILE)
    if kept is None:
        return None
    stamps, scopes = kept
    below = os.fspath(root)
    if any(stamp(f"{below}/{as_on_disk(path)}") != then for path, then in stamps.items()):
        return None
    return tuple(scopes)


def remember_scopes(local: Path, before: Stamps, scopes: Sequence[str]) -> None:
    """Remember scopes; `before` are the stamps taken before they were read."""
    if settled(before.touched_ns):
        _FILE.write(local / OPEN_SCOPES_FILE, [before.by_path, [*scopes]])


TASKS, FILE, LOCK = "tasks", "task.json", "lock"
WAIT_S = 10.0
_LARGEST_BYTES = 65_536


def task_ids(folder: Path) -> tuple[str, ...]:
    """Return the ids of the tasks that have a record in `folder`, sorted. Raises WorkspaceError."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
    return tuple(sorted(name for name in names if (folder / name / FILE).exists()))


def task_places(root: Path, folder: Path) -> tuple[str, ...]:
    """Return the folders and files, by path below the project's root, that which tasks are in `folder` follows from."""
    below = folder.relative_to(root).as_posix()
    names = [entry.name for entry in sorted(folder.glob("*/"))]
    return (below, *(f"{below}/{name}{file}" for name in names for file in ("", f"/{FILE}")))


def load_task(folder: Path, task_id: str) -> "Task | None":
    """Return the task of that id; None where there is none.

    Raises WorkspaceError where its record cannot be read, FormatError where it is none.
    """
    from verifflowcc.memory.rules.tasks import read_task

    path = folder / task_id / FILE
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST_BYTES:
            raise WorkspaceError(f"{path} is not a task's record", hint=f"rm -r {path.parent}")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        task = read_task(data)
    except FormatError as error:
        raise FormatError(f"{path}:1: not a task's record: {error.message}", hint=f"rm -r {path.parent}") from error
    if task.id != task_id:
        raise FormatError(f"{path}:1: is the record of the task {task.id}", hint=f"rm -r {path.parent}")
    return task


def save_task(folder: Path, root: Path, task: "Task") -> None:
    """Write a task's record, whole or not at all; `folder` must not leave `root` by a link. Raises WorkspaceError."""
    from verifflowcc.memory.rules.tasks import task_bytes

    check_inside(folder / task.id, root)
    if (folder / task.id).is_dir():
        sweep([folder / task.id], deep=False)
    write_atomic(folder / task.id / FILE, task_bytes(task))


def remove_task(folder: Path, task_id: str) -> None:
    """Remove the record of a task that has no items any more, and its folder where nothing else is in it.

    Raises WorkspaceError.
    """
    place = folder / task_id
    try:
        for path in (place / FILE, place / LOCK, *(folder.parent / "locks").glob(f"task+{task_id}*")):
            path.unlink(missing_ok=True)
        for below, folders, files in os.walk(place, topdown=False):
            if not files and not any(Path(below, name).exists() for name in folders):
                Path(below).rmdir()
    except OSError as error:
        raise WorkspaceError(f"cannot remove {place}: {error.strerror or error}") from error


@contextmanager
def changing_task(folder: Path, root: Path, task_id: str) -> Iterator[None]:
    """Keep other writers of one task out until the end. Raises ConflictError, WorkspaceError."""
    from verifflowcc.base.files.lock import locked  # who only recalls which scopes are open locks nothing

    check_inside(folder / task_id, root)
    with locked(folder / task_id / LOCK, WAIT_S):
        yield
