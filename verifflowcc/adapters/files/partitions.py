"""The history on disk: one file of JSON lines for each day, to which any number of processes add.

An event is one line and one write to a file that is opened for appending, so that none is lost or torn by another one.
It runs inside of hooks, so it imports nothing but `os`.
"""

import os

ENDING = ".jsonl"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_KIND, _FOLDER, _FILE = 0o170000, 0o040000, 0o100000


def add_lines(local: str, day: str, lines: bytes) -> None:
    """Add whole lines to the history's file of a day, in one write; folders are made where there are none.

    `local` is the local part of the memory tree; neither it nor the history in it may be a link to elsewhere. A line
    that a full disk cut short is ended first, so that it costs no other line. Raises OSError.
    """
    folder = f"{local}/history"
    path = f"{folder}/{day}{ENDING}"
    if not (_is_folder(local) and _is_folder(folder)):
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib takes as long to import as all of this
        for each in (local, folder):
            if not _is_folder(each):
                raise OSError(20, "is a link, and no folder", each)
    _add(path, lines)


def add_fault(path: str, line: bytes, most_bytes: int) -> None:
    """Add a line to a log that never grows beyond twice `most_bytes`: the older half is kept beside it as `.old`.

    Raises OSError.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    if os.path.exists(path) and os.lstat(path).st_size > most_bytes:  # noqa: PTH110
        os.replace(path, f"{path}.old")  # noqa: PTH105
    _add(path, line)


def told_file(local: str, session: str) -> str:
    """Return the path of the list of files that a session was told of, a line each."""
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in session[:100])
    return f"{local}/windows/{name or 'none'}.told"


def add_told(local: str, session: str, paths: "list[str]") -> None:
    """Note files that a session was told of. Raises OSError."""
    path = told_file(local, session)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    _add(path, "".join(f"{each}\n" for each in paths if "\n" not in each).encode("utf-8", "surrogatepass"))


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


def _is_folder(path: str) -> bool:
    try:
        return os.lstat(path).st_mode & _KIND == _FOLDER
    except FileNotFoundError:
        return False
