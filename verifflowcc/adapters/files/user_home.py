"""Where a person's own memory and settings lie, outside of every project."""

import os
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.errors import WorkspaceError

USER = "user"
"""The folder of the user scope, below `user_home()`; paths of its items begin with it."""


def user_home(env: Mapping[str, str] = os.environ) -> Path:
    """Return `$XDG_DATA_HOME/vfcc` (`~/.local/share/vfcc`). Raises WorkspaceError where there is no home."""
    return _base(env, "XDG_DATA_HOME", ".local/share") / "vfcc"


def user_settings_file(env: Mapping[str, str] = os.environ) -> Path:
    """Return `$XDG_CONFIG_HOME/vfcc/config.yaml` (`~/.config/…`). Raises WorkspaceError where there is no home."""
    return _base(env, "XDG_CONFIG_HOME", ".config") / "vfcc" / "config.yaml"


def _base(env: Mapping[str, str], variable: str, below_home: str) -> Path:
    """A relative path in an XDG variable is to be ignored, as the specification says."""
    given = env.get(variable, "")
    if given.startswith("/"):
        return Path(given)
    home = env.get("HOME", "")
    if home.startswith("/"):
        return Path(home) / below_home
    try:
        return Path.home() / below_home
    except RuntimeError as error:
        raise WorkspaceError("the user's memory has no home folder", hint=f"export {variable}=/path") from error
