"""A validated configuration, remembered by digest, so that later commands need no yaml and no pydantic."""

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from verifflowcc.base.config.cached_record import FILE, SHAPE
from verifflowcc.base.config.config_defaults import default_config
from verifflowcc.base.files.layout import stamp
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.config_values import Config, GateSettings
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.record_codec import RecordCodec, plain_text

_FILE = DerivedFile(FILE, SHAPE, keyed_by="the digest of config.yaml; defaults; workflows", largest_bytes=8 << 20)


def recall(folder: Path, digest: str, workflows: Collection[str]) -> Config | None:
    """Return the configuration whose file has this digest, or None where it must be validated."""
    return _recalled(folder / FILE, stamp(folder / FILE), digest, tuple(sorted(workflows)))


@lru_cache(maxsize=4)
def _recalled(file: Path, _stamp: str, digest: str, workflows: tuple[str, ...]) -> Config | None:
    """Return what a file of this stamp holds; a command asks for its settings several times."""
    kept = _FILE.read(file, _key(digest, workflows))
    return None if kept is None else _CODEC.made(kept[1])


def remember(folder: Path, config: Config, workflows: Collection[str]) -> None:
    """Write the cache. Raises WorkspaceError where the folder cannot be written."""
    _FILE.put(folder / FILE, [config.hooks.record, _CODEC.plain(config)], _key(config.digest, workflows))


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
    from verifflowcc.base.model.gate_values import Mode

    return RecordCodec(GateSettings, names={"Command": Command, "Mode": Mode})


_CODEC: RecordCodec[Config] = RecordCodec(Config, {GateSettings: (_gates_row, _gates)})
