"""What changed between two commits, and what is not committed yet, as files with hunks.

The text of a diff must not depend on a machine's settings: every option that git would take from one is given.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.git.command import GitResult, ask_git
from verifflowcc.adapters.git.index_copy import index_of_work_tree
from verifflowcc.adapters.git.trace import find_place
from verifflowcc.adapters.git.work_tree import OnDisk, WorkTree, blob_ids, index_differences, read_work_tree
from verifflowcc.adapters.project.content import belongs
from verifflowcc.adapters.project.names import shown_name
from verifflowcc.domain.patches import FileDiff
from verifflowcc.errors import WorkspaceError
from verifflowcc.formats.patch import parse_patch
from verifflowcc.records import replace

CONTEXT_LINES = 3
_FORM = (
    "--raw",
    "-z",
    "--patch",
    "--text",
    "--relative",
    f"--unified={CONTEXT_LINES}",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--no-color",
    "--find-renames=50%",
    "-l400",
    "-O/dev/null",
)
_SETTINGS = ("diff.suppressBlankEmpty=false",)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WIDTH = 40
_FILE, _PROGRAM = "100644", "100755"


def committed_diff(root: Path, base: str, commit: str) -> tuple[FileDiff, ...]:
    """Return what the product's files became from one commit to another, by path.

    Raises WorkspaceError where git cannot compare them.
    """
    result = ask_git(root, "diff-tree", "-r", *_FORM, base, commit, "--", ".", settings=_SETTINGS)
    return _parsed(result, f"cannot compare {base[:12]} with {commit[:12]}")


def uncommitted_diff(root: Path) -> tuple[FileDiff, ...]:
    """Return what the product's files are now compared with the commit that is checked out, new ones too.

    Raises WorkspaceError where git cannot compare them.
    """
    tree = read_work_tree(root)
    changed = {name: found for name, found in tree.changed.items() if belongs(shown_name(name))}
    changed |= dict(_new_files(root, tree))
    with index_of_work_tree(root, _prefix(root), changed) as env:
        result = ask_git(root, "diff-index", "--cached", *_FORM, "HEAD", "--", ".", env=env, settings=_SETTINGS)
    return _parsed(result, "cannot compare the files with HEAD")


def parted_from(root: Path, commit: str, target: str | None) -> str | None:
    """Return the commit at which `commit` left the branch that it will be merged into.

    That branch is `target`, else the default one. None where there is no such branch, or no commit in common.
    """
    tip = find_place(root, target).tip
    result = ask_git(root, "merge-base", commit, tip) if tip else None
    base = result.out.decode("ascii", "replace").strip() if result and result.code == 0 else ""
    return base if _COMMIT.fullmatch(base) else None


def uncommitted_state(root: Path) -> str:
    """Return a text that differs as soon as a file that is not committed does. Raises as `uncommitted_diff`."""
    tree = read_work_tree(root)
    staged = {name: (each.mode, each.blob) for name, each in index_differences(root, "HEAD").items()}
    lines = [
        f"{shown_name(name)} {each.mode} {each.ids}" for name, each in (*tree.changed.items(), *_new_files(root, tree))
    ]
    return "\n".join(sorted([*lines, *(f"{shown_name(name)} {each}" for name, each in staged.items())]))


def _new_files(root: Path, tree: WorkTree) -> Iterator[tuple[bytes, OnDisk]]:
    """Yield the product's files that git does not know; repositories inside are left alone."""
    width = next((each.width for each in tree.tracked.values()), _WIDTH)
    top = os.fsencode(root)
    for name in tree.untracked:
        full = os.path.join(top, name)  # noqa: PTH118 - names are bytes here
        if name.endswith(b"/") or not belongs(shown_name(name)) or os.path.islink(full):  # noqa: PTH114
            continue
        if ids := blob_ids(full, width):
            yield name, OnDisk(_PROGRAM if os.access(full, os.X_OK) else _FILE, ids)


def _prefix(root: Path) -> bytes:
    return ask_git(root, "rev-parse", "--show-prefix").out.strip()


def _parsed(result: GitResult, problem: str) -> tuple[FileDiff, ...]:
    if result.code:
        raise WorkspaceError(f"git {problem}: {result.first_line}", hint="git status")
    found = [replace(each, path=shown_name(name), was=shown_name(was)) for name, was, each in parse_patch(result.out)]
    return tuple(sorted((each for each in found if belongs(each.path)), key=lambda each: each.path))
