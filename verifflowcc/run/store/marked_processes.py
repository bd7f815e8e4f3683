"""Find and end the processes of a run by the marker in their environment, whatever session or parent they have.

A client's tools have sessions of their own and outlive a client that is killed; each of them inherits the marker.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

RUN_VARIABLE = "VFCC_RUN"
"""The variable that marks all processes of an attempt: the run's mark, a slash, the attempt's id."""
_PROC = Path("/proc")
_PS = "/bin/ps"
_PATIENCE_S = 5.0
_PAUSE_S = 0.01


def sweep(run: str) -> tuple[int, ...]:
    """End all processes that a run has left, or one attempt of it (`<run>/<attempt>`); return their ids.

    This process and those that started it are never ended, so that a person's shell inside of a run survives.
    """
    ended: dict[int, None] = {}
    until = time.monotonic() + _PATIENCE_S
    spared = _own_line()
    while time.monotonic() < until:
        found = [pid for pid in marked(run) if pid not in spared]
        if not found:
            break
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended[pid] = None
        time.sleep(_PAUSE_S)  # one that was started between the reading and the signal is found in the next round
    return tuple(ended)


def marked(run: str) -> tuple[int, ...]:
    """Return the processes that carry the marker of a run, or of one attempt of it."""
    wanted = f"{RUN_VARIABLE}={run}".encode()
    ends = (b"\0", b"") if "/" in run else (b"\0", b"", b"/")
    found = _in_proc() if (_PROC / "self" / "environ").exists() else _in_table()
    return tuple(pid for pid, words in found if _holds(words, wanted, ends))


def _holds(words: bytes, wanted: bytes, ends: tuple[bytes, ...]) -> bool:
    place = words.find(wanted)
    while place >= 0:
        rest = words[place + len(wanted) : place + len(wanted) + 1]
        if (place == 0 or words[place - 1 : place] == b"\0") and rest in ends:
            return True
        place = words.find(wanted, place + 1)
    return False


def _in_proc() -> Iterator[tuple[int, bytes]]:
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended, or belongs to another user
                yield int(folder.name), (folder / "environ").read_bytes()


def _in_table() -> Iterator[tuple[int, bytes]]:
    """Yield the processes where there is no `/proc`: `ps` shows the environment after the arguments."""
    done = subprocess.run([_PS, "-Eww", "-A", "-o", "pid=,command="], capture_output=True, env={}, check=False)
    for line in done.stdout.splitlines():
        pid, _, words = line.strip().partition(b" ")
        if pid.isdigit():
            yield int(pid), b"\0" + words.replace(b" ", b"\0") + b"\0"


def _own_line() -> set[int]:
    """Return this process and those above it."""
    found, pid = {os.getpid()}, os.getppid()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            stat = (_PROC / str(pid) / "stat").read_bytes()
        except OSError:
            break
        pid = int(stat[stat.rfind(b")") + 1 :].split()[1])
    return found
