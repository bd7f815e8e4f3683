"""Earlier content of a file, found in git by its digest."""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.errors import WorkspaceError
from verifflowcc.text.digest import digest_bytes, digest_text

MOST_COMMITS = 50
"""Commits that are searched, newest first: each costs a process."""


def earlier_bytes(root: Path, path: str, digest: str) -> bytes | None:
    """Return the bytes of `path` (relative to `root`) that have this digest, as text or as they are.

    The index is looked at first, then the latest commits that touch the file. None where git knows no such content.
    """
    if not in_repository(root):
        return None
    try:
        return next((data for data in _known(root, path) if digest in (digest_text(data), digest_bytes(data))), None)
    except WorkspaceError:
        return None


def known_versions(root: Path, path: str) -> Iterator[bytes]:
    """Yield what the index and the latest commits have at `path`; nothing where git cannot tell."""
    if not in_repository(root):
        return
    try:
        yield from _known(root, path)
    except WorkspaceError:
        return


def blob_bytes(root: Path, name: str) -> bytes | None:
    """Return the bytes that git has under a name (`COMMIT:./path`); None where it has none."""
    try:
        return next(_blob(root, name), None)
    except WorkspaceError:
        return None


def _known(root: Path, path: str) -> Iterator[bytes]:
    yield from _blob(root, f":./{path}")
    logged = ask_git(root, "log", f"--max-count={MOST_COMMITS}", "--format=%H", "HEAD", "--", f":(literal){path}")
    for sha in logged.out.decode("ascii", "replace").split() if logged.code == 0 else ():
        yield from _blob(root, f"{sha}:./{path}")


def _blob(root: Path, name: str) -> Iterator[bytes]:
    found = ask_git(root, "cat-file", "blob", name)
    if found.code == 0:
        yield found.out
