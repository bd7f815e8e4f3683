"""Outcomes of runs, kept in the repository's private folder by the digest of all that decides them.

A file that cannot be read or written costs a run, and nothing else.
"""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.files.derived_file import DerivedFile
from verifflowcc.adapters.git.place import objects_folder

_FILE = DerivedFile("*.json", 1, keyed_by="the digest of what decides a run", most=5_000)


def cache_folder(top: Path) -> Path | None:
    """Return where outcomes of the repository at `top` are kept: all of its worktrees share it."""
    objects = objects_folder(top)
    return objects.parent / "vfcc" / "prove" if objects else None


def load_outcome(folder: Path | None, key: str) -> Mapping[str, object] | None:
    """Return what was kept under a digest; None where nothing was, or it cannot be read."""
    found = _FILE.read(_file(folder, key)) if folder else None
    return found if isinstance(found, dict) else None


def keep_outcome(folder: Path | None, key: str, value: Mapping[str, object]) -> None:
    """Keep a value under a digest; the oldest go where there are too many."""
    if folder:
        _FILE.write(_file(folder, key), value)


def _file(folder: Path, key: str) -> Path:
    return folder / f"{key.removeprefix('sha256:')}.json"
