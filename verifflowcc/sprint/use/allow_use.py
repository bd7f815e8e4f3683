"""What of the project may run on this machine, its commands and what git runs at a commit: show, allow, withdraw."""

import os
import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import CommandsNotAllowed, UsageError, WorkspaceError
from verifflowcc.base.files.project_content import read_project_file
from verifflowcc.base.git.git_commit import read_repository_code
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.protected_paths import RepositoryCode
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.command_placeholders import fill
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.measured_verdict import report_paths
from verifflowcc.sprint.store.allowed import allow, commands_digest, read_allowed, withdraw
from verifflowcc.sprint.use.configuration import effective_config, parse_config

# Which files of the project decide what an allowed command does, beside its own words.

_BY_PROGRAM = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "bun": ("package.json",),
    "tox": ("tox.ini", "tox.toml"),
    "nox": ("noxfile.py",),
    "just": ("justfile", "Justfile"),
    "task": ("Taskfile.yml",),
    "rake": ("Rakefile",),
    "mvn": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts"),
    "gradlew": ("build.gradle", "build.gradle.kts"),
}


def indirect_files(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the files in which a runner of tasks looks up what to run.

    >>> indirect_files(["/usr/bin/make", "test"])[-1], indirect_files(["pytest"])
    ('Makefile', ())
    """
    return _BY_PROGRAM.get(argv[0].rpartition("/")[2], ()) if argv else ()


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """A command as it would run: `argv` with the paths of its reports in place; `reports` are those that it writes."""

    name: str
    argv: tuple[str, ...]
    timeout_s: int
    reports: Mapping[str, str]
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommandTable:
    """The project's commands, what git runs at a commit, and whether this machine allows all of it.

    `folder` is where they run, `file` where the permission is kept. `digest` is that of the commands. `changes` are
    clauses on what is different from what was allowed last; empty where nothing was. `problem` says why what is in the
    file does not count.
    """

    folder: Path
    commands: tuple[ShownCommand, ...]
    digest: str
    allowed: bool
    changes: tuple[str, ...]
    """Differences from what was allowed last."""
    file: Path
    """Where the permission is stored."""
    git: tuple[RepositoryCode, ...] = ()
    """What git would run at a commit."""
    pinned: Mapping[str, str] = field(default_factory=dict)
    """Digests of files that must stay as they were when they were pinned, by path."""
    unpinned: Mapping[str, str] = field(default_factory=dict)
    """Files that decide what a command runs and may change, each with the command's name."""
    problem: str = ""
    """Why the stored permission does not count, or empty."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that would run."""
        return (*(each.name for each in self.commands), *(each.name for each in self.git))


def show_commands(workspace: Workspace) -> CommandTable:
    """Return what the project would run and whether it may. It writes nothing and runs nothing.

    Raises WorkspaceError where that is nothing, or the repository's settings cannot be read.
    """
    return _table(workspace.root, *_configured(workspace))


def planned_commands(root: Path, config: str) -> CommandTable:
    """Return the same for a project in `root` whose `config.yaml` is still to be written. Raises the same."""
    return _table(root, parse_config(config.encode()).gates.commands, read_repository_code(root))


def _table(root: Path, configured: Mapping[str, Command], code: tuple[RepositoryCode, ...]) -> CommandTable:
    digest = commands_digest(configured)
    known = read_allowed(root, os.environ, digest, code)
    changes: tuple[str, ...] = ()
    if known.commands is not None:
        changes = (*_changes(known.commands, configured), *_code_changes(known.code, code))
    moved = tuple(_pin_changes(root, known.pins)) if known.digest == digest else ()
    return CommandTable(
        folder=root,
        commands=tuple(_shown(configured[name]) for name in sorted(configured)),
        digest=digest,
        allowed=(known.digest == digest or not configured) and set(code) <= set(known.code or ()) and not moved,
        changes=(*changes, *moved),
        file=known.file,
        git=code,
        pinned=known.pins,
        unpinned=_unpinned(root, configured, known.pins),
        problem=known.problem,
    )


def _unpinned(root: Path, configured: Mapping[str, Command], pins: Mapping[str, str]) -> Mapping[str, str]:
    """Return the files that say what a command runs, by path: each with the command, without those that are pinned."""
    named = ((path, name) for name in sorted(configured) for path in indirect_files(configured[name].argv))
    return {path: name for path, name in named if path not in pins and (root / path).is_file()}


def _pin_changes(root: Path, pins: Mapping[str, str]) -> Iterator[str]:
    for path in sorted(pins):
        if _digest(root, path) != pins[path]:
            yield f"{path} is not as it was pinned"


def _digest(root: Path, path: str) -> str | None:
    data = read_project_file(root, path)
    return None if data is None else digest_bytes(data)


def allow_commands(workspace: Workspace, table: CommandTable, pin: Sequence[str] = ()) -> CommandTable:
    """Allow what was shown, and nothing else; `pin` are more files of the project that must stay as they are now.

    Raises CommandsNotAllowed where the configuration or the repository has changed since `table` was made, UsageError
    for a file that is not there.
    """
    configured, code = _configured(workspace)
    if (commands_digest(configured), code) != (table.digest, table.git):
        raise CommandsNotAllowed("the commands have changed since they were shown", hint="vfcc allow")
    pin = [posixpath.normpath(path) for path in pin]
    pins = {path: _digest(workspace.root, path) for path in (*table.pinned, *pin)}
    for path, digest in pins.items():
        if digest is None and path in pin:
            raise UsageError(f"the project has no file {path}", hint="vfcc allow --check")
    there = {path: digest for path, digest in pins.items() if digest is not None}
    allow(workspace.root, configured, os.environ, workspace.clock.now(), code, there)
    return show_commands(workspace)


def withdraw_commands(workspace: Workspace) -> bool:
    """Withdraw every permission of this project, in all worktrees of its repository; return whether there was any."""
    return withdraw(workspace.root, os.environ)


def ensure_allowed(workspace: Workspace, commands: Mapping[str, Command]) -> None:
    """Return where the table of all configured commands is allowed on this machine.

    Raises CommandsNotAllowed where it is not, or not any more.
    """
    digest = commands_digest(commands)
    known = read_allowed(workspace.root, os.environ, digest)
    if known.digest == digest:
        moved = "; ".join(_pin_changes(workspace.root, known.pins))
        if moved:
            raise CommandsNotAllowed(
                f"the project's commands are allowed with pinned files: {moved}", hint="vfcc allow"
            )
        return
    if known.problem:
        raise CommandsNotAllowed(known.problem, hint="vfcc allow")
    if known.commands is None:
        raise CommandsNotAllowed("the project's commands are not allowed on this machine", hint="vfcc allow")
    changes = "; ".join(_changes(known.commands, commands))
    raise CommandsNotAllowed(f"the project's commands changed since they were allowed: {changes}", hint="vfcc allow")


def _configured(workspace: Workspace) -> tuple[Mapping[str, Command], tuple[RepositoryCode, ...]]:
    commands = effective_config(workspace).config.gates.commands
    code = read_repository_code(workspace.root)
    if not commands and not code:
        raise WorkspaceError(
            "no command is configured in .memory/config.yaml",
            hint='under gates.commands write  test: {run: [python, -m, pytest, "--junitxml={junit}"]}',
        )
    return commands, code


def _shown(command: Command) -> ShownCommand:
    reports = report_paths(command)
    argv = tuple(fill(word, reports) for word in command.argv)
    return ShownCommand(command.name, argv, command.timeout_s, reports, command.inputs)


def _changes(before: Mapping[str, Command], now: Mapping[str, Command]) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        if name not in before:
            yield f"{name} is new"
        elif name not in now:
            yield f"{name} is gone"
        elif before[name] != now[name]:
            yield f"{name} has {_differences(before[name], now[name])}"


def _code_changes(before: Iterable[RepositoryCode] | None, now: Iterable[RepositoryCode]) -> Iterator[str]:
    """Yield what git would run beside, or in place of, what was allowed; what it runs no more changes nothing."""
    old = {(each.kind, each.name) for each in before or ()}
    for each in now:
        if each not in (before or ()):
            yield f"{each.name} {'has other content' if (each.kind, each.name) in old else 'is new'}"


def _differences(before: Command, now: Command) -> str:
    def listed(values: Iterable[str]) -> str:
        return ", ".join(values) or "none"

    parts = {
        f"other words (they were: {shlex.join(before.argv)})": before.argv != now.argv,
        f"another timeout (it was {before.timeout_s} s)": before.timeout_s != now.timeout_s,
        f"other reports (they were: {listed(before.reports.values())})": dict(before.reports) != dict(now.reports),
        f"other inputs (they were: {listed(before.inputs)})": before.inputs != now.inputs,
    }
    return ", ".join(name for name, differs in parts.items() if differs)
