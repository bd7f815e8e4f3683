"""Stamps of files and folders: what changes when a file's content may have, or when a name comes or goes in a folder.

One stat each. A stamp is taken before what it speaks of is read, so that a change while reading shows the next time.
"""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.records import dataclass, field

SETTLED_AFTER_NS = 2_000_000_000
"""What was touched less than this before it was read may change again under the same stamp: clocks of file systems tick
slowly. It is not trusted until it has settled."""


_NAMES_ARE_UTF8 = sys.getfilesystemencoding() == "utf-8"


def as_on_disk(path: str) -> str:
    """Return `path` as the system's calls take it: git's names are UTF-8, whatever the locale holds names to be."""
    return path if _NAMES_ARE_UTF8 else os.fsdecode(path.encode("utf-8", "surrogateescape"))


def as_in_git(name: str) -> str:
    """Return a name that the system listed as git has it: the same on every machine."""
    return name if _NAMES_ARE_UTF8 else os.fsencode(name).decode("utf-8", "surrogateescape")


def stamp_of(found: os.stat_result) -> str:
    """Return the stamp of a stat result; `fast/status.py` makes the same form, since it may import nothing."""
    return f"{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_size}.{found.st_ino}"


def stamp(path: Path | str) -> str:
    """Return the stamp of what is at `path`, links followed; empty where there is nothing."""
    try:
        return stamp_of(os.stat(path))  # noqa: PTH116 - a Path per file is too slow at 10,000
    except OSError:
        return ""


def settled(touched_ns: int) -> bool:
    """Whether something touched at `touched_ns` can be trusted by its stamp."""
    return touched_ns + SETTLED_AFTER_NS < time.time_ns()


@dataclass(slots=True)
class Stamps:
    """The stamps of everything that one command looked at, by path below `root` (absolute for what lies elsewhere)."""

    root: Path
    by_path: dict[str, str] = field(default_factory=dict)
    touched_ns: int = 0

    def take(self, paths: Iterable[str]) -> None:
        """Take the stamps of `paths`, unless they were taken before."""
        for path in paths:
            if path not in self.by_path:
                try:
                    self.note(path, os.stat(self.root / as_on_disk(path)))  # noqa: PTH116
                except OSError:
                    self.by_path[path] = ""

    def hold(self) -> bool:
        """Return whether every stamp is still the same."""
        return all(stamp(self.root / as_on_disk(path)) == found for path, found in self.by_path.items())

    def note(self, path: str, found: os.stat_result) -> str:
        """Keep and return the stamp of a stat result that is there already."""
        self.by_path[path] = stamp_of(found)
        self.touched_ns = max(self.touched_ns, found.st_mtime_ns, found.st_ctime_ns)
        return self.by_path[path]
