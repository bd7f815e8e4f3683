"""Run a line of shell at a terminal of its own, where questions are answered as they come."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

COLUMNS = 120
PATIENCE_S = 300
ASKED = re.compile(r"\[(?:y/N|\w+)\]: ")
"""What a question ends with: its default in brackets."""
END_OF_FILE = b"\x04"


def at_terminal(command: str, folder: Path, env: Mapping[str, str], answers: Sequence[str]) -> tuple[int, str]:
    """Return the exit code of a command, and all that its terminal showed, the answers among it.

    Each answer is typed once its question is there, so that it stands behind it; a question too many gets none.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    with subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = _converse(ours, list(answers))
        if shown is None:
            process.kill()
            raise TimeoutError(f"after {PATIENCE_S} s this was still running: {command}")
        code = process.wait(PATIENCE_S)
    return code, shown.decode("utf-8", "replace").replace("\r\n", "\n")


def _converse(ours: int, answers: list[str]) -> bytes | None:
    """Read all that is shown and answer what is asked; None where that takes too long."""
    shown, asked_until = b"", 0
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # a terminal whose other side is closed says so by an error
            chunk = b""
        if not chunk:
            os.close(ours)
            return shown
        shown += chunk
        if _asks(shown[asked_until:].decode("utf-8", "replace")):
            asked_until = len(shown)
            os.write(ours, f"{answers.pop(0)}\n".encode() if answers else END_OF_FILE)
    os.close(ours)
    return None


def _asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return any(found.end() == len(text) for found in ASKED.finditer(text))
