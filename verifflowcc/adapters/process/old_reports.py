"""Make room for the reports of a command: what an earlier run left there must not count for this one."""

from collections.abc import Iterable
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.errors import WorkspaceError


def remove_reports(root: Path, paths: Iterable[str]) -> None:
    """Remove the files at `paths` (relative to `root`) and make their folders; all are looked at before one is removed.

    Raises WorkspaceError where one is a file that git keeps, a folder, or leads out of the project.
    """
    targets = [_target(root, path) for path in paths]
    for target in targets:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot make room for the report {target}: {error.strerror or error}") from error


def _target(root: Path, path: str) -> Path:
    target = root / path
    hint = "vfcc config show  # gates.commands: give the report a path of its own"
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise WorkspaceError(f"the report {path} leads out of the project", hint=hint)
    if target.is_dir() and not target.is_symlink():
        raise WorkspaceError(f"the report {path} is a folder", hint=hint)
    kept = (
        target.exists() and in_repository(root) and ask_git(root, "ls-files", "--error-unmatch", "--", path).code == 0
    )
    if kept:
        raise WorkspaceError(f"the report {path} is a file that git keeps; a run would overwrite it", hint=hint)
    return target
