"""Paths as people type them, told from the project's root."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifflowcc.services.workspace import Workspace


def from_root(workspace: "Workspace | None", file: str) -> str:
    """Return the path of a file from the project's root; it may be given from there, from this folder, or whole."""
    if workspace is None or not file:
        return file
    here = Path.cwd() / file
    root = workspace.root.resolve()
    if here.exists() and (there := here.resolve()).is_relative_to(root):
        return there.relative_to(root).as_posix()
    return file
