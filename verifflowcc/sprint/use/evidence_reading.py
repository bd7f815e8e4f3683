"""Read a sprint's evidence: join each file with its event, and report stray files."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Event
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import RecordedEvidence
from verifflowcc.base.model.gate_values import COMPUTED, EvidenceTrust
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.evidence_files import EvidenceEvent, added_evidence, parse_evidence
from verifflowcc.sprint.store.evidence_store import evidence_files, evidence_path, read_evidence_file
from verifflowcc.sprint.use.sprint_reading import ledger_of

DEPTH = 20
"""So much of the evidence of one criterion is opened, the latest; what is older decides nothing."""


@dataclass(frozen=True, slots=True)
class _EvidenceFolder:
    """The evidence files that are there: `paths` relative to `.memory/`, and where a file of that name (an id) lies."""

    paths: frozenset[str]
    by_id: Mapping[str, str]


def read_recorded(
    workspace: Workspace, state: SprintState, *, whole: bool = False, ending: str | None = None
) -> tuple[RecordedEvidence, ...]:
    """Return a sprint's evidence in the order of its events, then the files that no event names.

    Every event must have its file, and every file its event. With `whole` all files are opened and compared with what
    their event says; else the latest `DEPTH` per criterion, and those whose id ends with `ending`.
    """
    added = added_evidence(state.notes, _parents(workspace, state))
    files = evidence_files(workspace.memory, state.id)
    lying = _EvidenceFolder(
        files.pending.union(files.placed),
        {path.rpartition("/")[2].removesuffix(".json"): path for path in files.placed},
    )
    opened = {one.event.id for one in added} if whole else _recent(added)
    if ending:
        opened.update(one.event.id for one in added if one.evidence.endswith(ending))
    found = [_recorded(workspace, state.id, one, lying, one.event.id in opened) for one in added]
    named = {one.path.removeprefix(".memory/") for one in found}
    strays = [
        RecordedEvidence(None, f".memory/{path}", problem=_stray(path)) for path in files.placed if path not in named
    ]
    return (*found, *strays)


def _parents(workspace: Workspace, state: SprintState) -> dict[str, tuple[str, ...]]:
    """Return the parents of every event; the transitions, which are few, are read again, as the state lacks them."""
    known = {note.id: note.parents for note in state.notes}
    files = ledger_of(workspace).files(state.id)
    waiting = [parent for parents in known.values() for parent in parents if parent not in known]
    waiting = sorted(set(waiting))
    while waiting:
        name = waiting.pop()
        if name not in known:
            known[name] = files.event(name).parents
            waiting += known[name]
    return known


def _recent(added: tuple[EvidenceEvent, ...]) -> set[str]:
    """Return the ids of the events whose evidence is opened."""
    left: dict[tuple[str, str], int] = {}
    chosen = set()
    for one in reversed(added):
        key = one.stage, one.criterion
        left[key] = left.get(key, DEPTH) - 1
        if one.latest or left[key] >= 0:
            chosen.add(one.event.id)
    return chosen


def _recorded(
    workspace: Workspace, sprint_id: str, added: EvidenceEvent, lying: _EvidenceFolder, opened: bool
) -> RecordedEvidence:
    path = evidence_path(sprint_id, added.stage, added.evidence)
    evidence, problem = None, ""
    if path not in lying.paths:
        elsewhere = lying.by_id.get(added.evidence)
        path = elsewhere or path
        problem = (
            f"it lies in another stage's folder than that of {added.stage}, which its event names"
            if elsewhere
            else f"it is missing; the event {added.event.id} names it"
        )
    elif opened:
        try:
            evidence = _read(workspace, sprint_id, path, added)
        except FormatError as error:
            problem = str(error)
    return RecordedEvidence(
        evidence,
        f".memory/{path}",
        order=added.order,
        actor=added.event.actor,
        event=added.event.id,
        concurrent=added.concurrent,
        problem=problem,
        stage=added.stage,
        criterion=added.criterion,
        latest=added.latest,
    )


def _read(workspace: Workspace, sprint_id: str, path: str, added: EvidenceEvent) -> Evidence:
    data = read_evidence_file(workspace.memory, path)
    if added.redacted and digest_text(data) != added.digest:  # killed between the event and the file's new name
        with suppress(FormatError):
            data = read_evidence_file(workspace.memory, path, hidden=True)
    if digest_text(data) != added.digest:
        names = added.redacted or added.event.id
        raise FormatError(f"its content is not that which the event {names} names: changed by hand")
    evidence = parse_evidence(data, added.evidence, redacted=bool(added.redacted))
    for what, says, named in _claims(evidence, sprint_id, added):
        if says != named:
            raise FormatError(f"it says {what} {says}, the event {added.event.id} says {named}")
    if evidence.trust is EvidenceTrust.RAN_BY_VFCC and evidence.run is None and evidence.kind not in COMPUTED:
        raise FormatError("it says that vfcc ran it, and not what: made by hand")  # no second run could show it wrong
    return evidence


def _claims(evidence: Evidence, sprint_id: str, added: EvidenceEvent) -> Iterator[tuple[str, str, str]]:
    yield "sprint", evidence.sprint, sprint_id
    yield "stage", evidence.stage, added.stage
    yield "criterion", evidence.criterion, added.criterion
    yield "kind", str(evidence.kind), _kind(added.event)


def _kind(event: Event) -> str:
    return str(event.payload["kind"])


def _stray(path: str) -> str:
    name = path.rpartition("/")[2]
    return f"no event names {name}: it was made by hand, or its event is missing"
