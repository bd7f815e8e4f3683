"""A sprint's report as one page: its sections, and Markdown made of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.baseline_rules import baseline_acts
from verifflowcc.base.model.baselines import BaselineAct
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import CriterionKind, Mode, Verdict
from verifflowcc.base.model.people import Decision, Feedback, Review, Waiver
from verifflowcc.base.model.sprint_state import CriterionOutcome, SprintState, StageState, StageStatus, with_gaps
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.gates.rules.gate_check import RULES
from verifflowcc.gates.rules.stage_failures import clause, deviations_in_sprint, review_line, waiver_line
from verifflowcc.sprint.rules.sprint_people import expired
from verifflowcc.sprint.rules.stage_numbers import (
    Numbers,
    SprintMetrics,
    lasting,
    shown,
    stage_time,
    words_of_coverage,
    words_of_tests,
)

# A sprint as a whole, for people outside it: what its report says, gathered from its ledger and its evidence.

_LISTED_MOVES = frozenset(
    {EventType.STAGE_REOPENED, EventType.STAGE_SKIPPED, EventType.FORK_RESOLVED, EventType.SPRINT_CLOSED}
)


@dataclass(frozen=True, slots=True)
class ReportedVerdict:
    """What became of a criterion at its stage's last pass.

    `gate` is the stage whose gate asked it: leaving one stage also asks the entry gate of the next. `mode` and
    `kind` are None where the workflow does not know the criterion.
    """

    criterion: str
    gate: str
    """The stage whose gate asked."""
    mode: Mode | None
    kind: CriterionKind | None
    verdict: Verdict
    reason: str
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportedStage:
    """A stage of the V. `passed_at` and `passed_by` are those of its last pass that counts, as are `gaps`."""

    id: str
    leg: str
    pair: str | None
    role: str
    status: StageStatus
    passes: int
    reopened: int
    passed_at: str | None
    passed_by: str | None
    verdicts: tuple[ReportedVerdict, ...]
    gaps: int = 0


@dataclass(frozen=True, slots=True)
class ReportedEvidence:
    """A piece of evidence; `problem` says why it is none, `readable` whether its file was read."""

    id: str
    stage: str
    criterion: str
    actor: str
    readable: bool
    kind: str = ""
    trust: str = ""
    time: str = ""
    command: str = ""
    exit_code: int | None = None
    inputs: int = 0
    inputs_digest: str = ""
    """The digest of the files that it is about."""
    measures: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReportedMove:
    """Something out of the order of the V: a stage reopened or skipped, a fork resolved, an early end."""

    time: str
    actor: str
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class SprintReport:
    """All that the report of a sprint shows.

    `as_of` are the ids of the last events known, `today` is the day by which approvals expire,
    `expired` are the events of the approvals and waivers that hold no more today.
    """

    id: str
    title: str
    status: str
    workflow: str
    current: str | None
    base: str | None
    started_at: str
    started_by: str
    as_of: tuple[str, ...]
    """The last events included."""
    today: str
    """The day on which expiry is judged."""
    goals: tuple[str, ...]
    stages: tuple[ReportedStage, ...]
    evidence: tuple[ReportedEvidence, ...]
    reviews: tuple[Review, ...]
    waivers: tuple[Waiver, ...]
    expired: tuple[str, ...]
    """Events of approvals and waivers that no longer count."""
    moves: tuple[ReportedMove, ...]
    feedback: tuple[Feedback, ...]
    deviations: tuple[str, ...]
    metrics: SprintMetrics
    problems: tuple[str, ...]
    gaps: int = 0
    baselines: tuple[BaselineAct, ...] = ()
    """Accepted old faults: by whom, until when and why."""


def make_report(facts: Facts, ordered: Sequence[Event], metrics: SprintMetrics) -> SprintReport:
    """Return the report of a sprint.

    Of `facts` the sprint, today, artifacts, evidence and what people said are read. `ordered` are the sprint's events,
    parents before children.
    """
    state = facts.sprint
    counting = [event for event in ordered if event.id not in {move.event for move in state.set_aside}]
    start = next((event for event in counting if event.type is EventType.SPRINT_STARTED), None)
    ends = [(one.event, one.expires) for one in facts.reviews] + [(one.event, one.expires) for one in facts.waivers]
    return SprintReport(
        id=state.id,
        title=state.title,
        status=str(state.status),
        workflow=state.workflow.name if state.workflow else "",
        current=state.current,
        base=state.base,
        started_at=start.time if start else "",
        started_by=start.actor if start else "",
        as_of=state.heads,
        today=facts.today,
        goals=state.goals,
        stages=tuple(_stage(each, state, counting) for each in state.stages),
        evidence=tuple(map(_report_evidence, facts.recorded)),
        reviews=facts.reviews,
        waivers=facts.waivers,
        expired=tuple(event for event, last_day in ends if expired(last_day, facts.today)),
        moves=tuple(map(_move, filter(_is_listed, counting))),
        feedback=facts.feedback,
        deviations=tuple(_deviations(facts)),
        metrics=metrics,
        problems=(*map(str, state.problems), *_unsound(facts.recorded)),
        gaps=state.gaps,
        baselines=baseline_acts(state.notes),
    )


def _stage(stage: StageState, state: SprintState, counting: Iterable[Event]) -> ReportedStage:
    name = stage.stage.id
    passing = [event for event in counting if event.type is EventType.STAGE_PASSED and event.payload["stage"] == name]
    last = passing[-1] if passing and stage.passes else None
    return ReportedStage(
        id=name,
        leg=str(stage.stage.leg),
        pair=stage.stage.pair,
        role=stage.stage.role,
        status=stage.status,
        passes=stage.passes,
        reopened=stage.reopened,
        passed_at=last.time if last else None,
        passed_by=last.actor if last else None,
        verdicts=tuple(_report_verdict(one, stage, state) for one in stage.outcomes),
        gaps=stage.gaps,
    )


def _report_verdict(outcome: CriterionOutcome, stage: StageState, state: SprintState) -> ReportedVerdict:
    own = (*stage.stage.exit, *(stage.stage.enter if state.stages[0].stage.id == stage.stage.id else ()))
    others = [(each.stage.id, one) for each in state.stages if each is not stage for one in each.stage.enter]
    found = [(stage.stage.id, one) for one in own] + others
    gate, criterion = next(((name, one) for name, one in found if one.id == outcome.criterion), (stage.stage.id, None))
    if outcome.criterion == RULES.id and criterion is None and state.workflow:
        criterion = replace(RULES, mode=state.workflow.gates)
    mode, kind = (criterion.mode, criterion.kind) if criterion else (None, None)
    return ReportedVerdict(outcome.criterion, gate, mode, kind, outcome.verdict, outcome.reason, outcome.used)


def _report_evidence(recorded: RecordedEvidence) -> ReportedEvidence:
    one = recorded.evidence
    name = recorded.path.rpartition("/")[2].removesuffix(".json")
    if one is None:
        return ReportedEvidence(
            name, recorded.stage, recorded.criterion, recorded.actor, readable=False, problem=recorded.problem
        )
    return ReportedEvidence(
        id=one.id,
        stage=one.stage,
        criterion=one.criterion,
        actor=recorded.actor,
        readable=True,
        kind=str(one.kind),
        trust=str(one.trust),
        time=one.time,
        command=one.run.command if one.run else "",
        exit_code=one.run.exit_code if one.run else None,
        inputs=one.inputs.count,
        inputs_digest=one.inputs.digest,
        measures=dict(sorted(one.measures.items())),
        problem=recorded.problem or one.problem,
    )


def _is_listed(event: Event) -> bool:
    ends_well = event.type is EventType.SPRINT_CLOSED and event.payload.get("unfinished") is None
    return event.type in _LISTED_MOVES and not ends_well


def _move(event: Event) -> ReportedMove:
    stage = event.payload.get("stage")
    ends = event.payload.get("expires")
    does = {
        EventType.STAGE_REOPENED: f"reopened {stage}",
        EventType.STAGE_SKIPPED: f"skipped {stage}{f' until {ends}' if ends else ''}",
        EventType.FORK_RESOLVED: "resolved a fork",
        EventType.SPRINT_CLOSED: "closed the sprint unfinished",
    }[event.type]
    why = event.payload.get("unfinished" if event.type is EventType.SPRINT_CLOSED else "reason")
    return ReportedMove(event.time, event.actor, does, str(why) if why is not None else "")


def _deviations(facts: Facts) -> Iterator[str]:
    """Yield each deviation from the workflow, by the present state of the sprint."""
    present = {stage: tuple(one.artifact for one in texts) for stage, texts in facts.artifacts.items()}
    yield from deviations_in_sprint(facts.sprint, present)
    for each in facts.sprint.stages:
        if each.status is StageStatus.STALE:
            yield f"{each.stage.id} is stale: it was passed on what has changed since, or is being done again"
        for outcome in each.outcomes:
            if outcome.verdict is Verdict.WAIVED:
                yield clause(f"{each.stage.id} passed with {outcome.criterion} waived: {outcome.reason}")
            elif outcome.verdict is not Verdict.PASS:
                yield clause(f"{each.stage.id} passed with {outcome.criterion} not met: {outcome.reason}")


def _unsound(recorded: Iterable[RecordedEvidence]) -> Iterator[str]:
    return (f"{one.path}:1: {one.problem}" for one in recorded if one.problem)


NO_VERDICTS = "none on record: it was passed before gates kept their verdicts"
_COUNTS = ("failures", "rework", "findings", "waived")


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the page: a title, then whichever it has of a sentence, a table and a list."""

    title: str
    lines: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    level: int = 2


def report_page(report: SprintReport) -> str:
    """Return the page as Markdown; equal reports give equal pages."""
    parts = [f"# {report_title(report)}", report_opening(report), *map(_markdown, report_sections(report))]
    return "\n\n".join(parts) + "\n"


def report_title(report: SprintReport) -> str:
    """Return the title of the page."""
    return f"{clause(report.title)}: report of the sprint {report.id}"


def report_sections(report: SprintReport) -> tuple[ReportSection, ...]:
    """Return what the page has below its opening; lists that are empty name that."""
    return (
        *([ReportSection("Not to be trusted", tuple(report.problems))] if report.problems else []),
        _listed("Goals", [clause(goal) for goal in report.goals], "none stated"),
        _v(report),
        *(_verdicts(stage) for stage in report.stages if stage.passes or stage.verdicts),
        _listed("Evidence", [_evidence(one) for one in report.evidence]),
        _listed("Approvals", [f"{one.stage}: {review_line(one, None, report.today)}" for one in report.reviews]),
        _listed("Waivers", [f"{one.stage}: {waiver_line(one, None, report.today)}" for one in report.waivers]),
        *([_listed("Baselines", [_baseline(one) for one in report.baselines])] if report.baselines else []),
        _listed("Out of order", list(_moves(report))),
        _listed("Comments", [_comment(one, report.id) for one in report.feedback]),
        _listed("Deviations", report.deviations),
        _metrics(report),
    )


def _markdown(section: ReportSection) -> str:
    table = _grid(section.headings, section.rows) if section.headings else ""
    listed = "\n".join(f"- {line}" for line in section.lines)
    return "\n\n".join(filter(None, (f"{'#' * section.level} {section.title}", section.text, table, listed)))


def _baseline(one: BaselineAct) -> str:
    faults = f"{one.entries} old fault{'' if one.entries == 1 else 's'}"
    return clause(f"{one.kind}: {faults} accepted by {one.actor} on {one.day}, until {one.expires}: {one.reason}")


def report_opening(report: SprintReport) -> str:
    """Return the sentence below the title."""
    where = f", in {report.current}" if report.current else ""
    begun = f" Started on {report.started_at[:10]} by {report.started_by}" if report.started_at else ""
    base = f", from commit {report.base[:12]}" if report.base else ""
    status = f"{report.status}{with_gaps(report.gaps)}"
    return clause(
        f"Status: {status}{where}. Workflow: {report.workflow or 'unknown'}.{begun}{base}. As of event "
        f"{', '.join(report.as_of) or 'none'}; what expires is judged on {report.today}."
    )


def _v(report: SprintReport) -> ReportSection:
    rows = tuple(
        (
            each.id,
            each.leg,
            each.pair or "–",
            each.role,
            f"{each.status}{with_gaps(each.gaps)}",
            f"{each.passed_at[:10]} by {each.passed_by}" if each.passed_at else "–",
            str(each.passes),
            str(each.reopened),
        )
        for each in report.stages
    )
    headings = ("stage", "leg", "pair", "role", "status", "last passed", "passes", "reopened")
    return ReportSection("The V", headings=headings, rows=rows)


def _verdicts(stage: ReportedStage) -> ReportSection:
    lines = tuple(_verdict(each, stage) for each in stage.verdicts)
    again = "It is not passed now; these are the verdicts of its last pass." if _undone(stage) else ""
    return ReportSection(f"{stage.id}: verdicts", lines or (NO_VERDICTS,), text=again, level=3)


def _undone(stage: ReportedStage) -> bool:
    return stage.status is not StageStatus.PASSED


def _verdict(each: ReportedVerdict, stage: ReportedStage) -> str:
    soft = ", soft" if each.mode is Mode.SOFT else ""
    entering = f" (to enter {each.gate})" if each.gate != stage.id else ""
    used = f" ({', '.join(each.used)})" if each.used and each.kind is not CriterionKind.ARTIFACT else ""
    word = str(each.verdict).replace("_", " ")
    return f"{word}{soft}: `{each.criterion}`{entering}: {clause(each.reason)}{used}"


def _evidence(one: ReportedEvidence) -> str:
    name = f"{one.stage}: `{one.criterion}`: {one.id}" if one.stage else one.id
    if not one.readable:
        status = f"none: {one.problem}" if one.problem else f"added by {one.actor}; later evidence takes its place"
        return clause(f"{name}: {status}")
    ran = f", command {one.command} with exit code {_code(one.exit_code)}" if one.command else ""
    counted = {name: count for name, count in one.measures.items() if count} or one.measures
    counts = ", ".join(f"{name} {count}" for name, count in counted.items()) or "nothing measured"
    files = "1 input" if one.inputs == 1 else f"{one.inputs} inputs"
    wrong = f"; {one.problem}" if one.problem else ""
    return clause(f"{name}: {one.kind}, {one.trust}, by {one.actor} on {one.time[:10]}{ran}, {files}: {counts}{wrong}")


def _code(code: int | None) -> str:
    return "none" if code is None else str(code)


def _moves(report: SprintReport) -> Iterator[str]:
    for move in report.moves:
        why = f": {move.reason}" if move.reason else ""
        yield clause(f"{move.time[:10]}: {move.actor} {move.action}{why}")


def _comment(one: Feedback, sprint: str) -> str:
    where = one.stage or "the sprint"
    origin = "" if one.sprint == sprint else f", from {one.sprint}"
    decided = f" by {one.decided_by}" if one.decided_by and one.decision is not Decision.OPEN else ""
    why = f": {one.reason}" if one.reason else ""
    return clause(f"{where}: {one.text} ({one.actor}{origin}) – {one.decision}{decided}{why}")


def _metrics(report: SprintReport) -> ReportSection:
    rows = [(each.stage, stage_time(each), *_numbers(each.numbers)) for each in report.metrics.stages]
    total = report.metrics.totals
    rows.append(("total", shown(total["duration_s"], lasting), *_numbers(total)))
    wrong = tuple(each.problem for each in report.metrics.stages if each.problem)
    return ReportSection("Metrics", wrong, ("stage", "time", *_COUNTS, "tests", "coverage"), tuple(rows))


def _numbers(numbers: Numbers) -> tuple[str, ...]:
    return (*(shown(numbers[name]) for name in _COUNTS), words_of_tests(numbers), words_of_coverage(numbers))


def _grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _listed(title: str, lines: Sequence[str], nothing: str = "none") -> ReportSection:
    return ReportSection(title, tuple(lines) or (nothing,))
