"""Outcomes of runs, kept in the repository's private folder by the digest of all that decides them.

It may be deleted at any moment. A file that cannot be read or written costs a run, and nothing else.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.git.place import objects_folder
from verifflowcc.errors import WorkspaceError

_MOST = 5_000


def cache_folder(top: Path) -> Path | None:
    """Return where outcomes of the repository at `top` are kept: all of its worktrees share it."""
    objects = objects_folder(top)
    return objects.parent / "vfcc" / "prove" if objects else None


def load_outcome(folder: Path | None, key: str) -> Mapping[str, object] | None:
    """Return what was kept under a digest; None where nothing was, or it cannot be read."""
    if folder is None:
        return None
    with suppress(OSError, ValueError):
        found = json.loads(_file(folder, key).read_bytes())
        return found if isinstance(found, dict) else None
    return None


def keep_outcome(folder: Path | None, key: str, value: Mapping[str, object]) -> None:
    """Keep a value under a digest; the oldest go where there are too many."""
    if folder is None:
        return
    with suppress(WorkspaceError, OSError):
        write_atomic(_file(folder, key), json.dumps(value))
        files = list(folder.iterdir())
        if len(files) > _MOST:
            for each in sorted(files, key=lambda file: file.stat().st_mtime)[: _MOST // 10]:
                each.unlink()


def _file(folder: Path, key: str) -> Path:
    return folder / f"{key.removeprefix('sha256:')}.json"
