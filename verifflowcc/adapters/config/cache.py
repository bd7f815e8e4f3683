"""A validated configuration, remembered by digest as plain JSON, so that later commands need no yaml and no pydantic.

Derived and deletable: what does not fit the key, or is damaged, counts as absent.
"""

import json
from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from verifflowcc import __version__
from verifflowcc.adapters.config.cached_record import FILE, SHAPE
from verifflowcc.adapters.config.defaults import LAYERS, default_config
from verifflowcc.domain.code_mix import CodeMix
from verifflowcc.domain.config import DEFAULT_ALLOCATION, Config, LayerStrategy
from verifflowcc.records import field_names, is_record
from verifflowcc.text.digest import digest_text

_LARGEST_BYTES = 8 << 20


_Body = dict[str, Any]


def recall(folder: Path, digest: str, workflows: Collection[str]) -> Config | None:
    """Return the configuration whose file has this digest, or None where it must be validated."""
    try:
        with (folder / FILE).open("rb") as file:
            data = file.read(_LARGEST_BYTES)
    except OSError:
        return None
    return _recalled(data, digest, tuple(sorted(workflows)))


@lru_cache(maxsize=4)
def _recalled(data: bytes, digest: str, workflows: tuple[str, ...]) -> Config | None:
    """Return what a cache's bytes hold; a command asks for its settings several times."""
    try:
        document = json.loads(data)
        body: _Body = document["config"]
        if document["key"] != _key(digest, workflows) or document["check"] != digest_text(_text(body)):
            return None
        return _config(body, digest)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def remember(folder: Path, config: Config, workflows: Collection[str]) -> None:
    """Write the cache. Raises WorkspaceError where the folder cannot be written."""
    from verifflowcc.adapters.files.write import write_atomic

    body = _body(config)
    document = {"key": _key(config.digest, workflows), "check": digest_text(_text(body)), "config": body}
    write_atomic(folder / FILE, _text(document) + "\n")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _key(digest: str, workflows: Collection[str]) -> list[object]:
    """What the meaning of a file depends on: its content, this vfcc, its defaults and the workflows it may name."""
    return [SHAPE, __version__, digest, _defaults(), sorted(workflows)]


@lru_cache(maxsize=1)
def _defaults() -> str:
    return digest_text(_text(_body(default_config())))


def _body(config: Config) -> _Body:
    body: _Body = _plain(config)
    del body["digest"]
    return body


def _plain(value: object) -> Any:
    """Return records as mappings by the names of their fields; JSON has all else as it is."""
    if is_record(value):
        return {name: _plain(getattr(value, name)) for name in field_names(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return value


def _config(body: _Body, digest: str) -> Config:
    found: Config = _like(default_config(), {**body, "digest": digest})
    return found


def _like(pattern: Any, value: Any) -> Any:
    """Return a value of JSON in the types of `pattern`, which is the default at the same place."""
    if is_record(pattern):
        found = {name: _below(name, getattr(pattern, name), value[name]) for name in field_names(pattern)}
        return type(pattern)(**found)
    if isinstance(pattern, StrEnum):
        return type(pattern)(value)
    return tuple(value) if isinstance(value, list) else value


def _below(name: str, pattern: Any, value: Any) -> Any:
    if not isinstance(value, dict) or is_record(pattern):
        return _like(pattern, value)
    if name in ("strategies", "shares"):
        return {layer: _like(_element(name), value[layer.value]) for layer in LAYERS}
    element = _element(name) if value else None
    return {each: _like(element, one) for each, one in value.items()}


def _element(name: str) -> Any:
    """Return a value like those of a mapping whose names a project chooses; None for plain values."""
    if name in ("commands", "modes"):
        from verifflowcc.domain.evidence import Command
        from verifflowcc.domain.gates import Mode

        return Mode.HARD if name == "modes" else Command("", (), 0, {})
    made = {"strategies": LayerStrategy((), (), 0), "allocations": DEFAULT_ALLOCATION, "code_mixes": CodeMix()}
    return made.get(name)
