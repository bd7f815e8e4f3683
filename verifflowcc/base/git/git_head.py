"""Which branch a working tree has checked out, read without starting git, and whether it is a linked worktree."""

import os
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.formats.event_payloads import is_branch
from verifflowcc.base.git.git_place import git_folder

# Which sprints were started in this linked git worktree: `.memory/local/sprint`, an id on each line.
#
# The file is local to the worktree and ignored by git; without it, the worktree chooses no sprint.

FILE = "sprint"
_LONGEST_BYTES = 65_536


def started_here(local: Path) -> tuple[str, ...]:
    """Return the ids of the sprints that were started in this worktree, oldest first."""
    try:
        with (local / FILE).open("rb") as file:
            text = file.read(_LONGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def note_started(local: Path, sprint: str) -> None:
    """Add a sprint to those that were started in this worktree. Raises WorkspaceError where that cannot be written."""
    known = started_here(local)
    if sprint not in known:
        write_atomic(local / FILE, "".join(f"{each}\n" for each in (*known, sprint)))


_BRANCH = "ref: refs/heads/"
_IN_REFTABLE = ".invalid"
"""What HEAD holds in place of a branch where refs are kept in a reftable (git 2.45)."""


def current_branch(root: Path) -> str | None:
    """Return the branch that is checked out around `root`; None without git, and where HEAD is detached.

    A name that no event can hold counts as none.
    """
    folder = git_folder(root)
    if folder is None:
        return None
    try:
        head = (folder / "HEAD").read_bytes()[:10_000].decode("utf-8", "replace").strip()
    except OSError:
        return None
    branch = head.removeprefix(_BRANCH) if head.startswith(_BRANCH) else ""
    branch = _asked(root) if branch == _IN_REFTABLE else branch
    return branch if is_branch(branch) else None


def head_files(root: Path) -> tuple[str, ...]:
    """Return the files that change with the branch, relative to `root`; none without git."""
    folder = git_folder(root)
    if folder is None:
        return ()
    here = root.resolve()
    return tuple(os.path.relpath(folder / name, here) for name in ("HEAD", "reftable/tables.list"))


def is_linked_worktree(root: Path) -> bool:
    """Return whether `root` lies in a working tree that `git worktree add` made."""
    folder = git_folder(root)
    return folder is not None and (folder / "commondir").is_file()


def _asked(root: Path) -> str:
    from verifflowcc.base.git.git_command import ask_git  # HEAD in a reftable is rare, and starting git is not cheap

    try:
        done = ask_git(root, "symbolic-ref", "--quiet", "HEAD")
    except WorkspaceError:
        return ""
    name = done.out.decode("utf-8", "replace").strip()
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""
