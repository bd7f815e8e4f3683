"""Stamps of files and folders, as `fast/` compares them: one stat each."""

import os
from pathlib import Path


def stamps(root: Path, paths: tuple[str, ...]) -> dict[str, str]:
    """Return path → stamp; empty for what is not there. The same form as in `fast/status.py`, which may import nothing."""
    return {path: _stamp(root / path) for path in paths}


def _stamp(path: Path) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - the very call that `fast/` makes
    except OSError:
        return ""
    return f"{found.st_mtime_ns}.{found.st_size}.{found.st_ino}"
