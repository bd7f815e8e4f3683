"""Commit named paths to git and leave what the person has staged exactly as it was."""

import os
from collections.abc import Callable
from pathlib import Path

from verifflowcc.adapters.git.command import GitResult, commit_with_git
from verifflowcc.adapters.git.place import git_folder, top_of
from verifflowcc.adapters.git.repository_code import read_repository_code
from verifflowcc.domain.repository_code import RepositoryCode
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
_SHOWN = 3

Permits = Callable[[tuple[RepositoryCode, ...]], bool]
"""Says whether this machine allows all of what a repository would have git run."""


@dataclass(frozen=True, slots=True)
class Commit:
    """What became of a commit: its id, or a warning that says why there is none."""

    sha: str | None = None
    warning: str | None = None


def _permits_nothing(_code: tuple[RepositoryCode, ...]) -> bool:
    return False


def commit_paths(root: Path, paths: tuple[str, ...], message: str, permits: Permits = _permits_nothing) -> Commit:
    """Commit `paths` (relative to `root`, folders with all that is in them) and nothing else.

    New files are added first, ignored ones left out. A repository that has code for a commit gets none unless that code
    is permitted: without its hooks and filters the commit would be another than the project asks for. Nothing raises: a
    commit that is not permitted, or that git or a hook refuses, is a warning, and the index is then as it was before.
    """
    top, folder = top_of(root), git_folder(root)
    if top is None or folder is None:
        return Commit(warning=f"not committed: {root} is in no git repository")
    under_way = [what for name, what in _UNDER_WAY.items() if (folder / name).exists()]
    if under_way:
        return Commit(warning=f"not committed: {under_way[0]} is under way")
    try:
        code = read_repository_code(root)
        if code and not permits(code):
            return Commit(warning=f"not committed: a commit here runs {_named(code)}, not allowed yet: vfcc allow")
        given = [os.path.relpath((root / path).resolve(), top.resolve()) for path in paths if (root / path).exists()]
        return _commit(top, given, message)
    except WorkspaceError as error:
        return Commit(warning=f"not committed: {error.message}")


def _commit(top: Path, paths: list[str], message: str) -> Commit:
    def ask(*arguments: str) -> bytes:
        result = commit_with_git(top, *arguments)
        if result.code:
            raise WorkspaceError(_reason(result))
        return result.out

    # Git refuses to commit a path by name that holds nothing it could track, such as an empty folder.
    inside = [_exactly(path) for path in paths]
    inside = [path for path in inside if ask("ls-files", "--cached", "--others", "--exclude-standard", "--", path)]
    if not inside:
        return Commit(warning="not committed: there is no file to commit, or git ignores it")
    listed = ask("ls-files", "-z", "--others", "--exclude-standard", "--", *inside).split(b"\0")
    new = [_exactly(os.fsdecode(name)) for name in listed if name]
    if not new and not ask("status", "--porcelain", "--untracked-files=no", "--", *inside):
        return Commit(warning="not committed: git has these files already, or ignores them")
    try:
        if new:
            ask("add", "--intent-to-add", "--", *inside)
        ask("commit", "--quiet", "--only", f"--message={message}", "--", *inside)
    except BaseException:
        if new:
            ask("rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *new)
        raise
    return Commit(sha=ask("rev-parse", "HEAD").decode("ascii").strip())


def _exactly(path: str) -> str:
    """Return the pathspec that means this path alone, whatever characters it has."""
    return f":(literal){path}"


def _named(code: tuple[RepositoryCode, ...]) -> str:
    names = [f"the hook {each.name}" if each.kind == "hook" else each.name for each in code]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _reason(result: GitResult) -> str:
    """Return the first line that git or a hook wrote."""
    lines = [line.strip() for line in (*result.err.splitlines(), *result.out.decode("utf-8", "replace").splitlines())]
    return next(filter(None, lines), "git gave no reason")
