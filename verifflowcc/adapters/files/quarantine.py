"""Move files of `.memory/` out of the way, below `local/quarantine/<day>/`, each with its path and its bytes."""

from pathlib import Path

from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.write import sync_folder
from verifflowcc.errors import WorkspaceError


def quarantine(memory: Path, path: str, day: str) -> str:
    """Move a file and return its new path; both are relative to `memory`.

    What was moved before under the same name stays. Raises WorkspaceError where it cannot be moved.
    """
    source = memory / path
    check_inside(source.parent, memory)
    place, number = f"local/quarantine/{day}/{path}", 1
    while (memory / place).exists() or (memory / place).is_symlink():
        number += 1
        place = f"local/quarantine/{day}-{number}/{path}"
    target = memory / place
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        check_inside(target.parent, memory)
        source.rename(target)
        sync_folder(target.parent)
        sync_folder(source.parent)
    except OSError as error:
        raise WorkspaceError(f"cannot move {source}: {error.strerror or error}") from error
    return place
