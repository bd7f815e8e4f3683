"""What of the project may run on this machine, its commands and what git runs at a commit: show, allow, withdraw."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from verifflowcc.base.errors import CommandsNotAllowed, WorkspaceError
from verifflowcc.base.git.git_commit import read_repository_code
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.protected_paths import RepositoryCode
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.command_placeholders import fill
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.measured_verdict import report_paths
from verifflowcc.sprint.store.allowed import allow, commands_digest, read_allowed, withdraw
from verifflowcc.sprint.use.configuration import effective_config, parse_config


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
    return CommandTable(
        folder=root,
        commands=tuple(_shown(configured[name]) for name in sorted(configured)),
        digest=digest,
        allowed=(known.digest == digest or not configured) and set(code) <= set(known.code or ()),
        changes=changes,
        file=known.file,
        git=code,
        problem=known.problem,
    )


def allow_commands(workspace: Workspace, table: CommandTable) -> CommandTable:
    """Allow what was shown, and nothing else.

    Raises CommandsNotAllowed where the configuration or the repository has changed since `table` was made.
    """
    configured, code = _configured(workspace)
    if (commands_digest(configured), code) != (table.digest, table.git):
        raise CommandsNotAllowed("the commands have changed since they were shown", hint="vfcc allow")
    allow(workspace.root, configured, os.environ, workspace.clock.now(), code)
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
