"""A git repository inside the project: a submodule, or a clone that lies there. Its commit stands for its files."""

import hashlib
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
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
    said = ask_git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--no-renames", "-z")
    if said.code:
        raise WorkspaceError(f"git cannot tell the state of {name}: {said.first_line}", hint=f"git -C {name} status")
    lines = [line for line in said.out.split(b"\0") if line]
    commit = next((line for line in lines if line.startswith(b"# branch.oid ")), b"# branch.oid none")
    whole = hashlib.sha256(b"commit:" + commit.removeprefix(b"# branch.oid ") + b"\n")
    for line in sorted(line for line in lines if not line.startswith(b"# ")):
        path = shown_name(line.split(b" ", _FIELDS.get(line[:1], 1))[-1])
        whole.update(line[:1] + path.encode() + b"\0" + _content(folder, path).encode() + b"\n")
    return "sha256:" + whole.hexdigest()


_FIELDS = {b"1": 8, b"u": 10, b"?": 1}
"""How many fields stand before the path in each kind of line."""


def _content(folder: Path, path: str) -> str:
    try:
        return KnownDigests(None).digest(path, on_disk(folder, path)) or "gone"
    except IsADirectoryError:
        return digest_nested(folder, path) or "nothing"
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / path}: {error.strerror or error}") from error
