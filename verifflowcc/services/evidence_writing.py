"""Put evidence on record: its file, and the event that makes it count."""

from collections.abc import Mapping
from contextlib import suppress

from verifflowcc.adapters.files.evidence import evidence_path, place_evidence, put_evidence
from verifflowcc.adapters.files.ledger import LedgerWriter
from verifflowcc.domain.events import EventType, Json, LedgerRead
from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import ConflictError, WorkspaceError
from verifflowcc.formats.evidence import encode_evidence
from verifflowcc.records import dataclass
from verifflowcc.services.evidence_results import write_results
from verifflowcc.services.people_acting import WAIT_S, record, require_open
from verifflowcc.services.sprint_reading import ledger_of, load_movable
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text


@dataclass(frozen=True, slots=True)
class Standing:
    """A sprint's ledger as it was last seen; each writing returns the next one, so that nothing is read twice."""

    seen: LedgerRead
    state: SprintState


def standing(workspace: Workspace, sprint_id: str) -> Standing:
    """Return a sprint to which evidence can be added.

    Raises as `load_movable` does, and UsageError where the sprint is closed.
    """
    seen, state = load_movable(workspace, sprint_id)
    require_open(state)
    return Standing(seen, state)


def write_evidence(workspace: Workspace, at: Standing, evidence: Evidence, *, actor: str) -> Standing:
    """Put a piece of evidence on record; where somebody else writes at the same time, it is added after theirs.

    The event is what counts: after a crash before it nothing has happened, after it the evidence is there.
    """
    data = encode_evidence(evidence)
    path = evidence_path(evidence.sprint, evidence.stage, evidence.id)
    payload: Mapping[str, Json] = {
        "stage": evidence.stage,
        "kind": str(evidence.kind),
        "criterion": evidence.criterion,
        "evidence": evidence.id,
        "digest": digest_text(data),
    }

    def prepare(writer: LedgerWriter) -> tuple[str, ...]:
        put_evidence(writer.memory, path, data)
        return (path, *write_results(workspace, evidence))

    move = (EventType.EVIDENCE_ADDED, payload)
    try:
        done = record(workspace, at.seen, at.state, move, actor=actor, prepare=prepare)
    except ConflictError:
        with ledger_of(workspace).held(WAIT_S):
            at = standing(workspace, evidence.sprint)
            done = record(workspace, at.seen, at.state, move, actor=actor, prepare=prepare, held=True)
    with suppress(WorkspaceError):  # it is on record, and counts under its hidden name as well
        place_evidence(workspace.memory, path)
    names = tuple(sorted((*at.seen.names, f"{done.event.id}.json")))
    seen = LedgerRead(at.seen.sprint, (*at.seen.events, done.event), at.seen.problems, names)
    return Standing(seen, done.state)
