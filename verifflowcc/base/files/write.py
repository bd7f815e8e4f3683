"""The one way a file is written: a new file, fsync, rename, fsync the folder. Whole or absent after any crash."""

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Any, NamedTuple

from verifflowcc import __version__
from verifflowcc.base.errors import FileErrors, WorkspaceError
from verifflowcc.base.files.layout import Stamps, as_in_git, as_on_disk, check_inside
from verifflowcc.base.files.private_files import current_umask, private_if_own
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import sha256

# Files of derived data: JSON that can be made again, below a folder that git ignores.


class DerivedFile:
    """One store of such files, with the policies that hold for all of them.

    `place` is a path below the folder that git ignores, `*` for a name that a caller gives. A value is kept for the key
    that `keyed_by` describes, for the `number` of its format and the version of vfcc: under any other it counts as
    absent. So does a file whose checksum is wrong, that has more than `largest_bytes`, or that is a link or no file.
    Each writer replaces it whole, so that a reader sees what one of them wrote; where it cannot be written, nothing is
    kept. Of several files in one folder the latest `most` stay. The folder around that of the place must hold the file,
    with all links followed.
    """

    def __init__(
        self, place: str, number: int, *, keyed_by: str, largest_bytes: int = 64 << 20, most: int | None = None
    ) -> None:
        self.place, self.number, self.keyed_by = place, number, keyed_by
        self.largest_bytes, self.most = largest_bytes, most
        self._depth = place.count("/") + 1

    def read(self, path: Path, key: object = None) -> Any:
        """Return the value that was written for this key; None where there is none."""
        try:
            digest, _, body = self._bytes(path).partition(b"\n")
            if digest != _digest(body):
                return None
            document = json.loads(body)
            return document["value"] if document["key"] == self._key(key) else None
        except (OSError, WorkspaceError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def write(self, path: Path, value: object, key: object = None) -> bool:
        """Keep a value of JSON in place of what was there; return whether that could be done."""
        try:
            self.put(path, value, key)
        except (OSError, WorkspaceError):
            return False
        return True

    def put(self, path: Path, value: object, key: object = None) -> None:
        """Keep a value of JSON as `write` does. Raises OSError or WorkspaceError where that cannot be done."""

        body = json.dumps({"key": self._key(key), "value": value}, ensure_ascii=False, separators=(",", ":"))
        data = body.encode("utf-8", "surrogatepass")
        check_inside(path.parent, path.parents[self._depth])
        write_derived(path, _digest(data) + b"\n" + data)
        if self.most is not None:
            with os.scandir(path.parent) as entries:
                files = sorted(entries, key=lambda each: each.stat().st_mtime_ns, reverse=True)
            for each in files[self.most :]:
                Path(each).unlink(missing_ok=True)

    def _key(self, key: object) -> list[object]:
        return [self.number, __version__, key]

    def _bytes(self, path: Path) -> bytes:
        check_inside(path.parent, path.parents[self._depth])
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > self.largest_bytes:
                raise WorkspaceError(f"{path} is no file of derived data")
            return file.read()


def _digest(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode("ascii")


PREFIX, SUFFIX = ".vfcc-", ".tmp"
"""Around the name of a file that is being written; the process's number comes first."""

_AT_ONCE, _IN_A_BATCH = 8, 64
"""Files that wait for the disk at a time, and files whose temporary ones are there at a time."""

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


def write_atomic(path: Path, data: bytes | str, *, mode: int | None = None) -> None:
    """Put `data` at `path`, creating folders as needed; text is written as UTF-8 with the newlines it has.

    The file gets the permissions `mode`, else those of any new file.

    Raises WorkspaceError where the place cannot be written; the old content, if any, is then untouched.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    with FileErrors("write", path), private_if_own(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, raw, mode=mode)


def create_atomic(path: Path, data: bytes) -> bool:
    """Put `data` at `path` where nothing is yet, creating folders as needed; return whether nothing was.

    Of several that do so at once one succeeds. Raises WorkspaceError where the place cannot be written.
    """
    with FileErrors("write", path), private_if_own(path):
        _make_folders(path.parent)
        return _create(path, data)


def create_all_atomic(files: Sequence[tuple[Path, bytes]]) -> list[bool]:
    """Put bytes at each path as `create_atomic` does, in order; return of each whether nothing was there.

    It takes far less than one after the other, since the disk is waited for once for several. Raises WorkspaceError at
    the first that cannot be written; some of the others are there then.
    """
    made: list[bool] = []
    for start in range(0, len(files), _IN_A_BATCH):
        batch = files[start : start + _IN_A_BATCH]
        try:
            with private_if_own(batch[0][0]):
                for folder in dict.fromkeys(path.parent for path, _ in batch):
                    _make_folders(folder)
                made += _create_batch(batch)
        except OSError as error:
            place = error.filename or batch[0][0].parent
            raise WorkspaceError(f"cannot write {place}: {error.strerror or error}") from error
    return made


def write_derived(path: Path, data: bytes) -> None:
    """Put `data` at `path` as `write_atomic` does, but without waiting for the disk: for what its reader can check.

    After the machine, and not just the process, went down the file may hold anything. Raises WorkspaceError.
    """
    with FileErrors("write", path), private_if_own(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data, durable=False)


def is_temporary(name: str) -> bool:
    """Say whether a file of that name is one that a writer makes and renames, or leaves behind where it is killed."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def _replace(path: Path, raw: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    name = _temporary(path)
    handle = os.open(name, _NEW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        name.chmod(0o666 & ~current_umask() if mode is None else mode)
        name.replace(path)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def _create(path: Path, raw: bytes) -> bool:
    name = _temporary(path)
    try:
        _write_new(name, raw)
        made = _is_put(name, path)
    finally:
        name.unlink(missing_ok=True)
    if made:
        sync_folder(path.parent)
    return made


def _create_batch(files: Sequence[tuple[Path, bytes]]) -> list[bool]:
    from concurrent.futures import ThreadPoolExecutor

    names = [_temporary(path) for path, _ in files]
    try:
        with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as threads:
            list(threads.map(_write_new, names, [raw for _, raw in files]))
        made = [_is_put(name, path) for name, (path, _) in zip(names, files, strict=True)]
    finally:
        for name in names:
            name.unlink(missing_ok=True)
    for folder in dict.fromkeys(path.parent for path, _ in files):
        sync_folder(folder)
    return made


def _temporary(path: Path) -> Path:
    return path.with_name(f"{PREFIX}{os.getpid()}-{os.urandom(8).hex()}{SUFFIX}")


def _write_new(name: Path, raw: bytes) -> None:
    with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())


def _is_put(name: Path, path: Path) -> bool:
    try:
        _put(name, path)
    except FileExistsError:
        return False
    return True


def _put(name: Path, path: Path) -> None:
    """Give a file its name where nothing has it; raises FileExistsError."""
    try:
        path.hardlink_to(name)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links: an empty file takes the name first, so that of two only one goes on.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        name.replace(path)


def _make_folders(folder: Path) -> None:
    """Make a folder that outlives a loss of power, with those above it."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder outlive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Temporary files that a killed process left behind: found, and swept away by the next writer.
#
# A temporary file has its process's id in its name; it may be removed once no such process runs on this machine.


def leftovers(folders: Iterable[Path], *, deep: bool = True) -> tuple[Path, ...]:
    """Return the temporary files in `folders`, and below them where `deep`, whose process is gone, sorted."""
    return tuple(
        sorted(path for folder in folders for path in _leftovers_temporary(folder, deep) if not _is_running(path.name))
    )


def sweep(folders: Iterable[Path], *, deep: bool = True) -> None:
    """Remove the leftovers in `folders`; one that cannot be removed stays: it does no harm."""
    for path in leftovers(folders, deep=deep):
        try:
            path.unlink(missing_ok=True)
        except OSError:
            continue


def _leftovers_temporary(folder: Path, deep: bool) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        yield from (Path(place, name) for name in names if is_temporary(name))
        if not deep:
            folders.clear()


def _is_running(name: str) -> bool:
    """Return whether the process whose id is in the name still runs.

    A name without an id is from a process that ended long ago.
    """
    digits = name.removeprefix(PREFIX).partition("-")[0]
    if not (digits.isascii() and digits.isdecimal()) or not 0 < int(digits) < 1 << 31:
        return False
    try:
        os.kill(int(digits), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


# Find the files that a pattern names, each with one stat, in an order that no file system decides.
#
# Links are followed only while they stay inside the project. What cannot be read as memory (a link that leaves the
# project, a file too large, a device) is returned as a problem with the file, never passed over.

LARGEST_FILE_BYTES = 1024 * 1024
"""A memory file larger than this is not read: it would be a quarter of a million tokens."""


class ProjectFile(NamedTuple):
    """A file: its path relative to the project's root, its stat signature, or why it cannot be read.

    `signature` changes whenever the content may have; `touched_ns` is the later of the file's times. A tuple, as a
    prompt makes one of each of thousands of items.
    """

    path: str
    signature: str = ""
    touched_ns: int = 0
    problem: str | None = None


@dataclass(slots=True)
class ProjectTree:
    """The files of one project, each folder listed and each file stat'ed at most once."""

    root: Path
    stamps: Stamps = field(init=False)
    _listed: dict[str, tuple[tuple[str, os.DirEntry[str]], ...]] = field(default_factory=dict)
    _found: dict[str, ProjectFile | None] = field(default_factory=dict)
    _matched: dict[tuple[str, str], tuple[ProjectFile, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stamps = Stamps(self.root)

    def find(self, folder: str, pattern: str) -> tuple[ProjectFile, ...]:
        """Return the files under `folder` that match `pattern`, sorted by path.

        `*` and `?` stay within one name and do not match a leading dot; `**` spans folders.
        """
        if (folder, pattern) not in self._matched:
            segments = tuple(part for part in pattern.split("/") if part not in ("", "."))
            seen, paths = self._found, sorted(set(self._match(folder, segments)))
            self._look_at([path for path in paths if path not in seen])
            self._matched[folder, pattern] = tuple([file for path in paths if (file := seen[path]) is not None])
        return self._matched[folder, pattern]

    def folders(self, folder: str) -> tuple[str, ...]:
        """Return the folders in `folder`, links left out, sorted by path."""
        entries = self._entries(folder)
        return tuple(sorted(_join(folder, name) for name, entry in entries if entry.is_dir(follow_symlinks=False)))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file that `find` returned."""
        return (self.root / as_on_disk(path)).read_bytes()

    def _match(self, folder: str, segments: tuple[str, ...]) -> list[str]:
        if not segments:
            return []
        head, rest = segments[0], segments[1:]
        if head == "**":
            found = self._match(folder, rest or ("*",))
            for name, entry in self._entries(folder):
                if entry.is_dir(follow_symlinks=False) and not name.startswith("."):
                    found += self._match(_join(folder, name), segments)
            return found
        paths = [_join(folder, name) for name in self._names(folder, head)]
        return [path for each in paths if self._is_folder(each) for path in self._match(each, rest)] if rest else paths

    def _names(self, folder: str, segment: str) -> list[str]:
        if not any(character in segment for character in "*?["):
            return [segment]
        if segment[0] == "*" and not any(character in segment[1:] for character in "*?["):
            end = segment[1:]
            return [name for name, _ in self._entries(folder) if name.endswith(end) and name[0] != "."]
        match, dotted = _segment_regex(segment).fullmatch, segment.startswith(".")
        return [name for name, _ in self._entries(folder) if match(name) and (dotted or name[0] != ".")]

    def _entries(self, folder: str) -> tuple[tuple[str, os.DirEntry[str]], ...]:
        if folder not in self._listed:
            self.stamps.take([folder or "."])
            try:
                with os.scandir(self.root / as_on_disk(folder)) as entries:
                    self._listed[folder] = tuple(
                        [(name if (name := entry.name).isascii() else as_in_git(name), entry) for entry in entries]
                    )
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

    def _look_at(self, paths: Sequence[str]) -> None:
        """Look at files: plain ones here, where a folder may have ten thousand of them, and the others by `_look`."""
        found, by_path, touched, lstat = self._found, self.stamps.by_path, self.stamps.touched_ns, os.lstat
        for folder, those in groupby(paths, key=_folder_of):
            full, at = f"{self.root}/{as_on_disk(folder)}", len(folder) + 1 if folder else 0
            with _opened(full) as place:
                inside = place is not None and self._inside(f"{full}/", is_link=False)
                for path in those:
                    try:
                        stat = lstat(path[at:], dir_fd=place) if inside and path.isascii() else None
                    except OSError:
                        stat = None
                    if not (stat and S_ISREG(stat.st_mode) and stat.st_size <= LARGEST_FILE_BYTES):
                        found[path] = self._look(path)
                        continue
                    changed, noted = stat.st_mtime_ns, stat.st_ctime_ns
                    latest = changed if changed > noted else noted
                    by_path[path] = signature = f"{changed}.{noted}.{stat.st_size}.{stat.st_ino}"
                    found[path] = ProjectFile(path, signature, latest)
                    touched = touched if touched > latest else latest
        self.stamps.touched_ns = max(touched, self.stamps.touched_ns)

    def _look(self, path: str) -> ProjectFile | None:
        full = f"{self.root}/{as_on_disk(path)}"
        try:
            stat = os.lstat(full)
            is_link = S_ISLNK(stat.st_mode)
            stat = os.stat(full) if is_link else stat  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            self.stamps.take([path])
            return ProjectFile(path, problem="is a broken link") if os.path.islink(full) else None  # noqa: PTH114
        except OSError as error:
            self.stamps.take([path])
            return ProjectFile(path, problem=f"cannot be read: {error.strerror}")
        signature = self.stamps.note(path, stat)
        if S_ISDIR(stat.st_mode):
            return None
        if not S_ISREG(stat.st_mode):
            return ProjectFile(path, problem="is not an ordinary file")
        if not _is_text(path):
            return ProjectFile(path, problem="has a name that is not UTF-8")
        if not self._inside(full, is_link=is_link):
            return ProjectFile(path, problem="is a link that leaves the project")
        if stat.st_size > LARGEST_FILE_BYTES:
            size = f"{stat.st_size / 1_048_576:,.1f} MiB"
            return ProjectFile(
                path, problem=f"has {size}; a memory file may have {LARGEST_FILE_BYTES // 1_048_576} MiB"
            )
        return ProjectFile(path, signature, max(stat.st_mtime_ns, stat.st_ctime_ns))

    def _inside(self, full: str, *, is_link: bool) -> bool:
        """Whether the file is in the project once every link on the way is followed; folders are resolved once."""
        real_root = _real(str(self.root))
        real = os.path.realpath(full) if is_link else _real(full.rpartition("/")[0]) + "/"
        return real.startswith(real_root.rstrip("/") + "/")


@contextmanager
def _opened(folder: str) -> Iterator[int | None]:
    """Open a folder, so that the system finds what is in it without its path; None where that cannot be done."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


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


# Names of files as text that can be written down, whatever bytes a file system allows in them.
#
# A name that is UTF-8 is itself. In any other, each byte that is not part of a character is written as `\xff`; so is a
# line feed, which would let a name look like a line of what vfcc prints.

_ESCAPED = lazy_pattern(rb"\\x([0-9a-f]{2})")


def shown_name(name: bytes) -> str:
    """Return the name as text that has a UTF-8 form.

    >>> shown_name(b"caf\\xe9"), shown_name("café".encode()), shown_name(b"a\\nb")
    ('caf\\\\xe9', 'café', 'a\\\\x0ab')
    """
    return name.decode("utf-8", "backslashreplace").replace("\n", "\\x0a")


def on_disk(root: Path, name: str) -> bytes:
    """Return the path, as the system takes it, of the file whose shown name below `root` is `name`."""
    top = os.fsencode(root)
    literal = os.path.join(top, name.encode("utf-8", "surrogateescape"))  # noqa: PTH118 - names are bytes here
    if "\\x" not in name or os.path.lexists(literal):
        return literal
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), literal)
