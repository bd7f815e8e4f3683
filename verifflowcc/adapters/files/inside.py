"""Nothing of a memory tree lies outside of it, whatever a link says."""

from pathlib import Path

from verifflowcc.errors import WorkspaceError


def check_inside(path: Path, memory: Path) -> None:
    """Raise WorkspaceError where `path`, with all links followed, is not below the folder `memory`."""
    if not path.resolve().is_relative_to(memory.resolve()):
        raise WorkspaceError(f"{path} is a link that leaves {memory}", hint=f"replace {path} by what it should hold")
