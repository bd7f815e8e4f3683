"""Run a command in a process forked from this one, and stop it at one of its steps that change the disk.

A step is a call that opens a file to write, gives, moves or takes away a name, or changes a mode, below the given
folders: Python tells of each to an audit hook before it happens. There the process is killed, or the call fails with
an error of the system. Calls that a library makes by itself (the database of an index) are not among them;
`tests/cli/cli/test_killed_anywhere.py` stops those.

The process that forks has imported the program and runs no command itself.
"""

import errno
import gc
import importlib
import os
import pkgutil
import resource
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from verifflowcc.base.records import dataclass

ERRORS = ("ENOSPC", "EIO", "EACCES")
HOWS = ("KILL", *ERRORS)
_NAMES = frozenset(
    ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate", "os.utime")
)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOT_IMPORTED = ("tests", "verifflowcc.adapters.proving.reporter", "verifflowcc.pytest_plugin", "verifflowcc.__main__")
PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended: its exit code, minus the signal that ended it; what it wrote; how many steps it took."""

    code: int
    out: str
    err: str
    steps: int

    @property
    def killed(self) -> bool:
        """Whether it was killed."""
        return self.code == -signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Fault:
    """The step to stop at, from 0, and how: `KILL`, or the name of an error."""

    step: int
    how: str


def import_program() -> None:
    """Import every module of the program, so that no process that is forked does it again."""
    import verifflowcc

    for each in pkgutil.walk_packages(verifflowcc.__path__, "verifflowcc."):
        if not each.name.startswith(_NOT_IMPORTED):
            with suppress(ImportError):
                importlib.import_module(each.name)
    gc.freeze()


def in_memory() -> str | None:
    """Return a folder in memory, where copies cost a twentieth; None where the system has none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def cpu_s() -> float:
    """Return the CPU time of this process and of those that it waited for."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(each.ru_utime + each.ru_stime for each in usage), 1)


def run(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    watched: Sequence[Path],
    fault: Fault | None = None,
    *,
    keys: str = "y\n" * 3,
    given: Path | None = None,
) -> Run:
    """Run `vfcc` with `words` in `folder`, as a person who types `keys`; steps are those below `watched`.

    With `given`, a file, that comes in place of the terminal.
    """
    ours, theirs = os.openpty()
    os.write(ours, keys.encode())
    files = [os.memfd_create(name) for name in ("out", "err", "steps")]
    stdin = theirs if given is None else os.open(given, os.O_RDONLY)
    child = os.fork()
    if child == 0:
        _become(words, folder, env, stdin, files, _Steps([str(each) for each in watched], fault, files[2]))
    for handle in {theirs, stdin}:
        os.close(handle)
    _, status = os.waitpid(child, 0)
    os.close(ours)
    texts = [_read(each).decode("utf-8", "replace") for each in files]
    return Run(os.waitstatus_to_exitcode(status), texts[0], texts[1], len(texts[2]))


def _opens_to_write(mode: object, flags: object) -> bool:
    return bool(isinstance(flags, int) and flags & _WRITES) or bool(isinstance(mode, str) and set(mode) & set("wax+"))


class _Steps:
    """An audit hook that counts steps, and stops at one."""

    def __init__(self, watched: Sequence[str], fault: Fault | None, counted: int) -> None:
        self.watched = tuple(f"{each}/" for each in watched)
        self.fault, self.counted, self.seen = fault, counted, 0
        self.lock = threading.Lock()

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            places: tuple[object, ...] = (path,) if _opens_to_write(mode, flags) else ()
        elif event in _NAMES:
            places = arguments[:2]
        else:
            return
        if any(self._is_watched(each) for each in places):
            self._step()

    def _is_watched(self, place: object) -> bool:
        if isinstance(place, bytes):
            place = os.fsdecode(place)
        if isinstance(place, int):
            with suppress(OSError):
                place = str(Path(f"/proc/self/fd/{place}").readlink())
        if not isinstance(place, str):
            return False
        full = place if place.startswith("/") else f"{os.getcwd()}/{place}"  # noqa: PTH109
        return full.startswith(self.watched)

    def _step(self) -> None:
        with self.lock:  # a step of another thread is counted before this one is killed
            number, self.seen = self.seen, self.seen + 1
            os.write(self.counted, b".")
        if self.fault is None or number != self.fault.step:
            return
        if self.fault.how == "KILL":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(getattr(errno, self.fault.how), os.strerror(getattr(errno, self.fault.how)))


def _become(
    words: Sequence[str], folder: Path, env: Mapping[str, str], stdin: int, files: Sequence[int], steps: _Steps
) -> None:
    """Run the command in this process, and end it."""
    code = 70
    try:
        os.setsid()
        for number, handle in enumerate((stdin, files[0], files[1])):
            os.dup2(handle, number)
        streams = zip(("stdin", "stdout", "stderr"), "rww", range(3), strict=True)
        for name, mode, number in streams:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - it stays open
        os.environ.clear()
        os.environ.update(env)
        os.chdir(folder)
        sys.argv[:] = ["vfcc", *words]
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S))
        from verifflowcc.fast import main

        sys.addaudithook(steps)
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever ends it is told
        import traceback

        with suppress(Exception):
            traceback.print_exc()
        code = 71
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _read(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    with open(handle, "rb") as file:
        return file.read()
