"""The log of uses: readers add lines, and the merging process takes it away whole.

Beside the log lie what is being merged: the lines that were taken, and the plan of what the items will then say. All of
it is local, ignored by git, and may be deleted; the uses that were not merged yet are lost with it.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.lock import adding_to, append_whole, has_passed, held, log_bytes, make_smaller, read_log
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.records import dataclass

# The log of metrics: whole lines in `metrics.jsonl`, in a local folder.
#
# It is local, ignored by git, and may be deleted: the counters then begin again. Each time that it has grown by so
# many bytes, what is older than today is summed in it.

METRIC_LOG_LOG = "metrics.jsonl"
GROWN_BYTES = 1 << 20
"""The log is summed when its size passes a multiple of this."""


def add_metrics(folder: Path, root: Path, lines: bytes, today: str) -> None:
    """Add whole lines to the log in `folder`, in one write; `today` is an ISO day.

    Other processes may add lines at the same time.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / METRIC_LOG_LOG
    with adding_to(path, root, alone=False) as handle:
        has_grown = has_passed(path, handle, lines, GROWN_BYTES)
    if has_grown:
        _sum_up(path, today)


def _sum_up(path: Path, today: str) -> None:
    """Put the sums in the place of older lines.

    What was to be counted is in the log already: where it cannot be done, nothing but space is lost by that.
    """
    from verifflowcc.memory.rules.metric_lines import sum_days

    make_smaller(path, lambda data: sum_days(data, today))


def read_metrics_log(folder: Path) -> bytes:
    """Return all lines of the log; nothing where there is none. Raises WorkspaceError."""
    return log_bytes(folder / METRIC_LOG_LOG)


def add_after_reading(folder: Path, root: Path, decide: Callable[[bytes], bytes], today: str) -> None:
    """Decide on the whole log under its lock, and add the result.

    `today` is an ISO day.

    So what several processes together may spend is never more than one of them could. Raises as `add_metrics` does,
    and what `decide` raises; then nothing was added.
    """
    path = folder / METRIC_LOG_LOG
    with adding_to(path, root, alone=True) as handle:
        has_grown = has_passed(path, handle, decide(read_log(path)), GROWN_BYTES)
    if has_grown:
        _sum_up(path, today)


# When this clone last made summaries, and which items stay as they are: local, ignored by git, and may be deleted.

NAME = "consolidated.json"


@dataclass(frozen=True, slots=True)
class LastConsolidation:
    """The ISO day of the last one (None before any), and the ids that a person took out of a summary."""

    day: str | None = None
    apart: frozenset[str] = frozenset()


def read_consolidated(folder: Path) -> LastConsolidation:
    """Return what is kept in a folder. Raises WorkspaceError, and FormatError where it cannot be read as that."""
    path = folder / NAME
    try:
        return _kept(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return LastConsolidation()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise FormatError(f"{path}:1: this does not say when items were consolidated", hint=f"rm {path}") from error


def note_consolidated(folder: Path, day: str) -> None:
    """Keep the day on which summaries were made. Raises as `read_consolidated` does."""
    _write(folder, LastConsolidation(day, read_consolidated(folder).apart))


def note_apart(folder: Path, ids: Iterable[str]) -> None:
    """Keep the ids of items that are to go into no summary again. Raises as `read_consolidated` does."""
    kept = read_consolidated(folder)
    if not kept.apart.issuperset(ids := frozenset(ids)):
        _write(folder, LastConsolidation(kept.day, kept.apart | ids))


def _kept(value: object) -> LastConsolidation:
    """Return what a value of JSON says. Raises ValueError where that is nothing of ours."""
    match value:
        case {"day": str() | None as day, "apart": list() as apart} if all(isinstance(each, str) for each in apart):
            return LastConsolidation(day, frozenset(apart))
        case _:
            raise ValueError("a day and ids are expected")


def _write(folder: Path, kept: LastConsolidation) -> None:
    value = {"apart": sorted(kept.apart), "day": kept.day}
    write_atomic(folder / NAME, json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n")


LOG = "access.jsonl"
TAKEN = "access.taken.jsonl"
PLAN = "access.plan.json"


def append_lines(folder: Path, root: Path, lines: bytes) -> None:
    """Add whole lines to the log in `folder`, in one write.

    Other processes may add lines, or take the log away, at the same time.

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
    return log_bytes(folder / PLAN) or None
