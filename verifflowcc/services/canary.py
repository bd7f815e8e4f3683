"""Prove that a gate can close: plant a violation for each criterion and see that it is not met."""

from collections.abc import Sequence

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import RECORDED, Criterion, Kind, Mode
from verifflowcc.records import dataclass
from verifflowcc.services.allow import ensure_allowed
from verifflowcc.services.evidence_single import SINGLE
from verifflowcc.services.finding import stage_meant
from verifflowcc.services.gates import sound_facts
from verifflowcc.services.scratch import Trial, try_command
from verifflowcc.services.sprint_reading import load_movable
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_rules import rules_criterion
from verifflowcc.workflow.canaries import FAR_NUMBERS, canaries
from verifflowcc.workflow.evidence_wanted import Wanted
from verifflowcc.workflow.gate import assess


@dataclass(frozen=True, slots=True)
class Planted:
    """One violation, and whether the criterion saw it; `said` is what it then said."""

    what: str
    """The fault that was planted."""
    closed: bool
    """Whether the gate closed."""
    said: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A criterion and its canaries. `sound` is false where it cannot fail: a defect of the workflow.

    Nothing is `planted` where there is nothing yet that could be violated: no stage before has passed.
    """

    stage: str
    criterion: str
    mode: Mode
    planted: tuple[Planted, ...]
    sound: bool


@dataclass(frozen=True, slots=True)
class Canaries:
    """All proofs of a stage, and what its commands did in a scratch copy of the project. `off` is never asked."""

    sprint: str
    stage: str
    proofs: tuple[Proof, ...]
    trials: tuple[Trial, ...]
    off: tuple[str, ...] = ()
    """Criteria that are off."""

    @property
    def sound(self) -> bool:
        """Whether every criterion can close its gate, and every command can fail."""
        return all(one.sound for one in self.proofs) and not any(one.still_met for one in self.trials)


def prove_gate(workspace: Workspace, sprint_id: str, stage_id: str | None = None) -> Canaries:
    """Return what became of a violation of each criterion of a stage, the one in work where none is named.

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
    by_command: dict[str, list[Wanted]] = {}
    for each in criteria:
        if each.kind in RECORDED - SINGLE and each.command in facts.commands:
            by_command.setdefault(str(each.command), []).append(Wanted(stage_id, each))
    if by_command:
        ensure_allowed(workspace, facts.commands)
    return tuple(
        try_command(workspace, facts.commands[name], wanted, facts) for name, wanted in sorted(by_command.items())
    )


def _proof(criterion: Criterion, stage_id: str, facts: Facts) -> Proof:
    planted = []
    for canary in canaries(criterion, stage_id, facts):
        now = assess(criterion, stage_id, canary.facts)
        planted.append(Planted(canary.planted, not now.met, now.reason))
    return Proof(stage_id, criterion.id, criterion.mode, tuple(planted), _sound(criterion, planted))


def _sound(criterion: Criterion, planted: Sequence[Planted]) -> bool:
    """A limit above or below is enough for a number: one of the two must be seen, and everything else."""
    numbers = [one for one in planted if criterion.kind is Kind.METRIC and one.what in FAR_NUMBERS]
    others = [one for one in planted if one not in numbers]
    return all(one.closed for one in others) and (not numbers or any(one.closed for one in numbers))
