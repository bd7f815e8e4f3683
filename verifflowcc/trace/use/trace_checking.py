"""`check trace`: the report of all checks; unchanged parts come from the index."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from verifflowcc.base.errors import VfccError
from verifflowcc.base.git.git_patches import changed_since as paths_changed_since
from verifflowcc.base.git.git_trace import GitPlace
from verifflowcc.base.model.baseline_rules import expiry_problem, narrow, only_new
from verifflowcc.base.model.baselines import NO_BASELINE, BaselineStatus
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.sprint_state import SprintState, Workflow
from verifflowcc.base.model.trace_values import EarlierFindings, Family, TraceReport
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.record_codec import RecordCodec
from verifflowcc.base.use.baseline_files import baseline_status, load_baseline
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.sprint.use.sprint_reading import active_sprint
from verifflowcc.trace.store.trace_cache import TraceIndex
from verifflowcc.trace.use.trace_code import INDEX, ProjectStamps, garbage_collection_paused, key_of, read_stamps

if TYPE_CHECKING:
    from verifflowcc.trace.use.trace_sources import GatheredSources


OLD_LIST = f"{MEMORY}/project/baselines/trace-findings.json"
"""Where version 0.1 kept the findings that it left out; no person had to accept them."""
_NEVER_KNOWN = "nothing-to-evaluate|"
"""That there was nothing to look at can be no known finding: it would make every answer green."""


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """A report of results: name, count of tests, and why it is ignored ("" if not)."""

    name: str
    tests: int
    reason: str
    """Why it does not count, or empty."""


@dataclass(frozen=True, slots=True)
class CheckExtent:
    """How much a check examined: counts of item files, project files and results.

    Of the project's files, those with marks, symbols or tests are counted apart.

    `reports` are the reports of results. `baseline` is the name of the one that drift is compared with, `target` the
    branch that ids are compared with.
    """

    items: int = 0
    unreadable: int = 0
    """Files that are no items."""
    files: int = 0
    code: int = 0
    """Files with marks or symbols."""
    tests: int = 0
    """Tests with results."""
    reports: tuple[ReportSummary, ...] = ()
    baseline: str | None = None
    """Null if there is none."""
    target: str | None = None
    """The branch to compare ids with, or null."""


@dataclass(frozen=True, slots=True)
class TraceCheckResult:
    """The report of a check; `workflow` is the name of the one whose rules hold.

    `prefix` is the project's folder in its repository. `known_list` is the file of known findings, `changed_since` what
    the findings were narrowed to, `new_since` the earlier commit whose findings are left out, each None where there is
    none.
    """

    report: TraceReport
    workflow: str
    examined: CheckExtent = field(default_factory=CheckExtent)
    prefix: str = ""
    """The project's folder in its repository."""
    known_list: str | None = None
    """The baseline of the trace, if it counts."""
    changed_since: str | None = None
    """The commit of `--changed-since`, or null."""
    notices: tuple[str, ...] = ()
    new_since: str | None = None
    """The earlier commit of `--new`, or null."""


def check_trace(
    workspace: Workspace,
    *,
    junit: Sequence[str] = (),
    changed_since: str | None = None,
    workflow: Workflow | None = None,
    state: SprintState | None = None,
    earlier: EarlierFindings | None = None,
) -> TraceCheckResult:
    """Return the report of all trace checks; only the index is written.

    It is below `.memory/local/`.

    `junit` are reports of results, as paths from where vfcc runs; they come beside those that `config.yaml` names.
    `changed_since` leaves the findings on files that changed since a commit, `earlier` those that were not there
    before. `workflow` is that of `config.yaml` where none is given. `state` is the sprint in which the baseline must
    count (default: the current one, if any).

    Raises UsageError for a commit that is not there, FormatError and ConfigError for files that are not
    sound, WorkspaceError where something cannot be read at all.
    """
    looked = read_stamps(workspace, junit)
    status, notices_on_list = _baseline(workspace, looked, state)
    known = _keys(status)
    changed = paths_changed_since(workspace.root, changed_since) if changed_since is not None else None
    with garbage_collection_paused(), TraceIndex(workspace.local / INDEX) as index:
        whole = _whole(workspace, looked, workflow, index)
        notices = tuple(dict.fromkeys((*notices_on_list, *whole.notices, *index.notices)))
    report = only_new(narrow(whole.report, known=known, changed=changed), earlier)
    return TraceCheckResult(
        report,
        workflow.name if workflow else looked.config.workflow,
        examined=whole.looked_at,
        prefix=looked.place.prefix,
        known_list=BaselineKind.TRACE.path if status.holds else None,
        changed_since=changed_since,
        notices=(*notices, *((earlier.problem,) if earlier and earlier.problem else ())),
        new_since=earlier.label if earlier else None,
    )


@dataclass(frozen=True, slots=True)
class _WholeReport:
    """The report on everything, before it is narrowed."""

    report: TraceReport
    looked_at: CheckExtent
    notices: tuple[str, ...]


_CODEC: RecordCodec[_WholeReport] = RecordCodec(_WholeReport, {StrEnum: Family})


def _whole(workspace: Workspace, looked: ProjectStamps, workflow: Workflow | None, index: TraceIndex) -> _WholeReport:
    name = "report" if workflow is None else "report of a sprint"
    key = key_of(workspace, looked, workflow) if looked.settled else ""
    kept = index.recall(name, key) if key else None
    if kept is not None:
        return _CODEC.value(kept)
    # A report that is kept needs nothing of what makes one, and every look at a gate asks for it.
    from verifflowcc.sprint.use.pinned_workflow import policy_of
    from verifflowcc.trace.rules.trace_check import check
    from verifflowcc.trace.use.trace_sources import gather

    policy = policy_of(workspace, workflow)
    read = gather(workspace, looked, policy, index)
    whole = _WholeReport(check(read.sources, policy), _looked_at(read, looked.place), read.notices)
    if key:
        index.keep(name, key, _CODEC.text(whole))
    return whole


def _looked_at(read: "GatheredSources", place: GitPlace) -> CheckExtent:
    sources = read.sources
    return CheckExtent(
        len(sources.items),
        len(sources.unreadable),
        len(sources.files),
        len(sources.code),
        len(sources.results.tests),
        tuple(ReportSummary(each.name, each.tests, each.problem or each.stale) for each in sources.results.reports),
        sources.baseline.name if sources.baseline else None,
        place.target,
    )


def _baseline(
    workspace: Workspace, looked: ProjectStamps, state: SprintState | None
) -> tuple[BaselineStatus, tuple[str, ...]]:
    """Return the baseline of the trace, and notices about it.

    Without a sprint its last day decides.
    """
    notices = [f"{name} is no longer read; see vfcc baseline trace" for name in _old_lists(workspace, looked)]
    kind = BaselineKind.TRACE
    if not (workspace.root / kind.path).exists():
        return NO_BASELINE, tuple(notices)
    state = state or _current(workspace)
    if state is None:
        found = load_baseline(workspace.root, kind)
        status = BaselineStatus(found, expiry_problem(found, workspace.today()) if found else "")
    else:
        status = baseline_status(workspace.root, kind, state, workspace.today()) or NO_BASELINE
    if status.problem:
        notices.append(f"{kind.path} does not count: {status.problem}")
    return status, tuple(notices)


def _old_lists(workspace: Workspace, looked: ProjectStamps) -> Iterator[str]:
    if looked.config.trace.baseline:
        yield "trace.baseline"
    elif (workspace.root / OLD_LIST).exists():
        yield OLD_LIST


def _current(workspace: Workspace) -> SprintState | None:
    try:
        return active_sprint(workspace)
    except VfccError:
        return None  # no sprint, several, or a ledger that cannot be read, which other checks report


def _keys(status: BaselineStatus) -> frozenset[str]:
    found = status.baseline
    if found is None or not status.holds:
        return frozenset()
    return frozenset(each.name for each in found.entries if not each.name.startswith(_NEVER_KNOWN))
