"""The log of metrics: `metrics.jsonl` in a local folder, to which whole lines are added by whoever counts something.

It is local, ignored by git, and may be deleted: the counters then begin again. Each time that it has grown by so many
bytes, what is older than today is summed in it.
"""

from collections.abc import Callable
from pathlib import Path

from verifflowcc.adapters.files.lock import adding_to, has_passed, log_said, make_smaller, read_log

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
        has_grown = has_passed(path, handle, lines, GROWN_BYTES)
    if has_grown:
        _sum_up(path, today)


def _sum_up(path: Path, today: str) -> None:
    """Put the sums in the place of older lines.

    What was to be counted is in the log already: where it cannot be done, nothing but space is lost by that.
    """
    from verifflowcc.formats.metric_days import sum_days

    make_smaller(path, lambda data: sum_days(data, today))


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
        has_grown = has_passed(path, handle, decide(read_log(path)), GROWN_BYTES)
    if has_grown:
        _sum_up(path, today)
