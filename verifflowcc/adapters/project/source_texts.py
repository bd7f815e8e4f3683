"""The bytes of source files and the ids that git gives them, in the working tree and in commits."""

import os
from collections.abc import Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from stat import S_ISREG

from verifflowcc.adapters.git.command import ask_git, start_git
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.errors import UsageError, WorkspaceError

_CHUNK_BYTES = 1 << 20
_FILE_MODES = {b"100644", b"100755"}
_ASKED_AT_ONCE = 64
"""Blobs: their ids fit into a pipe, so git never waits for a reader that waits for git."""


def blob_id(data: bytes) -> str:
    """Return git's id of a text.

    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read_source(full: bytes, most: int) -> tuple[str, bytes | None] | None:
    """Return the blob of an ordinary file and its bytes, None in place of more than `most`; None where there is no such
    file. Raises OSError."""
    try:
        number = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(number, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
        found = os.fstat(number)
        if not S_ISREG(found.st_mode):
            return None
        data = file.read(most + 1)
        if len(data) <= most:
            return blob_id(data), data
        whole = sha1(b"blob %d\0" % found.st_size, usedforsecurity=False)
        while data:
            whole.update(data)
            data = file.read(_CHUNK_BYTES)
        return whole.hexdigest(), None


def text_of(root: Path, path: str, blob: str) -> bytes | None:
    """Return the bytes of a file, if they are those of a blob."""
    try:
        data = Path(os.fsdecode(on_disk(root, path))).read_bytes()
    except OSError:
        return None
    return data if blob_id(data) == blob else None


def committed_text(root: Path, blob: str) -> bytes | None:
    """Return the bytes of a blob; None where git does not have it."""
    said = ask_git(root, "cat-file", "blob", blob) if blob else None
    return said.out if said and not said.code else None


def committed_files(root: Path, revision: str) -> list[tuple[bytes, str]]:
    """Return name and blob of each file of a commit, below `root`, sorted; links and submodules are left out.

    Raises UsageError where there is no such commit, WorkspaceError where this is no git repository.
    """
    said = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if said.code and "not a git repository" in said.err:
        raise WorkspaceError(f"{root} is in no git repository, so nothing is committed", hint="git init")
    if said.code:
        raise UsageError(f"git has no commit {revision}", hint="git log --oneline")
    listed = ask_git(root, "ls-tree", "-r", "-z", said.out.decode().strip())
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
