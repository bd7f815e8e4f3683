"""Run one command without a shell: with a timeout, in a process group of its own, its output kept in bounds.

Nothing that it started is left running. The environment is passed on as it is, and neither logged nor stored.
"""

import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO

from verifflowcc.base.process.clock import program
from verifflowcc.base.records import dataclass, field

# End what a command started when vfcc itself is ended: by a signal that can be caught, or by one that cannot.
#
# A signal that asks vfcc to end becomes SystemExit, so that every `finally` runs. For SIGKILL a small shell waits
# beside it: the pipe to that shell closes when vfcc ends in whatever way, and the shell then ends the command's
# process group. What left that group with a session of its own is not found.

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


# What a command writes, in a file that can be read while it runs.

LARGEST_LOG_BYTES = 64 * 1024 * 1024


@contextmanager
def live_log(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Give a function that appends output to a new file at `path`, at once, and at most 64 MiB of it.

    A log that cannot be written is no reason not to run the command.
    """
    left = LARGEST_LOG_BYTES
    file = None
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # never through a link
        file = path.open("xb", buffering=0)

    def write(chunk: bytes) -> None:
        nonlocal left
        if file and chunk and left:
            with suppress(OSError):
                file.write(chunk[:left])
            left -= len(chunk[:left])

    try:
        yield write
    finally:
        if file:
            file.close()


LARGEST_OUTPUT_BYTES = 8 * 1024 * 1024
_MARK_BYTES = 100
_HEAD_BYTES = LARGEST_OUTPUT_BYTES // 2
_TAIL_BYTES = LARGEST_OUTPUT_BYTES - _HEAD_BYTES - _MARK_BYTES
_CHUNK_BYTES = 1 << 20
_GRACE_S = 2.0
"""How long what is asked to end may take before it is made to."""

_DRAIN_S = 0.5
"""How long output is awaited from what a command has left running, once it has ended itself."""

_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command.

    `exit_code` is None where it did not end by itself or could not be started; `failure` then says why, without a
    final stop. `output` is what it wrote to stdout and stderr, in order, at most 8 MiB: of more, the beginning and the
    end with a mark between them. `timed_out` says that its time was over.
    """

    exit_code: int | None
    failure: str
    output: bytes
    duration_ms: int
    timed_out: bool = False


def run_command(
    root: Path,
    argv: Sequence[str],
    timeout_s: int,
    *,
    on_start: Callable[[], None] | None = None,
    on_output: Callable[[bytes], None] | None = None,
    trace_signal: signal.Signals | None = None,
    env: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run `argv` in the folder `root` with nothing on stdin; `on_start` is called once it runs.

    It gets the variables `env` (default: those of this process). `on_output` gets what it writes at once. At
    `trace_signal`, sent when the time is over, it writes where it is.

    What it leaves running is ended with it. On KeyboardInterrupt, on SIGTERM and SIGHUP, which raise SystemExit, and on
    any error of `on_start` or `on_output`, all of it is ended before the exception is passed on.
    """
    started = time.monotonic()
    with guard() as tell, program(argv) as observed:
        try:
            process = start_group(root, argv, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=env)
        except (OSError, ValueError) as error:
            return CommandResult(None, why_not_started(root, argv, error), b"", 0)
        output = _Output((observed, on_output) if on_output else (observed,))
        with process:
            try:
                tell(process.pid)
                if on_start:
                    on_start()
                in_time = _await_end(process, output, started + timeout_s)
                if not in_time and trace_signal and _signal_group(process, trace_signal):
                    _await_end(process, output, time.monotonic() + _GRACE_S)
            finally:
                end_group(process)
            _read_pending_output(_pipe(process), output)
    duration_ms = round((time.monotonic() - started) * 1000)
    if not in_time:
        failure = f"did not end within {timeout_s} s and was killed"
        return CommandResult(None, failure, output.bytes(), duration_ms, timed_out=True)
    if process.returncode < 0:
        return CommandResult(None, f"killed by {_signal_name(-process.returncode)}", output.bytes(), duration_ms)
    return CommandResult(process.returncode, "", output.bytes(), duration_ms)


def start_group(
    root: Path, argv: Sequence[str], *, stdin: int, stderr: int, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a program in `root`, in a session of its own, whose output is read. Raises OSError, ValueError."""
    if not argv:
        raise ValueError("the command is empty")
    return subprocess.Popen(
        list(argv),
        cwd=root,
        env=env,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        bufsize=0,
        start_new_session=True,
    )


def why_not_started(root: Path, argv: Sequence[str], error: OSError | ValueError) -> str:
    """Explain why a command did not start.

    The system has one error for a missing folder, program and interpreter.
    """
    if isinstance(error, ValueError):
        return f"cannot be run: {error}"
    if not root.is_dir():
        return f"{root}: no such folder"
    program = argv[0]
    if not isinstance(error, FileNotFoundError):
        return f"{program}: cannot be run: {error.strerror or error}"
    if "/" in program and (root / program).exists():
        return f"{program}: the program that its first line names does not exist"
    near = f"{program}3"
    return f"{program}: no such program" + (f"; {near} exists" if shutil.which(near) else "")


def _await_end(process: subprocess.Popen[bytes], output: "_Output", until: float) -> bool:
    """Read until the command has ended; return whether it did so in time.

    What it started may hold its output open for ever: once the command itself has ended, that is not awaited.
    """
    pipe = _pipe(process)
    with selectors.DefaultSelector() as ready:
        ready.register(pipe, selectors.EVENT_READ)
        drained = None
        while drained is None or time.monotonic() < drained:
            if drained is None and process.poll() is not None:
                drained = min(time.monotonic() + _DRAIN_S, until)
            if drained is None and time.monotonic() >= until:
                return False
            if ready.select(_PAUSE_S) and not output.take(pipe):
                break
    return has_ended(process, until)


def has_ended(process: subprocess.Popen[bytes], until: float) -> bool:
    """Await the end of a program until a moment of the monotonic clock, in seconds; say whether it came."""
    try:
        process.wait(max(until - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return False
    return True


def _read_pending_output(pipe: IO[bytes], output: "_Output") -> None:
    """Read what lies in the pipe already. One read takes all of it; what may still be written there is not awaited."""
    with selectors.DefaultSelector() as ready:
        ready.register(pipe, selectors.EVENT_READ)
        if ready.select(0):
            output.take(pipe)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End the command and what it started, as far as that stayed in its group: ask first, then make it end."""
    try:
        if _signal_group(process, signal.SIGTERM):
            _await_group(process)
    finally:
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _await_group(process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _GRACE_S
    while (process.poll() is None or _signal_group(process, 0)) and time.monotonic() < until:
        time.sleep(_PAUSE_S)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to the group, whose number is that of its first process; return whether anybody was there."""
    with suppress(ProcessLookupError, PermissionError):  # macOS refuses to signal a group that has ended
        os.killpg(process.pid, number)
        return True
    return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise ValueError("the command was started without a pipe")
    return process.stdout


@dataclass(slots=True)
class _Output:
    """The beginning and the end of what a command writes."""

    takers: Sequence[Callable[[bytes], None]] = ()
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    cut: int = 0

    def take(self, pipe: IO[bytes]) -> bool:
        """Read once; return whether there was anything, else the pipe has ended."""
        chunk = os.read(pipe.fileno(), _CHUNK_BYTES)
        for take in self.takers:
            take(chunk)
        room = _HEAD_BYTES - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:] if room else chunk
        if len(self.tail) > 2 * _TAIL_BYTES:
            self._cut_tail()
        return bool(chunk)

    def bytes(self) -> bytes:
        """Return all of it, or both ends with a mark between them."""
        if len(self.tail) > _TAIL_BYTES:
            self._cut_tail()
        mark = f"\n[… {self.cut:,} bytes left out …]\n".encode() if self.cut else b""
        return bytes(self.head) + mark + bytes(self.tail)

    def _cut_tail(self) -> None:
        over = len(self.tail) - _TAIL_BYTES
        del self.tail[:over]
        self.cut += over
