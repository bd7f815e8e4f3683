"""Where the repository around a folder is, found without git: its top, its own folder, and what pretends to be one."""

import os
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_repository import is_top


def in_repository(root: Path) -> bool:
    """Say whether `root` lies in a git repository's working tree, without asking git."""
    return top_of(root) is not None


def top_of(root: Path) -> Path | None:
    """Return the nearest folder, `root` or above it, that git takes for the top of a repository; None without one."""
    return next((folder for folder in _upwards(root) if is_top(os.fspath(folder))), None)


def git_folder(root: Path) -> Path | None:
    """Return where git keeps the index and HEAD of the repository around `root`: for a linked worktree its own folder.

    None where there is none, or what `.git` says cannot be read.
    """
    top = top_of(root)
    if top is None or (top / ".git").is_dir():
        return top and top / ".git"
    return _named_in(top / ".git", b"gitdir: ", top)


def common_folder(root: Path) -> Path | None:
    """Return what all worktrees of the repository around `root` share; None as in `git_folder`."""
    folder = git_folder(root)
    if folder is None:
        return None
    return _named_in(folder / "commondir", b"", folder) if (folder / "commondir").exists() else folder


def objects_folder(root: Path) -> Path | None:
    """Return where git keeps the objects of the repository around `root`; None as in `git_folder`."""
    common = common_folder(root)
    return common and common / "objects"


def refuse_embedded(folder: Path) -> None:
    """Raise WorkspaceError where git, started in `folder`, would meet a bare repository before any `.git`.

    A clone can bring such a folder, with settings that name programs; git itself knows to leave it alone since 2.38,
    and only where `safe.bareRepository` asks for it.
    """
    for here in _upwards(folder):
        inside = f"{here}{os.sep}"
        if is_top(os.fspath(here)):
            return
        if os.path.lexists(f"{inside}HEAD") and any(os.path.lexists(inside + name) for name in ("refs", "commondir")):
            raise WorkspaceError(
                f"{here} is laid out as a bare git repository; git is not run in it, since its settings could name"
                " programs",
                hint=f"git --git-dir={here} config --list",
            )


def _upwards(folder: Path) -> Iterator[Path]:
    here = folder.resolve()
    yield here
    yield from here.parents


def _named_in(file: Path, mark: bytes, folder: Path) -> Path | None:
    """Return the path that a file of git's holds after a mark, which may be relative to `folder`."""
    try:
        text = file.read_bytes()[:10_000]
    except OSError:
        return None
    return folder / os.fsdecode(text.removeprefix(mark).rstrip(b"\r\n")) if text.startswith(mark) else None
