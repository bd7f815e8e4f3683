"""All that a report shows, gathered once: the same values that commands print with `--json`."""

from collections.abc import Iterator, Mapping

from verifflowcc.domain.entries import ContextPackage, Question
from verifflowcc.domain.events import Event
from verifflowcc.domain.sprints import SprintLine, SprintState, SprintStatus
from verifflowcc.domain.trace import Outcome
from verifflowcc.errors import FormatError, UsageError, VfccError
from verifflowcc.formats.result_lines import parse_results
from verifflowcc.records import dataclass
from verifflowcc.report.approved_changes import ApprovedChange, approved_changes
from verifflowcc.report.committed_source import ReportOrigin
from verifflowcc.report.local_facts import LocalFacts, local_facts
from verifflowcc.report.trend import Proofs, TrendPoint, trend_of
from verifflowcc.services.board import Freshness, read_freshness
from verifflowcc.services.context import compile_context
from verifflowcc.services.evidence_reading import read_recorded
from verifflowcc.services.gates import StageGates, ask_stage, read_results_file
from verifflowcc.services.memory.listing import Asked, Listing, list_items
from verifflowcc.services.memory.scopes import roles_here
from verifflowcc.services.next_step import NextStep, next_step
from verifflowcc.services.report import report_sprint
from verifflowcc.services.sprint_reading import ledger_of, list_sprints, load_sprint, unknown_sprint
from verifflowcc.services.status import Status, current_status
from verifflowcc.services.trace_narrowing import TraceSeen, see_trace
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.matrix import Matrix, matrix
from verifflowcc.workflow.fold import arrange
from verifflowcc.workflow.report_page import SprintReport


@dataclass(frozen=True, slots=True)
class SprintFacts:
    """A sprint: its report, and while it is open its gate and its next step. `problem` says why a gate was not asked.

    `events` are those of its ledger, parents first; `last` is the latest of them.
    """

    line: SprintLine
    state: SprintState
    report: SprintReport
    events: tuple[Event, ...]
    trend: tuple[TrendPoint, ...]
    proofs: Proofs
    gates: StageGates | None = None
    next: NextStep | None = None
    problem: str = ""
    freshness: Freshness | None = None
    approved: Mapping[str, tuple[ApprovedChange, ...]] | None = None
    """By the event of an approval."""

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.line.status is not SprintStatus.CLOSED

    @property
    def last(self) -> Event | None:
        """The latest event: who acted, and when."""
        return max(self.events, key=lambda each: (each.time, each.id), default=None)


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The prompt of a role at a stage; `problem` says why there is none. `command` prints the same."""

    role: str
    sprint: str | None
    stage: str | None
    active: bool
    command: str
    package: ContextPackage | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ScopeItems:
    """The committed items of one scope."""

    scope: str
    listing: Listing


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All that a report shows. `sprints` are the open ones, then the closed ones, the latest first."""

    origin: ReportOrigin
    status: Status
    sprints: tuple[SprintFacts, ...]
    matrix: Matrix | None
    trace_problem: str
    prompts: tuple[PromptFacts, ...]
    memory: tuple[ScopeItems, ...]
    notices: tuple[str, ...]
    trend: tuple[TrendPoint, ...] = ()
    """Over the events of all sprints, from the first one on."""
    local: LocalFacts | None = None
    listed: tuple[str, ...] = ()
    """The ids of all sprints, in the order of `vfcc sprint list`."""

    @property
    def open_sprints(self) -> tuple[SprintFacts, ...]:
        """The sprints that have not ended."""
        return tuple(each for each in self.sprints if each.is_open)


def gather_report(
    workspace: Workspace, source: Workspace, origin: ReportOrigin, sprint_id: str | None = None
) -> ReportFacts:
    """Return what a report of `source` shows; `workspace` is the project itself, for what is local.

    With `sprint_id`, of that sprint alone. What cannot be read is left out with a notice or a reason. Raises UsageError
    for an unknown sprint.
    """
    notices: list[str] = []
    lines = _lines(source, sprint_id)
    seen, trace_problem = _trace(source, notices)
    found = matrix(seen.view, seen.report) if seen else None
    requirements = {row.id for row in found.rows if row.type == "requirement"} if found else set()
    sprints = tuple(_sprint(source, line, requirements) for line in lines)
    return ReportFacts(
        origin=origin,
        status=current_status(source),
        sprints=sprints,
        matrix=found,
        trace_problem=trace_problem,
        prompts=tuple(_prompts(source, sprints, local=origin.local)),
        memory=tuple(_memory(source, lines, notices)),
        notices=tuple(dict.fromkeys(notices)),
        trend=_trend(sprints, requirements),
        local=local_facts(workspace) if origin.local else None,
        listed=tuple(line.id for line in list_sprints(source)),
    )


def _trend(sprints: tuple[SprintFacts, ...], requirements: set[str]) -> tuple[TrendPoint, ...]:
    begun = sorted((each for each in sprints if each.events), key=lambda each: (each.events[0].id, each.line.id))
    proofs = {evidence: items for each in begun for evidence, items in each.proofs.items()}
    return trend_of([each.events for each in begun], proofs, requirements)


def _lines(source: Workspace, sprint_id: str | None) -> list[SprintLine]:
    lines = list_sprints(source)
    if sprint_id is not None:
        wanted = [line for line in lines if line.id == sprint_id]
        if not wanted:
            raise unknown_sprint(sprint_id, tuple(line.id for line in lines))
        return wanted
    ledger = ledger_of(source)
    first = {line.id: ledger.files(line.id).first_id() for line in lines}
    return sorted(
        sorted(lines, key=lambda line: (first[line.id], line.id), reverse=True),
        key=lambda line: line.status is SprintStatus.CLOSED,
    )


def _sprint(source: Workspace, line: SprintLine, requirements: set[str]) -> SprintFacts:
    read, state = load_sprint(source, line.id)
    events = arrange(read.events).ordered
    report, proofs = report_sprint(source, line.id), _proofs(source, state)
    points = trend_of([events], proofs, requirements)
    facts = SprintFacts(
        line, state, report, events, points, proofs, approved=approved_changes(source, state, report.reviews)
    )
    if not facts.is_open:
        return facts
    from verifflowcc.records import replace

    try:
        gates = ask_stage(source, line.id) if state.current else None
        return replace(facts, gates=gates, next=next_step(source, line.id), freshness=read_freshness(source, state))
    except VfccError as error:
        return replace(facts, problem=error.message.splitlines()[0], next=_next(source, line.id))


def _next(source: Workspace, sprint_id: str) -> NextStep | None:
    try:
        return next_step(source, sprint_id)
    except VfccError:
        return None


def _proofs(source: Workspace, state: SprintState) -> Proofs:
    """Return what each committed report of tests says of items; one that cannot be read says nothing."""
    found: dict[str, dict[str, bool]] = {}
    if state.problems:
        return found
    for one in read_recorded(source, state):
        if one.evidence is None or one.evidence.results is None or one.problem:
            continue
        items: dict[str, bool] = {}
        try:
            lines = parse_results(read_results_file(source, one.evidence), one.evidence.results, one.evidence.id)
        except VfccError:
            continue
        for each in lines.results:
            for item in each.items:
                items[item] = items.get(item, True) and each.outcome is Outcome.PASSED
        found[one.evidence.id] = items
    return found


def _trace(source: Workspace, notices: list[str]) -> tuple[TraceSeen | None, str]:
    try:
        seen = see_trace(source)
    except VfccError as error:
        return None, error.message.splitlines()[0]
    notices += seen.notices
    return seen, ""


def _prompts(source: Workspace, sprints: tuple[SprintFacts, ...], *, local: bool) -> Iterator[PromptFacts]:
    """Yield the prompt of each stage's role in the open sprints; where none is open, that of each role."""
    asked = [(each, stage) for each in sprints if each.is_open and not each.state.fork for stage in each.state.stages]
    if not asked:
        for role in sorted(roles_here(source)):
            yield _prompt(source, Question(role), active=False, local=local)
    for sprint, stage in asked:
        question = Question(stage.stage.role, sprint.line.id, stage.stage.id)
        yield _prompt(source, question, active=stage.stage.id == sprint.state.current, local=local)


def _prompt(source: Workspace, asked: Question, *, active: bool, local: bool) -> PromptFacts:
    """Compile a prompt without history, tasks and user memory; of a commit, it is that of `--committed`."""
    from verifflowcc.records import replace

    question = replace(asked, with_local=False)
    words = ["context show", f"--agent {asked.agent}"]
    words += [f"--sprint {asked.sprint} --stage {asked.stage}"] if asked.sprint else []
    words += [] if local else ["--committed"]
    command = " ".join(words)
    try:
        package = compile_context(source, question)
    except VfccError as error:
        return PromptFacts(asked.agent, asked.sprint, asked.stage, active, command, problem=error.message)
    return PromptFacts(asked.agent, asked.sprint, asked.stage, active, command, package)


def _memory(source: Workspace, lines: list[SprintLine], notices: list[str]) -> Iterator[ScopeItems]:
    """Yield the items of each committed scope that has any: never those of a user or of a task."""
    scopes = ["project"]
    scopes += [f"agent/{name}" for name in sorted(roles_here(source))]
    for line in lines:
        scopes.append(f"sprint/{line.id}")
        scopes += [f"stage/{line.id}/{each.stage.id}" for each in load_sprint(source, line.id)[1].stages]
    for scope in scopes:
        try:
            listing = list_items(source, [scope], Asked(everything=True))
        except (VfccError, FormatError, UsageError) as error:
            notices.append(f"{scope}: {error.message.splitlines()[0]}")
            continue
        notices += listing.notices
        if listing.rows:
            yield ScopeItems(scope, listing)
