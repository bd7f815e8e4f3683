"""Temporary files that a killed process left behind: found, and swept away by the next writer.

A temporary file's name tells the process that makes it; it is left over once no such process runs here.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from verifflowcc.adapters.files.write import PREFIX, is_temporary


def leftovers(folders: Iterable[Path], *, deep: bool = True) -> tuple[Path, ...]:
    """Return the temporary files in `folders`, and below them where `deep`, whose process is gone, sorted."""
    return tuple(sorted(path for folder in folders for path in _temporary(folder, deep) if not _is_running(path.name)))


def sweep(folders: Iterable[Path], *, deep: bool = True) -> None:
    """Remove the leftovers in `folders`; one that cannot be removed stays: it does no harm."""
    for path in leftovers(folders, deep=deep):
        try:
            path.unlink(missing_ok=True)
        except OSError:
            continue


def _temporary(folder: Path, deep: bool) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        yield from (Path(place, name) for name in names if is_temporary(name))
        if not deep:
            folders.clear()


def _is_running(name: str) -> bool:
    """Say whether the process that the name tells runs; a name that tells none is from a process long gone."""
    digits = name.removeprefix(PREFIX).partition("-")[0]
    if not (digits.isascii() and digits.isdecimal()) or not 0 < int(digits) < 1 << 31:
        return False
    try:
        os.kill(int(digits), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
