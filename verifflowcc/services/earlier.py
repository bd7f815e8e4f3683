"""The findings that were there before the present work, for `--new`: a checkout of its base is checked as well."""

from collections.abc import Callable, Iterable

from verifflowcc.adapters.files.item_walk import any_item_file
from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.patches import parted_from
from verifflowcc.adapters.git.snapshot import add_rest, committed_tree
from verifflowcc.adapters.git.trace import find_place
from verifflowcc.domain.trace import EarlierFindings, TraceReport
from verifflowcc.errors import UsageError, VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.memory.checking import check_memory
from verifflowcc.services.sprint_reading import resolve_sprint, show_sprint
from verifflowcc.services.trace_checking import check_trace
from verifflowcc.services.workspace import MEMORY, Workspace


@dataclass(frozen=True, slots=True)
class Base:
    """The commit that new findings are counted from, and what it is."""

    commit: str
    label: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """The findings on the trace and on the memory at the base."""

    trace: EarlierFindings
    memory: EarlierFindings


def find_base(workspace: Workspace) -> Base:
    """Return the base of the current sprint, or else where the branch left its target.

    On the target itself it is the last tag. Raises UsageError where there is none of them.
    """
    sprint = resolve_sprint(workspace).id
    if sprint is not None and (commit := show_sprint(workspace, sprint).base):
        return Base(commit, f"{commit[:10]}, the base of {sprint}")
    place = find_place(workspace.root, target := effective_config(workspace).config.trace.target)
    if place.problem:
        raise UsageError(f"nothing is older than what is here: {place.problem}", hint="vfcc check")
    if place.tip not in {None, place.head} and (parted := parted_from(workspace.root, place.head, target)):
        return Base(parted, f"{parted[:10]}, where this branch left {place.target}")
    tag = ask_git(workspace.root, "describe", "--tags", "--abbrev=0", place.head)
    if tag.code:
        raise UsageError(
            "no sprint is open, this branch has no other to be merged into, and no commit has a tag",
            hint="vfcc check trace --changed-since REF",
        )
    name = tag.out.decode("utf-8", "replace").strip()
    return Base(f"refs/tags/{name}", f"{name}, the last tag")


def earlier_findings(workspace: Workspace, *, trace: bool = True, memory: bool = True) -> Earlier:
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
        return Earlier(
            _found(base, lambda: _trace(there)) if trace else none,
            _found(base, lambda: _memory(there)) if memory else none,
        )


def _found(base: Base, reports: Callable[[], Iterable[TraceReport]]) -> EarlierFindings:
    try:
        keys = {each.key for report in reports() for each in (*report.findings, *report.known)}
    except VfccError as error:
        problem = f"everything counts as new, since {base.label} cannot be checked: {error.message}"
        return EarlierFindings(base.label, problem=problem)
    return EarlierFindings(base.label, frozenset(keys))


def _trace(there: Workspace) -> tuple[TraceReport, ...]:
    return (check_trace(there).report,) if any_item_file(there.root) else ()


def _memory(there: Workspace) -> tuple[TraceReport, ...]:
    return (check_memory(there).report,) if there.memory.is_dir() else ()
