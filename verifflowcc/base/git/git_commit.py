"""Commit named paths to git and leave what the person has staged exactly as it was."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from verifflowcc.base.errors import FileErrors, WorkspaceError
from verifflowcc.base.git.git_command import GitResult, ask_git, commit_with_git
from verifflowcc.base.git.git_place import git_folder, top_of
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.protected_paths import RepositoryCode
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes

# Git's settings with the place that each comes from: the machine's own files, or the repository.

_OF_MACHINE = frozenset(("system", "global"))
_OF_REPOSITORY = frozenset(("local", "worktree"))


@dataclass(frozen=True, slots=True)
class GitSetting:
    """A setting: its key as git lists it (section and last part in lower case), its value, and its scope."""

    key: str
    value: str
    scope: str

    @property
    def of_machine(self) -> bool:
        """Whether it is in a file of the machine or the person, which no clone brings."""
        return self.scope in _OF_MACHINE

    @property
    def of_repository(self) -> bool:
        """Whether it is in a file of the repository, or in one that such a file includes."""
        return self.scope in _OF_REPOSITORY


def read_settings(root: Path) -> tuple[GitSetting, ...]:
    """Return all settings that hold in `root`, in git's order: of two with one key the later counts.

    Raises WorkspaceError where git cannot read them.
    """
    result = ask_git(root, "config", "--list", "-z", "--show-scope")
    if result.code:
        raise WorkspaceError(f"git cannot read its settings: {result.first_line}", hint="git config --list")
    parts = os.fsdecode(result.out).split("\0")
    pairs = ((scope, *each.partition("\n")) for scope, each in zip(parts[::2], parts[1::2], strict=False))
    return tuple(GitSetting(key, value if mark else "true", scope) for scope, key, mark, value in pairs)


# What a repository has git run at a commit: active hooks, filters, and programs that sign.
#
# Only what the repository itself names counts. Programs in the machine's own settings are the person's, as
# are hooks in a folder that these name outside of the project.

HOOKS = (
    "commit-msg",
    "post-commit",
    "post-index-change",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
)
"""The hooks that a commit starts; housekeeping, which has one too, is off."""

_PROGRAMS = lazy_pattern(
    r"filter\..*\.(?:clean|process)|hook\..*\.command|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand", re.DOTALL
)
_PROMISES = lazy_pattern(r"extensions\.partialclone|remote\..*\.promisor", re.DOTALL)
_FETCHES = lazy_pattern(
    r"core\.(?:sshcommand|gitproxy|askpass)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|vcs)"
    r"|protocol\.ext\.allow",
    re.DOTALL,
)
"""A partial clone fetches what it lacks, and with these runs programs for it."""

_LARGEST_HOOK_BYTES = 16 * 1024 * 1024


def read_repository_code(root: Path) -> tuple[RepositoryCode, ...]:
    """Return what a commit in the repository around `root` would run, sorted; nothing outside of one.

    Raises WorkspaceError where git cannot tell, or a hook cannot be read.
    """
    top = top_of(root)
    if top is None:
        return ()
    settings = read_settings(top)
    partial = any(_PROMISES.fullmatch(each.key) for each in settings)
    named = [_of_setting(each) for each in settings if each.of_repository and _runs(each.key, partial=partial)]
    folder = _hooks_folder(top, settings)
    hooks = [_of_hook(folder / name, name) for name in HOOKS if _is_active(folder / name)] if folder else []
    return tuple(sorted({*named, *hooks}, key=lambda each: (each.kind, each.name, each.text)))


def _hooks_folder(top: Path, settings: tuple[GitSetting, ...]) -> Path | None:
    """Return the folder of the repository's hooks; None where the machine names one outside of the project."""
    found = [each for each in settings if each.key == "core.hookspath" and each.scope != "command"]
    if not found or not found[-1].value:
        result = ask_git(top, "rev-parse", "--git-common-dir")
        if result.code:
            raise WorkspaceError(f"git cannot tell where its hooks are: {result.first_line}", hint="git rev-parse")
        return top / os.fsdecode(result.out.rstrip(b"\n")) / "hooks"
    # relative to the top of the work tree, also where the machine's settings say so
    folder = top / Path(found[-1].value).expanduser()
    outside = found[-1].of_machine and not folder.resolve().is_relative_to(top.resolve())
    return None if outside else folder


def _runs(key: str, *, partial: bool) -> bool:
    return bool(_PROGRAMS.fullmatch(key) or (partial and _FETCHES.fullmatch(key)))


def _is_active(file: Path) -> bool:
    return file.is_file() and os.access(file, os.X_OK)


def _of_hook(file: Path, name: str) -> RepositoryCode:
    with FileErrors("read the hook", file), file.open("rb") as opened:
        data = opened.read(_LARGEST_HOOK_BYTES + 1)
    if len(data) > _LARGEST_HOOK_BYTES:
        raise WorkspaceError(f"the hook {file} is larger than {_LARGEST_HOOK_BYTES // 1_048_576} MiB")
    return RepositoryCode("hook", name, str(file), digest_bytes(data))


def _of_setting(setting: GitSetting) -> RepositoryCode:
    text = setting.value
    return RepositoryCode("setting", setting.key, text, digest_bytes(text.encode("utf-8", "surrogateescape")))


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
class CommitResult:
    """What became of a commit: its id, or a warning that says why there is none."""

    sha: str | None = None
    warning: str | None = None


def _permits_nothing(_code: tuple[RepositoryCode, ...]) -> bool:
    return False


def commit_paths(root: Path, paths: tuple[str, ...], message: str, permits: Permits = _permits_nothing) -> CommitResult:
    """Commit `paths` (relative to `root`, folders with all that is in them) and nothing else.

    New files are added first, ignored ones left out. A repository that has code for a commit gets none unless that code
    is permitted: without its hooks and filters the commit would be another than the project asks for. Nothing raises: a
    commit that is not permitted, or that git or a hook refuses, is a warning, and the index is then as it was before.
    """
    top, folder = top_of(root), git_folder(root)
    if top is None or folder is None:
        return CommitResult(warning=f"not committed: {root} is in no git repository")
    under_way = [what for name, what in _UNDER_WAY.items() if (folder / name).exists()]
    if under_way:
        return CommitResult(warning=f"not committed: {under_way[0]} is under way")
    try:
        code = read_repository_code(root)
        if code and not permits(code):
            return CommitResult(
                warning=f"not committed: a commit here runs {_named(code)}, not allowed yet: vfcc allow"
            )
        given = [os.path.relpath((root / path).resolve(), top.resolve()) for path in paths if (root / path).exists()]
        return _commit(top, given, message)
    except WorkspaceError as error:
        return CommitResult(warning=f"not committed: {error.message}")


def _commit(top: Path, paths: list[str], message: str) -> CommitResult:
    def ask(*arguments: str) -> bytes:
        result = commit_with_git(top, *arguments)
        if result.code:
            raise WorkspaceError(_reason(result))
        return result.out

    # Git refuses to commit a path by name that holds nothing it could track, such as an empty folder.
    inside = [_exactly(path) for path in paths]
    inside = [path for path in inside if ask("ls-files", "--cached", "--others", "--exclude-standard", "--", path)]
    if not inside:
        return CommitResult(warning="not committed: there is no file to commit, or git ignores it")
    listed = ask("ls-files", "-z", "--others", "--exclude-standard", "--", *inside).split(b"\0")
    new = [_exactly(os.fsdecode(name)) for name in listed if name]
    if not new and not ask("status", "--porcelain", "--untracked-files=no", "--", *inside):
        return CommitResult(warning="not committed: git has these files already, or ignores them")
    try:
        if new:
            ask("add", "--intent-to-add", "--", *inside)
        ask("commit", "--quiet", "--only", f"--message={message}", "--", *inside)
    except BaseException:
        if new:
            ask("rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *new)
        raise
    return CommitResult(sha=ask("rev-parse", "HEAD").decode("ascii").strip())


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
