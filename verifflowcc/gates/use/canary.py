"""Prove that a gate can close: plant a violation for each criterion and see that it is not met."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.model.baseline_rules import baseline_for
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import RECORDED, Criterion, CriterionKind, Mode
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import select
from verifflowcc.base.use.stage_words import stage_meant
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.canary_plan import FAR_NUMBERS, canaries
from verifflowcc.gates.rules.evidence_criteria import judge
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest
from verifflowcc.gates.rules.gate_check import assess, rules_criterion
from verifflowcc.gates.use.evidence_running import CommandRun, run_for
from verifflowcc.gates.use.evidence_single import SINGLE
from verifflowcc.gates.use.gates_now import sound_facts
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.sprint_reading import load_movable

# Run the project's commands in a scratch copy: as it is, and with its inputs spoilt.
#
# A criterion that is still met on spoilt inputs is met by a command that does not look at them, and shows nothing.

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


def try_command(workspace: Workspace, command: Command, wanted: Sequence[EvidenceRequest], facts: Facts) -> Trial:
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
    failure = ran.run.failure or f"it ended with exit code {ran.run.exit_code}"
    return f"in a copy of the project as it is, it meets nothing ({failure})"


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


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """A planted violation, and whether the criterion detected it.

    `reason` is that of the criterion's assessment with the violation in place.
    """

    violation: str
    """The fault that was planted."""
    closed: bool
    """Whether the gate closed."""
    reason: str


@dataclass(frozen=True, slots=True)
class CanaryProof:
    """A criterion and its canaries. `sound` is false where it cannot fail: a defect of the workflow.

    Nothing is `planted` where there is nothing yet that could be violated: no stage before has passed.
    """

    stage: str
    criterion: str
    mode: Mode
    planted: tuple[PlantedFault, ...]
    sound: bool


@dataclass(frozen=True, slots=True)
class Canaries:
    """All proofs of a stage, and what its commands did in a scratch copy of the project. `off` is never asked."""

    sprint: str
    stage: str
    proofs: tuple[CanaryProof, ...]
    trials: tuple[Trial, ...]
    off: tuple[str, ...] = ()
    """Criteria that are off."""

    @property
    def sound(self) -> bool:
        """Whether every criterion can close its gate, and every command can fail."""
        return all(one.sound for one in self.proofs) and not any(one.still_met for one in self.trials)


def prove_gate(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> Canaries:
    """Plant a violation for each criterion of a stage (default: the active one).

    Commands that are allowed on this machine are run in a scratch copy, once as it is and once with their inputs
    spoilt; nothing in the project is written. Raises as `ask_stage` does, and NotAllowed.
    """
    state = load_movable(workspace, sprint_id)[1]
    stage = stage_meant(state, stage_id).stage
    wanted = stage.id
    facts = sound_facts(workspace, state)
    every = (*stage.enter, *stage.exit, rules_criterion(facts))
    criteria = [each for each in every if each.mode is not Mode.OFF]
    off = tuple(each.id for each in every if each.mode is Mode.OFF)
    proofs = tuple(_proof(each, wanted, facts) for each in criteria)
    return Canaries(sprint_id, wanted, proofs, _trials(workspace, criteria, wanted, facts), off)


def _trials(workspace: Workspace, criteria: Sequence[Criterion], stage_id: str, facts: Facts) -> tuple[Trial, ...]:
    by_command: dict[str, list[EvidenceRequest]] = {}
    for each in criteria:
        if each.kind in RECORDED - SINGLE and each.command in facts.commands:
            by_command.setdefault(str(each.command), []).append(EvidenceRequest(stage_id, each))
    if by_command:
        ensure_allowed(workspace, facts.commands)
    return tuple(
        try_command(workspace, facts.commands[name], wanted, facts) for name, wanted in sorted(by_command.items())
    )


def _proof(criterion: Criterion, stage_id: str, facts: Facts) -> CanaryProof:
    planted = []
    for canary in canaries(criterion, stage_id, facts):
        now = assess(criterion, stage_id, canary.facts)
        planted.append(PlantedFault(canary.planted, not now.met, now.reason))
    return CanaryProof(stage_id, criterion.id, criterion.mode, tuple(planted), _sound(criterion, planted))


def _sound(criterion: Criterion, planted: Sequence[PlantedFault]) -> bool:
    """A limit above or below is enough for a number: one of the two must be seen, and everything else."""
    numbers = [one for one in planted if criterion.kind is CriterionKind.METRIC and one.violation in FAR_NUMBERS]
    others = [one for one in planted if one not in numbers]
    return all(one.closed for one in others) and (not numbers or any(one.closed for one in numbers))
