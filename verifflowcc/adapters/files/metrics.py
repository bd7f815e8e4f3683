"""The log of metrics: `metrics.jsonl` in a local folder, to which whole lines are added by whoever counts something.

It is local, ignored by git, and may be deleted: the counters then begin again. Each time that it has grown by so many
bytes, what is older than today is summed in it.
"""

import os
from collections.abc import Callable
from pathlib import Path

from verifflowcc.adapters.files.log_file import adding_to, append_whole, held, log_said, read_log
from verifflowcc.errors import ConflictError, WorkspaceError

LOG = "metrics.jsonl"
GROWN_BYTES = 1 << 20
"""The log is summed when its size passes a multiple of this."""


def add_metrics(folder: Path, root: Path, lines: bytes, today: str) -> None:
    """Add whole lines to the log in `folder`, in one write, whoever else adds to it meanwhile; `today` is an ISO day.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / LOG
    with adding_to(path, root, alone=False) as handle:
        has_grown = _added(path, handle, lines)
    if has_grown:
        _sum_up(path, today)


def _added(path: Path, handle: int, lines: bytes) -> bool:
    """Add whole lines; return whether the log has passed a multiple of `GROWN_BYTES` with them."""
    append_whole(path, handle, lines)
    ends = os.lseek(handle, 0, os.SEEK_CUR)
    return ends // GROWN_BYTES > (ends - len(lines)) // GROWN_BYTES


def _sum_up(path: Path, today: str) -> None:
    """Put the sums in the place of older lines, with all who add kept out.

    They open the log anew when they find another file in its place, so that no line of theirs is lost with this one.
    Where it cannot be done (others hold it for too long, no space) it is done when it has grown again: what was to be
    counted is in it already, and nothing but space is lost by that.
    """
    from verifflowcc.adapters.files.write import write_atomic
    from verifflowcc.formats.metric_days import sum_days

    try:
        with held(path, alone=True):
            data = read_log(path)
            summed = sum_days(data, today)
            if len(summed) < len(data):
                write_atomic(path, summed)
    except (OSError, WorkspaceError, ConflictError):
        return


def read_metrics_log(folder: Path) -> bytes:
    """Return all lines of the log; nothing where there is none. Raises WorkspaceError."""
    return log_said(folder / LOG)


def add_after_reading(folder: Path, root: Path, decide: Callable[[bytes], bytes], today: str) -> None:
    """Add what `decide` makes of all that the log says, while nobody else may read or add; `today` is an ISO day.

    So what several processes together may spend is never more than one of them could. Raises as `add_metrics` does,
    and what `decide` raises; then nothing was added.
    """
    path = folder / LOG
    with adding_to(path, root, alone=True) as handle:
        has_grown = _added(path, handle, decide(read_log(path)))
    if has_grown:
        _sum_up(path, today)
