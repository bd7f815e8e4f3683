"""Run `vfcc` as a real process in a small, fixed environment, piped or on a terminal of its own."""

import atexit
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests import forked
from tests.cli.documents import check_document
from verifflowcc.base.model.command_classes import QUERY, WORK, class_of

VFCC = forked.VFCC
PATIENCE_S = 60
_PERSON = {"NAME": "You", "EMAIL": "you@example.org"}
CI = {"CI": "true"}
"""The environment of a CI job, which may allow commands without a person."""


@dataclass(frozen=True, slots=True, repr=False)
class Ran:
    """What a command left behind: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    def __repr__(self) -> str:
        return f"Ran({self.code}, out={self.out[:800]!r}, err={self.err[:2000]!r})"

    @property
    def document(self) -> dict[str, Any]:
        """What it wrote to stdout under `--json`: one document, which is ok exactly where it exited with 0."""
        found: dict[str, Any] = json.loads(self.out)
        assert found["ok"] is (self.code == 0), self
        return found

    @property
    def data(self) -> Any:
        """The data of that document."""
        return self.document["data"]

    def refused(self, code: int, *words: str) -> None:
        """Assert that it failed with `code` and `words` in one message with no traceback, and printed no data."""
        assert self.code == code, self
        assert not self.out or "data" not in self.document, self
        assert self.err.startswith("error: "), self
        assert "Traceback" not in self.err, self
        for word in words:
            assert word in self.err, self


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment with nothing of ours in it: no agent's marker, no git configuration, no terminal.

    What a person has beyond their projects is below `home`: there is no XDG variable, and the projects in one folder
    share it. Terminals get plain text, as NO_COLOR asks for; a test about colours sets it to "".
    """
    return {
        "PATH": f"{VFCC.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "NO_COLOR": "1",
        "VFCC_PROGRESS": "never",  # it comes and goes with the load of the machine
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()},
        **more,
    }


def vfcc(
    folder: Path,
    *arguments: str | bytes,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
    program: Sequence[str] = (),
    person: bool = False,
) -> Ran:
    """Run `vfcc` in `folder` with `env` on top of the fixed environment.

    With `before`, which runs in the new process, or `program`, which runs in place of `vfcc`, nothing is forked; then,
    a `person` has a terminal to type at, and is called `You`.
    """
    full = environment(folder.parent, **({"GIT_CONFIG_GLOBAL": settings_of("You")} if person else {}), **(env or {}))
    if before is None and not program:
        done = forked.run(arguments, folder, full, PATIENCE_S)
    else:
        ours, theirs = pty.openpty()
        done = subprocess.run(
            [*(program or (str(VFCC),)), *arguments],
            cwd=folder,
            env=full,
            stdin=theirs if person else subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            preexec_fn=before,
            check=False,
        )
        os.close(ours)
        os.close(theirs)
    ran = Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"))
    check_document(arguments, ran.code, ran.out)
    return ran


def by_person(folder: Path, *arguments: str, name: str = "You", env: Mapping[str, str] | None = None) -> Ran:
    """Run `vfcc` in `folder` as the person `name` at a terminal whose output goes into a pipe."""
    return on_terminal(
        folder, *arguments, piped_stdout=True, env={"GIT_CONFIG_GLOBAL": settings_of(name), **(env or {})}
    )


def permitted(folder: Path, *arguments: str) -> Ran:
    """Run `vfcc` as somebody who may: a person, where the command decides or moves a sprint, else a program."""
    free = class_of(list(arguments)) in (QUERY, WORK, None)
    return vfcc(folder, *arguments) if free else by_person(folder, *arguments)


@cache
def settings_of(name: str) -> str:
    """Return a git configuration of the person `name`, which lasts as long as the tests."""
    file = tempfile.NamedTemporaryFile("w", prefix="vfcc-person-", encoding="utf-8", delete=False)  # noqa: SIM115
    with file:
        file.write(f"[user]\n\tname = {name}\n")
    atexit.register(os.unlink, file.name)
    return file.name


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment(folder.parent), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_terminal(
    folder: Path,
    *arguments: str,
    columns: int = 80,
    rows: int = 40,
    piped_stdout: bool = False,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run `vfcc` with stderr, and stdout unless `piped_stdout`, on terminals of their own; newlines come back as LF."""
    err, err_side = terminal(columns, rows)
    out, out_side = os.pipe() if piped_stdout else terminal(columns, rows)
    streams = (err_side, out_side, err_side)
    process = forked.start(arguments, folder, environment(folder.parent, **(env or {})), streams)
    os.close(out_side)
    os.close(err_side)
    texts = drain((out, err))
    code = process.wait(PATIENCE_S)
    ran = Ran(code, *(text.decode("utf-8", "replace").replace("\r\n", "\n") for text in texts))
    check_document(arguments, ran.code, ran.out)
    return ran


def terminal(columns: int, rows: int) -> tuple[int, int]:
    """Open a terminal of a size and return its two sides, ours first."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return ours, theirs


def drain(handles: tuple[int, int]) -> list[bytes]:
    """Read two handles to their ends, close them, and return what came."""
    read = dict.fromkeys(handles, b"")
    left = set(handles)
    until = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < until:
        for handle in select.select(list(left), [], [], 1)[0]:
            try:
                chunk = os.read(handle, 65536)
            except OSError:  # a terminal whose other side is closed says so by an error
                chunk = b""
            read[handle] += chunk
            if not chunk:
                left.discard(handle)
                os.close(handle)
    return [read[handle] for handle in handles]
