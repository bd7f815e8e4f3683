"""Whole contents of a repository, as commits, the index and the work tree have them; nothing is checked out.

A content is a mapping of paths from the repository's top. No filter runs: a file is the bytes that git keeps, or those
on disk.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import FileErrors, UsageError, WorkspaceError
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import ask_git, start_git
from verifflowcc.base.git.work_tree import FOLDER, GONE, LINK, blob_ids, read_work_tree
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace

# The bytes of source files in commits.

_FILE_MODES = {b"100644", b"100755"}
_ASKED_AT_ONCE = 64
"""Blobs: their ids fit into a pipe, so git never waits for a reader that waits for git."""


def committed_text(root: Path, blob: str) -> bytes | None:
    """Return the bytes of a blob; None where git does not have it."""
    answer = ask_git(root, "cat-file", "blob", blob) if blob else None
    return answer.out if answer and not answer.code else None


def committed_files(root: Path, revision: str) -> list[tuple[bytes, str]]:
    """Return name and blob of each file of a commit, below `root`, sorted; links and submodules are left out.

    Raises UsageError where there is no such commit, WorkspaceError where this is no git repository.
    """
    answer = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if answer.code and "not a git repository" in answer.err:
        raise WorkspaceError(f"{root} is in no git repository, so nothing is committed", hint="git init")
    if answer.code:
        raise UsageError(f"git has no commit {revision}", hint="git log --oneline")
    listed = ask_git(root, "ls-tree", "-r", "-z", answer.out.decode().strip())
    if listed.code:
        raise WorkspaceError(f"git cannot list the files of {revision}: {listed.first_line}", hint="git fsck")
    lines = [line.partition(b"\t") for line in listed.out.split(b"\0") if line]
    parts = [(*meta.split(), name) for meta, _, name in lines]
    files = [(name, blob.decode()) for mode, _, blob, name in parts if mode in _FILE_MODES]
    return sorted(files, key=lambda file: shown_name(file[0]))


def committed_texts(root: Path, blobs: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of blobs, in order. Raises WorkspaceError where git does not have one."""
    if not blobs:
        return
    with start_git(root, "cat-file", "--batch") as process:
        assert process.stdin
        assert process.stdout
        try:
            for start in range(0, len(blobs), _ASKED_AT_ONCE):
                group = blobs[start : start + _ASKED_AT_ONCE]
                process.stdin.write("".join(f"{blob}\n" for blob in group).encode())
                process.stdin.flush()
                for blob in group:
                    header = process.stdout.readline().split()
                    if len(header) != 3:
                        raise WorkspaceError(f"git does not have {blob}", hint="git fsck")
                    yield process.stdout.read(int(header[2]))
                    process.stdout.read(1)
        finally:
            process.kill()


# What earlier commits say, and which files they changed.

LOOKED_BACK = 2_000
"""So many of the latest commits are read: what a long history costs is bounded."""

LOG_OPTIONS = (
    *("log", "--no-merges", "--no-color", "--no-show-signature", "--no-notes", "--no-ext-diff", "-M100%"),
    *("--name-status", "-z", "--encoding=UTF-8", "--format=%x01%H%x00%B%x00"),
)
"""What git is asked for: a file that moved unchanged with both names, which needs the bytes of none."""
_MOST_NAMES = 4_000
"""So many names and letters of a commit are looked at: what changed more is an import of everything."""
_BEGIN = lazy_pattern(rb"(?:^|(?<=\0))\x01(?=[0-9a-f]{40,64}\0)")


def earlier_commits(root: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Return message and files of the latest commits at and before HEAD, newest first.

    Paths are relative to `root`. None where git has no commit, or cannot answer.
    """
    try:
        answer = ask_git(root, *LOG_OPTIONS, "--relative", f"-n{LOOKED_BACK}", "HEAD")
    except WorkspaceError:
        return []
    return [] if answer.code else parsed_commits(answer.out)


def parsed_commits(out: bytes) -> list[tuple[str, tuple[str, ...]]]:
    """Return message and files of the commits of such a log; a file that was renamed goes by its newest name."""
    names: dict[str, str] = {}
    found = []
    for entry in _BEGIN.split(out)[1:]:
        _, message, *rows = entry.split(b"\0")
        paths = []
        left = iter([row for row in rows if row][:_MOST_NAMES])
        for status, name in zip(left, left, strict=False):
            path = shown_name(name)
            if status.strip()[:1] == b"R":
                older, path = path, shown_name(next(left, name))
                names.setdefault(older, names.get(path, path))
            paths.append(names.get(path, path))
        found.append((message.decode("utf-8", "replace"), tuple(dict.fromkeys(paths))))
    return found


__all__ = [
    "FOLDER",
    "LINK",
    "Commit",
    "TreeFile",
    "commit_files",
    "commits_of",
    "contents",
    "disk_files",
    "index_files",
    "with_submodules",
]


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a content: its mode and its id in git. `on_disk` is read from the work tree, not from git.

    `submodule` is the path of the submodule whose repository has the blob; it is empty for the repository itself.
    """

    mode: str
    blob: str
    on_disk: bool = False
    submodule: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with its parents and the first line of its message."""

    id: str
    parents: tuple[str, ...]
    subject: str


def commits_of(top: Path, words: str) -> tuple[Commit, ...]:
    """Return the commits that a range names, the oldest first; of one revision, that commit. Merges are left out there.

    Raises UsageError where git knows no such commits, or a parent is missing from a shallow clone.
    """
    is_range = ".." in words
    select = ("rev-list", "--reverse", "--no-merges") if is_range else ("rev-list", "--no-walk=unsorted")
    listed = ask_git(top, *select, "--end-of-options", words, "--")
    if listed.code:
        raise UsageError(f"git has no commits {words}: {listed.first_line}", hint="git log --oneline")
    shallow = _shallow(top)
    found = [_commit(top, name) for name in listed.out.decode("ascii").split()]
    for each in found:
        if each.id in shallow:
            raise UsageError(f"the clone is shallow: {each.id[:12]} has no parent here", hint="git fetch --unshallow")
    return tuple(found)


def merge_base(top: Path, one: str, other: str) -> tuple[str, str]:
    """Return the best common ancestor of two revisions and the second one's commit. Raises UsageError without one."""
    tip = commit_id(top, other)
    found = ask_git(top, "merge-base", commit_id(top, one), tip)
    if found.code:
        raise UsageError(f"{one} and {other} have no commit in common", hint="git fetch --unshallow")
    return found.out.decode("ascii").strip(), tip


def commit_id(top: Path, revision: str) -> str:
    """Return the id of the commit that a revision names. Raises UsageError where there is none."""
    found = ask_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.code or not found.out:
        raise UsageError(f"git has no commit {revision}", hint="git log --oneline")
    return found.out.decode("ascii").strip()


def commit_files(top: Path, commit: str | None) -> dict[str, TreeFile]:
    """Return what a commit holds; nothing for None. Raises WorkspaceError where git cannot list it."""
    if commit is None:
        return {}
    return dict(_parsed(_listing(top, "ls-tree", "-r", "-z", "--full-tree", commit), blob_at=2))


def index_files(top: Path) -> dict[str, TreeFile]:
    """Return what is staged. Raises WorkspaceError where a merge is unfinished."""
    out = _listing(top, "ls-files", "-z", "--stage")
    entries = [line.partition(b"\t") for line in out.split(b"\0") if line]
    if any(not meta.endswith(b" 0") for meta, _, _ in entries):
        raise WorkspaceError("a merge is unfinished, so nothing is staged as a whole", hint="git status")
    return dict(_parsed(out, blob_at=1))


def disk_files(top: Path) -> dict[str, TreeFile]:
    """Return what is on disk of the files that git has or would add. Raises WorkspaceError where one cannot be read."""
    tree = read_work_tree(top)
    found: dict[str, TreeFile] = {}
    for name, entry in tree.tracked.items():
        now = tree.changed.get(name)
        if now is None:
            found[os.fsdecode(name)] = TreeFile(entry.mode, entry.blob)
        elif now.mode == FOLDER:
            found[os.fsdecode(name)] = TreeFile(FOLDER, now.ids[0] if now.ids else entry.blob)
        elif now.mode != GONE:
            found[os.fsdecode(name)] = TreeFile(now.mode, now.ids[0], on_disk=True)
    width = len(next(iter(tree.tracked.values())).blob) if tree.tracked else 40
    for name in tree.untracked:
        path, full = os.fsdecode(name), os.path.join(os.fsencode(top), name)  # noqa: PTH118 - names are bytes here
        ids = blob_ids(full, width)
        if ids and not path.endswith("/"):
            found[path] = TreeFile(_mode(full), ids[0], on_disk=True)
    return found


def with_submodules(top: Path, files: Mapping[str, TreeFile]) -> dict[str, TreeFile]:
    """Return a content with the files of its submodules, each at the commit that the content names.

    A submodule stays a `FOLDER` where it is not checked out, or its repository does not have that commit.
    """
    found = dict(files)
    waiting = [path for path, file in files.items() if file.mode == FOLDER]
    while waiting:
        path = waiting.pop()
        inside = _submodule_files(top / path, found[path].blob)
        if inside is not None:
            del found[path]
            for name, file in inside.items():
                found[f"{path}/{name}"] = replace(file, submodule=path)
                waiting += [f"{path}/{name}"] if file.mode == FOLDER else []
    return found


def _submodule_files(folder: Path, commit: str) -> dict[str, TreeFile] | None:
    if folder.is_symlink() or not (folder / ".git").exists():  # without it, git would find the repository around it
        return None
    listed = ask_git(folder, "ls-tree", "-r", "-z", "--full-tree", commit)
    return None if listed.code else dict(_parsed(listed.out, blob_at=2))


def contents(top: Path, files: Mapping[str, TreeFile]) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each file; of a link, where it leads. Raises WorkspaceError where one is not there."""
    kept: dict[str, list[str]] = {}
    for path, file in files.items():
        if not file.on_disk and file.mode != FOLDER:
            kept.setdefault(file.submodule, []).append(path)
    for submodule, paths in kept.items():
        yield from zip(paths, committed_texts(top / submodule, [files[path].blob for path in paths]), strict=True)
    for path, file in files.items():
        if file.on_disk:
            yield path, _read(top / path)


def _read(full: Path) -> bytes:
    with FileErrors("read", full):
        return os.fsencode(full.readlink()) if full.is_symlink() else full.read_bytes()


def _mode(full: bytes) -> str:
    if os.path.islink(full):  # noqa: PTH114 - names are bytes here
        return LINK
    return "100755" if os.access(full, os.X_OK) else "100644"


def _listing(top: Path, *words: str) -> bytes:
    listed = ask_git(top, *words)
    if listed.code:
        raise WorkspaceError(f"git cannot list files: {listed.first_line}", hint="git fsck")
    return listed.out


def _parsed(out: bytes, *, blob_at: int) -> Iterator[tuple[str, TreeFile]]:
    for line in out.split(b"\0"):
        meta, _, name = line.partition(b"\t")
        if name:
            words: Sequence[str] = meta.decode("ascii").split()
            yield os.fsdecode(name), TreeFile(words[0], words[blob_at])


def _commit(top: Path, name: str) -> Commit:
    shown = ask_git(top, "log", "--no-walk", "--format=%P%n%s", name, "--")
    if shown.code:
        raise WorkspaceError(f"git cannot show {name[:12]}: {shown.first_line}", hint="git fsck")
    parents, _, subject = shown.out.decode("utf-8", "replace").partition("\n")
    return Commit(name, tuple(parents.split()), subject.strip())


def _shallow(top: Path) -> frozenset[str]:
    named = ask_git(top, "rev-parse", "--git-path", "shallow")
    try:
        return frozenset((top / os.fsdecode(named.out.rstrip(b"\n"))).read_text("ascii").split())
    except OSError:
        return frozenset()
