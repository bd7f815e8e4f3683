"""All that a report shows, gathered once: the same values that commands print with `--json`."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from verifflowcc.base.errors import FormatError, UsageError, VfccError, WorkspaceError
from verifflowcc.base.formats.result_lines import parse_results
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.entries import ContextPackage, Question
from verifflowcc.base.model.events import Event, LedgerRead
from verifflowcc.base.model.people import Opinion, Review
from verifflowcc.base.model.sprint_state import SprintLine, SprintState, SprintStatus
from verifflowcc.base.model.trace_values import Outcome
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_bytes, fold_newlines
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.report_page import SprintReport
from verifflowcc.gates.use.board_record import Freshness, read_freshness
from verifflowcc.gates.use.gates_now import StageGates, ask_stage, read_results_file
from verifflowcc.gates.use.next_action import NextStep, next_step
from verifflowcc.gates.use.sprint_metrics import report_sprint
from verifflowcc.history.use.history_offers import SessionLine, sessions
from verifflowcc.memory.use.inbox import WaitingItem, open_inbox
from verifflowcc.memory.use.memory_listing import ItemListing, ListQuery, list_items
from verifflowcc.memory.use.scopes import roles_here, scopes_listed
from verifflowcc.memory.use.task_finding import TaskLine, list_tasks
from verifflowcc.prompt.use.prompt_use import compile_context
from verifflowcc.report.rules.page_drawings import Proofs, TrendPoint, trend_of
from verifflowcc.report.use.committed_source import ReportOrigin
from verifflowcc.run.rules.run_fold import RunState
from verifflowcc.run.use.run_reading import all_runs, run_line, runs_in
from verifflowcc.sprint.rules.sprint_fold import arrange
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.sprint_reading import ledger_of, list_sprints, load_sprint, unknown_sprint
from verifflowcc.sprint.use.sprint_status import ProjectStatus, current_status
from verifflowcc.trace.rules.matrix import Matrix, matrix
from verifflowcc.trace.use.trace_narrowing import CheckedTrace, see_trace

# The changes that an approval saw: each file as it was when its stage was entered, and as it was approved.

MOST_FILES = 20
MOST_LINES = 200
_LARGEST_BYTES = 256 * 1024
_DEPTH = 20
"""So many commits of a file are compared with what was approved, the latest first."""


@dataclass(frozen=True, slots=True)
class ApprovedChange:
    """One file of an approval: `lines` of its diff, and how many more there are.

    `note` says what is wrong with it: the content has changed since, or is not in git.
    """

    path: str
    lines: tuple[str, ...]
    more: int = 0
    note: str = ""


def approved_changes(
    source: Workspace, state: SprintState, reviews: Sequence[Review]
) -> Mapping[str, tuple[ApprovedChange, ...]]:
    """Return the changes of each approval that names its files, by the id of its event."""
    return {
        each.event: tuple(_changes(source, state, each))
        for each in reviews
        if each.opinion is Opinion.APPROVED and each.file_digests
    }


def _changes(source: Workspace, state: SprintState, review: Review) -> Iterator[ApprovedChange]:
    stage = state.stage(review.stage)
    base = (stage.entry.head if stage and stage.entry else "") or state.base or ""
    for path, digest in sorted(review.file_digests.items())[:MOST_FILES]:
        yield _change(source, base, path, digest)
    if len(review.file_digests) > MOST_FILES:
        yield ApprovedChange(f"{len(review.file_digests) - MOST_FILES} more files", ())


def _change(source: Workspace, base: str, path: str, digest: str) -> ApprovedChange:
    here = _on_disk(source.root, path)
    is_same = here is not None and _digest(here) == digest
    seen = here if is_same else _in_history(source.root, path, digest)
    if seen is None:
        return ApprovedChange(path, (), note="the approved content is not in git; the file has changed since")
    before = _at(source.root, base, path) if base else None
    old, new = (_approved_changes_lines(each) for each in (before or b"", seen))
    found = list(unified_diff(old, new, "before the stage", "approved", n=2, lineterm=""))
    note = "" if is_same else "changed since the approval"
    return ApprovedChange(path, tuple(found[:MOST_LINES]), max(len(found) - MOST_LINES, 0), note)


def _digest(data: bytes) -> str:
    return digest_bytes(fold_newlines(data))


def _on_disk(root: Path, path: str) -> bytes | None:
    file = root / path
    if not file.resolve().is_relative_to(root.resolve()):
        return None
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= _LARGEST_BYTES else None


def _in_history(root: Path, path: str, digest: str) -> bytes | None:
    """Return the content with that digest from the latest commits of a file, or None."""
    try:
        log = ask_git(root, "log", f"-{_DEPTH}", "--format=%H", "HEAD", "--", path)
    except WorkspaceError:
        return None
    commits = log.out.decode("ascii", "replace").split() if log.code == 0 else []
    found = (_at(root, commit, path) for commit in commits)
    return next((data for data in found if data is not None and _digest(data) == digest), None)


def _at(root: Path, commit: str, path: str) -> bytes | None:
    try:
        done = ask_git(root, "cat-file", "blob", f"{commit}:./{path}")
    except WorkspaceError:
        return None
    return done.out if done.code == 0 and len(done.out) <= _LARGEST_BYTES else None


def _approved_changes_lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")


# What a local report adds: the inbox, open tasks and recent history of this machine. User memory is never read.

_USER = "user"
_SESSIONS = 20


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """What other clones do not have."""

    inbox: tuple[WaitingItem, ...]
    tasks: tuple[TaskLine, ...]
    sessions: tuple[SessionLine, ...]
    notices: tuple[str, ...] = ()


def local_facts(workspace: Workspace) -> LocalFacts:
    """Return them; what cannot be read is a notice."""
    notices: list[str] = []
    scopes = [each for each in scopes_listed(workspace) if each != _USER]
    inbox: tuple[WaitingItem, ...] = ()
    tasks: tuple[TaskLine, ...] = ()
    heard: tuple[SessionLine, ...] = ()
    try:
        inbox = open_inbox(workspace, scopes).waiting
        tasks = list_tasks(workspace)
        heard = sessions(workspace, _SESSIONS)
    except VfccError as error:
        notices.append(error.message.splitlines()[0])
    return LocalFacts(inbox, tasks, heard, tuple(notices))


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run of agents; `status` is that of the ledger, and locally `crashed` where no driver is alive."""

    state: RunState
    status: str


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
    runs: tuple[ReportedRun, ...] = ()
    """The runs of agents through it, oldest first."""

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.line.status is not SprintStatus.CLOSED

    @property
    def last(self) -> Event | None:
        """The latest event: who acted, and when."""
        return max(self.events, key=lambda each: (each.time, each.id), default=None)


@dataclass(frozen=True, slots=True)
class ReportedPrompt:
    """The prompt of a role at a stage; `problem` says why there is none. `command` prints the same."""

    role: str
    sprint: str | None
    stage: str | None
    active: bool
    command: str
    package: ContextPackage | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReportedScope:
    """The committed items of one scope."""

    scope: str
    listing: ItemListing


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All that a report shows. `sprints` are the open ones, then the closed ones, the latest first."""

    origin: ReportOrigin
    status: ProjectStatus
    sprints: tuple[SprintFacts, ...]
    matrix: Matrix | None
    trace_problem: str
    prompts: tuple[ReportedPrompt, ...]
    memory: tuple[ReportedScope, ...]
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
    working = _working_runs(workspace, notices) if origin.local else ()
    sprints = tuple(_sprint(source, line, requirements, working) for line in lines)
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


def _working_runs(workspace: Workspace, notices: list[str]) -> tuple[ReportedRun, ...]:
    """Return the runs of this machine as their worktrees have them, which a commit knows only once they are merged."""
    if not in_repository(workspace.root):
        return ()
    try:
        return tuple(ReportedRun(each.state, run_line(each).status) for each in all_runs(workspace))
    except VfccError as error:
        notices.append(error.message.splitlines()[0])
        return ()


def _runs(read: LedgerRead, state: SprintState, working: tuple[ReportedRun, ...]) -> tuple[ReportedRun, ...]:
    known = {each.id: ReportedRun(each, str(each.status)) for each in runs_in(read, state).values()}
    known |= {each.state.id: each for each in working if each.state.sprint == state.id}
    return tuple(sorted(known.values(), key=lambda each: (each.state.opened, each.state.id)))


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


def _sprint(
    source: Workspace, line: SprintLine, requirements: set[str], working: tuple[ReportedRun, ...] = ()
) -> SprintFacts:
    read, state = load_sprint(source, line.id)
    events = arrange(read.events).ordered
    report, proofs = report_sprint(source, line.id), _proofs(source, state)
    points = trend_of([events], proofs, requirements)
    facts = SprintFacts(
        *(line, state, report, events, points, proofs),
        approved=approved_changes(source, state, report.reviews),
        runs=_runs(read, state, working),
    )
    if not facts.is_open:
        return facts

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


def _trace(source: Workspace, notices: list[str]) -> tuple[CheckedTrace | None, str]:
    try:
        seen = see_trace(source)
    except VfccError as error:
        return None, error.message.splitlines()[0]
    notices += seen.notices
    return seen, ""


def _prompts(source: Workspace, sprints: tuple[SprintFacts, ...], *, local: bool) -> Iterator[ReportedPrompt]:
    """Yield the prompt of each stage's role in the open sprints; where none is open, that of each role."""
    asked = [(each, stage) for each in sprints if each.is_open and not each.state.fork for stage in each.state.stages]
    if not asked:
        for role in sorted(roles_here(source)):
            yield _prompt(source, Question(role), active=False, local=local)
    for sprint, stage in asked:
        question = Question(stage.stage.role, sprint.line.id, stage.stage.id)
        yield _prompt(source, question, active=stage.stage.id == sprint.state.current, local=local)


def _prompt(source: Workspace, asked: Question, *, active: bool, local: bool) -> ReportedPrompt:
    """Compile a prompt without history, tasks and user memory; of a commit, it is that of `--committed`."""

    question = replace(asked, with_local=False)
    words = ["context show", f"--agent {asked.agent}"]
    words += [f"--sprint {asked.sprint} --stage {asked.stage}"] if asked.sprint else []
    words += [] if local else ["--committed"]
    command = " ".join(words)
    try:
        package = compile_context(source, question)
    except VfccError as error:
        return ReportedPrompt(asked.agent, asked.sprint, asked.stage, active, command, problem=error.message)
    return ReportedPrompt(asked.agent, asked.sprint, asked.stage, active, command, package)


def _memory(source: Workspace, lines: list[SprintLine], notices: list[str]) -> Iterator[ReportedScope]:
    """Yield the items of each committed scope that has any: never those of a user or of a task."""
    scopes = ["project"]
    scopes += [f"agent/{name}" for name in sorted(roles_here(source))]
    for line in lines:
        scopes.append(f"sprint/{line.id}")
        scopes += [f"stage/{line.id}/{each.stage.id}" for each in load_sprint(source, line.id)[1].stages]
    for scope in scopes:
        try:
            listing = list_items(source, [scope], ListQuery(everything=True))
        except (VfccError, FormatError, UsageError) as error:
            notices.append(f"{scope}: {error.message.splitlines()[0]}")
            continue
        notices += listing.notices
        if listing.rows:
            yield ReportedScope(scope, listing)
