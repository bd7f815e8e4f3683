"""The folder of the person's memory is for that person alone: folders 0700, files 0600, whatever the umask allows."""

import os
from _thread import allocate_lock  # threading costs a hook more than the lock does
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE

from verifflowcc.base.errors import WorkspaceError

# Where a person's own memory and settings lie, outside of every project.

USER = "user"
"""The folder of the user scope, below `user_home()`; paths of its items begin with it."""


def user_home(env: Mapping[str, str] = os.environ) -> Path:
    """Return `$XDG_DATA_HOME/vfcc` (`~/.local/share/vfcc`). Raises WorkspaceError where there is no home."""
    return _base(env, "XDG_DATA_HOME", ".local/share") / "vfcc"


def user_settings_file(env: Mapping[str, str] = os.environ) -> Path:
    """Return `$XDG_CONFIG_HOME/vfcc/config.yaml` (`~/.config/…`). Raises WorkspaceError where there is no home."""
    return _base(env, "XDG_CONFIG_HOME", ".config") / "vfcc" / "config.yaml"


def _base(env: Mapping[str, str], variable: str, below_home: str) -> Path:
    """A relative path in an XDG variable is to be ignored, as the specification says."""
    given = env.get(variable, "")
    if given.startswith("/"):
        return Path(given)
    home = env.get("HOME", "")
    if home.startswith("/"):
        return Path(home) / below_home
    try:
        return Path.home() / below_home
    except RuntimeError as error:
        raise WorkspaceError("the user's memory has no home folder", hint=f"export {variable}=/path") from error


OTHERS = 0o077
"""The permissions of the group and of all others."""


@contextmanager
def private_if_own(path: Path) -> Iterator[None]:
    """Create folders and files without permissions for others inside, where `path` is in the person's folder."""
    if not _is_own(path):
        yield
        return
    _MASK.enter()
    try:
        yield
    finally:
        _MASK.leave()


class _PrivateMask:
    """The umask of the process while any thread is inside: the first one sets it, the last one restores it.

    SQLite and pathlib make files and parent folders whose modes cannot be given to them. Threads that each restored
    what they found would leave the umask set for good where they overlap.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._inside = 0
        self._before = 0

    def enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = os.umask(OTHERS)
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                os.umask(self._before)

    def read(self) -> int:
        with self._lock:
            mask = os.umask(OTHERS)
            os.umask(mask)
        return mask


_MASK = _PrivateMask()


def current_umask() -> int:
    """Return the umask, which can only be read by setting it."""
    return _MASK.read()


def open_to_others() -> Path | None:
    """Return the person's folder where others on this machine can read it; None where they cannot, or it is not there.

    The folder decides alone: nobody reaches what is below one that they cannot enter.
    """
    try:
        home = user_home()
        return home if S_IMODE(home.stat().st_mode) & OTHERS else None
    except (OSError, WorkspaceError):
        return None


def close_to_others(home: Path) -> int:
    """Take the permissions of others from a folder and all that is in it; return how many entries had some.

    What cannot be changed is left as it is: links, and entries of another owner.
    """
    closed = 0
    for folder, _, names in os.walk(home):
        for path in (folder, *(os.path.join(folder, name) for name in names)):  # noqa: PTH118 - one string for each file
            closed += _closed(path)
    return closed


def _closed(path: str) -> bool:
    try:
        if os.path.islink(path):  # noqa: PTH114
            return False
        mode = S_IMODE(os.stat(path).st_mode)  # noqa: PTH116
        if not mode & OTHERS:
            return False
        os.chmod(path, mode & ~OTHERS)  # noqa: PTH101
    except OSError:
        return False
    return True


def _is_own(path: Path) -> bool:
    try:
        return path.is_relative_to(user_home())
    except WorkspaceError:
        return False
