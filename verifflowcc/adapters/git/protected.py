"""The files that a commit has at given places, by their blobs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.history import why_unknown
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.git.work_tree import blob_ids
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.errors import WorkspaceError


def blobs_at(root: Path, commit: str, places: Sequence[str]) -> Mapping[str, str]:
    """Return path → blob of each file that a commit has at or below `places`, relative to `root`.

    One git process. Raises WorkspaceError with the reason where git does not have the commit.
    """
    if not in_repository(root):
        raise WorkspaceError(f"{root} is in no git repository")
    result = ask_git(root, "--literal-pathspecs", "ls-tree", "-r", "-z", commit, "--", *places)
    if result.code:
        raise WorkspaceError(why_unknown(root, commit, result))
    found = {}
    for line in result.out.split(b"\0"):
        about, _, name = line.partition(b"\t")
        if name:
            found[shown_name(name)] = about.split(b" ")[2].decode("ascii")
    return found


def has_blob(root: Path, path: str, blob: str) -> bool:
    """Say whether the file at `path` is, on disk, the given blob; line ends count for nothing."""
    return blob in blob_ids(on_disk(root, path), len(blob))
