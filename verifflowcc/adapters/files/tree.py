"""Find the files that a pattern names, each with one stat, in an order that no file system decides.

Links are followed only while they stay inside the project. What cannot be read as memory (a link that leaves the
project, a file too large, a device) is returned as a problem with the file, never passed over.
"""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from verifflowcc.adapters.stamps import Stamps, as_in_git, as_on_disk
from verifflowcc.records import dataclass, field

LARGEST_FILE_BYTES = 1024 * 1024
"""A memory file larger than this is not read: it would be a quarter of a million tokens."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file: its path relative to the project's root, its stat signature, or why it cannot be read.

    `signature` changes whenever the content may have; `touched_ns` is the later of the file's times.
    """

    path: str
    signature: str = ""
    touched_ns: int = 0
    problem: str | None = None


@dataclass(slots=True)
class Tree:
    """The files of one project, each folder listed and each file stat'ed at most once."""

    root: Path
    stamps: Stamps = field(init=False)
    _listed: dict[str, tuple[tuple[str, os.DirEntry[str]], ...]] = field(default_factory=dict)
    _found: dict[str, Found | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stamps = Stamps(self.root)

    def find(self, folder: str, pattern: str) -> tuple[Found, ...]:
        """Return the files under `folder` that match `pattern`, sorted by path.

        `*` and `?` stay within one name and do not match a leading dot; `**` spans folders.
        """
        segments = tuple(part for part in pattern.split("/") if part not in ("", "."))
        paths = sorted(set(self._match(folder, segments)))
        found = (self._file(path) for path in paths)
        return tuple(file for file in found if file is not None)

    def folders(self, folder: str) -> tuple[str, ...]:
        """Return the folders in `folder`, links left out, sorted by path."""
        entries = self._entries(folder)
        return tuple(sorted(_join(folder, name) for name, entry in entries if entry.is_dir(follow_symlinks=False)))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file that `find` returned."""
        return (self.root / as_on_disk(path)).read_bytes()

    def _match(self, folder: str, segments: tuple[str, ...]) -> Iterator[str]:
        if not segments:
            return
        head, rest = segments[0], segments[1:]
        if head == "**":
            yield from self._match(folder, rest or ("*",))
            for name, entry in self._entries(folder):
                if entry.is_dir(follow_symlinks=False) and not name.startswith("."):
                    yield from self._match(_join(folder, name), segments)
        elif not rest:
            yield from (_join(folder, name) for name in self._names(folder, head))
        else:
            for name in self._names(folder, head):
                if self._is_folder(_join(folder, name)):
                    yield from self._match(_join(folder, name), rest)

    def _names(self, folder: str, segment: str) -> Iterator[str]:
        if not any(character in segment for character in "*?["):
            yield segment
            return
        match = _segment_regex(segment).fullmatch
        dotted = segment.startswith(".")
        for name, _ in self._entries(folder):
            if match(name) and (dotted or not name.startswith(".")):
                yield name

    def _entries(self, folder: str) -> tuple[tuple[str, os.DirEntry[str]], ...]:
        if folder not in self._listed:
            self.stamps.take([folder or "."])
            try:
                with os.scandir(self.root / as_on_disk(folder)) as entries:
                    self._listed[folder] = tuple((as_in_git(entry.name), entry) for entry in entries)
            except (FileNotFoundError, NotADirectoryError):
                self._listed[folder] = ()
        return self._listed[folder]

    def _is_folder(self, path: str) -> bool:
        self.stamps.take([path])
        try:
            full = f"{self.root}/{as_on_disk(path)}"
            return S_ISDIR(os.stat(full).st_mode)  # noqa: PTH116 - a Path per file is too slow at 10,000
        except OSError:
            return False

    def _file(self, path: str) -> Found | None:
        if path not in self._found:
            self._found[path] = self._look(path)
        return self._found[path]

    def _look(self, path: str) -> Found | None:
        full = f"{self.root}/{as_on_disk(path)}"
        try:
            stat = os.stat(full)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            self.stamps.take([path])
            return Found(path, problem="is a broken link") if os.path.islink(full) else None  # noqa: PTH114
        except OSError as error:
            self.stamps.take([path])
            return Found(path, problem=f"cannot be read: {error.strerror}")
        signature = self.stamps.note(path, stat)
        if S_ISDIR(stat.st_mode):
            return None
        if not S_ISREG(stat.st_mode):
            return Found(path, problem="is not an ordinary file")
        if not _is_text(path):
            return Found(path, problem="has a name that is not UTF-8")
        if not self._inside(full):
            return Found(path, problem="is a link that leaves the project")
        if stat.st_size > LARGEST_FILE_BYTES:
            size = f"{stat.st_size / 1_048_576:,.1f} MiB"
            return Found(path, problem=f"has {size}; a memory file may have {LARGEST_FILE_BYTES // 1_048_576} MiB")
        return Found(path, signature, max(stat.st_mtime_ns, stat.st_ctime_ns))

    def _inside(self, full: str) -> bool:
        """Whether the file is in the project once every link on the way is followed; folders are resolved once."""
        folder = full.rpartition("/")[0]
        real_root = _real(str(self.root))
        real = os.path.realpath(full) if os.path.islink(full) else _real(folder) + "/"  # noqa: PTH114
        return real.startswith(real_root.rstrip("/") + "/")


def names(pattern: str, name: str) -> bool:
    """Whether `pattern` matches a file of that name in the very folder that the pattern is for.

    >>> names("*.json", "progress.json"), names("**", "progress.json"), names("events/*.json", "progress.json")
    (True, True, False)
    """
    parts = [part for part in pattern.split("/") if part != "**"] or ["*"]
    return len(parts) == 1 and _segment_regex(parts[0]).fullmatch(name) is not None


def _is_text(path: str) -> bool:
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=4096)
def _real(folder: str) -> str:
    return os.path.realpath(folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


@lru_cache(maxsize=256)
def _segment_regex(segment: str) -> re.Pattern[str]:
    import fnmatch

    return re.compile(fnmatch.translate(segment))
