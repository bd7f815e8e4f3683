"""Ask git something: no pager, no locks, no prompts, no program of its configuration, words in English.

The repository is the one that the folder lies in, also inside a git hook, which points git elsewhere by its variables.
"""

import os
import subprocess
from pathlib import Path

from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass

_POINTS_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)
_SETTINGS = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false")


@dataclass(frozen=True, slots=True)
class Said:
    """What git said: its exit code, stdout as it is, and stderr as text."""

    code: int
    out: bytes
    err: str

    @property
    def first_line(self) -> str:
        """The first thing that went wrong, as git puts it."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        return (self._errors() or lines or ["no reason given"])[0].removeprefix("fatal: ").removeprefix("error: ")

    @property
    def tells_why(self) -> bool:
        """Whether git itself, and not a program that it calls, says what is wrong."""
        return bool(self._errors())

    def _errors(self) -> list[str]:
        return [line.strip() for line in self.err.splitlines() if line.startswith(("fatal: ", "error: "))]


def ask_git(root: Path, *arguments: str) -> Said:
    """Run git in `root`. Raises WorkspaceError where there is no git, or no such folder."""
    try:
        done = subprocess.run(
            [*_GIT, *arguments],
            cwd=root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorkspaceError(f"git cannot be run: {error.strerror or error}", hint="git --version") from error
    return Said(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def start_git(root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start git in `root`, with pipes for its input, its output and what it has to say. Raises as `ask_git`."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen([*_GIT, *arguments], cwd=root, env=_environment(), stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise WorkspaceError(f"git cannot be run: {error.strerror or error}", hint="git --version") from error


def _environment() -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if name not in _POINTS_ELSEWHERE}
    return {**left, **_SETTINGS}
