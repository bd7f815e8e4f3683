"""Load the effective configuration of a project.

It comes from the cache where its file is unchanged, and is validated otherwise.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from verifflowcc.base.config import config_cache as cache
from verifflowcc.base.config.config_defaults import default_config
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.private_files import user_settings_file
from verifflowcc.base.model.config_values import Config, UserSettings
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text

# A person's own settings: `$XDG_CONFIG_HOME/vfcc/config.yaml` and the environment → `UserSettings`.
#
# Where there is no such file, neither yaml nor pydantic is imported.

URL_VARIABLE = "VFCC_POSTGRES_URL"


def user_settings(env: Mapping[str, str] = os.environ) -> UserSettings:
    """Return the person's settings, the defaults where there is no file; a server in the environment goes first.

    Raises ConfigError with all problems, each `PATH:LINE: …`, and WorkspaceError where the file cannot be read or there
    is no home folder.
    """
    from verifflowcc.base.config.config_defaults import read_small

    path = user_settings_file(env)
    # A person's own file may be a link to wherever they keep such files.
    data = read_small(path, str(path), inside=path.resolve().parent)
    found = UserSettings()
    if data is not None:
        from verifflowcc.base.config.user_section import read_user_settings

        found = read_user_settings(data, str(path))
    url = env.get(URL_VARIABLE, "").strip()
    return replace(found, postgres_url=url) if url else found


FILE = "config.yaml"


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration, and sentences for the reader about how it was come by."""

    config: Config
    notices: tuple[str, ...] = ()


def load_config(path: Path, workflows: Collection[str], cache_folder: Path | None) -> LoadedConfig:
    """Read, validate and return `path` (`.memory/config.yaml`); the defaults, with a notice, where it is absent.

    `workflows` are the names that `workflow` may have. With a `cache_folder`, a valid configuration is remembered
    there; that it could not be is a notice. Raises ConfigError with all problems, WorkspaceError where the memory tree
    is not there or the file cannot be read.
    """
    data = read_config(path)
    if data is None:
        return LoadedConfig(
            default_config(), (f"{path.parent.name}/{FILE} is missing: the default configuration holds",)
        )
    if cache_folder is None:
        return LoadedConfig(_validated(data, workflows))
    known = cache.recall(cache_folder, digest_text(data), workflows)
    if known is not None:
        return LoadedConfig(known)
    config = _validated(data, workflows)
    try:
        cache.remember(cache_folder, config, workflows)
    except WorkspaceError as error:
        return LoadedConfig(config, (f"the checked configuration was not remembered: {error.message}",))
    return LoadedConfig(config)


def read_config(path: Path) -> bytes | None:
    """Return the file's bytes, None where there is none. Raises ConfigError or WorkspaceError (see `read_small`)."""
    from verifflowcc.base.config.config_defaults import read_small

    if not path.parent.is_dir():
        raise WorkspaceError(f"{path.parent} is not a folder", hint="vfcc init")
    return read_small(path, FILE, inside=path.parent.parent)


def _validated(data: bytes, workflows: Collection[str]) -> Config:
    from verifflowcc.base.config.config_validate import check

    return check(data, workflows).config
