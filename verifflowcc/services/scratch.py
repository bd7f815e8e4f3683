"""Run the project's commands in a scratch copy: as it is, and with its inputs spoilt.

A criterion that is still met on spoilt inputs is met by a command that does not look at them, and shows nothing.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.domain.evidence import Command
from verifflowcc.domain.facts import Facts
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.evidence_running import CommandRun, run_for
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.glob import select
from verifflowcc.workflow.assess_recorded import judge
from verifflowcc.workflow.baseline_rules import baseline_for
from verifflowcc.workflow.evidence_wanted import Wanted

SPOILT = b"(((( a canary: this is neither code nor data ))))\n"
ENVIRONMENTS = frozenset({"node_modules", ".tox", ".nox"})
"""What git ignores and a command may need, besides Python's environments: linked, since it is too large to copy."""
SPARED = frozenset({"pyproject.toml", "setup.cfg", "tox.ini", "Makefile", "package.json", "Cargo.toml", "go.mod"})
"""Files that say how a command works, and are left alone: with them spoilt it would fail for another reason."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a command did in a copy, as it is and with its inputs spoilt (exit codes; None where it did not end).

    `tried` are the criteria that were met as it is; `still_met`, those of them that were met on spoilt inputs as well:
    they cannot fail. `doubt` says why nothing could be shown; it is empty otherwise.
    """

    command: str
    as_it_is: int | None = None
    """The exit code on the unchanged files."""
    spoilt: int | None = None
    """The exit code on the spoilt files."""
    tried: tuple[str, ...] = ()
    still_met: tuple[str, ...] = ()
    """Criteria that the fault did not close."""
    doubt: str = ""
    """Why nothing could be shown, or empty."""


def try_command(workspace: Workspace, command: Command, wanted: Sequence[Wanted], facts: Facts) -> Trial:
    """Return what an allowed command did in a copy of the project's files.

    Environments with installed packages are linked into the copy; all else that git ignores is left out, so that
    nothing in the project can be written. Raises WorkspaceError where the copy cannot be made.
    """
    inputs = [path for path in select(facts.content, command.inputs) if path.rpartition("/")[2] not in SPARED]
    if not inputs:
        return Trial(command.name, doubt="it has no input that could be spoilt")
    with tempfile.TemporaryDirectory(prefix="vfcc-canary-") as folder:
        copy = Path(folder).resolve() / "copy"
        _copy(workspace.root, copy, (*facts.content, *facts.memory))
        there = Workspace(copy, workspace.clock)
        before = run_for(there, command, wanted, facts)
        tried = _met(before, facts)
        if not tried:
            return Trial(command.name, before.run.exit_code, doubt=_doubt(before))
        _spoil(copy, inputs)
        after = run_for(there, command, wanted, facts)
    still = tuple(one for one in _met(after, facts) if one in tried)
    return Trial(command.name, before.run.exit_code, after.run.exit_code, tried, still)


def _met(ran: CommandRun, facts: Facts) -> tuple[str, ...]:
    return tuple(
        str(one.wanted)
        for one in ran.made
        if one.evidence and judge(one.wanted.criterion, one.evidence, baseline_for(one.wanted.criterion, facts)).met
    )


def _doubt(ran: CommandRun) -> str:
    """Return why nothing is met in a copy as it is: there, a command has no git and nothing that git ignores."""
    said = ran.run.failure or f"it ended with exit code {ran.run.exit_code}"
    return f"in a copy of the project as it is, it meets nothing ({said})"


def _spoil(copy: Path, inputs: Sequence[str]) -> None:
    try:
        for path in inputs:
            if not (copy / path).is_symlink() and (copy / path).is_file():
                (copy / path).write_bytes(SPOILT)
    except OSError as error:
        raise WorkspaceError(f"cannot spoil a scratch copy: {error}") from error


def _copy(root: Path, copy: Path, files: Sequence[str]) -> None:
    try:
        copy.mkdir()
        for path in files:
            source = root / path
            if source.is_file() and not source.is_symlink():
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy / path)
        for entry in sorted(root.iterdir()):
            if (entry.name in ENVIRONMENTS or (entry / "pyvenv.cfg").is_file()) and not (copy / entry.name).exists():
                (copy / entry.name).symlink_to(entry.resolve(), target_is_directory=True)
    except OSError as error:
        raise WorkspaceError(f"cannot make a scratch copy: {error}") from error
