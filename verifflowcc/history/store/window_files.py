"""Working windows on disk: one file for each session in the local part of the memory tree, and its snapshots.

A session's name is anything that a client calls it; its file has a name that every system takes.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from verifflowcc.base.errors import FileErrors, FormatError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.write import sweep, write_atomic
from verifflowcc.base.formats.event_bytes import moment, stamp
from verifflowcc.base.text.identifiers import is_ulid
from verifflowcc.base.text.record_codec import record_from_json, record_to_json
from verifflowcc.history.rules.window_values import FULL, KeptWindow, Window

FORMAT = 1


def window_bytes(record: Window | KeptWindow) -> bytes:
    """Return a window or a snapshot as one line of JSON in ASCII; whatever a text holds, it is read back as it is."""
    value = {"format": FORMAT, **record_to_json(record)}
    return json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False).encode("ascii") + b"\n"


def read_window(data: bytes) -> Window:
    """Return the window that `data` says. Raises FormatError where it says none."""
    return _checked(record_from_json(Window, _object(data), "it"))


def read_snapshot(data: bytes) -> KeptWindow:
    """Return the snapshot that `data` says. Raises FormatError where it says none."""
    kept = record_from_json(KeptWindow, _object(data), "it")
    if not is_ulid(kept.id):
        raise FormatError(f"id {kept.id!r} is no ULID")
    _check_time(kept.time)
    _checked(kept.window)
    return kept


def _object(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FormatError("is not JSON") from error
    if not isinstance(value, Mapping):
        raise FormatError("it is no object")
    form = value.get("format")
    if form != FORMAT:
        newer = isinstance(form, int) and form > FORMAT
        raise FormatError(f"format {form!r} is {'newer than this vfcc' if newer else 'unknown'}")
    return value


def _checked(window: Window) -> Window:
    if len({item.id for item in window.items}) != len(window.items):
        raise FormatError("two items have the same id")
    for item in window.items:
        _check_time(item.time)
        if item.relevance > FULL:
            raise FormatError(f"relevance {item.relevance} is above {FULL}")
    return window


def _check_time(time: str) -> None:
    at = moment(time)
    if at.tzinfo is None or stamp(at) != time:
        raise FormatError(f"the time {time!r} is not written as 2026-11-21T03:31:00.123Z")


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no whole number")


ENDING, SNAPSHOTS, LOCK = ".json", ".snapshots", ".lock"
KEPT = 20
"""So many snapshots of a session are kept, the newest."""
WAIT_S = 10.0
_LARGEST_BYTES = 1 << 28
_LONGEST_NAME = 100
_Read = TypeVar("_Read", Window, KeptWindow)
Seen = tuple[int, int, int]
"""What tells one writing of a file from the next: each is a new file."""


def safe_name(session: str) -> str:
    """Return the name of a session's files; one that had to be altered ends with a mark, so that no two are the same.

    >>> safe_name("4f1c-22"), safe_name("../x y")
    ('4f1c-22', '---x-y-46c740c6')
    """
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in session[:_LONGEST_NAME])
    if name == session and name == name.lower():
        return name
    return f"{name}-{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def newest_session(folder: Path) -> str | None:
    """Return the session whose window was written last; None where there is none. Raises as `load_window`."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
                for entry in entries
                if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
    if not found:
        return None
    window = _read(folder / max(found)[1], read_window, "window")
    return window.session if window else None


def load_window(folder: Path, session: str) -> Window | None:
    """Return the window of a session; None where there is none.

    Raises WorkspaceError where its file cannot be read, FormatError where it is none.
    """
    path = _file(folder, session)
    window = _read(path, read_window, "window")
    if window and window.session != session:
        raise FormatError(f"{path}:1: is the window of the session {window.session}", hint=f"rm {path}")
    return window


def seen(folder: Path, session: str) -> Seen | None:
    """Return what changes with every writing of a session's window; None where there is no file.

    Raises WorkspaceError where that cannot be known.
    """
    path = _file(folder, session)
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    return found.st_ino, found.st_mtime_ns, found.st_size


def save_window(folder: Path, memory: Path, window: Window) -> None:
    """Write a window, whole or not at all; `folder` must not leave `memory` by a link. Raises WorkspaceError."""
    check_inside(folder, memory)
    if folder.is_dir():
        sweep([folder], deep=False)
    write_atomic(_file(folder, window.session), window_bytes(window), mode=0o600)


def snapshot_ids(folder: Path, session: str) -> tuple[str, ...]:
    """Return the ids of a session's snapshots, the newest first. Raises WorkspaceError."""
    place = _snapshots(folder, session)
    try:
        names = [path.name for path in place.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise WorkspaceError(f"cannot read {place}: {error.strerror or error}") from error
    ids = (name.removesuffix(ENDING) for name in names if name.endswith(ENDING))
    return tuple(sorted((each for each in ids if is_ulid(each)), reverse=True))


def load_snapshot(folder: Path, session: str, name: str) -> KeptWindow | None:
    """Return a session's snapshot of that id; None where there is none. Raises as `load_window`."""
    path = _snapshots(folder, session) / f"{name}{ENDING}"
    kept = _read(path, read_snapshot, "snapshot of a window")
    if kept and (kept.id, kept.window.session) != (name, session):
        raise FormatError(
            f"{path}:1: is the snapshot {kept.id} of the session {kept.window.session}", hint=f"rm {path}"
        )
    return kept


def save_snapshot(folder: Path, memory: Path, kept: KeptWindow) -> None:
    """Write a snapshot, whole or not at all, and remove those that are too old to be kept. Raises WorkspaceError."""
    place = _snapshots(folder, kept.window.session)
    check_inside(place, memory)
    if place.is_dir():
        sweep([place], deep=False)
    write_atomic(place / f"{kept.id}{ENDING}", window_bytes(kept), mode=0o600)
    with FileErrors("remove from", place):
        for name in snapshot_ids(folder, kept.window.session)[KEPT:]:
            (place / f"{name}{ENDING}").unlink(missing_ok=True)


@contextmanager
def changing_window(folder: Path, memory: Path, session: str) -> Iterator[None]:
    """Keep other writers of one window out until the end. Raises ConflictError, WorkspaceError."""
    check_inside(folder, memory)
    with locked(folder / f"{safe_name(session)}{LOCK}", WAIT_S):
        yield


def _file(folder: Path, session: str) -> Path:
    return folder / f"{safe_name(session)}{ENDING}"


def _snapshots(folder: Path, session: str) -> Path:
    return folder / f"{safe_name(session)}{SNAPSHOTS}"


def _read(path: Path, parse: Callable[[bytes], _Read], what: str) -> _Read | None:
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST_BYTES:
            raise WorkspaceError(f"{path} is not a {what}", hint=f"rm {path}")
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        return parse(data)
    except FormatError as error:
        raise FormatError(f"{path}:1: not a {what}: {error.message}", hint=f"rm {path}") from error
