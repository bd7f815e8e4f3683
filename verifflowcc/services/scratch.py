"""Run the project's commands in a scratch copy: as it is, and with its inputs spoilt.

A criterion that is still met on spoilt inputs is met by a command that does not look at them, and shows nothing.
"""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verifflowcc.domain.evidence import Command
from verifflowcc.domain.facts import Facts
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.evidence_running import run_for
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.glob import select
from verifflowcc.workflow.assess_recorded import judge
from verifflowcc.workflow.evidence_wanted import Wanted

SPOILT = b"(((( a canary: this is neither code nor data ))))\n"
SPARED = frozenset({"pyproject.toml", "setup.cfg", "tox.ini", "Makefile", "package.json", "Cargo.toml", "go.mod"})
"""Files that say how a command works, and are left alone: with them spoilt it would fail for another reason."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a command did in a copy, as it is and with its inputs spoilt (exit codes; None where it did not end).

    `still_met` are the criteria that were met on spoilt inputs: they cannot fail. `doubt` says why nothing could be
    shown; it is empty otherwise.
    """

    command: str
    as_it_is: int | None = None
    spoilt: int | None = None
    still_met: tuple[str, ...] = ()
    doubt: str = ""


def try_command(workspace: Workspace, command: Command, wanted: Sequence[Wanted], facts: Facts) -> Trial:
    """Return what an allowed command did in a copy of the project's files.

    What git ignores at the top of the project (environments, installed packages) is linked into the copy. Raises
    WorkspaceError where the copy cannot be made.
    """
    inputs = [path for path in select(facts.content, command.inputs) if path.rpartition("/")[2] not in SPARED]
    if not inputs:
        return Trial(command.name, doubt="it has no input that could be spoilt")
    with tempfile.TemporaryDirectory(prefix="vfcc-canary-") as folder:
        copy = Path(folder).resolve() / "copy"
        _copy(workspace.root, copy, tuple(facts.content))
        there = Workspace(copy, workspace.clock)
        before = run_for(there, command, wanted, facts).run.exit_code
        if before != 0:
            return Trial(command.name, before, doubt="it does not end well in a copy of the project as it is")
        _spoil(copy, inputs)
        after = run_for(there, command, wanted, facts)
    still = tuple(
        str(one.wanted) for one in after.made if one.evidence and judge(one.wanted.criterion, one.evidence).met
    )
    return Trial(command.name, before, after.run.exit_code, still)


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
        present = {path.partition("/")[0] for path in files} | {".git", ".memory"}
        for entry in sorted(root.iterdir()):
            if entry.name not in present:
                (copy / entry.name).symlink_to(entry.resolve(), target_is_directory=entry.is_dir())
    except OSError as error:
        raise WorkspaceError(f"cannot make a scratch copy: {error}") from error
