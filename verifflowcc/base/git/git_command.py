"""The one way in which vfcc starts git: nothing that a repository names as a program is run.

A repository's settings and attributes can name programs: filters, hooks, pagers, external diffs, monitors, signature
checkers, commands that fetch. A clone may be read before anybody looked into it, so none of them runs here. The
settings below turn off each that has a name of its own. Filters, merge and diff drivers have names that a repository
chooses: no command that is started here lets git read the content of a file in the work tree, which is what would call
them (`work_tree` compares it), and external diffs are off by option.

The repository is the one that the folder lies in. Of the variables `GIT_*` only those that name the machine's own
settings are passed on, which no repository can set; a commit also gets who makes it.
"""

import os
import signal
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_place import refuse_embedded
from verifflowcc.base.git.git_repository import is_top
from verifflowcc.base.process.clock import terminal_in_use
from verifflowcc.base.records import dataclass

if TYPE_CHECKING:
    import subprocess

_MACHINE = frozenset(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"))
_PERSON = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_WORDS = {"LC_ALL": "C", "LANGUAGE": "", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":"}
_READING = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.45; before it, no protocol is left to fetch with:
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
_SETTINGS = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.useReplaceRefs=false",
    "core.quotePath=false",
    "core.splitIndex=false",
    "diff.submodule=short",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_NO_HOOKS = f"core.hooksPath={os.devnull}"
_SHOWS_CONTENT = frozenset(("diff-index", "diff-tree", "log"))
_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_SPAWNS = hasattr(os, "posix_spawnp")
_CHUNK_BYTES = 1 << 16


_T = TypeVar("_T")
_ANSWERS: "ContextVar[dict[Hashable, object] | None]" = ContextVar("_ANSWERS", default=None)


@contextmanager
def asked_once() -> Iterator[None]:
    """Within it, a question that was answered is not asked again: for one look at a project, in which nothing moves.

    Where this process changes the repository after all, the answers are forgotten.
    """
    if _ANSWERS.get() is not None:
        yield
        return
    token = _ANSWERS.set({})
    try:
        yield
    finally:
        _ANSWERS.reset(token)


def answered(question: Hashable, ask: Callable[[], _T]) -> _T:
    """Return the answer to a question: within `asked_once` the one that was given before."""
    known = _ANSWERS.get()
    if known is None:
        return ask()
    if question not in known:
        known[question] = ask()
    found: _T = known[question]  # type: ignore[assignment]
    return found


@dataclass(frozen=True, slots=True)
class GitResult:
    """What git answered: its exit code, stdout as it is, and stderr as text."""

    code: int
    out: bytes
    err: str

    @property
    def first_line(self) -> str:
        """The first thing that went wrong, as git puts it."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        return (self._errors() or lines or ["no reason given"])[0].removeprefix("fatal: ").removeprefix("error: ")

    @property
    def has_error_text(self) -> bool:
        """Whether git itself, and not a program that it calls, says what is wrong."""
        return bool(self._errors())

    def _errors(self) -> list[str]:
        return [line.strip() for line in self.err.splitlines() if line.startswith(("fatal: ", "error: "))]


def ask_git(
    root: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    given: bytes | None = None,
    settings: tuple[str, ...] = (),
) -> GitResult:
    """Run git in `root` to read; `env` and `settings` (`key=value`) come on top of ours, `given` goes to its stdin.

    Raises WorkspaceError where there is no git, no such folder, or a bare repository in the place of one.
    """
    argv = _argv(arguments, (_NO_HOOKS, *_names_apart(root), *settings))
    variables = {**_environment(), **_WORDS, **_READING, **(env or {})}
    if given is not None:
        return _run(root, argv, variables, given)

    def ask() -> GitResult:
        return _read(root, argv, variables) if _SPAWNS else _run(root, argv, variables, None)

    return answered((root, *argv, *sorted((env or {}).items())), ask)


def start_git(root: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start git in `root` to read, with pipes for its input, its output and its messages. Raises as `ask_git`."""
    import subprocess

    refuse_embedded(root)
    pipe = subprocess.PIPE
    env = {**_environment(), **_WORDS, **_READING}
    try:
        argv = _argv(arguments, (_NO_HOOKS, *_names_apart(root)))
        return subprocess.Popen(argv, cwd=root, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise _not_run(error) from error


def begin_git(root: Path, *arguments: str) -> "BegunGit | subprocess.Popen[bytes]":
    """Start git in `root` to read, with nothing on its stdin. Raises as `ask_git`."""
    if not _SPAWNS:
        return start_git(root, *arguments)
    refuse_embedded(root)
    argv = _argv(arguments, (_NO_HOOKS, *_names_apart(root)))
    try:
        return BegunGit(root, argv, {**_environment(), **_WORDS, **_READING})
    except OSError as error:
        raise _not_run(error) from error


def note_answer(root: Path, found: GitResult, *arguments: str) -> None:
    """Let git's answer to `begin_git` be the one to `ask_git`, too, within `asked_once`."""
    known = _ANSWERS.get()
    if known is not None:
        known[root, *_argv(arguments, (_NO_HOOKS, *_names_apart(root)))] = found


def listing_words(root: Path) -> tuple[str, ...]:
    """Return the question for all files outside `.memory/` that git has or would add; a tag says which, `?` the latter.

    `.memory/` may hold most of the files of a project, and none of these names is asked for. SQLite's files come and go
    there, and need not be ignored: git looks for no new ones at the top of a repository, where it can be left out.
    """
    beside = ("--exclude", "/.memory/") if is_top(os.fspath(root)) else ()
    words = ("ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard", *beside)
    return (*words, "--", ".", ":(exclude).memory")


class BegunListing:
    """Git's list of a project's files (`listing_words`), asked for while this process does other work."""

    def __init__(self, root: Path) -> None:
        """Ask. Raises as `ask_git`."""
        self._root, self._words = root, listing_words(root)
        self._process = begin_git(root, *self._words)
        self._found: GitResult | None = None

    def answer(self) -> GitResult:
        """Return what git says; who asks it for the same within `asked_once` gets this answer, too."""
        if self._found is None:
            out, err = self._process.communicate()
            self._found = GitResult(self._process.returncode or 0, out, err.decode("utf-8", "replace"))
            if not self._found.code:
                note_answer(self._root, self._found, *self._words)
        return self._found

    def drop(self) -> None:
        """Stop git where its answer is not needed."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


class BegunGit:
    """A process of git that runs beside this one, as `subprocess.Popen` gives it, without that module."""

    def __init__(self, root: Path, argv: list[str], env: Mapping[str, str]) -> None:
        self.returncode: int | None = None
        self._ends: list[int] = []
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            self._pid = _spawned(root, argv, env, pipes[1], pipes[3])
        except OSError:
            self._ends = pipes
            self._close()
            raise
        self._ends = pipes[::2]
        for end in pipes[1::2]:
            os.close(end)

    def communicate(self) -> tuple[bytes, bytes]:
        """Return all that git writes to stdout and to stderr; it has ended then."""
        try:
            return _both(*self._ends)
        finally:
            self._close()
            self._end()

    def poll(self) -> int | None:
        """Return the exit code, None while git runs or was not waited for."""
        return self.returncode

    def kill(self) -> None:
        """End git, whatever it is at."""
        if self.returncode is None:
            os.kill(self._pid, signal.SIGKILL)

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        while self._ends:
            os.close(self._ends.pop())

    def _end(self) -> None:
        if self.returncode is None:
            self.returncode = _ended(self._pid)


def commit_with_git(root: Path, *arguments: str) -> GitResult:
    """Run git in `root` as a part of a commit, with the filters and hooks that are set up there.

    Call it where the repository names no program, or its programs are allowed: `repository_code` lists them. What a
    hook starts may fetch, as it may when a person commits. Raises as `ask_git`.
    """
    person = {name: value for name, value in os.environ.items() if name.startswith(_PERSON)}
    env = {**_environment(), **person, **_WORDS, "GIT_NO_LAZY_FETCH": "1"}
    with terminal_in_use():  # a program that signs may ask for a password there
        return _run(root, _argv(arguments, ()), env, None)


def _names_apart(root: Path) -> tuple[str, ...]:
    """Return the setting by which `a.py` and `A.py` are two files, where the file system has both.

    With `core.ignoreCase` a repository could hide the second from git.
    """
    name = root.name
    other = name.swapcase()
    apart = sys.platform == "linux" if other == name else not os.path.lexists(root.with_name(other))
    return ("core.ignoreCase=false",) if apart else ()


def change_with_git(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> GitResult:
    """Run git in `root` to write, without hooks; `env` comes on top of the person's name and ours.

    Filters that are set up there run: call it where the repository names none, or they are allowed. Raises as
    `ask_git` does.
    """
    person = {name: value for name, value in os.environ.items() if name.startswith(_PERSON)}
    offline = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
    environment = {**_environment(), **person, **_WORDS, **offline, **(env or {})}
    (_ANSWERS.get() or {}).clear()
    return _run(root, _argv(arguments, (_NO_HOOKS,)), environment, None)


def exchange_with_git(root: Path, *arguments: str, timeout_s: float = 600) -> GitResult:
    """Run git in `root` to fetch from or push to a remote that a person named, without hooks and questions.

    Programs that the machine's settings name for that, such as `core.sshCommand`, run as for the person. A remote that
    gives no answer within `timeout_s` seconds is an exit code of 124. Raises as `ask_git` does.
    """
    env = {**_environment(), **_WORDS, "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
    return _run(root, _argv(arguments, (_NO_HOOKS,)), env, None, timeout_s)


def _argv(arguments: tuple[str, ...], settings: tuple[str, ...]) -> list[str]:
    options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    place = next((number for number, word in enumerate(arguments) if not word.startswith("-")), 0)
    off = _NO_PROGRAMS if arguments[place] in _SHOWS_CONTENT else ()
    return ["git", "--no-pager", *options, *arguments[: place + 1], *off, *arguments[place + 1 :]]


def _read(root: Path, argv: list[str], env: Mapping[str, str]) -> GitResult:
    """Run git with nothing on its stdin, as `_run` does, without `subprocess`, which takes as long to import."""
    refuse_embedded(root)
    ends: list[int] = []
    pid = 0
    try:
        ends += os.pipe()
        ends += os.pipe()
        pid = _spawned(root, argv, env, ends[1], ends[3])
        for end in (ends.pop(3), ends.pop(1)):
            os.close(end)
        out, err = _both(*ends)
        code, pid = _ended(pid), 0
    except OSError as error:
        raise _not_run(error) from error
    finally:
        for end in ends:
            os.close(end)
        if pid:  # interrupted
            os.kill(pid, signal.SIGKILL)
            _ended(pid)
    return GitResult(code, out, err.decode("utf-8", "replace"))


def _spawned(root: Path, argv: list[str], env: Mapping[str, str], out: int, err: int) -> int:
    if not os.access(root, os.X_OK) or not root.is_dir():
        os.close(os.open(root, os.O_RDONLY | os.O_DIRECTORY))  # raises what is wrong with the folder
    streams = (
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out, 1),
        (os.POSIX_SPAWN_DUP2, err, 2),
    )
    words = [argv[0], "-C", str(root), *argv[1:]]
    return os.posix_spawnp(argv[0], words, env, file_actions=streams, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ))


def _both(out: int, err: int) -> tuple[bytes, bytes]:
    """Return what comes out of two pipes; both are read at once, since a full one would stop the other's writer."""
    from select import POLLIN, poll

    waits, found = poll(), {out: bytearray(), err: bytearray()}
    for end in found:
        waits.register(end, POLLIN)
    left = len(found)
    while left:
        for end, _ in waits.poll():
            chunk = os.read(end, _CHUNK_BYTES)
            found[end] += chunk
            if not chunk:
                waits.unregister(end)
                left -= 1
    return bytes(found[out]), bytes(found[err])


def _ended(pid: int) -> int:
    """Wait for a process and return its exit code, negative for a signal."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # the process asked not to hear of children that end
        return 0


def _run(
    root: Path, argv: list[str], env: Mapping[str, str], given: bytes | None, timeout_s: float | None = None
) -> GitResult:
    import subprocess  # many commands know how to ask git, and few have to

    refuse_embedded(root)
    try:
        if given is None:
            done = subprocess.run(
                argv, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
            )
        else:
            done = subprocess.run(argv, cwd=root, env=env, input=given, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return GitResult(124, b"", f"fatal: no answer within {timeout_s} s")
    except OSError as error:
        raise _not_run(error) from error
    return GitResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def _not_run(error: OSError) -> WorkspaceError:
    return WorkspaceError(f"git cannot be run: {error.strerror or error}", hint="git --version")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _MACHINE}
