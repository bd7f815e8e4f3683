"""End what a command started when vfcc itself is ended: by a signal that can be caught, or by one that cannot.

A signal that asks vfcc to end becomes SystemExit, so that every `finally` runs. For SIGKILL a small shell waits beside
it: the pipe to that shell closes when vfcc ends in whatever way, and the shell then ends the command's process group.
What left that group with a session of its own is not found.
"""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SCRIPT = """\
trap '' HUP INT TERM
read -r group || exit 0
read -r word && exit 0
kill -TERM "-$group"
sleep 1
kill -KILL "-$group"
"""
_ASKED_TO_END = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def guard() -> Iterator[Callable[[int], None]]:
    """Give a function that takes the number of a process group, which then ends at the latest with this process.

    SIGTERM and SIGHUP raise SystemExit in here, with the code that a shell has for them; only in the main thread can
    that be arranged. A signal that is ignored stays ignored, as below `nohup`.
    """
    with _signals_raise(), _watcher() as tell:
        yield tell


@contextmanager
def _signals_raise() -> Iterator[None]:
    before = {}
    if threading.current_thread() is threading.main_thread():
        asked = [number for number in _ASKED_TO_END if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, _end) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _watcher() -> Iterator[Callable[[int], None]]:
    """Run the shell; without one (no `sh`, no process left) a command runs all the same."""
    quiet = subprocess.DEVNULL
    try:
        shell = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            bufsize=0,
            start_new_session=True,
            cwd="/",
        )
    except OSError:
        yield lambda _: None
        return
    pipe = shell.stdin

    def tell(word: str) -> None:
        if pipe:
            with suppress(OSError):
                pipe.write(f"{word}\n".encode())

    try:
        yield lambda group: tell(str(group))
    finally:
        tell("ended")
        if pipe:
            with suppress(OSError):
                pipe.close()
        shell.wait()
