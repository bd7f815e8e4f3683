"""Which files a project has, as one listing that can be compared with the last one, and their stamps.

In git these are the files that git has or would add; elsewhere all files. Links are not followed, repositories inside
are left out. Git is asked at once and answers while other things are done.
"""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from verifflowcc.adapters.files import layout as stamps
from verifflowcc.adapters.git.command import start_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.errors import WorkspaceError

if TYPE_CHECKING:
    import subprocess

YOUNG = "?"
"""The stamp of a file that was touched so lately that its stamp tells nothing."""


class Listing:
    """A listing under way: made when the work begins, read when its answer is needed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None
        if in_repository(root):
            # SQLite's files come and go in `.memory/`, which need not be ignored
            self._process = start_git(
                root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", ":(exclude).memory"
            )

    def read(self) -> bytes:
        """Return the names of all files below the root, each with a NUL after it; the order says nothing.

        Raises WorkspaceError where git cannot tell, or a folder cannot be read.
        """
        if self._process is not None:
            out, err = self._process.communicate()
            if out and not self._process.returncode:
                return out
            said = err.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
            if self._process.returncode and "not a git repository" not in said:
                raise WorkspaceError(f"git cannot list the files of {self._root}: {said}", hint="git status")
        from verifflowcc.adapters.project.content import is_ignored, walk

        if self._process is not None and not self._process.returncode and not is_ignored(self._root):
            return b""
        return b"".join(name + b"\0" for name in walk(os.fsencode(self._root), nested=False))

    def drop(self) -> None:
        """Ask no more, where the answer is not needed."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


_BEGUN: dict[Path, Listing] = {}


def begin(root: Path) -> None:
    """Ask for the listing of a project that somebody in this process is about to read, while other things are done."""
    before, _BEGUN[root] = _BEGUN.get(root), Listing(root)
    if before is not None:
        before.drop()  # nobody read it, and the files may have changed


def begun(root: Path) -> Listing:
    """Return the listing that was begun, to the first who asks; else a new one."""
    return _BEGUN.pop(root, None) or Listing(root)


def names_in(listing: bytes) -> list[bytes]:
    """Return the names of the files in a listing, sorted, each once; not what belongs to tools, or to `.memory/`."""
    from verifflowcc.adapters.files.write import shown_name
    from verifflowcc.adapters.project.content import belongs

    names = {name for name in listing.split(b"\0") if name and not name.endswith(b"/")}
    return sorted([name for name in names if belongs(shown_name(name))], key=shown_name)


def stamps_of(root: Path, names: Sequence[bytes]) -> list[str]:
    """Return the stamp of each file: empty where no file is, `YOUNG` where it may change under the same one."""
    trusted_ns = time.time_ns() - stamps.SETTLED_AFTER_NS
    taken = []
    for found in _looked_at(root, names):
        if found is None:
            taken.append("")
            continue
        changed, touched = found.st_mtime_ns, found.st_ctime_ns
        if not S_ISREG(found.st_mode):
            taken.append("")
        elif changed >= trusted_ns or touched >= trusted_ns:
            taken.append(YOUNG)
        else:
            taken.append(f"{changed}.{touched}.{found.st_size}.{found.st_ino}")
    return taken


def _looked_at(root: Path, names: Sequence[bytes]) -> Iterator[os.stat_result | None]:
    """Yield what the system says of each file; the way to the root is gone but once."""
    lstat = os.lstat
    if os.stat not in os.supports_dir_fd:
        yield from _looked_at_from_far(os.path.join(os.fsencode(root), b""), names)  # noqa: PTH118 - names are bytes
        return
    top = os.open(root, os.O_RDONLY)
    try:
        for name in names:
            try:
                yield lstat(name, dir_fd=top)
            except OSError:
                yield None
    finally:
        os.close(top)


def _looked_at_from_far(top: bytes, names: Sequence[bytes]) -> Iterator[os.stat_result | None]:
    for name in names:
        try:
            yield os.lstat(top + name)
        except OSError:
            yield None
