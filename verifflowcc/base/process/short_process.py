"""What a short process does at its start and its end: it collects no garbage, and waits for its turn to write."""

import os
import sys
import time

GARBAGE_AFTER = 200_000
"""So many new objects before Python looks for cycles among them; after 700, its default, a short command spends a tenth
of its time on looking through what it imported. A prompt makes some 60,000, and one look takes as long as importing
jinja2."""


def collect_rarely() -> None:
    """Let Python look for cycles as rarely as a short process can afford, before much is imported."""
    import gc

    gc.set_threshold(GARBAGE_AFTER)


def leave_the_rest() -> None:
    """Let Python end without looking for cycles among all objects, which takes an eighth of a short command's time."""
    import gc

    gc.freeze()


# Turns: when many processes write at once, as many work at a time as there are processors, and the others sleep.
#
# Processes that share the processors fairly all end late: of 32 that need 80 ms each on two processors, all end after
# 1.3 s. Served one after the other, the last still ends then, and half of them have ended after 0.7 s. A turn is no
# lock: nothing is kept right by it, whoever waits too long goes on without, and so does whoever cannot have one.

SHORT_WRITES = frozenset(
    (
        *(("memory", "add"), ("memory", "link"), ("feedback", "add"), ("task", "note")),
        *(("trace", "add"), ("trace", "link")),
    )
)
"""The commands that take a turn: what agents write down at work. They start no program of the project."""
_NO_TURN = frozenset(("--stdin", "--dry-run", "--help", "-h"))
"""With these a command waits for a text, or writes nothing."""
TURNS = "turns"
"""The file in `.memory/local/`, empty: each of its first bytes is locked by the process that has this turn."""
SPARE = 1
"""So many more turns than processors, which have work so while a write waits for the disk."""
LONGEST_WAIT_S = 2.0
_PAUSE_S = 0.01
_held: "list[int]" = []


def take_turn(arguments: "list[str]", longest_s: float = LONGEST_WAIT_S) -> None:
    """Wait, but not for long, until a processor is free for a short write; return at once for any other command.

    A person at a terminal does not wait, and is not waited for. The turn lasts until `end_turn`, or the process ends.
    """
    if tuple(arguments[:2]) not in SHORT_WRITES or not _NO_TURN.isdisjoint(arguments) or os.name != "posix":
        return
    try:
        if not sys.stdin.isatty():
            _held.append(_opened())
            _wait(_held[-1], longest_s)
    except (OSError, ValueError):
        end_turn()  # no project, no stdin, or a file system that is read-only or has no locks: go on without


def end_turn() -> None:
    """Let another process have the turn of this one, if it has one: also before it waits for something slow."""
    while _held:
        os.close(_held.pop())


def _opened() -> int:
    """Open the file of turns, for which the project's local folder must be there, and be no link. Raises OSError."""
    root = os.getcwd()  # noqa: PTH109
    while root and not os.path.isdir(f"{root}/.memory"):  # noqa: PTH112
        root = root.rpartition("/")[0]
    folder = os.open(f"{root}/.memory/local", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(TURNS, flags, 0o666, dir_fd=folder)
    finally:
        os.close(folder)


def _wait(handle: int, longest_s: float) -> None:
    """Lock the first byte that is free: ask for all of them, then for one after the other until the time is over."""
    turns = SPARE + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if any(_has(handle, turn) for turn in range(turns)):
        return
    over = time.monotonic() + longest_s
    turn = os.getpid()
    while time.monotonic() < over:
        time.sleep(_PAUSE_S)
        turn += 1
        if _has(handle, turn % turns):
            return


def _has(handle: int, turn: int) -> bool:
    import fcntl  # not on Windows, where no turn is taken

    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, turn)
    except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: another process has it
        return False
    return True
