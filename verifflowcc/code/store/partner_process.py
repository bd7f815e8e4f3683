"""A second process that works beside this one, and ends with it.

Values of plain types (`marshal`) go over pipes. The partner runs a generator function, named `module:function`, over
what it is sent, and sends back what that yields. It reads in a thread of its own, so that sending never waits for work.
"""

import marshal
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


_PROGRAM = """\
import sys
sys.path[:] = {path!r}
from verifflowcc.code.store.partner_process import serve
serve({work!r})
"""
_LENGTH_BYTES = 8
_AHEAD_BYTES = 1 << 20


class PartnerGoneError(Exception):
    """The other process has ended, or could not be started."""


class Partner:
    """A process that runs `work`. Every method raises PartnerGoneError where it is not there any more."""

    def __init__(self, work: str) -> None:
        import subprocess  # one changed file needs none

        program = _PROGRAM.format(path=sys.path, work=work)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError) as error:
            raise PartnerGoneError(str(error)) from error
        _widen(self._process.stdin)

    def send(self, value: "Any") -> None:
        """Give it a value."""
        assert self._process.stdin
        try:
            _write(self._process.stdin, value)
        except (OSError, ValueError) as error:
            raise PartnerGoneError(str(error)) from error

    def has_answer(self) -> bool:
        """Whether `receive` would return at once."""
        assert self._process.stdout
        if sys.platform == "win32":
            return False  # pipes cannot be asked there: answers are taken when there is nothing else to do
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def receive(self) -> "Any":
        """Wait for a value that it sends, and return it."""
        assert self._process.stdout
        value = _read(self._process.stdout)
        if value is None:
            raise PartnerGoneError("its output has ended")
        return value

    def end(self) -> None:
        """End it, whatever it is doing."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream:
                    stream.close()


def serve(work: str) -> None:
    """Be the partner: run a generator function over what is read from stdin, to its end, and write what it yields."""
    import signal
    from importlib import import_module
    from queue import SimpleQueue
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module, _, name = work.partition(":")
    given: SimpleQueue[Any] = SimpleQueue()

    def read() -> None:
        while (value := _read(sys.stdin.buffer)) is not None:
            given.put(value)
        os._exit(0)  # the other one is gone, and with it all need for the work

    Thread(target=read, daemon=True).start()
    function: Callable[[Iterator[Any]], Iterator[Any]] = getattr(import_module(module), name)
    with suppress(OSError):
        for value in function(iter(given.get, None)):
            _write(sys.stdout.buffer, value)
    os._exit(0)


def _widen(pipe: "IO[bytes] | None") -> None:
    """Let a pipe hold what is sent ahead, where the system can, so that the sender need not wait for the reader."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        if pipe is not None:
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _AHEAD_BYTES)


def _write(stream: IO[bytes], value: "Any") -> None:
    body = marshal.dumps(value)
    stream.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
    stream.flush()


def _read(stream: IO[bytes]) -> "Any":
    """Return the next value; None where there is no whole one any more."""
    try:
        start = stream.read(_LENGTH_BYTES)
        body = stream.read(int.from_bytes(start, "big")) if len(start) == _LENGTH_BYTES else b""
        return marshal.loads(body) if body else None
    except (OSError, ValueError, EOFError):
        return None
