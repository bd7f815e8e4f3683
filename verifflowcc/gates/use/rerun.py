"""Run recorded commands again, and see whether what the ledger says comes out: made for CI.

The ledger is tamper-evident, not tamper-proof: whoever knows the format can write an event and an evidence file that
look sound. A second run does not read what they claim.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from enum import StrEnum

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import COMPUTED, Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import SprintState, StageStatus
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_criteria import judge
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest, asked_again, of_stage
from verifflowcc.gates.rules.gate_check import asks_rules, assess, rules_criterion
from verifflowcc.gates.rules.staleness import chosen, evidence_changes, id_of, stale_reasons
from verifflowcc.gates.use.evidence_running import EvidenceResult, run_for, running
from verifflowcc.gates.use.evidence_single import SINGLE, make_single
from verifflowcc.gates.use.gates_now import results_differ, sound_facts
from verifflowcc.gates.use.promotion_signers import VouchedDecision, vouched
from verifflowcc.sprint.rules.measured_verdict import reason_of_refactoring
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.sprint_reading import load_movable


class RerunResult(StrEnum):
    """What became of a piece of evidence; all but the first three are red.

    `NOT_MET` is a hard criterion of a stage that is passed all the same, whatever there is or is not on record for it.
    """

    REPRODUCED = "reproduced"
    ON_TRUST = "on trust"
    WAITING = "waiting"
    DIFFERS = "differs"
    STALE = "stale"
    NOT_REPRODUCIBLE = "not reproducible"
    NOT_MET = "not met"


RED = frozenset(RerunResult) - {RerunResult.REPRODUCED, RerunResult.ON_TRUST, RerunResult.WAITING}


OF_OTHER_FILES = frozenset({"changed", "changed_hit", "missing_files", "unknown_files"})
"""Measures of coverage that files besides its inputs have a part in."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """One piece of evidence and what a second run made of it; `step` is what mends it.

    `evidence` is empty where a criterion is not met, whatever its evidence says. `notes` say what changed about it.
    """

    stage: str
    criterion: str
    evidence: str
    result: RerunResult
    reason: str
    step: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A sprint's evidence run again, and who vouches for people's decisions in it."""

    sprint: str
    rows: tuple[Rerun, ...]
    people: tuple[VouchedDecision, ...]
    """Approvals, acceptances, waivers and skips."""

    @property
    def sound(self) -> bool:
        """Whether nothing is red."""
        return not any(row.result in RED for row in self.rows) and all(one.vouched for one in self.people)


def reproduce(workspace: Workspace, sprint_id: str) -> Reproduction:
    """Run the latest evidence of each criterion again and compare, without recording.

    Raises WorkspaceError where there is nothing to check, CommandsNotAllowed where the commands may not run on this
    machine, ConflictError while others run here, and as `ask_stage` does.
    """
    state = load_movable(workspace, sprint_id)[1]
    facts = sound_facts(workspace, state)
    latest = tuple(_latest(state, facts))
    people = vouched(workspace, state, facts)
    rows = [row for wanted, recorded in latest if (row := _without_a_run(wanted, recorded, state, facts))]
    settled = {(row.stage, row.criterion, row.evidence) for row in rows}
    left = [pair for pair in latest if (pair[0].stage, pair[0].criterion.id, id_of(pair[1])) not in settled]
    rows += _run_again(workspace, left, facts)
    rows += _not_met(state, facts, {(row.stage, row.criterion) for row in rows if row.result in RED})
    if not rows and not people:
        raise WorkspaceError(f"{sprint_id} has no evidence to reproduce", hint="vfcc evidence run")
    criteria = {(wanted.stage, wanted.criterion.id): wanted.criterion for wanted, _ in latest}
    rows = [replace(row, notes=_notes(row, criteria, facts)) for row in rows]
    order = [each.stage.id for each in state.stages]
    return Reproduction(
        sprint_id, tuple(sorted(rows, key=lambda row: (order.index(row.stage), row.criterion, row.evidence))), people
    )


def _latest(state: SprintState, facts: Facts) -> Iterator[tuple[EvidenceRequest, RecordedEvidence]]:
    for stage in state.stages:
        for wanted in of_stage(stage):
            yield from ((wanted, one) for one in chosen(wanted.criterion, wanted.stage, facts).latest)


def _without_a_run(
    wanted: EvidenceRequest, recorded: RecordedEvidence, state: SprintState, facts: Facts
) -> Rerun | None:
    """Return the result that needs no run, or None where the command must run."""
    evidence, criterion = recorded.evidence, wanted.criterion
    if evidence is None:
        return _row(wanted, recorded, RerunResult.NOT_REPRODUCIBLE, recorded.problem or "it cannot be read")
    stale = stale_reasons(evidence, facts, criterion)
    if stale:
        stage = state.stage(wanted.stage)
        relied_on = stage is not None and stage.status is StageStatus.PASSED
        found = RerunResult.STALE if relied_on else RerunResult.WAITING
        return _row(wanted, recorded, found, f"it is of other content: {', '.join(stale)}")
    if evidence.run is None and criterion.kind not in COMPUTED:
        trusted = evidence.trust.rank >= criterion.trust.rank
        found = RerunResult.ON_TRUST if trusted else RerunResult.NOT_REPRODUCIBLE
        return _row(wanted, recorded, found, f"{evidence.trust} by {recorded.actor}: there is no command")
    return None


def _notes(row: Rerun, criteria: Mapping[tuple[str, str], Criterion], facts: Facts) -> tuple[str, ...]:
    criterion = criteria.get((row.stage, row.criterion))
    return evidence_changes(criterion, row.stage, facts) if criterion else ()


def _row(wanted: EvidenceRequest, recorded: RecordedEvidence, found: RerunResult, reason: str) -> Rerun:
    criterion = wanted.criterion
    again = f"vfcc evidence run {criterion.id} --stage {wanted.stage}" if found in RED else ""
    return Rerun(wanted.stage, criterion.id, id_of(recorded), found, reason, again)


def _run_again(
    workspace: Workspace, left: Sequence[tuple[EvidenceRequest, RecordedEvidence]], facts: Facts
) -> list[Rerun]:
    computed = [pair for pair in left if pair[0].criterion.kind in COMPUTED]
    proofs = [pair for pair in left if pair[0].criterion.kind is CriterionKind.RED_FIRST]
    by_command: dict[str, list[tuple[EvidenceRequest, RecordedEvidence]]] = {}
    for pair in left:
        if pair[0].criterion.kind not in SINGLE:
            by_command.setdefault(str(pair[0].criterion.command), []).append(pair)
    rows = [_compared(*pair, _single_again(workspace, *pair, facts), workspace) for pair in computed]
    if not by_command and not proofs:
        return rows
    ensure_allowed(workspace, facts.commands)
    with running(workspace):
        rows += [_compared(*pair, _single_again(workspace, *pair, facts), workspace) for pair in proofs]
        for name, pairs in sorted(by_command.items()):
            once = tuple({str(wanted): wanted for wanted, _ in pairs}.values())
            with step(f"running {name} again"):
                made = {str(one.wanted): one for one in run_for(workspace, facts.commands[name], once, facts).made}
            rows += [_compared(wanted, recorded, made[str(wanted)], workspace) for wanted, recorded in pairs]
    return rows


def _single_again(
    workspace: Workspace, wanted: EvidenceRequest, recorded: RecordedEvidence, facts: Facts
) -> EvidenceResult:
    reason = reason_of_refactoring(recorded.evidence) if recorded.evidence else ""
    with step(f"making evidence for {wanted.criterion.id} again"):
        return make_single(workspace, wanted, facts, reason)


def _not_met(state: SprintState, facts: Facts, reported: Set[tuple[str, str]]) -> Iterator[Rerun]:
    """Yield the hard criteria of passed stages that are not met now: a pass can be written by hand, too."""
    yield from _rules(state, facts)
    for stage in state.stages:
        if stage.status is not StageStatus.PASSED:
            continue
        name = stage.stage.id
        for each in asked_again(stage):
            if each.mode is not Mode.HARD or (name, each.id) in reported:
                continue
            asked = assess(each, name, facts)
            if not asked.met:
                yield Rerun(name, each.id, "", RerunResult.NOT_MET, f"{name} passed, but {asked.reason}", asked.step)


def _rules(state: SprintState, facts: Facts) -> Iterator[Rerun]:
    """Yield that no person approved a change of the rules, once a stage has passed with them."""
    passed = [each.stage.id for each in state.stages if each.status is StageStatus.PASSED]
    criterion = rules_criterion(facts)
    asked = assess(criterion, state.current or passed[-1], facts) if passed and asks_rules(facts) else None
    if asked and criterion.mode is Mode.HARD and not asked.met:
        yield Rerun(passed[-1], criterion.id, "", RerunResult.NOT_MET, asked.reason, asked.step)


def _compared(wanted: EvidenceRequest, recorded: RecordedEvidence, made: EvidenceResult, workspace: Workspace) -> Rerun:
    was, now = recorded.evidence, made.evidence
    if now is None or was is None:
        return _row(wanted, recorded, RerunResult.NOT_REPRODUCIBLE, made.problem)
    criterion = wanted.criterion
    numbers = _numbers(now, criterion)
    same = was.outcome == now.outcome and _measured(was, criterion) == _measured(now, criterion)
    if same and judge(criterion, was).met == judge(criterion, now).met:
        differs = results_differ(workspace, was, now)
        return _row(wanted, recorded, RerunResult.DIFFERS if differs else RerunResult.REPRODUCED, differs or numbers)
    return _row(wanted, recorded, RerunResult.DIFFERS, f"recorded {_numbers(was, criterion)}; now {numbers}")


def _measured(evidence: Evidence, criterion: Criterion) -> Mapping[str, int]:
    """Return the numbers that must come out again, where the inputs are the same.

    What a report lacks and which lines changed depends on other files and on later commits: there, what counts is that
    the criterion is met as before. A baseline's tags come and go as well; there must be one, where one is asked for.
    """
    if criterion.kind is CriterionKind.BASELINE:
        return {"tags": int(criterion.tagged and evidence.measures.get("tags", 0) > 0)}
    if criterion.kind is CriterionKind.COVERAGE:
        return {name: number for name, number in evidence.measures.items() if name not in OF_OTHER_FILES}
    return evidence.measures


def _numbers(evidence: Evidence, criterion: Criterion) -> str:
    shown = _measured(evidence, criterion) if criterion.kind is CriterionKind.BASELINE else evidence.measures
    parts = [f"{name} {number}" for name, number in shown.items() if number]
    if evidence.run:
        code = "no exit code" if evidence.run.exit_code is None else f"exit {evidence.run.exit_code}"
        parts.insert(0, code)
    else:
        parts.insert(0, f"{evidence.inputs.count} file{'' if evidence.inputs.count == 1 else 's'}")
    return ", ".join(parts)
