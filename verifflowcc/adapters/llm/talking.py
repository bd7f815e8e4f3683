"""Give a program a text on its input and read its answer: bounded in time and size, and nothing left running."""

import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.adapters.process.run import end_group, has_ended, start_group, why_not_started
from verifflowcc.records import dataclass, field

_CHUNK_BYTES = 1 << 16
_PAUSE_S = 0.02
_DRAIN_S = 0.5
"""How long output is awaited from what a program has left running, once it has ended itself."""

_MOST_SAID_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class Said:
    """What a program wrote. `failure` says why it is no answer, empty where it ended well; `late` and `too_much` too.

    `started` is False where it could not be run at all. `complaint` is the end of what it wrote to stderr.
    """

    output: bytes = b""
    complaint: bytes = b""
    failure: str = ""
    late: bool = False
    too_much: bool = False
    started: bool = True


@dataclass(slots=True)
class _Streams:
    """What is still to be written, and what was read."""

    prompt: memoryview
    most_bytes: int
    output: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)


def talk(argv: Sequence[str], prompt: bytes, *, timeout_s: float, most_bytes: int) -> Said:
    """Run `argv` without a shell in an empty folder of its own, with `prompt` on its input.

    The folder is empty so that no file of a project steers the program. More than `most_bytes` of output, or more than
    `timeout_s` seconds, and it is ended with all that it started.
    """
    with tempfile.TemporaryDirectory(prefix="vfcc-model-") as folder:
        root, until = Path(folder), time.monotonic() + timeout_s
        try:
            process = start_group(root, argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        except (OSError, ValueError) as error:
            return Said(failure=why_not_started(root, argv, error), started=False)
        streams = _Streams(memoryview(prompt), most_bytes)
        with process:
            try:
                in_time = _exchange(process, streams, until)
            finally:
                end_group(process)
        return _said(process.returncode, streams, timeout_s, in_time=in_time)


def _exchange(process: subprocess.Popen[bytes], streams: _Streams, until: float) -> bool:
    """Write and read until the program has ended, in time and within bounds; return whether it was in time."""
    with selectors.DefaultSelector() as ready:
        for stream, events in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                ready.register(stream, events)
        drained = None
        while drained is None or time.monotonic() < drained:
            if drained is None and process.poll() is not None:
                drained = min(time.monotonic() + _DRAIN_S, until)
            if time.monotonic() >= until and process.poll() is None:
                return False
            if len(streams.output) > streams.most_bytes:
                return True
            for key, _ in ready.select(_PAUSE_S):
                if not _moved(process, key.fileobj, streams):
                    ready.unregister(key.fileobj)
            if not ready.get_map():
                return has_ended(process, until)
    return True


def _moved(process: subprocess.Popen[bytes], stream: object, streams: _Streams) -> bool:
    """Write or read once; return False where the stream has ended."""
    if stream is process.stdin and process.stdin is not None:
        try:
            sent = os.write(process.stdin.fileno(), streams.prompt[:_CHUNK_BYTES])
        except BrokenPipeError:  # it does not want to read all of it, which is its own affair
            sent = len(streams.prompt)
        streams.prompt = streams.prompt[sent:]
        if not streams.prompt:
            process.stdin.close()
        return bool(streams.prompt)
    if stream is process.stdout and process.stdout is not None:
        chunk = os.read(process.stdout.fileno(), _CHUNK_BYTES)
        streams.output += chunk
        return bool(chunk)
    chunk = os.read(process.stderr.fileno(), _CHUNK_BYTES) if process.stderr is not None else b""
    streams.complaint = (streams.complaint + chunk)[-_MOST_SAID_BYTES:]
    return bool(chunk)


def _said(code: int, streams: _Streams, timeout_s: float, *, in_time: bool) -> Said:
    output, complaint = bytes(streams.output), bytes(streams.complaint)
    if not in_time:
        return Said(output, complaint, f"did not answer within {timeout_s:g} s and was ended", late=True)
    if len(output) > streams.most_bytes:
        why = f"answered with more than {streams.most_bytes:,} bytes and was ended"
        return Said(output[: streams.most_bytes], complaint, why, too_much=True)
    if code < 0:
        return Said(output, complaint, f"was ended by signal {-code}")
    return Said(output, complaint, f"ended with exit code {code}" if code else "")
