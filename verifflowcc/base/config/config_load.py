"""Load the effective configuration of a project.

It comes from the cache where its file is unchanged, by digest and without yaml or pydantic, and is validated otherwise.
"""

import os
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from verifflowcc.base.config.cached_record import FILE as CACHE_FILE
from verifflowcc.base.config.cached_record import SHAPE
from verifflowcc.base.config.config_defaults import default_config, read_small
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.layout import stamp
from verifflowcc.base.files.private_files import user_settings_file
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.config_values import Config, GateSettings, UserSettings
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.record_codec import RecordCodec, plain_text

# A person's own settings: `$XDG_CONFIG_HOME/vfcc/config.yaml` and the environment → `UserSettings`.
#
# Where there is no such file, neither yaml nor pydantic is imported.

URL_VARIABLE = "VFCC_POSTGRES_URL"


def user_settings(env: Mapping[str, str] = os.environ) -> UserSettings:
    """Return the person's settings, the defaults where there is no file; a server in the environment goes first.

    Raises ConfigError with all problems, each `PATH:LINE: …`, and WorkspaceError where the file cannot be read or there
    is no home folder.
    """

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
    known = recall(cache_folder, digest_text(data), workflows)
    if known is not None:
        return LoadedConfig(known)
    config = _validated(data, workflows)
    try:
        remember(cache_folder, config, workflows)
    except WorkspaceError as error:
        return LoadedConfig(config, (f"the checked configuration was not remembered: {error.message}",))
    return LoadedConfig(config)


def read_config(path: Path) -> bytes | None:
    """Return the file's bytes, None where there is none. Raises ConfigError or WorkspaceError (see `read_small`)."""

    if not path.parent.is_dir():
        raise WorkspaceError(f"{path.parent} is not a folder", hint="vfcc init")
    return read_small(path, FILE, inside=path.parent.parent)


def _validated(data: bytes, workflows: Collection[str]) -> Config:
    from verifflowcc.base.config.config_validate import check

    return check(data, workflows).config


_FILE = DerivedFile(CACHE_FILE, SHAPE, keyed_by="the digest of config.yaml; defaults; workflows", largest_bytes=8 << 20)


def recall(folder: Path, digest: str, workflows: Collection[str]) -> Config | None:
    """Return the configuration whose file has this digest, or None where it must be validated."""
    return _recalled(folder / CACHE_FILE, stamp(folder / CACHE_FILE), digest, tuple(sorted(workflows)))


@lru_cache(maxsize=4)
def _recalled(file: Path, _stamp: str, digest: str, workflows: tuple[str, ...]) -> Config | None:
    """Return what a file of this stamp holds; a command asks for its settings several times."""
    kept = _FILE.read(file, _key(digest, workflows))
    return None if kept is None else _CODEC.made(kept[1])


def remember(folder: Path, config: Config, workflows: Collection[str]) -> None:
    """Write the cache. Raises WorkspaceError where the folder cannot be written."""
    _FILE.put(folder / CACHE_FILE, [config.hooks.record, _CODEC.plain(config)], _key(config.digest, workflows))


def _key(digest: str, workflows: Collection[str]) -> list[object]:
    """What the meaning of a file depends on: its content, the defaults of vfcc and the workflows it may name."""
    return [digest, _defaults(), sorted(workflows)]


@lru_cache(maxsize=1)
def _defaults() -> str:
    return digest_text(plain_text(default_config()))


def _gates_row(gates: GateSettings) -> list[Any]:
    return [_codec_of_gates().plain(gates)] if gates.commands or gates.modes else []


def _gates(row: list[Any]) -> GateSettings:
    return _codec_of_gates().made(row[0]) if row else GateSettings()


@lru_cache(maxsize=1)
def _codec_of_gates() -> RecordCodec[GateSettings]:
    """Commands and modes are imported by the few projects that set them."""
    from verifflowcc.base.model.evidence_values import Command

    return RecordCodec(GateSettings, names={"Command": Command, "Mode": Mode})


_CODEC: RecordCodec[Config] = RecordCodec(Config, {GateSettings: (_gates_row, _gates)})
