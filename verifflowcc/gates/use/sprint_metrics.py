"""Metrics and the report of sprints, from the ledger; from a stage's `metrics.json` where its event has none."""

from collections.abc import Sequence

from verifflowcc.base.errors import FormatError, LedgerError, VfccError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.ledger import read_text
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.model.events import Event
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus, StageState, StageStatus
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.baseline_files import baseline_statuses
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.report_page import SprintReport, make_report
from verifflowcc.gates.rules.stage_failures import failures_of
from verifflowcc.gates.use.gates_now import artifacts_of
from verifflowcc.sprint.rules.sprint_fold import arrange, closed_line
from verifflowcc.sprint.rules.sprint_people import reviews, waivers
from verifflowcc.sprint.rules.stage_moves import metrics_of
from verifflowcc.sprint.rules.stage_numbers import (
    Numbers,
    SprintMetrics,
    StageMetrics,
    known_numbers,
    read_numbers,
    totals,
    unknown,
)
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.feedback import sprint_feedback
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_sprint, unknown_sprint


@dataclass(frozen=True, slots=True)
class ProjectMetrics:
    """The sprints in the order of their starts; `problems` are those of their files, one line each."""

    sprints: tuple[SprintMetrics, ...]
    problems: tuple[str, ...] = ()


def gather_metrics(workspace: Workspace, sprint_id: str | None = None) -> ProjectMetrics:
    """Return the metrics of all sprints, or of one.

    A closed sprint costs its last event, an older one its stages' `metrics.json` too. Raises UsageError for an unknown
    sprint, and VfccError where there is none at all: nothing to evaluate is no result.
    """
    ledger = ledger_of(workspace)
    known = ledger.sprint_ids()
    if sprint_id is not None and sprint_id not in known:
        raise unknown_sprint(sprint_id, known)
    if not known:
        raise VfccError("there is no sprint to measure", hint='vfcc sprint start "Title"')
    wanted = (
        [sprint_id] if sprint_id is not None else sorted(known, key=lambda name: (ledger.files(name).first_id(), name))
    )
    sprints = tuple(sprint_metrics(workspace, name) for name in wanted)
    return ProjectMetrics(sprints, tuple(problem for sprint in sprints for problem in _problems(sprint)))


def read_stage_metrics(
    workspace: Workspace, sprint_id: str, stage_id: str, status: StageStatus, recorded: Numbers | None = None
) -> StageMetrics:
    """Return the numbers of a stage that was left: those that its event recorded, else those of its `metrics.json`.

    The file is asked for passes that are older than their record, and its problem is returned, if it has one.
    """
    if recorded is not None:
        return StageMetrics(stage_id, status, known_numbers(recorded))
    path = f"stage/{sprint_id}/{stage_id}/metrics.json"
    file = workspace.memory / path
    try:
        check_inside(file.parent, workspace.memory)
        text = read_text(file)
    except WorkspaceError as error:
        return StageMetrics(stage_id, status, unknown(), f".memory/{path}: {error}")
    if not text:
        return StageMetrics(stage_id, status, unknown(), f".memory/{path}: it is missing or empty")
    try:
        return StageMetrics(stage_id, status, read_numbers(text, sprint_id, stage_id))
    except FormatError as error:
        return StageMetrics(stage_id, status, unknown(), f".memory/{path}:{error}")


def _problems(sprint: SprintMetrics) -> tuple[str, ...]:
    return (*sprint.problems, *(each.problem for each in sprint.stages if each.problem))


def sprint_metrics(workspace: Workspace, sprint_id: str) -> SprintMetrics:
    """Return the metrics of one sprint that is there."""
    closed = _closed(workspace, sprint_id)
    if closed:
        return closed
    state = load_sprint(workspace, sprint_id)[1]
    stages = tuple(
        _open_stage(workspace, state, each)
        for each in state.stages
        if each.status is not StageStatus.PENDING or each.passes
    )
    problems = [str(one) for one in state.problems]
    if state.fork:
        problems.append(f"{sprint_id} was moved on two sides: vfcc sprint show {sprint_id}")
    return SprintMetrics(sprint_id, state.title, state.status, stages, totals(stages), tuple(problems))


def _closed(workspace: Workspace, sprint_id: str) -> SprintMetrics | None:
    """Return a closed sprint from its last event; None where that is not the whole truth about it."""
    files = ledger_of(workspace).files(sprint_id)
    try:
        ids = files.ids()
        last = files.event(ids[-1] if ids else "")
        line = closed_line(sprint_id, last, ids)
    except LedgerError:
        return None
    if line is None:
        return None
    stages = tuple(_left_stage(workspace, sprint_id, record) for record in _begun(last))
    return SprintMetrics(sprint_id, line.title, SprintStatus.CLOSED, stages, totals(stages))


def _begun(last: Event) -> list[fields.Payload]:
    stages = fields.records(last.payload, "stages")
    return [one for one in stages if fields.number(one, "passes") or fields.text(one, "status") != "pending"]


def _left_stage(workspace: Workspace, sprint_id: str, record: fields.Payload) -> StageMetrics:
    name, status = fields.text(record, "id"), StageStatus(fields.text(record, "status"))
    if fields.number(record, "passes"):
        return read_stage_metrics(workspace, sprint_id, name, status, metrics_of(record))
    return StageMetrics(name, status, unknown())


def _open_stage(workspace: Workspace, state: SprintState, stage: StageState) -> StageMetrics:
    name = stage.stage.id
    if stage.status is StageStatus.ACTIVE:
        return StageMetrics(name, stage.status, _so_far(workspace, state, stage))
    if stage.passes:
        return read_stage_metrics(workspace, state.id, name, stage.status, stage.metrics)
    return StageMetrics(name, stage.status, unknown())


def _facts(workspace: Workspace, state: SprintState, today: str, recorded: Sequence[RecordedEvidence]) -> Facts:
    baselines = baseline_statuses(workspace.root, state, today)
    return Facts(state, today, recorded=tuple(recorded), baselines=baselines)


def _so_far(workspace: Workspace, state: SprintState, stage: StageState) -> dict[str, int | None]:
    """Return the active stage's numbers that are known before its gate is asked."""
    now = workspace.clock.now()
    seconds = int((now - moment(stage.entered_at)).total_seconds()) if stage.entered_at else -1
    recorded = None if state.problems else read_recorded(workspace, state)
    return unknown() | {
        "duration_s": seconds if seconds >= 0 else None,
        "failures": None
        if recorded is None
        else failures_of(stage, _facts(workspace, state, f"{now:%Y-%m-%d}", recorded)),
        "passes": stage.passes,
        "reopened": stage.reopened,
        "rework": stage.passes,
    }


def report_sprint(workspace: Workspace, sprint_id: str) -> SprintReport:
    """Return the report of a sprint, open or closed; what is wrong with its ledger or its evidence is in `problems`.

    It runs nothing and asks no gate: the verdicts are those on record. Raises UsageError for an unknown sprint.
    """
    seen, state = load_sprint(workspace, sprint_id)
    facts = Facts(
        sprint=state,
        today=workspace.today(),
        artifacts={each.stage.id: artifacts_of(workspace, state.id, each.stage.id) for each in state.stages},
        recorded=read_recorded(workspace, state) if not state.problems else (),
        reviews=reviews(state.notes),
        waivers=waivers(state.notes),
        feedback=sprint_feedback(workspace, state),
    )
    return make_report(facts, arrange(seen.events).ordered, sprint_metrics(workspace, sprint_id))
