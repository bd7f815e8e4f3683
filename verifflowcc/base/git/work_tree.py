"""The files of a work tree compared with git's index and with commits, without letting git read one of them.

Git runs the filters that a repository's settings and attributes name whenever it reads a file in the work tree. So git
lists what the index holds, with the stamps that it took of each file, and the rest is done here: a file with the same
stamps is the same, of any other the id of its bytes is compared. Line ends count for nothing: bytes with CRLF folded to
LF are the same, and so is a file of Git LFS whose pointer the index holds. What another filter would make of a file is
not known here; such a file counts as changed once its stamps differ, until git itself has looked at it.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import git_folder
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import sha256

if TYPE_CHECKING:
    import hashlib

LINK, FOLDER, GONE = "120000", "160000", "000000"
LARGEST_FOLDED_BYTES = 16 * 1024 * 1024
"""A larger file is compared byte for byte, without folding its line ends."""

_CHUNK_BYTES = 1 << 20
_TEXT_PROBE_BYTES = 8000
_ONLY_INTENDED = 0x20000000
_LEFT_OUT = 0x40000000
_ASSUMED = 0x8000
_LISTED = lazy_pattern(
    rb"\? ([^\0]+)\0|[A-Z] (\d+) ([0-9a-f]+) ([0-3])\t([^\0]+)\0((?:  [^\n]*\n)*)"
    # names of files that git would add, or an entry of the index with the lines that `--debug` puts behind it
)
_STAMPS = lazy_pattern(
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n"
    rb"  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file as the index has it. `blob` is empty for one that is not merged, or only intended to be added.

    `left_out` are files that a sparse checkout leaves out (skip-worktree), `assumed` those that git does not look at
    (assume-unchanged); vfcc looks at both. `width` is the length of an id here. `stamps` are ctime and
    mtime in nanoseconds, inode and size as git took them; None where they are not known.
    """

    mode: str
    blob: str
    merged: bool
    left_out: bool
    assumed: bool
    width: int
    stamps: tuple[int, int, int, int] | None


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file as it is on disk: its mode as git writes it (`GONE` where there is none), and what its id may be.

    A submodule has the id of its commit, and none where its own files differ from that.
    """

    mode: str = GONE
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkTree:
    """What the index holds below a folder, which of it is different on disk, and the files that git would add.

    Of a repository inside, git would add the folder; its name ends with `/`.
    """

    tracked: Mapping[bytes, IndexEntry] = field(default_factory=dict)
    changed: Mapping[bytes, DiskFile] = field(default_factory=dict)
    untracked: tuple[bytes, ...] = ()

    @property
    def untracked_names(self) -> list[bytes]:
        """The names of the files that git would add, and of the folders that are repositories."""
        return [name.rstrip(b"/") for name in self.untracked]


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry of the index that is different in a commit; a mode is `GONE` on the side that does not have it."""

    old_mode: str
    mode: str
    old_blob: str
    blob: str
    status: str


def read_work_tree(root: Path, *paths: str) -> WorkTree:
    """Compare the files below `root` (or at `paths`) with the index; names are relative to `root`.

    Raises WorkspaceError where git cannot list them, or one cannot be read.
    """
    result = ask_git(
        root,
        "ls-files",
        "-z",
        "-t",
        "--stage",
        "--debug",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        *(paths or (".",)),
    )
    if result.code:
        raise WorkspaceError(f"git cannot list files: {result.first_line}", hint="git status")
    tracked, untracked = _parse(result.out)
    changed = dict(_changed(root, tracked))
    if any(_is_mode_alone(tracked[name], found) for name, found in changed.items()) and not _modes_count(root):
        changed = {name: found for name, found in changed.items() if not _is_mode_alone(tracked[name], found)}
    return WorkTree(tracked, changed, tuple(name for name in untracked if name.rstrip(b"/") not in tracked))


def index_differences(root: Path, commit: str, *paths: str) -> dict[bytes, Difference]:
    """Return what is different between a commit (or a tree) and the index; no file on disk is looked at.

    Raises WorkspaceError where git cannot compare.
    """
    result = ask_git(
        root, "diff-index", "--cached", "--raw", "-z", "--relative", "--no-renames", commit, "--", *(paths or (".",))
    )
    if result.code:
        raise WorkspaceError(f"git cannot compare with {commit[:12]}: {result.first_line}", hint="git status")
    found: dict[bytes, Difference] = {}
    parts = result.out.split(b"\0")
    for about, name in zip(parts[::2], parts[1::2], strict=False):
        old_mode, mode, old_blob, blob, status = about.decode("ascii", "replace").lstrip(":").split(" ")
        if status != "U" or name not in found:
            found[name] = Difference(old_mode, mode, old_blob, blob, status)
    return found


def names_differing(root: Path, tree: WorkTree, commit: str, *paths: str) -> list[bytes]:
    """Return the names of files that git has, now or in a commit, and that are different there from what is on disk.

    Raises as `index_differences`.
    """
    listed = index_differences(root, commit, *paths)
    both = dict.fromkeys((*listed, *tree.changed))
    return [name for name in both if not _is_same(listed.get(name), tree.changed.get(name))]


def _is_same(listed: Difference | None, found: DiskFile | None) -> bool:
    """Say whether a file that differs from the index is, on disk, what the commit holds after all."""
    if listed is None or found is None:
        return False
    return listed.old_mode == found.mode and (found.mode == GONE or listed.old_blob in found.ids)


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """The commit that is checked out in a repository, and (line, name) of each file that differs from it.

    The lines are those of `git status --porcelain=v2 --branch --untracked-files=all --no-renames`, which digests are
    made of; the commit is `(initial)` before the first.
    """

    commit: str
    lines: Sequence[tuple[bytes, bytes]]
    tree: WorkTree


def repository_status(root: Path) -> RepositoryStatus:
    """Return how the work tree of a repository differs from its commit. Raises WorkspaceError where git cannot tell."""
    result = ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if result.code and result.err.strip():
        raise WorkspaceError(result.first_line)
    head = result.out.decode("ascii", "replace").strip()
    base = head or ask_git(root, "hash-object", "-t", "tree", "--stdin").out.decode("ascii", "replace").strip()
    tree = read_work_tree(root)
    staged = index_differences(root, base)
    names = dict.fromkeys((*staged, *tree.changed))
    lines = [(_line(tree.tracked.get(name), staged.get(name), tree.changed.get(name)) + name, name) for name in names]
    lines += [(b"? " + name, name) for name in tree.untracked]
    return RepositoryStatus(head or "(initial)", lines, tree)


def _line(entry: IndexEntry | None, staged: Difference | None, found: DiskFile | None) -> bytes:
    if entry is not None and not entry.merged:
        return b"u "
    none = "0" * len(staged.old_blob if staged else entry.blob if entry else "")
    mode, blob = (entry.mode, entry.blob) if entry and entry.blob else (GONE, none)
    code = _staged_code(staged, mode)
    if staged and entry and not entry.blob and found and found.mode == GONE:
        mode, blob = staged.mode, staged.blob  # git add -N, then removed: git status shows the empty file of the index
    old_mode, old_blob = (staged.old_mode, staged.old_blob) if staged and code != "." else (mode, blob)
    on_disk = mode if found is None else found.mode
    kind = "S..." if FOLDER in (mode, on_disk) else "N..."
    return f"1 {code}{_code(mode, found)} {kind} {old_mode} {mode} {on_disk} {old_blob} {blob} ".encode()


def _staged_code(staged: Difference | None, mode: str) -> str:
    if staged is None:
        return "."
    if mode != GONE:
        return staged.status
    # what is only intended to be added (git add -N) is M for git diff-index, and not in the index for git status
    return "." if staged.old_mode == GONE else "D"


def _code(mode: str, found: DiskFile | None) -> str:
    if found is None:
        return "."
    if found.mode == GONE:
        return "D"
    if mode == GONE:
        return "A"
    return "M" if mode[:3] == found.mode[:3] else "T"


def _parse(out: bytes) -> tuple[dict[bytes, IndexEntry], list[bytes]]:
    """Return the entries of the index by name, and the names of files that git would add."""
    tracked: dict[bytes, IndexEntry] = {}
    untracked, place = [], 0
    while place < len(out):
        found = _LISTED.match(out, place)
        if found is None:
            raise WorkspaceError("git lists files in a form that is not known here", hint="git --version")
        place = found.end()
        if found[1] is not None:
            untracked.append(found[1])
        else:
            tracked[found[5]] = _entry(found)
    return tracked, untracked


def _entry(found: "re.Match[bytes]") -> IndexEntry:
    numbers = _STAMPS.fullmatch(found[6])
    flags = int(numbers[7], 16) if numbers else 0
    stamps = None
    if numbers:
        ctime_s, ctime_ns, mtime_s, mtime_ns, inode, size = map(int, numbers.groups()[:6])
        stamps = (ctime_s * 10**9 + ctime_ns, mtime_s * 10**9 + mtime_ns, inode, size)
    merged = found[4] == b"0"
    blob = found[3].decode() if merged and not flags & _ONLY_INTENDED else ""
    return IndexEntry(
        found[2].decode(), blob, merged, bool(flags & _LEFT_OUT), bool(flags & _ASSUMED), len(found[3]), stamps
    )


def _changed(root: Path, tracked: Mapping[bytes, IndexEntry]) -> Iterator[tuple[bytes, DiskFile]]:
    folder = git_folder(root)
    try:
        written_ns = (folder / "index").stat().st_mtime_ns if folder else 0
    except OSError:
        written_ns = 0
    folders = _Folders(os.fsencode(root))
    for name, entry in tracked.items():
        try:
            found = folders.look(name, entry, written_ns)
        except OSError as error:
            raise WorkspaceError(f"cannot read {shown_name(name)}: {error.strerror or error}") from error
        if found is not None:
            yield name, found


@dataclass(slots=True)
class _Folders:
    """Looks at files below `top`; none is reached through a link in the place of a folder."""

    top: bytes
    real: dict[bytes, bool] = field(default_factory=lambda: {b"": True})

    def look(self, name: bytes, entry: IndexEntry, written_ns: int) -> DiskFile | None:
        """Return what is on disk in place of an entry; None where it is the same. Raises OSError."""
        full = os.path.join(self.top, name)  # noqa: PTH118 - names are bytes here
        try:
            found = os.lstat(full) if self._is_real(name.rpartition(b"/")[0]) else None
        except (FileNotFoundError, NotADirectoryError):
            found = None
        if found is None:
            return None if entry.left_out else DiskFile()
        if entry.mode == FOLDER:
            return _nested(full, entry) if S_ISDIR(found.st_mode) else _file(full, found, entry.width)
        if _mode(found) == entry.mode and entry.blob and _untouched(found, entry, written_ns):
            return None
        now = _file(full, found, entry.width)
        return None if now.mode == entry.mode and entry.blob in now.ids else now

    def _is_real(self, folder: bytes) -> bool:
        if folder not in self.real:
            self.real[folder] = self._is_real(folder.rpartition(b"/")[0]) and S_ISDIR(
                os.lstat(os.path.join(self.top, folder)).st_mode  # noqa: PTH118
            )
        return self.real[folder]


def _untouched(found: os.stat_result, entry: IndexEntry, written_ns: int) -> bool:
    """Say whether a file is as git saw it, by its stamps.

    One that was written when the index was, or later, may have changed under the same stamps (git calls it racy).
    """
    if entry.stamps is None:
        return False
    ctime_ns, mtime_ns, inode, size = entry.stamps
    coarse = found.st_mtime_ns % 10**9 == 0
    if found.st_mtime_ns >= (written_ns - written_ns % 10**9 if coarse else written_ns):
        return False
    times = ((found.st_mtime_ns, mtime_ns), (found.st_ctime_ns, ctime_ns))
    return (
        all(now == then or (then % 10**9 == 0 and now // 10**9 == then // 10**9) for now, then in times)
        and size == found.st_size & 0xFFFFFFFF
        and inode == found.st_ino & 0xFFFFFFFF
    )


def _mode(found: os.stat_result) -> str:
    if S_ISLNK(found.st_mode):
        return LINK
    if not S_ISREG(found.st_mode):
        return GONE
    return "100755" if found.st_mode & 0o100 else "100644"


def _file(full: bytes, found: os.stat_result, width: int) -> DiskFile:
    """Return a file with the ids that its content may have; a folder, a device or a pipe is no file."""
    mode = _mode(found)
    if mode == GONE:
        return DiskFile()
    if mode == LINK:
        return DiskFile(mode, (object_id(os.readlink(full), width),))  # noqa: PTH115 - names are bytes here
    with open(os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:  # noqa: PTH123
        data = file.read(LARGEST_FOLDED_BYTES + 1)
        if len(data) > LARGEST_FOLDED_BYTES:
            whole, content = _hash(width), sha256(data)
            whole.update(b"blob %d\0" % found.st_size + data)
            while data := file.read(_CHUNK_BYTES):
                whole.update(data)
                content.update(data)
            return DiskFile(mode, (whole.hexdigest(), _pointer_id(content.hexdigest(), found.st_size, width)))
    ids = [object_id(data, width), _pointer_id(sha256(data).hexdigest(), len(data), width)]
    if b"\r\n" in data and b"\0" not in data[:_TEXT_PROBE_BYTES]:
        ids.append(object_id(data.replace(b"\r\n", b"\n"), width))
    return DiskFile(mode, tuple(ids))


def blob_ids(full: bytes, width: int) -> tuple[str, ...]:
    """Return the ids that the file at `full` may have in git; none where there is no file, or it cannot be read."""
    try:
        return _file(full, os.lstat(full), width).ids
    except OSError:
        return ()


def _nested(full: bytes, entry: IndexEntry) -> DiskFile | None:
    """Return the commit that is checked out in a submodule, unless it is the recorded one with nothing changed."""
    folder = Path(os.fsdecode(full))
    if not (folder / ".git").exists():
        return None  # not fetched
    now = repository_status(folder)
    if now.commit == entry.blob and not now.lines:
        return None
    return DiskFile(FOLDER, () if now.lines else (now.commit,))


def object_id(data: bytes, width: int) -> str:
    """Return git's id of a file's content, in a repository whose ids have `width` letters.

    >>> object_id(b"", 40)
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    whole = _hash(width)
    whole.update(b"blob %d\0" % len(data) + data)
    return whole.hexdigest()


def _hash(width: int) -> "hashlib._Hash":
    import hashlib

    return hashlib.sha256() if width == 64 else hashlib.sha1(usedforsecurity=False)


def _pointer_id(digest: str, size: int, width: int) -> str:
    """Return the id of the pointer that Git LFS commits in place of a file."""
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"
    return object_id(text.encode(), width)


def _is_mode_alone(entry: IndexEntry, found: DiskFile) -> bool:
    return entry.blob in found.ids and {entry.mode, found.mode} == {"100644", "100755"}


def _modes_count(root: Path) -> bool:
    """Say whether this repository looks at the mode of files, which some file systems make up."""
    return ask_git(root, "config", "--type=bool", "--get", "core.fileMode").out.strip() != b"false"
