"""A project in which each kind of value can be completed, and the shells that complete, as a person has them."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.process import by_person, environment, git, vfcc
from tests.trace_project import traced

PATIENCE_S = 60
INSERT, CLEAR, LIST = "\x0f", "\x07", "\x1b?"
"""The keys that insert all values, that write the line to a file and clear it, and that list the values."""
_CAPTURE = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        (
            "bind 'set enable-bracketed-paste off'; bind '\"\\C-o\": insert-completions'\n"
            'shown() { printf "%s\\n" "$READLINE_LINE" >> "$SHOWN"; READLINE_LINE=; }; bind -x \'"\\C-g": shown\'\n'
        ),
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        (
            "autoload -Uz compinit; compinit -u -D\n"
            "all-of-them() { _main_complete; compstate[insert]=all }; zle -C all-of-them complete-word all-of-them\n"
            'shown() { print -r -- "$BUFFER" >> "$SHOWN"; BUFFER= }; zle -N shown\n'
            "bindkey '^O' all-of-them; bindkey '^G' shown; bindkey '^[?' list-choices\n"
        ),
    ),
}
"""How each shell is started, and what gives the keys their meaning."""


def completed_project(folder: Path) -> Path:
    """Make a project with a sprint, items, code, a task, a comment and a baseline, and return it."""
    root = folder / "shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    assert vfcc(root, "init").code == 0
    traced(root)
    for line in (
        ["sprint", "start", "Login", "--goal", "Sign in"],
        ["memory", "add", "fact", "Tokens are short", "--id", "tokens-are-short"],
        ["feedback", "add", "slow at noon"],
        ["task", "start", "Fix the session", "--agent", "coder"],
        ["code", "index"],
    ):
        assert vfcc(root, *line).code == 0
    assert by_person(root, "memory", "add", "decision", "Use sessions", "--id", "use-sessions").code == 0
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    assert by_person(root, "trace", "baseline", "create", "one").code == 0
    return root


class Shell:
    """A shell at a terminal of its own, with the script that `vfcc` gives it."""

    def __init__(self, name: str, folder: Path, home: Path) -> None:
        start, keys = _CAPTURE[name]
        self._file = home / f"{name}.shown"
        self._file.write_text("", encoding="utf-8")
        setup = home / f"{name}.setup"
        setup.write_text(f"{keys}{_script(name, folder)}", encoding="utf-8")
        self._terminal, theirs = pty.openpty()
        env = environment(home, SHOWN=str(self._file), PS1="> ", HISTFILE="", COLUMNS="80")
        self._process = subprocess.Popen(
            start, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self._seen = 0
        self._type(f". {setup}; echo ready >> $SHOWN\r")
        self._next()

    def complete(self, line: str) -> str:
        """Return the line with all that the shell completes inserted at its end."""
        self._type(f"{line}{INSERT}{CLEAR}")
        return self._next()

    def shows(self, line: str, text: str) -> bool:
        """Say whether the shell shows `text` below the line where several values fit.

        The line is cleared only then: zsh shows nothing while keys wait for it.
        """
        self._type(f"{line}{LIST}")
        seen = b""
        until = time.monotonic() + PATIENCE_S
        while text.encode() not in seen and time.monotonic() < until:
            seen += self._read()
        self._type(CLEAR)
        self._next()
        return text.encode() in seen

    def close(self) -> None:
        """End the shell."""
        self._process.kill()
        self._process.wait(PATIENCE_S)
        os.close(self._terminal)

    def _type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def _read(self) -> bytes:
        ready = select.select([self._terminal], [], [], 0.05)[0]
        return os.read(self._terminal, 65536) if ready else b""

    def _next(self) -> str:
        """Return the next line that the shell writes to the file, and read its terminal until it does."""
        until = time.monotonic() + PATIENCE_S
        text = b""
        while time.monotonic() < until:
            lines = self._file.read_text("utf-8").split("\n")
            if len(lines) > self._seen + 1:
                self._seen += 1
                return lines[self._seen - 1]
            text += self._read()
        raise AssertionError(text.decode("utf-8", "replace"))


class Fish:
    """Fish, which prints what it would complete when it is asked to."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._env = folder, environment(home)
        self._script = _script("fish", folder)

    def complete(self, line: str) -> str:
        """Return the line with the values that fish offers at its end."""
        words = [each.partition("\t")[0] for each in self._offered(line).splitlines()]
        return " ".join([line.rpartition(" ")[0], *words])

    def shows(self, line: str, text: str) -> bool:
        """Say whether fish shows `text` beside the values that it offers."""
        return text in self._offered(line)

    def _offered(self, line: str) -> str:
        asked = ["fish", "--no-config", "-c", f"{self._script}\ncomplete --do-complete=$argv[1]", "--", line]
        return subprocess.run(
            asked, cwd=self._folder, env=self._env, capture_output=True, text=True, timeout=PATIENCE_S, check=True
        ).stdout

    def close(self) -> None:
        """Do nothing: no process is left."""


def _script(name: str, folder: Path) -> str:
    return vfcc(folder, env={"_VFCC_COMPLETE": f"source_{name}"}).out


@contextmanager
def shell(name: str, folder: Path, home: Path) -> Iterator[Shell | Fish | None]:
    """Open a shell in `folder`; None where it is not installed."""
    if shutil.which(name) is None:
        yield None
        return
    opened = Fish(folder, home) if name == "fish" else Shell(name, folder, home)
    try:
        yield opened
    finally:
        opened.close()
