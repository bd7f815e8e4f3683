"""Check all that there is to check in one run: configuration, workflow, gates of all open sprints, trace, memory."""

from collections.abc import Callable, Iterable

from verifflowcc.base.errors import FindingsError, GateClosed, UsageError, VfccError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_patches import parted_from
from verifflowcc.base.git.git_snapshot import add_rest, committed_tree
from verifflowcc.base.git.git_trace import find_place
from verifflowcc.base.model.ports import Remark
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.model.trace_values import EarlierFindings, TraceReport
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.cli.use.memory_checking import MemoryCheck, check_memory
from verifflowcc.cli.use.sprint_health import setup_notes
from verifflowcc.gates.use.gates_now import StageGates, ask_stage
from verifflowcc.items.store.item_walk import any_item_file
from verifflowcc.sprint.use.configuration import ConfigReport, check_config, effective_config
from verifflowcc.sprint.use.sprint_reading import list_sprints, resolve_sprint, show_sprint
from verifflowcc.sprint.use.workflow_use import WorkflowReport, check_workflow
from verifflowcc.trace.use.trace_checking import TraceCheckResult, check_trace

# `--new` hides older findings. To know them, it checks a checkout of the base as well.


@dataclass(frozen=True, slots=True)
class ComparisonBase:
    """The commit that new findings are counted from, and what it is."""

    commit: str
    label: str


@dataclass(frozen=True, slots=True)
class BaseFindings:
    """The findings on the trace and on the memory at the base."""

    trace: EarlierFindings
    memory: EarlierFindings


def find_base(workspace: Workspace) -> ComparisonBase:
    """Return the base of the current sprint, or else where the branch left its target.

    On the target itself it is the last tag. Raises UsageError where there is none of them.
    """
    sprint = resolve_sprint(workspace).id
    if sprint is not None and (commit := show_sprint(workspace, sprint).base):
        return ComparisonBase(commit, f"{commit[:10]}, the base of {sprint}")
    place = find_place(workspace.root, target := effective_config(workspace).config.trace.target)
    if place.problem:
        raise UsageError(f"nothing is older than what is here: {place.problem}", hint="vfcc check")
    if place.tip not in {None, place.head} and (parted := parted_from(workspace.root, place.head, target)):
        return ComparisonBase(parted, f"{parted[:10]}, where this branch left {place.target}")
    tag = ask_git(workspace.root, "describe", "--tags", "--abbrev=0", place.head)
    if tag.code:
        raise UsageError(
            "no sprint is open, this branch has no other to be merged into, and no commit has a tag",
            hint="vfcc check trace --changed-since REF",
        )
    name = tag.out.decode("utf-8", "replace").strip()
    return ComparisonBase(f"refs/tags/{name}", f"{name}, the last tag")


def earlier_findings(workspace: Workspace, *, trace: bool = True, memory: bool = True) -> BaseFindings:
    """Return the findings at the base, which is checked in a folder of its own; test results of then are not known.
    `trace` and `memory` say which of the two are wanted.

    Raises as `find_base` does, and WorkspaceError where git cannot give the files. A base that vfcc cannot check has no
    findings, and says so.
    """
    base = find_base(workspace)
    with committed_tree(workspace.root, base.commit, (MEMORY,)) as (folder, commit):
        add_rest(workspace.root, folder, commit)
        there = Workspace(folder, workspace.clock)
        none = EarlierFindings(base.label)
        return BaseFindings(
            _found(base, lambda: _earlier_trace(there)) if trace else none,
            _found(base, lambda: _earlier_memory(there)) if memory else none,
        )


def _found(base: ComparisonBase, reports: Callable[[], Iterable[TraceReport]]) -> EarlierFindings:
    try:
        keys = {each.key for report in reports() for each in (*report.findings, *report.known)}
    except VfccError as error:
        problem = f"everything counts as new, since {base.label} cannot be checked: {error.message}"
        return EarlierFindings(base.label, problem=problem)
    return EarlierFindings(base.label, frozenset(keys))


def _earlier_trace(there: Workspace) -> tuple[TraceReport, ...]:
    return (check_trace(there).report,) if any_item_file(there.root) else ()


def _earlier_memory(there: Workspace) -> tuple[TraceReport, ...]:
    return (check_memory(there).report,) if there.memory.is_dir() else ()


WORST_FIRST = (VfccError.exit_code, 5, FindingsError.exit_code, GateClosed.exit_code)
"""Something that could not be asked hides more than a fork, a fork more than a finding, a finding more than a gate."""


NOTHING = "nothing-to-evaluate"


@dataclass(frozen=True, slots=True)
class UncheckedPart:
    """A sprint whose gate could not be asked, or the trace or the memory (`sprint` is then ""): why, what mends it, and
    the exit code that this has alone. `part` is `gate`, `trace` or `memory`.
    """

    sprint: str
    """Empty except for a gate."""
    message: str
    hint: str
    exit_code: int
    part: str = "gate"
    """`gate`, `trace` or `memory`."""


@dataclass(frozen=True, slots=True)
class AllChecks:
    """The results of all checks.

    `gates` are those of the active stage of each open sprint that could be assessed.

    `trace` is None where the project has no trace items, or they could not be looked at; `memory` where no item of any
    kind is there, or a store could not be read. `setup` is what a first sprint lacks.
    """

    config: ConfigReport
    workflow: WorkflowReport
    gates: tuple[StageGates, ...]
    not_checked: tuple[UncheckedPart, ...]
    """Parts that could not be checked."""
    trace: TraceCheckResult | None = None
    """Null if there are no trace items."""
    memory: MemoryCheck | None = None
    setup: tuple[Remark, ...] = ()
    """What the first sprint lacks."""

    @property
    def code(self) -> int:
        """The exit code of the worst of them; 0 where nothing is wrong."""
        found = {one.exit_code for one in self.not_checked}
        red = any(each and each.report.red for each in (self.trace, self.memory))
        if self.config.problems or self.workflow.problems or red:
            found.add(FindingsError.exit_code)
        if not all(gates.is_open for gates in self.gates):
            found.add(GateClosed.exit_code)
        return next((code for code in WORST_FIRST if code in found), 0)


def check_everything(workspace: Workspace, *, new: bool = False) -> AllChecks:
    """Return what all checks say; nothing is run and nothing written.

    With `new`, of the trace and the memory only what was not there before. Raises UsageError where there is no before.
    """
    earlier = earlier_findings(workspace) if new else None
    gates, unasked = [], []
    for line in list_sprints(workspace):
        if line.status is SprintStatus.CLOSED:
            continue
        try:
            with step(f"checking the gates of {line.id}"):
                gates.append(ask_stage(workspace, line.id))
        except VfccError as error:
            unasked.append(UncheckedPart(line.id, error.message, error.hint or "", error.exit_code))
    trace = memory = None
    try:
        with step("checking the trace"):
            trace = _trace(workspace, earlier.trace if earlier else None)
    except VfccError as error:
        unasked.append(UncheckedPart("", error.message, error.hint or "", error.exit_code, "trace"))
    try:
        with step("checking the memory"):
            memory = _memory(workspace, earlier.memory if earlier else None)
    except VfccError as error:
        unasked.append(UncheckedPart("", error.message, error.hint or "", error.exit_code, "memory"))
    return AllChecks(
        config=check_config(workspace),
        workflow=check_workflow(workspace),
        gates=tuple(gates),
        not_checked=tuple(unasked),
        trace=trace,
        memory=memory,
        setup=setup_notes(workspace),
    )


def _memory(workspace: Workspace, earlier: EarlierFindings | None) -> MemoryCheck | None:
    checked = check_memory(workspace, earlier=earlier)
    return checked if checked.anything else None


def _trace(workspace: Workspace, earlier: EarlierFindings | None) -> TraceCheckResult | None:
    """Return what the trace checks say; a project that has no file of an item has no trace to speak of."""
    if not any_item_file(workspace.root):
        return None
    checked = check_trace(workspace, earlier=earlier)
    says = any(each.code != NOTHING for each in checked.report.findings)
    return checked if checked.report.evaluable or says else None
