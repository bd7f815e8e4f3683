"""Which evidence no longer speaks of what is there, and why. Nothing is run but git."""

from verifflowcc.domain.gates import Kind
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.facts import gather_facts
from verifflowcc.services.finding import find_stage
from verifflowcc.services.sprint_reading import load_movable
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_recorded import run_step
from verifflowcc.workflow.evidence_choice import chosen
from verifflowcc.workflow.evidence_wanted import everything
from verifflowcc.workflow.staleness import stale_reasons


@dataclass(frozen=True, slots=True)
class StaleLine:
    """A piece of evidence that a gate would use; `reasons` are all that changed since, empty where it is fresh."""

    stage: str
    criterion: str
    kind: Kind
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
