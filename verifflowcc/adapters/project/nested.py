"""A git repository inside the project: a submodule, or a clone that lies there. Its commit stands for its files."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from verifflowcc.adapters.git.work_tree import LINK, WorkTree, repository_status
from verifflowcc.adapters.project.digests import KnownDigests
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.errors import WorkspaceError

Follow = Callable[[Sequence[tuple[str, bytes]], Collection[str]], Iterator[tuple[str, str]]]
"""Takes links (name, path) and the names of files that count already; yields each link that leads elsewhere, with the
digests of what is there."""


def digest_nested(root: Path, name: str, follow: Follow) -> str | None:
    """Return a digest of the commit that is checked out there, and of every file that differs from it.

    Content behind its links is a part of it, where that is no file of the project. None where there is no repository:
    a submodule that is not fetched holds nothing. Raises WorkspaceError where git cannot tell.
    """
    folder = Path(on_disk(root, name).decode("utf-8", "surrogateescape"))
    if not (folder / ".git").exists():
        return None
    try:
        now = repository_status(folder)
    except WorkspaceError as error:
        hint = f"git -C {name} status"
        raise WorkspaceError(f"git cannot tell the state of {name}: {error.message}", hint=hint) from error
    whole = hashlib.sha256(f"commit:{now.commit}\n".encode())
    for line, changed in sorted(now.lines):
        path = shown_name(changed)
        whole.update(line[:1] + path.encode() + b"\0" + _content(root, f"{name}/{path}", follow).encode() + b"\n")
    names = {f"{name}/{shown_name(each)}" for each in (*now.tree.tracked, *now.tree.untracked_names)}
    for link, parts in follow([(f"{name}/{path}", on_disk(folder, path)) for path in _links(folder, now.tree)], names):
        whole.update(f"{link}\0{parts}".encode())
    return "sha256:" + whole.hexdigest()


def _links(folder: Path, tree: WorkTree) -> list[str]:
    """Return the names of the links that git has, or would add."""
    kept = [name for name, entry in tree.tracked.items() if entry.mode == LINK or name in tree.changed]
    listed = sorted(shown_name(name) for name in (*kept, *tree.untracked_names))
    return [name for name in listed if Path(on_disk(folder, name).decode("utf-8", "surrogateescape")).is_symlink()]


def _content(root: Path, name: str, follow: Follow) -> str:
    try:
        return KnownDigests(None).digest(name, on_disk(root, name)) or "gone"
    except IsADirectoryError:
        return digest_nested(root, name, follow) or "nothing"
    except OSError as error:
        raise WorkspaceError(f"cannot read {root / name}: {error.strerror or error}") from error
