"""Texts that help to guess how a project works; a file that cannot be read counts as empty."""

import json
from pathlib import Path

_MOST_BYTES = 1 << 20


def small_text(path: Path) -> str:
    """Return the text of a small, ordinary file; nothing for any other, since a guess can always be left out."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def package_table(path: Path, *keys: str) -> dict[str, object]:
    """Return the named tables of a `package.json` as one; an empty one where the file is no such file."""
    try:
        document = json.loads(small_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    tables = [document.get(key) for key in keys] if isinstance(document, dict) else []
    return {str(name): value for table in tables if isinstance(table, dict) for name, value in table.items()}


def packages_named(path: Path) -> frozenset[str]:
    """Return the packages on which a `package.json` depends."""
    return frozenset(package_table(path, "dependencies", "devDependencies"))
