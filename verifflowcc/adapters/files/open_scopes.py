"""Which scopes are open, remembered in `local/scopes.json` beside the stamps of all that they follow from.

One stat for each file of the ledgers and tasks takes the place of reading them.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.adapters.files.layout import Stamps, as_on_disk, settled, stamp
from verifflowcc.adapters.files.write import DerivedFile

FILE = "scopes.json"
_FILE = DerivedFile(FILE, 2, keyed_by="stamps of ledgers and tasks")


def recall_scopes(root: Path, local: Path) -> tuple[str, ...] | None:
    """Return the scopes of the project in `root` that were remembered; None where something has changed since."""
    kept = _FILE.read(local / FILE)
    if kept is None:
        return None
    stamps, scopes = kept
    below = os.fspath(root)
    if any(stamp(f"{below}/{as_on_disk(path)}") != then for path, then in stamps.items()):
        return None
    return tuple(scopes)


def remember_scopes(local: Path, before: Stamps, scopes: Sequence[str]) -> None:
    """Remember scopes; `before` are the stamps taken before they were read."""
    if settled(before.touched_ns):
        _FILE.write(local / FILE, [before.by_path, [*scopes]])
