"""Commit named paths to git and leave what the person has staged exactly as it was."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from git import Repo

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """What became of a commit: its id, or a warning that says why there is none."""

    sha: str | None = None
    warning: str | None = None


def commit_paths(root: Path, paths: tuple[str, ...], message: str) -> Commit:
    """Commit `paths` (relative to `root`, folders with all that is in them) and nothing else.

    New files are added first, ignored ones left out. Nothing raises: a commit that git or a hook refuses is a warning,
    and the index is then as it was before.
    """
    try:
        from git import GitCommandError, InvalidGitRepositoryError, NoSuchPathError, Repo
    except ImportError as error:
        return Commit(warning=f"not committed: git cannot be used ({_first_line(str(error))})")
    try:
        with Repo(root, search_parent_directories=True) as repo:
            return _commit(repo, root, paths, message)
    except (InvalidGitRepositoryError, NoSuchPathError):
        return Commit(warning=f"not committed: {root} is in no git repository")
    except GitCommandError as error:
        return Commit(warning=f"not committed: {_said(error.stderr, error.stdout)}")


def _commit(repo: "Repo", root: Path, paths: tuple[str, ...], message: str) -> Commit:
    if repo.working_tree_dir is None:
        return Commit(warning="not committed: the repository has no working tree")
    under_way = [what for name, what in _UNDER_WAY.items() if Path(repo.git_dir, name).exists()]
    if under_way:
        return Commit(warning=f"not committed: {under_way[0]} is under way")
    top = Path(repo.working_tree_dir).resolve()
    repo.git.update_environment(GIT_LITERAL_PATHSPECS="1", GIT_TERMINAL_PROMPT="0")
    given = [os.path.relpath((root / path).resolve(), top) for path in paths if (root / path).exists()]
    # Git refuses to commit a path by name that holds nothing it could track, such as an empty folder.
    inside = [name for name in given if repo.git.ls_files("--cached", "--others", "--exclude-standard", "--", name)]
    if not inside:
        return Commit(warning="not committed: there is no file to commit, or git ignores it")
    new = [
        name for name in repo.git.ls_files("-z", "--others", "--exclude-standard", "--", *inside).split("\0") if name
    ]
    if not new and not repo.git.status("--porcelain", "--untracked-files=no", "--", *inside):
        return Commit(warning="not committed: git has these files already, or ignores them")
    try:
        if new:
            repo.git.add("--intent-to-add", "--", *inside)
        repo.git.commit("--quiet", "--only", f"--message={message}", "--", *inside)
    except BaseException:
        if new:
            repo.git.rm("--cached", "--quiet", "--force", "--ignore-unmatch", "--", *new)
        raise
    return Commit(sha=repo.head.commit.hexsha)


def _said(*streams: str) -> str:
    """Return the first line that git or a hook wrote, without the wrapping that GitPython puts around it."""
    for stream in streams:
        text = stream.strip().removeprefix("stderr:").removeprefix("stdout:").strip().strip("'").strip()
        if text:
            return _first_line(text)
    return "git gave no reason"


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0].strip() if text.strip() else "no reason given"


def in_repository(root: Path) -> bool:
    """Say whether `root` lies in a git repository's working tree, without asking git."""
    here = root.resolve()
    return any((folder / ".git").exists() for folder in (here, *here.parents))
