"""The log of uses: lines added by whoever reads items, taken away whole by the one who merges them.

Beside the log lie what is being merged: the lines that were taken, and the plan of what the items will then say. All of
it is local, ignored by git, and may be deleted; the uses that were not merged yet are lost with it.
"""

from pathlib import Path

from verifflowcc.adapters.files.lock import adding_to, append_whole, held, log_said, read_log
from verifflowcc.errors import WorkspaceError

LOG = "access.jsonl"
TAKEN = "access.taken.jsonl"
PLAN = "access.plan.json"


def append_lines(folder: Path, root: Path, lines: bytes) -> None:
    """Add whole lines to the log in `folder`, in one write, whoever else adds to it or takes it away meanwhile.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / LOG
    with adding_to(path, root, alone=False) as handle:
        append_whole(path, handle, lines)


def take_lines(folder: Path) -> bytes:
    """Return the lines that are to be merged, which stand apart from the log from now on; nothing where there are none.

    What was taken before, by somebody who did not come to the end, is returned again until `drop_taken`. Raises
    WorkspaceError, ConflictError.
    """
    taken, path = folder / TAKEN, folder / LOG
    try:
        if not taken.exists() and path.exists():
            with held(path, alone=True):
                path.rename(taken)
        return read_log(taken)
    except OSError as error:
        raise WorkspaceError(f"cannot take {path}: {error.strerror or error}") from error


def waiting_lines(folder: Path, *, taken: bool = True) -> bytes:
    """Return the lines that are not merged yet, and take none; those that were taken before too, where `taken`.

    Raises WorkspaceError.
    """
    try:
        return (read_log(folder / TAKEN) if taken else b"") + b"\n" + read_log(folder / LOG)
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / LOG}: {error.strerror or error}") from error


def drop_taken(folder: Path) -> None:
    """Remove the lines that were taken, then the plan. Raises WorkspaceError."""
    for name in (TAKEN, PLAN):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot remove {folder / name}: {error.strerror or error}") from error


def read_plan(folder: Path) -> bytes | None:
    """Return the plan that somebody did not carry out to the end; None where there is none. Raises WorkspaceError."""
    return log_said(folder / PLAN) or None
