"""A report that a person or a CI job hands over, and whether it can speak of the files that lie here."""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.adapters.files.write import on_disk
from verifflowcc.errors import FormatError, UsageError

LARGEST_REPORT_BYTES = 64 * 1024 * 1024
_SLACK_S = 60


def read_report(path: Path) -> bytes:
    """Return the bytes of the report.

    Raises UsageError where there is no ordinary file that can be read, FormatError where it is empty or larger than
    64 MiB.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path} is no ordinary file")
        with path.open("rb") as file:
            data = file.read(LARGEST_REPORT_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    if not data.strip():
        raise FormatError(f"{path} is empty", hint="make the report again, then add it again")
    if len(data) > LARGEST_REPORT_BYTES:
        raise FormatError(f"{path} is larger than {LARGEST_REPORT_BYTES // 1_048_576} MiB")
    return data


def is_from_the_future(report: Path) -> bool:
    """Say whether a report's date is still to come; a minute is left for clocks of other machines."""
    return report.stat().st_mtime > time.time() + _SLACK_S


def newest_after(root: Path, report: Path, names: Iterable[str]) -> str | None:
    """Return the name of the newest of the files (relative to `root`) that were written after `report`, if any was."""
    made = report.stat().st_mtime_ns
    times = {name: _time(root, name) for name in names}
    newest = max(sorted(times), key=times.__getitem__, default=None)
    return newest if newest is not None and times[newest] > made else None


def _time(root: Path, name: str) -> int:
    try:
        return os.lstat(on_disk(root, name)).st_mtime_ns
    except OSError:
        return 0
