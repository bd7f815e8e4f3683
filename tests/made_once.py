"""Worlds that many processes make: each test process makes one once, and every test that asks for it has its own copy.

A world is all that lies in a folder: a project, and the home in which it was made. A copy keeps the times of the files;
the one file in it that names its own place, what this machine allows to run, names the new one.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path

_ALLOWED = ".local/share/vfcc/allowed.json"
_MADE: dict[Hashable, tuple[Path, Path]] = {}


def copied(folder: Path, make: Callable[..., Path], *said: Hashable) -> Path:
    """Return what `make(folder, *said)` would return, a path at or below `folder`, from a copy of what it made once.

    `make` writes into the folder that it is given and nowhere else. `folder` may exist and hold other files.
    """
    world = (make, said)
    if world not in _MADE:
        place = Path(tempfile.mkdtemp(prefix="vfcc-made-")).resolve()
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        _MADE[world] = (place, make(place, *said))
    place, made = _MADE[world]
    shutil.copytree(place, folder, symlinks=True, dirs_exist_ok=True)
    allowed = folder / _ALLOWED
    if allowed.exists():
        allowed.write_text(allowed.read_text("utf-8").replace(str(place), str(folder)), encoding="utf-8")
    return folder / made.relative_to(place)
