"""A sprint as a whole, for people outside it: what its report says, gathered from its ledger and its evidence.

How it reads as a page is in `report_page.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.domain.actors import Feedback, Review, Waiver
from verifflowcc.domain.baselines import BaselineAct
from verifflowcc.domain.events import Event, EventType
from verifflowcc.domain.facts import Facts, Recorded
from verifflowcc.domain.gates import Kind, Mode, Verdict
from verifflowcc.domain.sprints import Outcome, SprintState, StageState, StageStatus
from verifflowcc.records import dataclass, field, replace
from verifflowcc.workflow.assess_rules import RULES
from verifflowcc.workflow.baseline_rules import baseline_acts
from verifflowcc.workflow.deviations import clause, deviations_in_sprint
from verifflowcc.workflow.metrics_words import SprintMetrics
from verifflowcc.workflow.people import expired

_TOLD = frozenset({EventType.STAGE_REOPENED, EventType.STAGE_SKIPPED, EventType.FORK_RESOLVED, EventType.SPRINT_CLOSED})


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
    kind: Kind | None
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
    """A piece of evidence; `problem` says why it is none, `opened` whether its file was read."""

    id: str
    stage: str
    criterion: str
    actor: str
    opened: bool
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
    does: str
    reason: str


@dataclass(frozen=True, slots=True)
class SprintReport:
    """All of a sprint that its report tells. `as_of` are the last events known, `today` the day for what expires.

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
    counting = [event for event in ordered if event.id not in {move.event for move in state.aside}]
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
        evidence=tuple(map(_evidence, facts.recorded)),
        reviews=facts.reviews,
        waivers=facts.waivers,
        expired=tuple(event for event, last_day in ends if expired(last_day, facts.today)),
        moves=tuple(map(_move, filter(_is_told, counting))),
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
        verdicts=tuple(_verdict(one, stage, state) for one in stage.outcomes),
        gaps=stage.gaps,
    )


def _verdict(outcome: Outcome, stage: StageState, state: SprintState) -> ReportedVerdict:
    own = (*stage.stage.exit, *(stage.stage.enter if state.stages[0].stage.id == stage.stage.id else ()))
    others = [(each.stage.id, one) for each in state.stages if each is not stage for one in each.stage.enter]
    found = [(stage.stage.id, one) for one in own] + others
    gate, criterion = next(((name, one) for name, one in found if one.id == outcome.criterion), (stage.stage.id, None))
    if outcome.criterion == RULES.id and criterion is None and state.workflow:
        criterion = replace(RULES, mode=state.workflow.gates)
    mode, kind = (criterion.mode, criterion.kind) if criterion else (None, None)
    return ReportedVerdict(outcome.criterion, gate, mode, kind, outcome.verdict, outcome.reason, outcome.used)


def _evidence(recorded: Recorded) -> ReportedEvidence:
    one = recorded.evidence
    name = recorded.path.rpartition("/")[2].removesuffix(".json")
    if one is None:
        return ReportedEvidence(
            name, recorded.stage, recorded.criterion, recorded.actor, opened=False, problem=recorded.problem
        )
    return ReportedEvidence(
        id=one.id,
        stage=one.stage,
        criterion=one.criterion,
        actor=recorded.actor,
        opened=True,
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


def _is_told(event: Event) -> bool:
    ends_well = event.type is EventType.SPRINT_CLOSED and event.payload.get("unfinished") is None
    return event.type in _TOLD and not ends_well


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
    """What did not go as the workflow has it, as it stands now."""
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


def _unsound(recorded: Iterable[Recorded]) -> Iterator[str]:
    return (f"{one.path}:1: {one.problem}" for one in recorded if one.problem)
