"""When this clone last made summaries, and which items stay as they are: local, ignored by git, and may be deleted."""

import json
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.records import dataclass

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
