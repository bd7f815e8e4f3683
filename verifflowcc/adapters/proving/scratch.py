"""A scratch tree: a folder outside of the repository that holds exactly one content of it at a time.

It is no linked worktree of git: that would have the tests share the index, the refs and the stash of the person. It has
a `.git` of its own that borrows the repository's objects, so that programs which ask git get an answer.

Python may keep bytecode in the tree, so that a second run, and each program that tests start, compiles nothing again.
"""

import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import objects_folder
from verifflowcc.adapters.git.versions import TreeFile, contents
from verifflowcc.adapters.git.work_tree import FOLDER, LINK, object_id
from verifflowcc.adapters.proving.folders import locked_folder, sweep
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass, field

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
