"""What lies in a folder, to be compared before and after."""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

LARGEST_READ = 1 << 21


def everything(folder: Path) -> dict[str, str | bytes]:
    """Return path → content for all that lies below `folder`, but for `.memory/local`, which is derived."""
    found: dict[str, str | bytes] = {}
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if here == folder / ".memory":
            folders[:] = [name for name in folders if name != "local"]
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *names):
            path = here / name
            found[path.relative_to(folder).as_posix()] = _content(path)
    return found


def _content(path: Path) -> str | bytes:
    status = path.lstat()
    if S_ISLNK(status.st_mode):
        return f"link to {path.readlink()}"
    if S_ISDIR(status.st_mode):
        return "folder"
    if not S_ISREG(status.st_mode):
        return "device"
    if status.st_size > LARGEST_READ:
        return f"{status.st_size} bytes"
    try:
        return path.read_bytes()
    except PermissionError:
        return "closed"


def half_written(folder: Path) -> list[str]:
    """Return the temporary files that a write has left behind."""
    return [path for path in everything(folder) if "/.vfcc-" in f"/{path}" or "/.memory-" in f"/{path}"]
