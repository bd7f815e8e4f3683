"""The history on disk: one file of JSON lines for each day, to which any number of processes add.

An event is one line and one write to a file that is opened for appending, so that none is lost or torn by another one.
The history lies in the repository's own folder, which all of its worktrees share; without one in the project's. It runs
inside of hooks, so it imports nothing but `os`.
"""

import os

from verifflowcc.base.git.git_repository import Repository, repository_around

ENDING = ".jsonl"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_KIND, _FOLDER, _FILE = 0o170000, 0o040000, 0o100000


FOLDER = "history"
LOCAL = ".memory/local"
SEEN = "hooks"
_MOST_KEYS_BYTES, _TAIL_BYTES = 262_144, 8192
_KEYS_KEPT_MS = 3_600_000


def folders_of(root: str) -> "tuple[str, ...]":
    """Return the folders of the machine's own history of the project in `root`: see `history_folders`."""
    around, own = repository_around(root), f"{root}/{LOCAL}/{FOLDER}"
    return (f"{around.folder}/{FOLDER}", own) if around else (own,)


def has_history(root: str) -> bool:
    """Return whether anything was ever recorded on this machine for the project in `root`."""
    for folder in folders_of(root):
        try:
            if any(name.endswith(ENDING) for name in os.listdir(folder)):  # noqa: PTH208 - hooks do without pathlib
                return True
        except OSError:
            continue
    return False


def add_events(root: str, day: str, lines: bytes, around: "Repository | None" = None) -> None:
    """Add whole lines to the history of the project in `root`. Raises OSError.

    `around` is its repository, where the caller knows it. Where that cannot be written to, as in a sandbox that
    protects `.git`, the project's own folder takes the lines: they are read here, and moved when that is possible.
    """
    around = around or repository_around(root)
    if around is not None:
        try:
            _make_folder(f"{around.git}/vfcc")
            add_lines(around.folder, day, lines)
        except OSError:
            pass
        else:
            return
    add_lines(f"{root}/{LOCAL}", day, lines)


def move_days(source: str, target: str, before: str) -> None:
    """Move the days before one from a history to another, whole; what cannot be moved stays where it is.

    Days that both have are added to the end: an event that both tell counts once. `before` is no later than today, so
    that no hook writes to what is moved.
    """
    try:
        names = sorted(name for name in os.listdir(f"{source}/{FOLDER}") if name.endswith(ENDING))  # noqa: PTH208
    except OSError:
        return
    for name in names:
        day, file = name[: -len(ENDING)], f"{source}/{FOLDER}/{name}"
        if day < before:
            try:
                add_lines(target, day, _whole(file))
                os.unlink(file)  # noqa: PTH108 - nothing but `os` is imported here
            except OSError:
                return


def _whole(path: str) -> bytes:
    """Return the bytes of an ordinary file, with an end to the last line."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_mode & _KIND != _FILE:
            raise OSError(22, "is no ordinary file", path)
        data = file.read()
    return data if data.endswith(b"\n") or not data else data + b"\n"


def add_lines(local: str, day: str, lines: bytes) -> None:
    """Add whole lines to the history's file of a day, in one write; folders are made where there are none.

    `local` is the folder of the history; neither it nor the history in it may be a link to elsewhere. A line
    that a full disk cut short is ended first, so that it costs no other line; another process that is seen in the
    middle of its write looks just so, and an empty line comes of that. Raises OSError.
    """
    _make_folder(local)
    _make_folder(f"{local}/{FOLDER}")
    _add(f"{local}/{FOLDER}/{day}{ENDING}", lines)


def add_fault(path: str, line: bytes, most_bytes: int) -> None:
    """Add a line to a log that never grows beyond twice `most_bytes`: the older half is kept beside it as `.old`.

    Like `add_lines`, it may leave an empty line. The folder that it lies in may be no link. Raises OSError.
    """
    _make_folder(os.path.dirname(path))  # noqa: PTH120
    if os.path.exists(path) and os.lstat(path).st_size > most_bytes:  # noqa: PTH110
        os.replace(path, f"{path}.old")  # noqa: PTH105
    _add(path, line)


def seen_file(local: str, session: str) -> str:
    """Return the path of the list of files that a session was shown, a line each."""
    return f"{local}/windows/{_file_name(session)}.told"


def add_seen(local: str, session: str, paths: "list[str]") -> None:
    """Note files that a session was shown. Raises OSError."""
    path = seen_file(local, session)
    _make_folder(local)
    _make_folder(os.path.dirname(path))  # noqa: PTH120
    _add(path, "".join(f"{each}\n" for each in paths if "\n" not in each).encode("utf-8", "surrogatepass"))


def is_first(local: str, session: str, key: str, origin: str, now_ms: int, window_ms: int) -> bool:
    """Say whether no hook of another origin has named this event of a session before. Raises OSError.

    A client that finds hooks in two places, as of a project and of a plugin, runs both at once. Each adds a line and
    reads the end of the file back: lines are in the order in which they were added, so that one of the two is first,
    with no lock. The same event again from the same place is another event.
    """
    folder = f"{local}/{SEEN}"
    _make_folder(local)
    _make_folder(folder)
    path = f"{folder}/{_file_name(session)}.keys"
    if os.path.exists(path) and os.lstat(path).st_size > _MOST_KEYS_BYTES:  # noqa: PTH110
        os.replace(path, f"{path}.old")  # noqa: PTH105
    mine = f"{key} {origin} {now_ms} {os.urandom(6).hex()}"
    _add(path, f"{mine}\n".encode("utf-8", "surrogatepass"))
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        start = max(0, os.fstat(handle).st_size - _TAIL_BYTES)
        lines = os.pread(handle, _TAIL_BYTES, start).decode("utf-8", "replace").split("\n")
    finally:
        os.close(handle)
    counts: dict[str, int] = {}
    for line in lines:
        words = line.split(" ")
        if len(words) != 4 or words[0] != key or not words[2].isdigit() or abs(now_ms - int(words[2])) > window_ms:
            continue
        counts[words[1]] = counts.get(words[1], 0) + 1
        if line == mine:
            break
    own = counts.pop(origin, 1)
    return max(counts.values(), default=0) < own


def prune_keys(local: str, now_ms: int) -> None:
    """Remove the keys that `is_first` kept of sessions without an event for an hour. Raises OSError."""
    folder = f"{local}/{SEEN}"
    try:
        names = os.listdir(folder)  # noqa: PTH208 - pathlib takes as long to import as all of this
    except FileNotFoundError:
        return
    for name in names:
        path = f"{folder}/{name}"
        if name.endswith((".keys", ".keys.old")) and os.lstat(path).st_mtime_ns // 1_000_000 < now_ms - _KEYS_KEPT_MS:
            os.unlink(path)  # noqa: PTH108


def _file_name(session: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in session[:100]) or "none"


def _add(path: str, lines: bytes) -> None:
    handle = os.open(path, _FLAGS, 0o600)
    try:
        found = os.fstat(handle)
        if found.st_mode & _KIND != _FILE:
            raise OSError(22, "is no ordinary file", path)
        torn = found.st_size > 0 and os.pread(handle, 1, found.st_size - 1) != b"\n"
        whole = b"\n" + lines if torn else lines
        if os.write(handle, whole) != len(whole):
            raise OSError(28, "there is no space for all of it", path)
    finally:
        os.close(handle)


def _make_folder(path: str) -> None:
    """Make a folder whose parent is there; what is a link to one is none."""
    try:
        kind = os.lstat(path).st_mode & _KIND
    except FileNotFoundError:
        try:
            os.mkdir(path, 0o700)  # noqa: PTH102 - pathlib takes as long to import as all of this
        except FileExistsError:
            _make_folder(path)
        return
    if kind != _FOLDER:
        raise OSError(20, "is a link, and no folder", path)
