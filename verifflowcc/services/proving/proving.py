"""Prove the changes of a repository, one after the other, within the limits that a person gives."""

import time
from collections.abc import Callable
from pathlib import Path

from verifflowcc.adapters.clock import step
from verifflowcc.adapters.proving.folders import sweep
from verifflowcc.proving.verdicts import Verdict
from verifflowcc.records import dataclass
from verifflowcc.services.proving.changes import Choice, changes_of
from verifflowcc.services.proving.proof import ChangeProof, Wanted, prove_change
from verifflowcc.services.proving.trials import Limits


@dataclass(frozen=True, slots=True)
class Proof:
    """What is shown of each change, in order. `left` is the number of changes for which no time was left.

    Paths are relative to `folder`, which is relative to the repository's top.
    """

    command: tuple[str, ...]
    changes: tuple[ChangeProof, ...]
    left: int = 0
    """Changes for which there was no time."""
    folder: str = ""

    @property
    def red(self) -> bool:
        """Whether the tests of a change pass without it, or fail with it."""
        return any(each.verdict in (Verdict.NOT_DISCRIMINATING, Verdict.BROKEN) for each in self.changes)

    @property
    def open(self) -> bool:
        """Whether something could not be judged."""
        return self.left > 0 or any(each.verdict is Verdict.INCONCLUSIVE for each in self.changes)


def prove(
    top: Path,
    choice: Choice,
    wanted: Wanted,
    *,
    time_s: int,
    runs: int,
    on_change: Callable[[ChangeProof], None] | None = None,
) -> Proof:
    """Prove the chosen changes; `runs` bounds those of one change, `time_s` all of them. `on_change` sees each proof.

    Scratch trees of killed proofs are removed first. Raises UsageError for a choice that names nothing, WorkspaceError
    where the repository cannot be read.
    """
    sweep()
    until = time.monotonic() + time_s
    found: list[ChangeProof] = []
    left = 0
    for change in changes_of(top, choice):
        if time.monotonic() >= until:
            left += 1
            continue
        with step(f"proving {change.name}"):
            found.append(prove_change(top, change, wanted, Limits(until, runs)))
        if on_change:
            on_change(found[-1])
    return Proof(wanted.argv, tuple(found), left, wanted.folder)
