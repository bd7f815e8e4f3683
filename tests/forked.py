"""`vfcc` as a process of its own that need not import the whole program again: it is forked from one that has.

Most of the time of a short command goes into imports. What a test sees of such a process is the same: its own folder,
environment, streams, terminal, exit code and end. Four things differ, and a test that is about one of them starts the
script: what is imported when, what Python reads from the environment as it starts (such a start is made here wherever a
variable is given that is not known to be read later), that each process has its own seed for hashes, and that Python
frees what is left at its end. Of each
command, one test process of a run starts the script itself the first time that it is to do more than show its help, so
that an import which a command forgets is seen.
"""

import atexit
import hashlib
import marshal
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pytest

TRIED = "VFCC_TRIED"
"""The variable that names the `vfcc` of another version, to try tests on: then nothing is forked."""
VFCC = Path(os.environ.get(TRIED) or Path(sys.executable).with_name("vfcc"))
SERVER = Path(__file__).with_name("fork_server.py")
READ_LATE = re.compile(
    r"PATH|HOME|COLUMNS|NO_COLOR|EDITOR|SCRIPT|CI|CLAUDECODE|CURSOR_AGENT|GEMINI_CLI|(?:VFCC|XDG|GIT|CLAUDE|CODEX)_\w+"
)
SAME = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}
PATIENCE_S = 60.0
"""How long the server may take to fork, whatever time the process itself has."""
_LOCK = threading.Lock()
STARTS = "VFCC_TEST_STARTS"
"""The variable that names the folder in which the test processes of a run note which commands one of them started."""
_STARTED: set[tuple[str | bytes, ...]] = set()
_SERVERS: list[socket.socket] = []


class Process(Protocol):
    """What a caller needs of a process."""

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


class Forked:
    """A process that the server forked."""

    def __init__(self, answer: socket.socket) -> None:
        self._answer = answer
        self._text = answer.makefile("rb")
        self._pid = 0

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code; minus the signal that ended it, where one did.

        Raises TimeoutError where it takes longer; then it is ended, and gone.
        """
        try:
            self._answer.settimeout(timeout and max(timeout, PATIENCE_S))
            self._pid = self._pid or int(self._text.readline())
            self._answer.settimeout(timeout)
            return int(self._text.read())
        except TimeoutError:
            self.kill()
            self._answer.settimeout(PATIENCE_S)
            while self._pid and self._answer.recv(64):
                pass
            raise
        finally:
            self._text.close()
            self._answer.close()

    def kill(self) -> None:
        """End it."""
        if self._pid:
            os.kill(self._pid, 9)


def start(
    arguments: Sequence[str | bytes], folder: Path, env: Mapping[str, str], streams: tuple[int, int, int]
) -> Process:
    """Start `vfcc` with stdin, stdout and stderr."""
    if not _forkable(arguments, folder, env):
        stdin, stdout, stderr = streams
        return subprocess.Popen([VFCC, *arguments], cwd=folder, env=env, stdin=stdin, stdout=stdout, stderr=stderr)
    ours, theirs = socket.socketpair()
    with theirs, _LOCK:
        socket.send_fds(_server(), [b"!"], [theirs.fileno(), *streams])
    request = (os.fsencode(folder), {os.fsencode(k): os.fsencode(v) for k, v in env.items()})
    ours.sendall(marshal.dumps((*request, [os.fsencode(each) for each in (VFCC, *arguments)])))
    ours.shutdown(socket.SHUT_WR)
    return Forked(ours)


def run(
    arguments: Sequence[str | bytes],
    folder: Path,
    env: Mapping[str, str],
    patience_s: float | None = None,
    *,
    given: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run `vfcc` to its end, with `given` to read."""
    out, out_side = os.pipe()
    err, err_side = os.pipe()
    stdin = _readable(given) if given else os.open(os.devnull, os.O_RDONLY)
    try:
        process = start(arguments, folder, env, (stdin, out_side, err_side))
    finally:
        for handle in (stdin, out_side, err_side):
            os.close(handle)
    texts: list[bytes] = [b"", b""]

    def read(number: int, handle: int) -> None:
        with open(handle, "rb") as stream:
            texts[number] = stream.read()

    readers = [threading.Thread(target=read, args=each, daemon=True) for each in enumerate((out, err))]
    for reader in readers:
        reader.start()
    code = process.wait(patience_s)
    for reader in readers:
        reader.join(patience_s)
    return subprocess.CompletedProcess([VFCC, *arguments], code, *texts)


def _readable(given: bytes) -> int:
    """Return the end of a pipe from which `given` is read: a file would not end where a pipe ends."""
    end, other = os.pipe()
    assert len(given) < select.PIPE_BUF * 8, "more than a pipe holds while nothing reads it"
    os.write(other, given)
    os.close(other)
    return end


def forks_at_once(arguments: Sequence[str | bytes]) -> None:
    """Fork this command also the first time; for a test file that runs every command, and is about none."""
    _STARTED.add(_command(arguments))


def _forkable(arguments: Sequence[str | bytes], folder: Path, env: Mapping[str, str]) -> bool:
    if os.environ.get(TRIED):
        return False
    first = "--help" not in arguments and _is_first(_command(arguments))
    others = {name: value for name, value in env.items() if not READ_LATE.fullmatch(name)}
    return not first and others.items() <= SAME.items() and "LC_ALL" in others and folder.is_dir()


@cache
def _groups() -> frozenset[str | bytes | None]:
    from verifflowcc.cli.cli.app import app

    return frozenset(each.name for each in app.registered_groups)


def _command(arguments: Sequence[str | bytes]) -> tuple[str | bytes, ...]:
    """Return the words of `arguments` that name a command, not what it is given."""
    words = tuple(takewhile(lambda word: word[:1] not in ("-", b"-"), arguments[:2]))
    return words if words and words[0] in _groups() else words[:1]


def _is_first(command: tuple[str | bytes, ...]) -> bool:
    """Return whether no test process of this run has started this command yet, and note that one has."""
    if command in _STARTED:
        return False
    _STARTED.add(command)
    folder = os.environ.get(STARTS)
    if folder is None:
        return True
    try:
        Path(folder, hashlib.sha256(b"\0".join(map(os.fsencode, command))).hexdigest()).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def share_starts(config: "pytest.Config") -> None:
    """Make the folder that the test processes of a run share, until the run ends."""
    folder = tempfile.mkdtemp(prefix="vfcc-starts-")
    os.environ[STARTS] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def _server() -> socket.socket:
    if not _SERVERS:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(
                [sys.executable, SERVER, str(theirs.fileno())],
                env={"PATH": os.environ["PATH"], **SAME},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )
        _SERVERS.append(ours)

        @atexit.register
        def _end() -> None:
            ours.close()
            process.wait(60)

    return _SERVERS[0]
