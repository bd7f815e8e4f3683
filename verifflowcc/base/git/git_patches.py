"""What changed between two commits, and what is not committed yet, as files with hunks.

The text of a diff must not depend on a machine's settings: every option that git would take from one is given.
"""

import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.project_content import belongs
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import GitResult, ask_git
from verifflowcc.base.git.git_place import in_repository, objects_folder
from verifflowcc.base.git.git_trace import find_place
from verifflowcc.base.git.work_tree import (
    FOLDER,
    GONE,
    LARGEST_FOLDED_BYTES,
    LINK,
    DiskFile,
    WorkTree,
    blob_ids,
    index_differences,
    names_differing,
    object_id,
    read_work_tree,
)
from verifflowcc.base.model.patch import FileDiff, parse_patch
from verifflowcc.base.records import replace

# Which files of a project differ from a commit: those of `.memory/` too, also what is not committed yet.


def changed_since(root: Path, revision: str) -> frozenset[str]:
    """Return the paths (relative to `root`) that changed since this branch left `revision`, deleted ones too.

    Where the two have no commit in common, since `revision` itself. Raises UsageError where git has no such commit,
    WorkspaceError where it cannot compare.
    """
    if not in_repository(root):
        raise UsageError(
            f"{root} is in no git repository, so nothing changed since {revision}", hint="vfcc check trace"
        )
    return changed_from(root, left_at(root, revision))


def left_at(root: Path, revision: str) -> str:
    """Return the commit at which this branch left `revision`, or its own commit where the two have none in common.

    Raises UsageError where git has no such commit.
    """
    commit = _commit(root, revision)
    parted = ask_git(root, "merge-base", commit, "HEAD")
    return commit if parted.code else parted.out.decode("ascii", "replace").strip()


def changed_from(root: Path, commit: str) -> frozenset[str]:
    """Return the paths that differ from a commit now. Raises WorkspaceError where git cannot compare."""
    tree = read_work_tree(root)
    return frozenset(map(shown_name, (*names_differing(root, tree, commit), *tree.untracked_names)))


def _commit(root: Path, revision: str) -> str:
    result = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if result.code or not result.out:
        shallow = ask_git(root, "rev-parse", "--is-shallow-repository").out.strip() == b"true"
        more = "; the clone is shallow" if shallow else ""
        hint = "git fetch --unshallow" if shallow else "git fetch"
        raise UsageError(f"git has no commit {revision}{more}", hint=hint)
    return result.out.decode("ascii", "replace").strip()


# A copy of git's index with the files as they are on disk, so that git can compare them without reading one itself.
#
# The copy and the contents lie in a folder of their own that is removed at the end; the repository is not written to.


@contextmanager
def index_of_work_tree(root: Path, prefix: bytes, changed: Mapping[bytes, DiskFile]) -> Iterator[Mapping[str, str]]:
    """Give the variables with which git takes the files that `changed` names for what its index holds.

    `prefix` is the folder of `root` in the repository, ending with `/` or empty. A file that is too large to have lines
    is binary there; a submodule whose own files differ from its commit is left as it is.
    Raises WorkspaceError where the copy cannot be made.
    """
    objects = objects_folder(root)
    if not changed or objects is None:
        yield {}
        return
    import tempfile  # its import takes longer than most questions to git need

    with tempfile.TemporaryDirectory(prefix="vfcc-") as name:
        folder = Path(name).resolve()
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects.resolve()) + b"\n")
        env = {"GIT_INDEX_FILE": str(folder / "index"), "GIT_OBJECT_DIRECTORY": str(folder / "objects")}
        known = {each: found for each, found in changed.items() if found.ids or found.mode == GONE}
        lines = b"".join(_line(root, folder / "objects", prefix, each, found) for each, found in known.items())
        # Not a copy of the index file: git would read, through its filters, each file that is as new as that copy.
        listed = ask_git(root, "ls-files", "-z", "--stage", "--full-name")
        result = listed if listed.code else _written(root, env, listed.out + lines)
        if result.code:
            raise WorkspaceError(f"git cannot copy its index: {result.first_line}", hint="git status")
        yield env


def _written(root: Path, env: Mapping[str, str], lines: bytes) -> GitResult:
    return ask_git(root, "update-index", "-z", "--index-info", env=env, given=lines)


def _line(root: Path, objects: Path, prefix: bytes, name: bytes, found: DiskFile) -> bytes:
    if found.mode == GONE:
        about = f"0 {'0' * 40}"
    elif found.mode == FOLDER:
        about = f"{found.mode} {found.ids[0]}"
    else:
        content = _content(os.path.join(os.fsencode(root), name), found)  # noqa: PTH118 - names are bytes here
        about = f"{found.mode} {_store(objects, content, len(found.ids[0]))}"
    return about.encode() + b"\t" + prefix + name + b"\0"


def _content(full: bytes, found: DiskFile) -> bytes:
    try:
        if found.mode == LINK:
            return os.readlink(full)  # noqa: PTH115 - names are bytes here
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_FOLDED_BYTES + 1)
    except OSError:  # it went away just now
        return b""
    return data if len(data) <= LARGEST_FOLDED_BYTES else b"\0" + found.ids[0].encode()


def _store(objects: Path, data: bytes, width: int) -> str:
    """Write a blob as git keeps one, and return its id."""
    blob = object_id(data, width)
    path = objects / blob[:2] / blob[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob %d\0" % len(data) + data, 1))
    return blob


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


def _new_files(root: Path, tree: WorkTree) -> Iterator[tuple[bytes, DiskFile]]:
    """Yield the product's files that git does not know; repositories inside are left alone."""
    width = next((each.width for each in tree.tracked.values()), _WIDTH)
    top = os.fsencode(root)
    for name in tree.untracked:
        full = os.path.join(top, name)  # noqa: PTH118 - names are bytes here
        if name.endswith(b"/") or not belongs(shown_name(name)) or os.path.islink(full):  # noqa: PTH114
            continue
        if ids := blob_ids(full, width):
            yield name, DiskFile(_PROGRAM if os.access(full, os.X_OK) else _FILE, ids)


def _prefix(root: Path) -> bytes:
    return ask_git(root, "rev-parse", "--show-prefix").out.strip()


def _parsed(result: GitResult, problem: str) -> tuple[FileDiff, ...]:
    if result.code:
        raise WorkspaceError(f"git {problem}: {result.first_line}", hint="git status")
    found = [replace(each, path=shown_name(name), was=shown_name(was)) for name, was, each in parse_patch(result.out)]
    return tuple(sorted((each for each in found if belongs(each.path)), key=lambda each: each.path))
