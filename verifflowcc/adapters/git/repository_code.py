"""What a repository has git run at a commit: active hooks, filters, and programs that sign.

Only what the repository itself names counts. Programs that stand in the machine's own settings are the person's, as are
hooks in a folder that these name outside of the project.
"""

import os
import re
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import top_of
from verifflowcc.adapters.git.settings import Setting, read_settings
from verifflowcc.domain.repository_code import RepositoryCode
from verifflowcc.errors import WorkspaceError
from verifflowcc.text.digest import digest_bytes

HOOKS = (
    "commit-msg",
    "post-commit",
    "post-index-change",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
)
"""The hooks that a commit starts; housekeeping, which has one too, is off."""

_PROGRAMS = re.compile(
    r"filter\..*\.(?:clean|process)|hook\..*\.command|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand", re.DOTALL
)
_PROMISES = re.compile(r"extensions\.partialclone|remote\..*\.promisor", re.DOTALL)
_FETCHES = re.compile(
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


def _hooks_folder(top: Path, settings: tuple[Setting, ...]) -> Path | None:
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
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST_HOOK_BYTES + 1)
    except OSError as error:
        raise WorkspaceError(f"cannot read the hook {file}: {error.strerror or error}") from error
    if len(data) > _LARGEST_HOOK_BYTES:
        raise WorkspaceError(f"the hook {file} is larger than {_LARGEST_HOOK_BYTES // 1_048_576} MiB")
    return RepositoryCode("hook", name, str(file), digest_bytes(data))


def _of_setting(setting: Setting) -> RepositoryCode:
    text = setting.value
    return RepositoryCode("setting", setting.key, text, digest_bytes(text.encode("utf-8", "surrogateescape")))
