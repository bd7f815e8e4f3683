"""Run the tests outside the process tree of an agent client, where a developer starts them inside one.

Below a client nobody is a person, whatever a test sets in the environment of its processes. So the session goes on in
a process whose parent has ended, as one that the first process of the machine adopts.
"""

import os
import signal

from verifflowcc.base.process.acting import client_above

_STATUS = {"write": -1}


def leave_clients() -> None:
    """Return at once where no known client is above; else in a new process that has none, while the old one waits."""
    if client_above() is None:
        return
    read, write = os.pipe()
    ended, ends = os.pipe()  # open in the process between alone, until that has ended
    middle = os.fork()
    if middle:
        os.close(write)
        os.close(ends)
        os.waitpid(middle, 0)
        _wait(read)
    if os.fork():
        os._exit(0)
    os.close(read)
    os.close(ends)
    os.read(ended, 1)
    _STATUS["write"] = write
    os.write(write, f"{os.getpid()}\n".encode())


def note_end(status: int) -> None:
    """Hand the session's exit code to the process that waits for it."""
    if _STATUS["write"] >= 0:
        os.write(_STATUS["write"], f"{status}\n".encode())


def _wait(read: int) -> None:
    """Wait for the session, pass on what is to end it, and end with its exit code."""
    with open(read, encoding="ascii") as answers:
        session = int(answers.readline())
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the session, too
        for each in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, lambda number, _: os.kill(session, number))
        status = answers.readline()  # and then until the session has closed its end
        answers.read()
    os._exit(int(status or 3))
