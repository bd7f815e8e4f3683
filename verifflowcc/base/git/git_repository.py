"""The repository around a folder."""

import os

# Where a repository keeps for a project what all of its worktrees share, found without git and with few looks.
#
# That is a folder of its own in `.git`: a clone cannot bring it, and it outlasts the worktree that wrote to it. It
# runs inside of hooks, so it imports nothing but `os`.

FOLDER = "vfcc"


_KIND, _PLAIN, _DIRECTORY = 0o170000, 0o100000, 0o040000


def is_top(folder: str) -> bool:
    """Whether git takes a folder for the top of a repository.

    Git passes over a `.git` without HEAD: sandboxes of agents leave an empty one in the folder for temporary files.
    """
    git = f"{folder}/.git"
    return os.path.isfile(git) or os.path.lexists(f"{git}/HEAD")  # noqa: PTH113 - nothing but `os` is imported here


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
    while not is_top(top):
        if top in ("", "/"):
            return None
        top = top.rpartition("/")[0]
    try:
        kind = os.lstat(f"{top}/.git").st_mode & _KIND
    except OSError:  # gone since
        return None
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
