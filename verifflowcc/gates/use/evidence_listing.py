"""Show what evidence there is, and what it shows now. Nothing is run but git."""

from collections.abc import Sequence

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.model.baseline_rules import baseline_for
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import Assessment, CriterionKind, EvidenceTrust, Verdict
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import LEAST_ENDING, only_fitting
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_criteria import assess_recorded, judge, run_step
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest, everything
from verifflowcc.gates.rules.staleness import chosen, id_of, stale_reasons
from verifflowcc.gates.use.gates_now import gather_facts
from verifflowcc.sprint.store.evidence_store import read_blob
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.sprint_reading import load_movable

# Which evidence no longer speaks of what is there, and why. Nothing is run but git.


@dataclass(frozen=True, slots=True)
class StaleLine:
    """A piece of evidence that a gate would use; `reasons` are all that changed since, empty where it is fresh."""

    stage: str
    criterion: str
    kind: CriterionKind
    evidence: str
    time: str
    reasons: tuple[str, ...]
    """All changes since; empty if it is fresh."""
    step: str


@dataclass(frozen=True, slots=True)
class Staleness:
    """The evidence that the gates of a sprint would use, in the order of the workflow."""

    sprint: str
    lines: tuple[StaleLine, ...]

    @property
    def stale(self) -> tuple[StaleLine, ...]:
        """Those that do not count any more."""
        return tuple(line for line in self.lines if line.reasons)


def find_stale(workspace: Workspace, sprint_id: str, *, stage: str | None = None) -> Staleness:
    """Return the evidence that the gates of a sprint would use, and what changed since it was made.

    Raises WorkspaceError where there is none at all: nothing to evaluate is not fresh.
    """
    state = load_movable(workspace, sprint_id)[1]
    if stage is not None:
        find_stage(state, stage)
    facts = gather_facts(workspace, state)
    lines = []
    for wanted in everything(state):
        if stage not in {None, wanted.stage}:
            continue
        for one in chosen(wanted.criterion, wanted.stage, facts).latest:
            if one.evidence is None:
                raise WorkspaceError(f"{one.path}:1: {one.problem}", hint=f"git status -- {one.path}")
            reasons = stale_reasons(one.evidence, facts, wanted.criterion, most=None)
            step = run_step(wanted.criterion, wanted.stage, facts) if reasons else ""
            what = wanted.stage, wanted.criterion.id, wanted.criterion.kind
            lines.append(StaleLine(*what, one.evidence.id, one.evidence.time, reasons, step))
    if not lines:
        where = f"{sprint_id}/{stage}" if stage else sprint_id
        raise WorkspaceError(f"there is no evidence in {where} yet", hint="vfcc evidence run")
    return Staleness(sprint_id, tuple(lines))


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A piece of evidence in a list.

    `latest` says whether the gate looks at it; `verdict` and `reason` are then what the gate says now, else what it
    showed when it was made. `kind`, `trust` and `time` are None where the file is not sound; `reason` says why.
    """

    id: str
    stage: str
    criterion: str
    actor: str
    latest: bool
    """Whether the gate uses it."""
    verdict: Verdict
    reason: str
    kind: CriterionKind | None = None
    trust: EvidenceTrust | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One piece of evidence, where it lies, who added it, and what it shows.

    `assessment` is what the gate says of its criterion now where it is the latest, else what it showed when it was
    made; None where the sprint has no such criterion.
    """

    evidence: Evidence
    path: str
    actor: str
    event: str
    latest: bool
    assessment: Assessment | None


def list_evidence(
    workspace: Workspace, sprint_id: str, *, stage: str | None = None, every: bool = False
) -> tuple[EvidenceLine, ...]:
    """Return the latest evidence of each criterion of a sprint, or with `every` all of it, oldest first.

    Files that are no evidence are among them. Raises UsageError for an unknown stage.
    """
    state = load_movable(workspace, sprint_id)[1]
    if stage is not None:
        find_stage(state, stage)
    facts = gather_facts(workspace, state)
    found = read_recorded(workspace, state, whole=True) if every else facts.recorded
    chosen = [one for one in found if (every or one.latest or one.order < 0) and stage in {None, _stage(one)}]
    criteria = _criteria(facts)
    return tuple(_line(one, criteria.get((one.stage, one.criterion)), facts) for one in chosen)


def show_evidence(workspace: Workspace, sprint_id: str, which: str) -> EvidenceView:
    """Return the evidence whose id is `which` or ends with it.

    Raises UsageError where none or several have that id, WorkspaceError where its file is not sound.
    """
    state = load_movable(workspace, sprint_id)[1]
    facts = gather_facts(workspace, state)
    one, evidence = find_evidence(workspace, state, which)
    wanted = _criteria(facts).get((one.stage, one.criterion))
    return EvidenceView(evidence, one.path, one.actor, one.event, one.latest, _asked(one, wanted, facts))


def find_evidence(workspace: Workspace, state: SprintState, which: str) -> tuple[RecordedEvidence, Evidence]:
    """Return the evidence whose id is `which` or ends with it. Raises as `show_evidence`."""
    one = _find(read_recorded(workspace, state, ending=which.upper()), which, state.id)
    if one.evidence is None:
        raise WorkspaceError(f"{one.path}:1: {one.problem}", hint=f"git status -- {one.path}")
    return one, one.evidence


def output_of(workspace: Workspace, evidence: Evidence) -> bytes:
    """Return what the command of a piece of evidence wrote.

    Raises WorkspaceError where no command was run, or its output is not on this machine (any more).
    """
    if evidence.run is None:
        raise WorkspaceError(f"{evidence.id} was not made by a command: it has no output")
    data = read_blob(workspace.local, evidence.run.output)
    if data is None:
        raise WorkspaceError(
            f"the output of {evidence.id} is not on this machine: .memory/local/ is not committed",
            hint=f"vfcc evidence run {evidence.criterion} --stage {evidence.stage}",
        )
    return data


def _criteria(facts: Facts) -> dict[tuple[str, str], EvidenceRequest]:
    return {(one.stage, one.criterion.id): one for one in everything(facts.sprint)}


def _find(found: Sequence[RecordedEvidence], which: str, sprint_id: str) -> RecordedEvidence:
    known = {id_of(one): one for one in found}
    hint = "vfcc evidence list --all"
    fitting = only_fitting(which, known, "pieces of evidence", hint=hint)
    if fitting:
        return known[fitting]
    if len(which) < LEAST_ENDING:
        raise UsageError(f"{which!r} is too short for an id: give at least {LEAST_ENDING} characters of its end")
    raise UsageError(f"{sprint_id} has no evidence {which}", hint=hint)


def _stage(one: RecordedEvidence) -> str:
    return one.stage or one.path.split("/")[3]


def _asked(one: RecordedEvidence, wanted: EvidenceRequest | None, facts: Facts) -> Assessment | None:
    if wanted is None or one.evidence is None:
        return None
    if one.latest:
        return assess_recorded(wanted.criterion, wanted.stage, facts)
    return judge(wanted.criterion, one.evidence, baseline_for(wanted.criterion, facts))


def _line(one: RecordedEvidence, wanted: EvidenceRequest | None, facts: Facts) -> EvidenceLine:
    asked, evidence = _asked(one, wanted, facts), one.evidence
    unasked = "no criterion of this sprint asks for it"
    return EvidenceLine(
        id=id_of(one),
        stage=_stage(one),
        criterion=one.criterion,
        actor=one.actor,
        latest=one.latest,
        verdict=asked.verdict if asked else Verdict.NOT_EVALUABLE,
        reason=asked.reason if asked else one.problem or unasked,
        kind=evidence.kind if evidence else None,
        trust=evidence.trust if evidence else None,
        time=evidence.time if evidence else None,
    )
