"""Worktrees, branches, commits and merges of a run; the person's checkout, index, stash and branch are never touched.

All of it runs without hooks. Each step can be repeated: what is done already is found done.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_command import GitResult, ask_git, change_with_git
from verifflowcc.base.git.git_head import current_branch
from verifflowcc.base.git.git_place import common_folder, git_folder
from verifflowcc.base.git.git_repository import Repository, repository_around
from verifflowcc.base.records import dataclass

BRANCHES = "vfcc"
INTEGRATION = "integration"
TRAILER = "Vfcc-Attempt"
_RESCUE = "refs/vfcc/rescue"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
RUN_NAME = {
    "GIT_AUTHOR_NAME": "vfcc run",
    "GIT_AUTHOR_EMAIL": "run@vfcc.invalid",
    "GIT_COMMITTER_NAME": "vfcc run",
    "GIT_COMMITTER_EMAIL": "run@vfcc.invalid",
}
"""Who commits: with the person's own name, they would count as an author of what the agents wrote."""


def branch_of(run: str, name: str = INTEGRATION) -> str:
    """Return the branch of a run's worktree.

    >>> branch_of("login-1"), branch_of("login-1", "coder-2")
    ('vfcc/login-1/integration', 'vfcc/login-1/coder-2')
    """
    return f"{BRANCHES}/{run}/{name}"


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where a run keeps things.

    `root` is the project in the person's checkout. `folder` holds what may be deleted at any moment: the lock, raw
    output, how attempts ended. `trees` holds the worktrees, beside the repository, since clients protect what lies in
    `.git`. `below` is the project's path in its repository.
    """

    root: Path
    run: str
    folder: Path
    trees: Path
    below: str

    @property
    def marker(self) -> str:
        """The mark of the run's processes; runs of two repositories may have the same id, and one must not end both."""
        return f"{self.run}@{hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]}"

    def tree(self, name: str = INTEGRATION) -> Path:
        """Return the top of a worktree that git lists for the branch, else where it is going to be.

        Git is asked only where the worktree is not at its own place, since a driver needs this many times an attempt.
        """
        branch, own = branch_of(self.run, name), self.trees / name
        return own if is_sound(own, branch) else listed_trees(self.root).get(branch, own)

    def project(self, name: str = INTEGRATION) -> Path:
        """Return the project's folder in a worktree."""
        top = self.tree(name)
        return top / self.below if self.below else top


def place_of(root: Path, run: str) -> RunPlace:
    """Return where a run of the project at `root` keeps things. Raises WorkspaceError outside of git."""
    around = _around(root)
    top = Path(around.git).parent if around.main else Path(f"{around.git}/..").resolve()
    name = Path(around.main or around.git).name if not around.below else top.name
    return RunPlace(root, run, runs_folder(root) / run, top.parent / f"{name}.vfcc" / run, around.below)


def runs_folder(root: Path) -> Path:
    """Return the folder of all runs of a project, in git's own folder. Raises WorkspaceError outside of git."""
    return Path(_around(root).folder) / "runs"


def _around(root: Path) -> Repository:
    around = repository_around(str(root))
    if around is None:
        raise WorkspaceError(f"{root} is in no git repository that a run could branch from", hint="git init")
    return around


def known_runs(root: Path) -> tuple[str, ...]:
    """Return the ids of the runs that have an integration branch, sorted."""
    found = ask_git(root, "for-each-ref", "--format=%(refname)", f"refs/heads/{BRANCHES}/*/{INTEGRATION}")
    return tuple(sorted(line.split("/")[3] for line in found.out.decode("utf-8", "replace").split()))


def listed_trees(root: Path) -> Mapping[str, Path]:
    """Return branch → top for each worktree that git lists and that is there."""
    out = os.fsdecode(ask_git(root, "worktree", "list", "--porcelain").out)
    found = {}
    for block in out.split("\n\n"):
        lines = dict(line.partition(" ")[::2] for line in block.splitlines())
        top, branch = lines.get("worktree"), lines.get("branch", "")
        if top and branch.startswith("refs/heads/") and Path(top, ".git").exists():
            found[branch.removeprefix("refs/heads/")] = Path(top)
    return found


def commit_of(root: Path, revision: str) -> str | None:
    """Return the commit that a revision names; None where there is none."""
    found = ask_git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    return found.out.decode().strip() if found.code == 0 else None


def head_of(top: Path) -> str | None:
    """Return the commit that a worktree has checked out: read from its files as git writes them, else asked of git."""
    branch, common = current_branch(top), common_folder(top)
    try:
        if branch is not None and common is not None:
            found = (common / "refs/heads" / branch).read_text().strip()
            if _COMMIT.fullmatch(found):
                return found
    except (OSError, ValueError):  # packed, or kept in another way
        pass
    return commit_of(top, "HEAD")


def ensure_tree(place: RunPlace, name: str, start: str) -> Path:
    """Return the top of a run's worktree; it and its branch are made from the commit `start` where they are missing."""
    branch, target = branch_of(place.run, name), place.trees / name
    if is_sound(target, branch):
        return target
    add = ("worktree", "add", "--quiet", "--no-track")
    if not target.exists() and change_with_git(place.root, *add, "-b", branch, str(target), start).code == 0:
        return target  # the usual case: there was neither a branch nor a worktree of that name
    top = listed_trees(place.root).get(branch)
    if top is not None:
        return top
    _done(place.root, "worktree", "prune")
    if target.exists():  # a kill between the two steps of git, or a folder whose .git file is gone
        _set_aside(place, name, target)
    if commit_of(place.root, f"refs/heads/{branch}") is None:
        _done(place.root, *add, "-b", branch, str(target), start)
    else:
        _done(place.root, "worktree", "add", "--quiet", str(target), branch)
    return target


def _set_aside(place: RunPlace, name: str, target: Path) -> None:
    """Move a folder away that is no worktree any more, so that nothing in it is lost."""
    number = 1
    while (aside := place.trees / f"{name}.lost-{number}").exists():
        number += 1
    target.rename(aside)


def is_sound(top: Path, branch: str) -> bool:
    """Whether a worktree is there and still has its branch checked out."""
    try:
        folder = git_folder(top) if (top / ".git").is_file() else None
        return folder is not None and (folder / "HEAD").read_text().strip() == f"ref: refs/heads/{branch}"
    except (OSError, UnicodeError):
        return False


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A file that differs from a commit: its path below the project, and whether it is `A`dded, `M`odified…"""

    path: str
    how: str


def changes_since(top: Path, base: str) -> tuple[TreeChange, ...]:
    """Return what a worktree changed since a commit, new files too, by path from its top; all of it gets staged.

    Raises WorkspaceError where git cannot tell.
    """
    _done(top, "add", "--all", "--", ":/")
    return _parsed(_done(top, "diff-index", "--cached", "--raw", "-z", "--no-renames", base, "--").out)


def committed_changes(top: Path, base: str, commit: str) -> tuple[TreeChange, ...]:
    """Return what a commit has otherwise than another one, by path from the top of the repository."""
    return _parsed(_done(top, "diff-tree", "-r", "--raw", "-z", "--no-renames", base, commit, "--").out)


def _parsed(out: bytes) -> tuple[TreeChange, ...]:
    parts = out.split(b"\0")
    found = [
        TreeChange(os.fsdecode(path), os.fsdecode(head.rsplit(b" ", 1)[-1])[:1])
        for head, path in zip(parts[::2], parts[1::2], strict=False)
    ]
    return tuple(sorted(found, key=lambda each: each.path))


def commit_attempt(top: Path, message: str, left_out: Sequence[str]) -> str:
    """Commit what is staged in a worktree, but for the files left out, and return the commit.

    Raises WorkspaceError where git refuses.
    """
    for start in range(0, len(left_out), 200):
        names = left_out[start : start + 200]
        _done(
            top,
            "rm",
            "--cached",
            "--quiet",
            "--force",
            "--ignore-unmatch",
            "--",
            *(f":(top,literal){n}" for n in names),
        )
    _done(
        top, "commit", "--quiet", "--no-verify", "--allow-empty", "--no-gpg-sign", f"--message={message}", env=RUN_NAME
    )
    found = head_of(top)
    assert found is not None
    return found


def keep_left_out(top: Path, target: Path, paths: Iterable[str]) -> None:
    """Move files that are not merged out of a worktree, into a folder that may be deleted."""
    for path in paths:
        source, aim = top / path, target / path
        if source.is_symlink() or source.is_file():
            aim.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(str(source), str(aim))


def commit_memory(top: Path, below: str, message: str) -> None:
    """Commit the memory of an integration worktree, where it is not committed already."""
    memory = f":(top){below}/.memory" if below else ":(top).memory"
    _done(top, "add", "--all", "--", memory)
    commit = ("commit", "--quiet", "--no-verify", "--no-gpg-sign", f"--message={message}")
    if change_with_git(top, *commit, env=RUN_NAME).code == 0:
        return
    if ask_git(top, "diff-index", "--cached", "--quiet", "HEAD", "--").code:
        _done(top, *commit, env=RUN_NAME)


def attempt_commit(top: Path, base: str, attempt: str) -> str | None:
    """Return the commit of an attempt at the tip of its worktree; None where there is none."""
    if head_of(top) == base:
        return None
    out = ask_git(top, "log", "-1", f"--format=%H%x00%(trailers:key={TRAILER},valueonly)", f"{base}..HEAD").out
    sha, _, trailer = out.decode("utf-8", "replace").partition("\0")
    return sha if trailer.strip() == attempt else None


def conflicts(top: Path, commit: str) -> tuple[str, ...]:
    """Return the paths in which a merge of a commit into a worktree's branch would conflict; nothing is changed.

    Before git 2.38, which can predict it, the merge itself finds out, and is undone.
    """
    found = ask_git(top, "merge-tree", "--write-tree", "--name-only", "-z", "HEAD", commit)
    if found.code not in (0, 1):
        return ()
    if found.code == 0:
        return ()
    names = found.out.split(b"\0\0")[0].split(b"\0")[1:]
    return tuple(sorted({os.fsdecode(name) for name in names if name}))


def merge(top: Path, commit: str, message: str) -> tuple[str | None, tuple[str, ...]]:
    """Merge a commit into a worktree's branch; return the merge, or None and the paths that conflict.

    A commit that is merged already gives the merge that did it.
    """
    earlier = merged_by(top, commit)
    if earlier:
        return earlier, ()
    if paths := conflicts(top, commit):
        return None, paths
    done = change_with_git(
        top,
        "merge",
        "--no-ff",
        "--no-verify",
        "--no-gpg-sign",
        "--quiet",
        "--no-edit",
        f"-m{message}",
        commit,
        env=RUN_NAME,
    )
    if done.code:
        listed = ask_git(top, "ls-files", "--unmerged", "-z").out.split(b"\0")
        change_with_git(top, "merge", "--abort")
        paths = tuple(sorted({os.fsdecode(each.partition(b"\t")[2]) for each in listed if each}))
        if not paths:
            raise WorkspaceError(f"git cannot merge {commit[:12]}: {done.first_line}", hint=f"git -C {top} status")
        return None, paths
    return head_of(top), ()


def merged_by(top: Path, commit: str) -> str | None:
    """Return the merge that brought a commit into a worktree's branch; None where it is not in it."""
    if not _is_in(top, commit, "HEAD"):
        return None
    out = ask_git(top, "rev-list", "--merges", "--ancestry-path", "--first-parent", f"{commit}..HEAD").out
    found: list[str] = out.decode().split()
    return found[-1] if found else commit


def bring_up_to_date(top: Path, commit: str) -> bool:
    """Bring a commit into an attempt's worktree, as a fast-forward where that is possible; False on a conflict."""
    done = change_with_git(top, "merge", "--no-verify", "--no-gpg-sign", "--quiet", "--no-edit", commit, env=RUN_NAME)
    if done.code:
        change_with_git(top, "merge", "--abort")
    return done.code == 0


def undo_half_merge(top: Path) -> None:
    """Undo a merge that a kill left half done in an integration worktree; its memory stays as it is."""
    folder = git_folder(top)
    if folder and (folder / "MERGE_HEAD").exists():
        change_with_git(top, "merge", "--abort")
    if folder:
        (folder / "index.lock").unlink(missing_ok=True)


def rescue(place: RunPlace, name: str, label: str) -> str | None:
    """Keep all that a worktree has over the run's integration branch under a rescue ref; return its name.

    None where there is nothing to keep. The worktree and its branch stay as they are.
    """
    top = listed_trees(place.root).get(branch_of(place.run, name))
    tip = commit_of(place.root, f"refs/heads/{branch_of(place.run, name)}")
    kept = tip
    if top is not None:
        _done(top, "add", "--all", "--", ":/")
        tree = _done(top, "write-tree").out.decode().strip()
        if tip is None or tree != ask_git(top, "rev-parse", f"{tip}^{{tree}}").out.decode().strip():
            parents = ("-p", tip) if tip else ()
            made = _done(
                top, "commit-tree", tree, *parents, "-m", f"vfcc run {place.run}: rescued {name}", env=RUN_NAME
            )
            kept = made.out.decode().strip()
    integration = commit_of(place.root, f"refs/heads/{branch_of(place.run)}")
    if kept is None or (
        integration and ask_git(place.root, "merge-base", "--is-ancestor", kept, integration).code == 0
    ):
        return None
    ref = f"{_RESCUE}/{place.run}/{label}"
    number = 1
    while commit_of(place.root, ref) not in (None, kept):
        number += 1
        ref = f"{_RESCUE}/{place.run}/{label}.{number}"
    _done(place.root, "update-ref", ref, kept)
    return ref


def reset_tree(top: Path, commit: str) -> None:
    """Bring a worktree to a commit, without its other files; ignored ones stay. Rescue it first."""
    _done(top, "reset", "--hard", "--quiet", commit)
    _done(top, "clean", "-ffd", "--quiet")


def remove_tree(place: RunPlace, name: str) -> None:
    """Remove a run's worktree and its branch. Rescue it first."""
    branch = branch_of(place.run, name)
    top = listed_trees(place.root).get(branch)
    if top is not None:
        _done(place.root, "worktree", "remove", "--force", "--force", str(top))
    _done(place.root, "worktree", "prune")
    if commit_of(place.root, f"refs/heads/{branch}"):
        _done(place.root, "update-ref", "-d", f"refs/heads/{branch}")


def tree_names(place: RunPlace) -> tuple[str, ...]:
    """Return the names of a run's branches, the integration branch last."""
    start = f"refs/heads/{BRANCHES}/{place.run}/"
    out = ask_git(place.root, "for-each-ref", "--format=%(refname)", start).out.decode("utf-8", "replace")
    names = [line.removeprefix(start) for line in out.split()]
    return tuple(sorted(names, key=lambda name: (name == INTEGRATION, name)))


def guarded_state(top: Path) -> Mapping[str, str]:
    """Return the digest of each file of git's own that names programs: settings, hooks, attributes, by its name."""
    folder = git_folder(top)
    around = repository_around(str(top))
    common = Path(around.git) if around else folder
    found: dict[str, str] = {}
    names = [Path("config"), Path("config.worktree"), Path("info/attributes")]
    if common is not None:
        names += sorted(path.relative_to(common) for path in (common / "hooks").glob("*"))
        for name in names:
            found |= _digest_of(common / name, f".git/{name}")
    return found | (_digest_of(folder / "config.worktree", "config.worktree") if folder else {})


def _digest_of(path: Path, name: str) -> dict[str, str]:
    try:
        return {name: hashlib.sha256(path.read_bytes()).hexdigest()}
    except OSError:
        return {}


def refs_with(top: Path, base: str, own: str) -> tuple[str, ...]:
    """Return the refs beside an attempt's own branch that hold a commit which its worktree has over `base`.

    An agent that pushes or branches off leaves such refs.
    """
    if head_of(top) == base:
        return ()
    first = ask_git(top, "rev-list", "--reverse", f"{base}..HEAD").out.decode().split()[:1]
    if not first:
        return ()
    out = ask_git(top, "for-each-ref", "--format=%(refname)", "--contains", first[0]).out
    listed = out.decode("utf-8", "replace").split()
    return tuple(each for each in listed if each != f"refs/heads/{own}" and not each.startswith(_RESCUE))


def _is_in(root: Path, commit: str, other: str) -> bool:
    return ask_git(root, "merge-base", "--is-ancestor", commit, other).code == 0


def _done(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> GitResult:
    result = change_with_git(root, *arguments, env=env)
    if result.code:
        raise WorkspaceError(f"git {arguments[0]} failed: {result.first_line}", hint=f"git -C {root} status")
    return result
