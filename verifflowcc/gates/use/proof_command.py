"""The command that runs a repository's tests: which one, and whether this machine allows it."""

import os
import shlex
from pathlib import Path

from verifflowcc.base.errors import UsageError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.ports import Clock
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.runners import Runner, runner_of
from verifflowcc.sprint.store.allowed import allow_provable, read_provable

_MARKS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "conftest.py")
_ENVIRONMENTS = (".venv", "venv", "env")


@dataclass(frozen=True, slots=True)
class TestCommand:
    """The command as it would run, its framework, and whether this machine allows it for the repository."""

    __test__ = False

    argv: tuple[str, ...]
    runner: Runner
    allowed: bool

    @property
    def words(self) -> str:
        """The command as a shell would take it."""
        return shlex.join(self.argv)


def test_command(top: Path, folder: Path, given: str | None) -> TestCommand:
    """Return the command that a person gave, else the one that the repository's files name plainly.

    A program of the folder that git does not keep, as in an environment, is named by its full path: the scratch tree
    does not hold it. Raises UsageError where there is no command, or its outcomes cannot be read.
    """
    argv = _given(given) if given is not None else _plain(folder)
    if not argv:
        raise UsageError("cannot tell how the tests run", hint='vfcc prove --command "pytest -q"')
    runner = runner_of(argv)
    if runner is None:
        raise UsageError(
            f"the outcomes of `{shlex.join(argv)}` cannot be read; known are {', '.join(Runner)}",
            hint='vfcc prove --command "pytest -q"',
        )
    argv = (program_of(folder, argv[0]), *argv[1:])
    return TestCommand(argv, runner, _is_allowed(top, argv))


def allow_command(top: Path, command: TestCommand, clock: Clock) -> None:
    """Allow a command in all worktrees of the repository. Raises WorkspaceError where that cannot be kept."""
    allow_provable(top, Command(command.words, command.argv, 1, {}), os.environ, clock.now())


def _is_allowed(top: Path, argv: tuple[str, ...]) -> bool:
    return any(each.argv == argv for each in read_provable(top, os.environ).values())


def _given(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--command is no command line: {error}", hint='vfcc prove --command "pytest -q"') from error


def _plain(folder: Path) -> tuple[str, ...]:
    for found in (_python(folder), _javascript(folder)):
        if found:
            return found
    if (folder / "go.mod").is_file():
        return ("go", "test")
    return ("cargo", "test") if (folder / "Cargo.toml").is_file() else ()


def _python(folder: Path) -> tuple[str, ...]:
    """Return the words for pytest, or for unittest where nothing names pytest and each test file names unittest."""
    files = [*folder.glob("test_*.py"), *folder.glob("test*/**/test_*.py")]
    named = any(_names(file, "pytest") for file in (*(folder / name for name in _MARKS), *files))
    if not named and not files:
        return ()
    for name in _ENVIRONMENTS:
        if (folder / name / "bin" / "pytest").exists():
            return (f"{name}/bin/python", "-m", "pytest")
    if named or not all(_names(file, "unittest") for file in files):
        return ("python", "-m", "pytest")
    place = next((f"{name}/bin/" for name in _ENVIRONMENTS if (folder / name / "bin" / "python").exists()), "")
    return (f"{place}python", "-m", "unittest")


def _javascript(folder: Path) -> tuple[str, ...]:
    """Return the words for Vitest or Jest where `package.json` names one of them."""
    for name, more in (("vitest", ("run",)), ("jest", ())):
        if _names(folder / "package.json", f'"{name}"') or any(folder.glob(f"{name}.config.*")):
            program = f"node_modules/.bin/{name}"
            return (program, *more) if (folder / program).exists() else ("npx", "--no-install", name, *more)
    return ()


def _names(file: Path, word: str) -> bool:
    try:
        return word in file.read_text("utf-8", "replace")[: 1 << 20]
    except OSError:
        return False


def program_of(folder: Path, program: str) -> str:
    """Return a program as the scratch tree can start it: one of the folder that git does not keep by its full path."""
    if "/" not in program or not (folder / program).exists():
        return program
    kept = ask_git(folder, "ls-files", "--error-unmatch", "--", program).code == 0
    return program if kept else os.path.abspath(folder / program)  # noqa: PTH100 - a link to Python stays one
