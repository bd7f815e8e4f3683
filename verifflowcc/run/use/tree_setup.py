"""Prepare a worktree of a run with the command that `run.setup` names, since a new one lacks what git ignores.

It runs again only where the files that it depends on, its `inputs`, have changed. The note of that lies in the
worktree's own folder of git, so that it is gone when the worktree is.
"""

import os
from collections.abc import Callable
from pathlib import Path

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.process.command_run import CommandResult, run_command
from verifflowcc.base.text.canonical import canonical, digest_bytes
from verifflowcc.base.text.glob import select
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.run.store.agent_process import RUN_VARIABLE
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.configuration import effective_config

NOTE = "vfcc-setup"
_LAST_LINES = 5


def prepare_tree(
    workspace: Workspace, folder: Path, marker: str, say: Callable[[str], None], checkout: Path | None = None
) -> bool:
    """Run the set-up of the project in `folder`, a worktree; return whether it ran.

    `workspace` has the configuration that counts: not the one of the worktree, which an agent may have changed. The
    permission is that of `checkout`, where it is given.
    Raises UsageError where `run.setup` names no command, CommandsNotAllowed where this machine does not allow the
    project's commands, and WorkspaceError where the command fails.
    """
    config = effective_config(workspace).config
    if config.run.setup is None:
        return False
    command = config.gates.commands.get(config.run.setup)
    if command is None:
        known = ", ".join(config.gates.commands) or "none yet"
        raise UsageError(
            f"run.setup names {config.run.setup}, and gates.commands has {known}", hint="vfcc check config"
        )
    ensure_allowed(Workspace(checkout, workspace.clock) if checkout else workspace, config.gates.commands)
    note, key = _note(folder), _key(folder, command)
    if note.is_file() and note.read_text(encoding="utf-8") == key:
        return False
    say(f"setting up {folder}: {command.name}")
    env = {**os.environ, RUN_VARIABLE: marker}
    done = run_command(folder, command.argv, command.timeout_s, env=env)
    if done.exit_code != 0:
        raise WorkspaceError(f"the set-up of {folder} failed: {_why(done)}", hint=f"vfcc evidence run {command.name}")
    write_atomic(note, key)
    return True


def _key(folder: Path, command: Command) -> str:
    """Return the digest of the command and of the files that it depends on; without `inputs`, of the command alone."""
    listed = ask_git(folder, "ls-files", "-z").out.decode("utf-8", "surrogateescape").split("\0")
    paths = select(listed, command.inputs) if command.inputs else ()
    files = [[path, digest_bytes((folder / path).read_bytes())] for path in paths if (folder / path).is_file()]
    return digest_bytes(canonical([list(command.argv), files]))


def _note(folder: Path) -> Path:
    found = ask_git(folder, "rev-parse", "--absolute-git-dir").out.decode("utf-8", "surrogateescape").strip()
    return Path(found) / NOTE


def _why(done: CommandResult) -> str:
    lines = done.output.decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
    return "; ".join([done.failure or f"exit code {done.exit_code}", *lines])
