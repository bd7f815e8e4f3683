"""What git answered about a repository, kept.

It is apart from `git_identity.py`, so that a hook which finds an answer here imports nothing that starts git.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.files.layout import Stamps, settled
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.git.git_repository import is_top

# Which repository this is, as git answered, in `local/repository.json`, while nothing that it follows from moved.
#
# For a plain repository alone: a folder `.git` with HEAD, refs and settings in it. Beside it stand the stamps of all
# that git would read to answer; they hold the time at which each file became what it is on this very disk, which a
# file that somebody committed cannot know. Derived and deletable: what does not fit, or is damaged, counts as absent.

IDENTITY_KEPT_FILE = "repository.json"


_IDENTITY_KEPT_FILE = DerivedFile(
    IDENTITY_KEPT_FILE, 1, keyed_by="the user; stamps of what git reads", largest_bytes=64 * 1024
)


_READ_BY_GIT = (
    "HEAD",
    "packed-refs",
    "config",
    "config.worktree",
    "shallow",
    "reftable/tables.list",
    "info/grafts",
    "commondir",
)


_SETTINGS = ("GIT_CONFIG", "GIT_TEST", "GIT_CEILING", "GIT_DISCOVERY")


GitAnswers = tuple[str, str | None, str]
"""A repository's name, its first commit, and the folder in it that the project is."""


def stamps_of_repository(root: Path) -> Stamps | None:
    """Take the stamps of what says which repository the project in `root` is of; None where it is no plain one."""
    if any(name.startswith(_SETTINGS) for name in os.environ):
        return None
    here = root.resolve()
    stamps = Stamps(here)
    for folder in (here, *here.parents):
        # HEAD too: a folder `.git` without it is passed over until it has one
        stamps.take((os.fspath(folder / ".git"), os.fspath(folder / ".git" / "HEAD")))
        if is_top(os.fspath(folder)):
            break
    else:
        return None
    git = folder / ".git"
    if not git.is_dir() or git.is_symlink() or _includes_others(git):
        return None
    stamps.take(os.fspath(git / name) for name in (*_READ_BY_GIT, *_ref_of(git)))
    stamps.take(_settings())
    return None if stamps.by_path[os.fspath(git / "commondir")] else stamps


def recall_repository(root: Path, local: Path) -> GitAnswers | None:
    """Return what was remembered of the project in `root` where all stamps are the same; None else."""
    now = stamps_of_repository(root)
    if now is None:
        return None
    kept = _IDENTITY_KEPT_FILE.read(local / IDENTITY_KEPT_FILE, _user())
    if kept is None or kept[0] != now.by_path:
        return None
    name, first, folder = kept[1]
    return (name, first, folder)


def remember_repository(local: Path, before: Stamps, answers: GitAnswers) -> None:
    """Remember what git answered; `before` are the stamps taken before. What cannot be written is not kept."""
    if settled(before.touched_ns):
        _IDENTITY_KEPT_FILE.write(local / IDENTITY_KEPT_FILE, [before.by_path, answers], _user())


def _ref_of(git: Path) -> Iterator[str]:
    """The file of the branch that HEAD names, below `.git`."""
    try:
        result = (git / "HEAD").read_bytes()[:1_000]
    except OSError:
        return
    if result.startswith(b"ref: "):
        yield os.fsdecode(result[5:].strip())


def _includes_others(git: Path) -> bool:
    """Say whether the repository's settings are in other files too."""
    try:
        return b"[include" in (git / "config").read_bytes().lower()
    except OSError:
        return True


def _settings() -> Iterator[str]:
    """The files of git's settings outside of the repository."""
    home = os.environ.get("HOME", "")
    below = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    yield from (f"{home}/.gitconfig", f"{below}/git/config", "/etc/gitconfig")


def _user() -> int:
    return getattr(os, "geteuid", int)()
