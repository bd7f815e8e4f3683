"""Git's settings with the place that each comes from: the machine's own files, or the repository."""

import os
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass

_OF_MACHINE = frozenset(("system", "global"))
_OF_REPOSITORY = frozenset(("local", "worktree"))


@dataclass(frozen=True, slots=True)
class Setting:
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


def read_settings(root: Path) -> tuple[Setting, ...]:
    """Return all settings that hold in `root`, in git's order: of two with one key the later counts.

    Raises WorkspaceError where git cannot read them.
    """
    result = ask_git(root, "config", "--list", "-z", "--show-scope")
    if result.code:
        raise WorkspaceError(f"git cannot read its settings: {result.first_line}", hint="git config --list")
    parts = os.fsdecode(result.out).split("\0")
    pairs = ((scope, *each.partition("\n")) for scope, each in zip(parts[::2], parts[1::2], strict=False))
    return tuple(Setting(key, value if mark else "true", scope) for scope, key, mark, value in pairs)
