"""Which scopes are open, remembered in `local/scopes.json` beside the stamps of all that they follow from.

Derived and deletable: what does not fit, or is damaged, counts as absent. One stat for each file of the ledgers and
tasks takes the place of reading them.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from verifflowcc import __version__
from verifflowcc.adapters.stamps import Stamps, as_on_disk, settled, stamp
from verifflowcc.errors import WorkspaceError

FILE = "scopes.json"
_SHAPE = 1
_LARGEST_BYTES = 64 << 20


def recall_scopes(root: Path, local: Path) -> tuple[str, ...] | None:
    """Return the scopes of the project in `root` that were remembered; None where something has changed since."""
    try:
        with (local / FILE).open("rb") as file:
            document = json.loads(file.read(_LARGEST_BYTES))
        stamps, scopes = document["stamps"], document["scopes"]
        if document["check"] != _check(stamps, scopes):
            return None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    below = os.fspath(root)
    if any(stamp(f"{below}/{as_on_disk(path)}") != then for path, then in stamps.items()):
        return None
    return tuple(scopes)


def remember_scopes(local: Path, before: Stamps, scopes: Sequence[str]) -> None:
    """Remember scopes; `before` are the stamps taken before they were read. What cannot be written is not kept."""
    if not settled(before.touched_ns):
        return
    from verifflowcc.adapters.files.write import write_derived

    check = _check(before.by_path, [*scopes])
    document = {"check": check, "scopes": [*scopes], "stamps": before.by_path}
    try:
        write_derived(local / FILE, json.dumps(document).encode("ascii"))
    except WorkspaceError:
        return  # a read-only tree reads its ledgers each time


def _check(stamps: object, scopes: object) -> int:
    return crc32(json.dumps([_SHAPE, __version__, stamps, scopes]).encode("ascii"))
