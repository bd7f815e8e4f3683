"""A git repository inside the project: a submodule, or a clone that lies there. Its commit stands for its files."""

import hashlib
from pathlib import Path

from verifflowcc.adapters.git.work_tree import status_lines
from verifflowcc.adapters.project.digests import KnownDigests
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.errors import WorkspaceError


def digest_nested(root: Path, name: str) -> str | None:
    """Return a digest of the commit that is checked out there, and of every file that differs from it.

    None where there is no repository: a submodule that is not fetched holds nothing. Raises WorkspaceError where git
    cannot tell.
    """
    folder = Path(on_disk(root, name).decode("utf-8", "surrogateescape"))
    if not (folder / ".git").exists():
        return None
    try:
        commit, lines = status_lines(folder)
    except WorkspaceError as error:
        hint = f"git -C {name} status"
        raise WorkspaceError(f"git cannot tell the state of {name}: {error.message}", hint=hint) from error
    whole = hashlib.sha256(f"commit:{commit}\n".encode())
    for line, changed in sorted(lines):
        path = shown_name(changed)
        whole.update(line[:1] + path.encode() + b"\0" + _content(folder, path).encode() + b"\n")
    return "sha256:" + whole.hexdigest()


def _content(folder: Path, path: str) -> str:
    try:
        return KnownDigests(None).digest(path, on_disk(folder, path)) or "gone"
    except IsADirectoryError:
        return digest_nested(folder, path) or "nothing"
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / path}: {error.strerror or error}") from error
