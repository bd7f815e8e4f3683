"""Which changes are to be proven: commits, what is staged, or the work tree; each as its two contents."""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.git.place import top_of
from verifflowcc.adapters.git.protected import head_commit
from verifflowcc.adapters.git.versions import (
    TreeFile,
    commit_files,
    commit_id,
    commits_of,
    disk_files,
    index_files,
    merge_base,
    with_submodules,
)
from verifflowcc.errors import UsageError, WorkspaceError
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person asked for: a range of commits, the work tree, or what is staged; nothing is found out."""

    revisions: str | None = None
    work_tree: bool = False
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change: `name` is a short id or a word, `head` the commit that programs in the scratch tree see as HEAD.

    `before` and `after` are its contents, by path from the repository's top.
    """

    name: str
    subject: str
    head: str | None
    before: dict[str, TreeFile]
    after: dict[str, TreeFile]


def repository_top(folder: Path) -> Path:
    """Return the top of the repository around a folder. Raises WorkspaceError where there is none."""
    top = top_of(folder)
    if top is None:
        raise WorkspaceError(f"{folder} is in no git repository", hint="git init")
    return top.resolve()


def changes_of(top: Path, choice: Choice) -> Iterator[Change]:
    """Yield the changes, the oldest first; the next is read when it is asked for.

    Without a choice: the work tree where it differs from HEAD, else the last commit. `A...B` is one change, from the
    common ancestor of A and B to B. Raises UsageError, WorkspaceError as git does.
    """
    if sum((choice.revisions is not None, choice.work_tree, choice.staged)) > 1:
        raise UsageError("RANGE, --working-tree and --staged exclude each other", hint="vfcc prove --help")
    head = head_commit(top)
    if choice.staged:
        yield _change(top, "staged", "", head, commit_files(top, head), index_files(top))
        return
    if choice.revisions is None:
        found = _change(top, "work tree", "", head, commit_files(top, head), disk_files(top))
        if choice.work_tree or _ids(found.before) != _ids(found.after):
            yield found
            return
    yield from _committed(top, choice.revisions or "HEAD")


def _committed(top: Path, words: str) -> Iterator[Change]:
    if "..." in words:
        one, _, other = words.partition("...")
        base, tip = merge_base(top, one or "HEAD", other or "HEAD")
        yield _change(top, words, "", tip, commit_files(top, base), commit_files(top, tip))
        return
    for commit in observed("changes", commits_of(top, words)):
        before = commit_files(top, commit_id(top, commit.parents[0]) if commit.parents else None)
        yield _change(top, commit.id[:9], commit.subject, commit.id, before, commit_files(top, commit.id))


def _change(
    top: Path, name: str, subject: str, head: str | None, before: dict[str, TreeFile], after: dict[str, TreeFile]
) -> Change:
    return Change(name, subject, head, with_submodules(top, before), with_submodules(top, after))


def _ids(files: dict[str, TreeFile]) -> dict[str, tuple[str, str]]:
    return {path: (file.mode, file.blob) for path, file in files.items()}
