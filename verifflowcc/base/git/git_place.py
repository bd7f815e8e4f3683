"""Where the repository around a folder is, found without git: its top, its own folder, and what pretends to be one."""

import os
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError

# Where a repository keeps for a project what all of its worktrees share, found without git and with few looks.
#
# That is a folder of its own in `.git`: a clone cannot bring it, and it outlasts the worktree that wrote to it. It
# runs inside of hooks, so it imports nothing but `os`.

FOLDER = "vfcc"
_KIND, _PLAIN, _DIRECTORY = 0o170000, 0o100000, 0o040000
_LARGEST_BYTES = 10_000


class Repository:
    """The repository around a project.

    `git` is the folder that its worktrees share, `worktree` the name that git gave the linked one (empty: the main
    one), `top` the top of this worktree, and `below` the project's path in it.
    """

    __slots__ = ("below", "git", "top", "worktree")

    def __init__(self, git: str, worktree: str, top: str, below: str) -> None:
        self.git, self.worktree, self.top, self.below = git, worktree, top, below

    @property
    def folder(self) -> str:
        """The folder of this project in `.git`; a repository may hold several projects."""
        name = self.below.replace("%", "%25").replace("/", "%2F")
        return f"{self.git}/{FOLDER}/{name}" if name else f"{self.git}/{FOLDER}"

    @property
    def main(self) -> str:
        """The project's folder in the main worktree; empty where the repository is a bare one."""
        top, _, name = self.git.rpartition("/")
        return "" if name != ".git" else f"{top}/{self.below}".rstrip("/")


def repository_around(root: str) -> "Repository | None":
    """Return the repository around a project; None without one, and where that is in doubt.

    A `.git` that points elsewhere counts only where git's own folder points back: an unpacked archive can hold a `.git`
    that names any repository of this machine, and would get what a person allowed there.
    """
    here = os.path.realpath(root)
    top = here
    while True:
        try:
            kind = os.lstat(f"{top}/.git").st_mode & _KIND
            break
        except OSError:
            if top in ("", "/"):
                return None
            top = top.rpartition("/")[0]
    below = here[len(top) :].strip("/")
    if kind == _DIRECTORY:
        git = f"{top}/.git"
        is_plain = os.path.lexists(f"{git}/HEAD") and not os.path.lexists(f"{git}/commondir")
        return Repository(git, "", top, below) if is_plain else None
    found = _linked(top) if kind == _PLAIN else None
    return found and Repository(*found, top, below)


def worktree_tops(around: Repository) -> "list[str]":
    """Return the folders of this project in all worktrees that git lists, as far as they are there."""
    listed = f"{around.git}/worktrees"
    try:
        names = sorted(os.listdir(listed))  # noqa: PTH208 - nothing but `os` is imported here
    except OSError:
        names = []
    tops = [_named(f"{listed}/{name}/gitdir", "", f"{listed}/{name}").rpartition("/")[0] for name in names]
    found = [f"{top}/{around.below}".rstrip("/") for top in tops if top]
    return [each for each in dict.fromkeys((around.main, *found)) if each]


def _linked(top: str) -> "tuple[str, str] | None":
    """Return the folder that a linked worktree shares with others, and its name; None where it is no linked one."""
    private = _named(f"{top}/.git", "gitdir: ", top)
    common = private and _named(f"{private}/commondir", "", private)
    if not private or not common:
        return None
    points_back = _named(f"{private}/gitdir", "", private) == f"{top}/.git"
    listed, _, name = private.rpartition("/")
    return (common, name) if points_back and listed == f"{common}/worktrees" else None


def _named(file: str, mark: str, folder: str) -> str:
    """Return the path that a file of git's holds after a mark, whole and without links; empty where it holds none."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            text = os.fsdecode(os.read(handle, _LARGEST_BYTES))
        finally:
            os.close(handle)
    except OSError:
        return ""
    path = text.removeprefix(mark).rstrip("\r\n") if text.startswith(mark) else ""
    if not path or "\0" in path:
        return ""
    return os.path.realpath(os.path.join(folder, path))  # noqa: PTH118 - nothing but `os` is imported here


def in_repository(root: Path) -> bool:
    """Say whether `root` lies in a git repository's working tree, without asking git."""
    return top_of(root) is not None


def top_of(root: Path) -> Path | None:
    """Return the nearest folder, `root` or above it, that holds `.git`; None where there is none."""
    return next((folder for folder in _upwards(root) if (folder / ".git").exists()), None)


def git_folder(root: Path) -> Path | None:
    """Return where git keeps the index and HEAD of the repository around `root`: for a linked worktree its own folder.

    None where there is none, or what `.git` says cannot be read.
    """
    top = top_of(root)
    if top is None or (top / ".git").is_dir():
        return top and top / ".git"
    return _named_in(top / ".git", b"gitdir: ", top)


def objects_folder(root: Path) -> Path | None:
    """Return where git keeps the objects of the repository around `root`; None as in `git_folder`."""
    folder = git_folder(root)
    if folder is None:
        return None
    common = _named_in(folder / "commondir", b"", folder) if (folder / "commondir").exists() else folder
    return common and common / "objects"


def refuse_embedded(folder: Path) -> None:
    """Raise WorkspaceError where git, started in `folder`, would meet a bare repository before any `.git`.

    A clone can bring such a folder, with settings that name programs; git itself knows to leave it alone since 2.38,
    and only where `safe.bareRepository` asks for it.
    """
    for here in _upwards(folder):
        inside = f"{here}{os.sep}"
        if os.path.isfile(f"{inside}.git") or os.path.lexists(f"{inside}.git/HEAD"):  # noqa: PTH113 - called often
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
