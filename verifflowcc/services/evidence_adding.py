"""Take in a report that was made elsewhere: by a CI job, a device under test, a person."""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from verifflowcc.adapters.files.evidence import is_from_the_future, newest_after, read_report
from verifflowcc.adapters.git.protected import head_commit, read_history
from verifflowcc.domain.evidence import Evidence, Measured
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import REPORTS, Assessment, Kind, Trust
from verifflowcc.errors import FormatError, UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.evidence_making import Report, Source, evidence_of
from verifflowcc.services.evidence_measuring import Project, measure_report
from verifflowcc.services.evidence_writing import standing, write_evidence
from verifflowcc.services.facts import gather_facts
from verifflowcc.services.finding import find_stage
from verifflowcc.services.gates import sound_facts
from verifflowcc.services.memory.guarding import refuse_secrets
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text
from verifflowcc.workflow.assess_recorded import assess_recorded
from verifflowcc.workflow.evidence_wanted import Wanted, one_named
from verifflowcc.workflow.staleness import inputs_now

_VALUE = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,6})?")
OUTSIDE = "…/"


@dataclass(frozen=True, slots=True)
class EvidenceAdded:
    """Evidence that was taken in, and what the gate says of its criterion now."""

    evidence: Evidence
    asked: Assessment


def add_evidence(
    workspace: Workspace,
    sprint_id: str,
    criterion_id: str,
    file: Path | None = None,
    *,
    value: str | None = None,
    stage: str | None = None,
    actor: str,
) -> EvidenceAdded:
    """Put a report, or the value of a metric, on record as the word of `actor`.

    Raises FormatError for a report that is empty, cannot be read, or is older than a file that it speaks of; UsageError
    for an unknown criterion, and one whose evidence is not a report.
    """
    at = standing(workspace, sprint_id)
    facts = sound_facts(workspace, at.state)
    if stage is not None:
        find_stage(facts.sprint, stage)
    wanted = one_named(facts, criterion_id, stage)
    _check_kind(wanted, value)
    if value is not None:
        report, measured = Report(), _stated(wanted, value)
        inputs = inputs_now(wanted.criterion, wanted.stage, facts)
    elif file is not None:
        refuse_secrets(("the report's name", file.name))
        report = Report(_name(workspace, file), read_report(file))
        inputs = inputs_now(wanted.criterion, wanted.stage, facts, report.path)
        _check_age(workspace, file, inputs.digests)
        measured = _measured(workspace, wanted, file, report, facts)
    else:
        raise UsageError("a report or a value is needed", hint=f"vfcc evidence add FILE --criterion {criterion_id}")
    trust = Trust.IMPORTED_CI if actor == "ci" else Trust.ASSERTED
    source = Source(sprint_id, trust, head_commit(workspace.root), None, report)
    evidence = evidence_of(workspace, wanted, inputs, measured, source)
    at = write_evidence(workspace, at, evidence, actor=actor)
    after = gather_facts(workspace, at.state)
    return EvidenceAdded(evidence, assess_recorded(wanted.criterion, wanted.stage, after))


def _check_kind(wanted: Wanted, value: str | None) -> None:
    kind, name = wanted.criterion.kind, wanted.criterion.id
    if kind not in REPORTS:
        raise UsageError(f"evidence of the kind {kind} is not imported, it is made", hint=f"vfcc evidence run {name}")
    if value is not None and kind is not Kind.METRIC:
        raise UsageError(f"{name} is of the kind {kind}; --value is for a metric", hint="vfcc evidence add FILE …")


def _stated(wanted: Wanted, value: str) -> Measured:
    if not _VALUE.fullmatch(value):
        raise UsageError(f"the value {value!r} is no number with at most nine digits and six decimals, as 12.5")
    name = wanted.criterion.metric or wanted.criterion.id
    millionths = int(Decimal(value).scaleb(6))
    return Measured({name: millionths}, digest_text(f"{name}\0{millionths}\n"))


def _name(workspace: Workspace, file: Path) -> str:
    """Return the report's path below the project's root; of one that lies elsewhere, its name alone."""
    place = file.absolute().parent.resolve() / file.name
    root = workspace.root.resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else f"{OUTSIDE}{file.name}"


def _check_age(workspace: Workspace, file: Path, inputs: Mapping[str, str]) -> None:
    if is_from_the_future(file):
        raise FormatError(
            f"{file} is dated in the future, so that nothing says how old it is",
            hint="make the report again, then add it again",
        )
    newer = newest_after(workspace.root, file, inputs)
    if newer is not None:
        raise FormatError(
            f"{file} is older than {newer}, of which it is to speak", hint="make the report again, then add it again"
        )


def _measured(workspace: Workspace, wanted: Wanted, file: Path, report: Report, facts: Facts) -> Measured:
    history = read_history(workspace.root, facts.sprint.base) if wanted.criterion.kind is Kind.COVERAGE else None
    project = Project(workspace.root, facts.content, history)
    found = measure_report(wanted.criterion, report.data or b"", project)
    if found.problem:
        raise FormatError(f"{file}: {found.problem}", hint=f"a {wanted.criterion.kind} report is expected")
    return found
