"""`vfcc status` from the snapshot that the last full command left, where nothing has moved since.

The snapshot (`.memory/local/snapshot.json`) holds the text and the JSON to print, a stamp for each folder and file that
they depend on, and the moment at which a waiver or an approval that they tell of runs out. One stat each decides, or
the names in a folder where these are all that counts; on any doubt the full command answers, and leaves a new snapshot.
"""

import sys
from os import environ, getcwd, stat

SNAPSHOT = "/.memory/local/snapshot.json"


def answer(arguments: list[str]) -> bool:
    """Print the status and return True, or return False where the full command must answer."""
    if arguments not in ([], ["--json"]) or environ.get("_VFCC_COMPLETE") or environ.get("VFCC_SPRINT"):
        return False
    root = _root()
    snapshot = _load(root + SNAPSHOT) if root else None
    if not isinstance(snapshot, dict) or snapshot.get("format") != 5 or not fresh(root, snapshot.get("stamps")):
        return False
    if _over(snapshot.get("until")):
        return False
    if sys.stdout.isatty() and (arguments or _looks()):
        return False  # a terminal gets the board, and the document indented
    text = snapshot.get("json" if arguments else "text")
    return isinstance(text, str) and _print(text)


def stamp(path: str) -> str:
    """Return what changes when the file or folder does; empty where there is none."""
    try:
        found = stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_size}.{found.st_ino}"


def _root() -> str:
    folder = getcwd()
    while True:
        try:
            stat(folder.rstrip("/") + "/.memory")
        except OSError:
            parent = folder.rpartition("/")[0]
            if not folder or folder == "/":
                return ""
            folder = parent or "/"
        else:
            return folder.rstrip("/")


def _load(path: str) -> object:
    from verifflowcc.base.text.quick_json import read

    try:
        with open(path, encoding="utf-8") as file:
            return read(file.read())
    except (OSError, ValueError):
        return None


def fresh(root: str, stamps: object) -> bool:
    """Return whether every file below `root` still has its stamp, and every folder its stamp or its names."""
    if not isinstance(stamps, dict) or not stamps:
        return False
    return all(_as_before(f"{root}/{path}", expected) for path, expected in stamps.items())


def _as_before(path: str, expected: object) -> bool:
    """Return whether a stamp holds; `layout.py` makes them, and asks this as well."""
    if not isinstance(expected, str):
        return False
    known, by_names, names = expected.partition("=")
    if not by_names:
        return stamp(path) == expected
    return (known != "" and stamp(path) == known) or names_in(path) == names


def names_in(path: str) -> str:
    """Return what changes when a name comes or goes in a folder, hidden ones aside; empty where it cannot be listed."""
    from _blake2 import blake2b  # hashlib takes longer to import than this to run
    from os import listdir

    try:
        names = sorted(name for name in listdir(path) if not name.startswith("."))
    except OSError:
        return ""
    digest = blake2b("\0".join(names).encode("utf-8", "surrogateescape"), digest_size=16)
    return f"{len(names)}.{digest.hexdigest()}"


def _looks() -> bool:
    from verifflowcc.base.terminal.terminal import wants_color

    return wants_color()


def _over(until: object) -> bool:
    """Return whether the answer has expired: something in it held until a day."""
    if until is None:
        return False
    from time import time_ns

    return not isinstance(until, int) or time_ns() // 1_000_000 >= until


def _print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:
        return False
    sys.stdout.write(text)
    sys.stdout.flush()
    return True
