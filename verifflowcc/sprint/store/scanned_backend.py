"""A memory backend that scans each item for secrets before it is stored."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, cast

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.text.secrets import SecretMatch

# What the library detect-secrets finds in a text, installed where a project wants it: `verifflowcc[scanner]`.
#
# It looks offline: none of its plugins asks a server whether a secret works. Left out are the two that judge letters
# alone, which take any longer word for a secret where it is not in quotes, and the one that looks for addresses.

_LEFT_OUT = frozenset({"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"})


def scan_text(text: str) -> tuple[SecretMatch, ...]:
    """Return what the library takes for a secret, in order, each within one line.

    Raises ConfigError where it is not installed.
    """
    scan, settings = _module("core.scan"), _module("settings")
    with settings.transient_settings({"plugins_used": [{"name": name} for name in _plugins()]}):
        return tuple(sorted(set(_found(scan, text)), key=lambda each: (each.start, each.end, each.kind)))


def _found(scan: ModuleType, text: str) -> Iterator[SecretMatch]:
    start = 0
    for line in text.splitlines(keepends=True):
        for each in scan.scan_line(line.rstrip("\r\n")):
            value = each.secret_value or ""
            at = start + max(line.find(value), 0)
            yield SecretMatch(each.type, at, at + len(value))
        start += len(line)


def _plugins() -> list[str]:
    known = _module("core.plugins.util").get_mapping_from_secret_type_to_class()
    return sorted(each.__name__ for each in known.values() if each.__name__ not in _LEFT_OUT)


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"detect_secrets.{name}")
    except ModuleNotFoundError as error:
        raise ConfigError(
            ("memory.secret_scanner is detect-secrets, and that library is not installed; nothing was written",),
            hint="pip install 'verifflowcc[scanner]'",
        ) from error


Look = Callable[[StoredItem, MemoryBackend], None]
"""Looks at an item that is about to be kept in a store; raises where it must not be."""


def scanned_store(store: MemoryBackend, look: Look) -> MemoryBackend:
    """Return a store that looks at each item before it is kept."""
    return cast(MemoryBackend, _ScanningBackend(store, look))


class _ScanningBackend:
    """A `MemoryBackend` whose `add`, `create` and `create_all` look at each item first."""

    def __init__(self, store: MemoryBackend, look: Look) -> None:
        self.scope = store.scope
        self._store = store
        self._look = look

    def add(self, item: StoredItem) -> None:
        """Keep an item that was looked at."""
        self._look(item, self._store)
        self._store.add(item)

    def create(self, item: StoredItem) -> bool:
        """Keep a new item that was looked at."""
        self._look(item, self._store)
        return self._store.create(item)

    def create_all(self, items: Sequence[StoredItem]) -> tuple[str, ...]:
        """Keep new items, once all of them were looked at."""
        for each in items:
            self._look(each, self._store)
        return self._store.create_all(items)

    def __getattr__(self, name: str) -> Any:
        """Return what the store itself has: only what is written is looked at."""
        return getattr(self._store, name)
