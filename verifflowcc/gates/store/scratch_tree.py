"""A scratch tree: a folder outside of the repository that holds exactly one content of it at a time.

It is no linked worktree of git: that would have the tests share the index, the refs and the stash of the person. It has
a `.git` of its own that borrows the repository's objects, so that programs which ask git get an answer.

Python may keep bytecode in the tree, so that a second run, and each program that tests start, compiles nothing again.
"""

import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import on_disk
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import objects_folder
from verifflowcc.base.git.git_versions import TreeFile, contents
from verifflowcc.base.git.work_tree import FOLDER, LINK, object_id
from verifflowcc.base.process.command_run import CommandResult, run_command
from verifflowcc.base.records import dataclass, field
from verifflowcc.sprint.rules.junit_tests import words_of

# Collect the words in the project's files, to find reported tests without source.

LARGEST_FILE_BYTES = 2 * 1024 * 1024


def known_words(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Return the identifiers in the text files at `paths`, relative to `root`.

    Files larger than 2 MiB, with a NUL in them, or not there hold no words; nor does a report of tests, which would
    else vouch for itself once it lies in the tree.
    """
    return words_of(_text(on_disk(root, path)) for path in paths)


def _text(full: bytes) -> str:
    try:
        if not os.path.isfile(full):  # noqa: PTH113 - names are bytes here; a pipe would be waited for
            return ""
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError:
        return ""
    if len(data) > LARGEST_FILE_BYTES or b"\0" in data or _is_report(data):
        return ""
    return data.decode("utf-8", "replace")


def _is_report(data: bytes) -> bool:
    """Say whether this is JUnit's XML; source that has some in a string begins otherwise."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and b"<testcase" in data


# Folders of scratch trees: each belongs to the process that holds its lock; what a killed process left is removed.
#
# The system gives a lock up when a process ends, however it ends. A folder gets its name when it is locked already, so
# one of that name without a lock belongs to no process; before that, its name has the number of the process.

PREFIX = "vfcc-prove-"
ORDERS = "orders.json"
VARIABLE = "VFCC_PROVE"
"""Names the file with a run's orders to each of its processes."""

_MAKING = "vfcc-making-"
_LOCK = "lock"


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Give an empty folder for temporary files that no other process removes; it is removed at the end.

    Raises OSError where it cannot be made.
    """
    making = Path(tempfile.mkdtemp(prefix=f"{_MAKING}{os.getpid()}-")).resolve()
    folder = making.with_name(PREFIX + making.name.rpartition("-")[2])
    lock = os.open(making / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        making.rename(folder)
        yield folder
    finally:
        remove(folder if folder.exists() else making)
        os.close(lock)


def sweep() -> None:
    """Remove the folders of this user that no process holds, and end what still runs the tests of one."""
    for prefix in (PREFIX, _MAKING):
        for folder in Path(tempfile.gettempdir()).resolve().glob(f"{prefix}*"):
            with suppress(OSError):
                found = folder.lstat()
                if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and _is_orphan(folder):
                    _end_runs(folder)
                    remove(folder)


def _is_orphan(folder: Path) -> bool:
    if folder.name.startswith(_MAKING):
        return not _runs(folder.name.split("-")[2])
    try:
        handle = os.open(folder / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def _runs(number: str) -> bool:
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _end_runs(folder: Path) -> None:
    """End the processes that run tests in an orphan, where the system shows their variables: they would write there."""
    sought = f"{VARIABLE}={folder / 'private' / ORDERS}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if sought in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), SIGKILL)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, also what tests made read-only."""

    def permit(_: object, path: str, __: object) -> None:
        with suppress(OSError):
            if folder in Path(path).parents:  # never what the folder is in
                Path(path).parent.chmod(0o700)
            if Path(path).is_dir() and not Path(path).is_symlink():
                Path(path).chmod(0o700)
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink()

    shutil.rmtree(folder, onerror=permit)


BYTECODE = "__pycache__"
_A_SECOND = 1_000_000_000
"""In 2001: some archives hold no time before 1980, and some builds refuse one that is still to come."""


@dataclass(slots=True)
class Scratch:
    """A scratch tree of the repository at `top`: `tree` holds the content, `private` what belongs to no content.

    `extra` are files and links of the person's folder that git does not keep and that tests need, by path. `pointers`
    are files of Git LFS that were written as pointers, for want of their content.
    """

    top: Path
    tree: Path
    private: Path
    extra: dict[str, Path] = field(default_factory=dict)
    pointers: set[str] = field(default_factory=set)
    _stamps: dict[str, tuple[TreeFile, int, int]] = field(default_factory=dict)
    _folders: set[str] = field(default_factory=set)
    _seconds: dict[tuple[str, str], int] = field(default_factory=dict)

    def become(self, files: Mapping[str, TreeFile], made: Mapping[str, bytes] | None = None) -> None:
        """Make the tree hold these files and nothing else; `made` are bytes that git does not have, by path.

        Raises WorkspaceError where a file cannot be written, or a path leaves the tree.
        """
        wanted = dict(files)
        for path, data in (made or {}).items():
            wanted[path] = TreeFile(wanted[path].mode, object_id(data, len(wanted[path].blob)))
        wanted = {path: file for path, file in wanted.items() if file.mode != FOLDER}
        try:
            present = self._cleared(wanted)
            missing = {path: file for path, file in wanted.items() if path not in present}
            for path in sorted(missing.keys() & (made or {}).keys()):
                self._write(path, missing.pop(path), (made or {})[path])
            for path, data in contents(self.top, missing):
                self._write(path, missing[path], data)
        except OSError as error:
            raise WorkspaceError(f"cannot write the scratch tree: {error}") from error

    def _cleared(self, wanted: Mapping[str, TreeFile]) -> set[str]:
        """Remove what is not wanted or is different; return the paths that are as they should be."""
        present = set()
        for path, found in list(_walk(self.tree, "", frozenset(self.extra))):
            known = self._stamps.get(path)
            if known is None and path not in wanted and _is_bytecode(path):
                continue
            same = known and path in wanted and known[0] == wanted[path] and known[1:] == _stamp(found)
            if same and _is_mode(found, wanted[path].mode):
                present.add(path)
            else:
                (self.tree / path).unlink()
        for path in {path for path in self._stamps if path not in present}:
            del self._stamps[path]
        self._folders.clear()
        _remove_empty(self.tree, self.extra, wanted)
        return present

    def _write(self, path: str, file: TreeFile, data: bytes) -> None:
        full = os.path.join(self.tree, path)  # noqa: PTH118 - thousands of files, and a Path is slow
        self._make_folders(path)
        if file.mode == LINK:
            Path(full).symlink_to(os.fsdecode(data))
        else:
            with open(full, "xb") as opened:  # noqa: PTH123
                opened.write(self._lfs(path, data))
            if file.mode == "100755":
                Path(full).chmod(0o755)
            if path.endswith(".py"):
                os.utime(full, (self._second(path, file),) * 2)
        self._stamps[path] = (file, *_stamp(os.lstat(full)))

    def _second(self, path: str, file: TreeFile) -> int:
        """Return a time that no other content of this path has: by it and the size Python knows its bytecode."""
        return _A_SECOND + self._seconds.setdefault((path, file.blob), len(self._seconds))

    def _make_folders(self, path: str) -> None:
        """Make the folders above a path, never through a link that the content itself brings."""
        folder = path.rpartition("/")[0]
        parts = path.split("/")
        if {"", ".", ".."} & set(parts) or parts[0] == ".git":
            raise WorkspaceError(f"the commit holds {path!r}, which leaves the project", hint="git fsck")
        if not folder or folder in self._folders:
            return
        here = self.tree
        for part in parts[:-1]:
            here /= part
            if here.is_symlink():
                raise WorkspaceError(f"the commit holds {path!r} below a link", hint="git fsck")
            here.mkdir(exist_ok=True)
        self._folders.add(folder)

    def _lfs(self, path: str, data: bytes) -> bytes:
        """Return the content behind a pointer of Git LFS where it is on this machine, else the pointer."""
        if not data.startswith(b"version https://git-lfs.github.com/spec/") or len(data) > 1024:
            return data
        oid = next(
            (line[11:].decode("ascii", "replace") for line in data.split(b"\n") if line[:11] == b"oid sha256:"), ""
        )
        objects = objects_folder(self.top)
        self.pointers.add(path)
        if objects is None or not oid.isalnum():
            return data
        with suppress(OSError):
            content = (objects.parent / "lfs" / "objects" / oid[:2] / oid[2:4] / oid).read_bytes()
            self.pointers.remove(path)
            return content
        return data


@contextmanager
def scratch_of(top: Path, commit: str | None, extra: Mapping[str, Path]) -> Iterator[Scratch]:
    """Give an empty scratch tree of the repository at `top`, with `commit` as its HEAD; it is removed at the end.

    `extra` are linked into it. Raises WorkspaceError where it cannot be made.
    """
    sweep()
    try:
        with locked_folder() as folder:
            scratch = Scratch(top, folder / "tree", folder / "private", dict(extra))
            for each in (scratch.tree, scratch.private):
                each.mkdir()
            _link(scratch)
            _own_git(scratch, commit)
            yield scratch
    except OSError as error:
        raise WorkspaceError(f"cannot make a scratch tree: {error}") from error


def _link(scratch: Scratch) -> None:
    for path, target in scratch.extra.items():
        full = scratch.tree / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.symlink_to(target)


def _own_git(scratch: Scratch, commit: str | None) -> None:
    """Give the tree a repository of its own: HEAD and index are those of `commit`, the objects are borrowed."""
    objects = objects_folder(scratch.top)
    if objects is None or commit is None or len(commit) != 40:
        return
    git = scratch.tree / ".git"
    for each in ("objects/info", "refs/heads", "refs/tags"):
        (git / each).mkdir(parents=True)
    (git / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects.resolve()) + b"\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", "utf-8")
    (git / "HEAD").write_text(f"{commit}\n", "ascii")
    shallow = objects.parent / "shallow"
    if shallow.is_file():  # else git asks for the parents that a shallow clone does not have
        shutil.copyfile(shallow, git / "shallow")
    ask_git(scratch.tree, "read-tree", commit)


def _walk(folder: Path, prefix: str, extra: frozenset[str]) -> Iterator[tuple[str, os.stat_result]]:
    for entry in os.scandir(folder):
        path = f"{prefix}{entry.name}"
        if path == ".git" or path in extra:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, f"{path}/", extra)
        else:
            yield path, entry.stat(follow_symlinks=False)


def _remove_empty(tree: Path, extra: Mapping[str, Path], wanted: Collection[str]) -> None:
    """Remove folders that are to hold nothing of the content: Python would import one as a package."""
    sources = {path.rpartition("/")[0] for path in wanted if path.endswith(".py")}
    held = {os.path.dirname(path) for path in (*wanted, *extra)}  # noqa: PTH120
    for folder, _, _ in os.walk(tree, topdown=False):
        path = Path(folder)
        place = path.relative_to(tree).as_posix()
        if place in held or place == "." or place.split("/")[0] == ".git":
            continue
        around, _, name = place.rpartition("/")
        if name == BYTECODE and around not in sources:
            shutil.rmtree(path)
        else:
            with suppress(OSError):
                path.rmdir()


def _is_bytecode(path: str) -> bool:
    return path.endswith(".pyc") and path.split("/")[-2:-1] == [BYTECODE]


def _stamp(found: os.stat_result) -> tuple[int, int]:
    return found.st_mtime_ns, found.st_size


def _is_mode(found: os.stat_result, mode: str) -> bool:
    if mode == LINK:
        return stat.S_ISLNK(found.st_mode)
    return stat.S_ISREG(found.st_mode) and bool(found.st_mode & 0o100) == (mode == "100755")


# Run a command in a scratch tree, with the tree's own modules before installed ones, and read what it wrote.

_REPORTERS = Path(__file__).parent / "reporter"
_KEPT_OF_GIT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class ScratchRun:
    """A command that ran in a scratch tree, and the report that it left."""

    ran: CommandResult
    report: str


def run_in_scratch(
    scratch: Scratch,
    folder: str,
    argv: Sequence[str],
    timeout_s: int,
    *,
    roots: Sequence[str],
    orders: Mapping[str, object],
) -> ScratchRun:
    """Run `argv` in a folder of the tree; `{report}` and `{private}` in its words become paths beside the tree.

    `roots` are folders of the tree for Python's path. `orders` go to the reporters, in the file that
    `VARIABLE` names. Raises WorkspaceError where the run cannot be prepared.
    """
    where, private = scratch.tree / folder, scratch.private
    report, reporters = private / "report", private / "reporter"
    try:
        report.unlink(missing_ok=True)
        shutil.copytree(_REPORTERS, reporters, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        orders = {**orders, "root": str(where.resolve()), "out": str(report)}
        (private / ORDERS).write_text(json.dumps(orders), "utf-8")
    except OSError as error:
        raise WorkspaceError(f"cannot prepare a run: {error}") from error
    paths = (reporters, *(where / each for each in roots))
    env = scratch_environment(os.environ, scratch, where, paths) | {VARIABLE: str(private / ORDERS)}
    words = [word.replace("{report}", str(report)).replace("{private}", str(private)) for word in argv]
    ran = run_command(where, words, timeout_s, env=env)
    try:
        with report.open("rb") as file:
            return ScratchRun(ran, file.read(_MOST_BYTES).decode("utf-8", "replace"))
    except OSError:
        return ScratchRun(ran, "")


def scratch_environment(env: Mapping[str, str], scratch: Scratch, where: Path, paths: Sequence[Path]) -> dict[str, str]:
    """Return the variables of a run: those of this process, with the scratch tree's modules before installed ones.

    Git's variables name the person's own repository, in a hook for example; tests must not act on that. Folders on
    Python's path that lie in the person's folder become those of the scratch tree.
    """
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name in _KEPT_OF_GIT}
    before = [_moved(Path(each), scratch) for each in env.get("PYTHONPATH", "").split(os.pathsep) if each]
    path = os.pathsep.join([*map(str, paths), *map(str, before)])
    more = {"PYTHONPATH": path, "PWD": str(where), "UV_NO_SYNC": "1"}
    return {**kept, **more, "CARGO_TARGET_DIR": str(scratch.private / "target"), "RUST_BACKTRACE": "0"}


def _moved(path: Path, scratch: Scratch) -> Path:
    full = scratch.top / path
    return scratch.tree / full.relative_to(scratch.top) if full.is_relative_to(scratch.top) else path
