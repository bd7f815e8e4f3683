"""Start a client and stay beside it: a program of its own, which needs nothing but Python and Linux.

All that the client starts and leaves becomes a child of this process, also with a session and an environment of its
own, so that none of it outlives the attempt: not when the client ends, and not when vfcc does, since the socket to vfcc
then closes. It is started as `python -I -S attendant.py SOCKET PROGRAM ARGUMENT …` and ends as its client did. To the
socket it writes `failed ERRNO` where the client cannot be started, and `orphan PID` for each process that was left.
"""

import os
import select
import signal
import sys
import time

_SUBREAPER = 36
"""`PR_SET_CHILD_SUBREAPER` of `linux/prctl.h`."""
_OF_THE_GROUP = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Signals that are sent to the whole group, and meant for the client."""
_PATIENCE_S = 5.0
_PAUSE_S = 0.005


def attend(channel: int, argv: list[str]) -> int:
    """Run the client to its end, or until the socket closes; return its status as `os.waitpid` has it."""
    _adopt()
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    os.set_inheritable(channel, False)
    client = _start(channel, argv)
    status = None
    while status is None:
        ready, _, _ = select.select([channel, woken], [], [])
        if channel in ready and not _received(channel):
            status = _end(client)
            break
        while ready and _received(woken):
            pass
        status = _reaped(client)
    for pid in _end_children():
        _report(channel, f"orphan {pid}\n")
    return status


def _adopt() -> None:
    """Become the parent of every descendant whose own parent ends."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # what is left is then found by its marker alone


def _start(channel: int, argv: list[str]) -> int:
    for number in _OF_THE_GROUP:
        signal.signal(number, signal.SIG_IGN)
    pid = os.fork()
    if pid:
        return pid
    for number in _OF_THE_GROUP:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        _report(channel, f"failed {error.errno}\n")
    os._exit(127)


def _received(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4_096)
    except OSError:
        return b""


def _report(channel: int, line: str) -> None:
    try:
        os.write(channel, line.encode())
    except OSError:
        return  # vfcc has ended


def _reaped(client: int) -> int | None:
    """Reap all children that have ended; return the client's status once it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == client:
            found = status


def _end(client: int) -> int:
    """End the client at once, and return its status."""
    try:
        os.kill(client, signal.SIGKILL)
        return os.waitpid(client, 0)[1]
    except (ProcessLookupError, ChildProcessError):
        return signal.SIGKILL


def _end_children() -> list[int]:
    """End all children, and theirs, which become children when their parents end; return their ids."""
    ended: dict[int, None] = {}
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
                ended[pid] = None
            except (ProcessLookupError, PermissionError):
                continue
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(_PAUSE_S)
        except ChildProcessError:
            break
    return list(ended)


def _children() -> list[int]:
    found, own = [], str(os.getpid())
    for name in os.listdir("/proc"):  # noqa: PTH208 - without pathlib it starts in half the time
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                stat = file.read()
        except OSError:
            continue
        state, parent = stat[stat.rfind(b")") + 1 :].split()[:2]
        if parent.decode() == own and state != b"Z":
            found.append(int(name))
    return found


def main() -> None:
    """Attend the client that the command line names, and end as it did."""
    status = attend(int(sys.argv[1]), sys.argv[2:])
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code in _OF_THE_GROUP:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
