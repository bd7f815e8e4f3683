"""The log of metrics: `metrics.jsonl` in a local folder, to which whole lines are added by whoever counts something.

It is local, ignored by git, and may be deleted: the counters then begin again.
"""

from collections.abc import Callable
from pathlib import Path

from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.log_file import append_whole, held, read_log
from verifflowcc.errors import WorkspaceError

LOG = "metrics.jsonl"


def add_metrics(folder: Path, root: Path, lines: bytes) -> None:
    """Add whole lines to the log in `folder`, in one write, whoever else adds to it meanwhile.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / LOG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_inside(path, root)
        with held(path, alone=False) as handle:
            append_whole(path, handle, lines)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error


def read_metrics_log(folder: Path) -> bytes:
    """Return all lines of the log; nothing where there is none. Raises WorkspaceError."""
    path = folder / LOG
    try:
        return read_log(path)
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error


def add_after_reading(folder: Path, root: Path, decide: Callable[[bytes], bytes]) -> None:
    """Add what `decide` makes of all that the log says, while nobody else may read or add.

    So what several processes together may spend is never more than one of them could. Raises as `add_metrics` does,
    and what `decide` raises; then nothing was added.
    """
    path = folder / LOG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_inside(path, root)
        with held(path, alone=True) as handle:
            lines = decide(read_log(path))
            if lines:
                append_whole(path, handle, lines)
    except OSError as error:
        raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error
