"""What the library detect-secrets finds in a text, installed where a project wants it: `verifflowcc[scanner]`.

It looks offline: none of its plugins asks a server whether a secret works. Left out are the two that judge letters
alone, which take any longer word for a secret where it is not in quotes, and the one that looks for addresses.
"""

import importlib
from collections.abc import Iterator
from types import ModuleType

from verifflowcc.errors import ConfigError
from verifflowcc.text.secrets import Found

_LEFT_OUT = frozenset({"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"})


def scan_text(text: str) -> tuple[Found, ...]:
    """Return what the library takes for a secret, in order, each within one line.

    Raises ConfigError where it is not installed.
    """
    scan, settings = _module("core.scan"), _module("settings")
    with settings.transient_settings({"plugins_used": [{"name": name} for name in _plugins()]}):
        return tuple(sorted(set(_found(scan, text)), key=lambda each: (each.start, each.end, each.kind)))


def _found(scan: ModuleType, text: str) -> Iterator[Found]:
    start = 0
    for line in text.splitlines(keepends=True):
        for each in scan.scan_line(line.rstrip("\r\n")):
            value = each.secret_value or ""
            at = start + max(line.find(value), 0)
            yield Found(each.type, at, at + len(value))
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
