"""Which files of a project differ from a commit: those of `.memory/` too, also what is not committed yet."""

from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.git.work_tree import names_differing, read_work_tree
from verifflowcc.adapters.project.names import shown_name
from verifflowcc.errors import UsageError


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
