"""How baselines are shown to a person."""

from collections.abc import Mapping

from verifflowcc.domain.baselines import Baseline, BaselineEntry, BaselineKind, BaselineStatus
from verifflowcc.services.baseline_making import BaselineProposal, BaselineRecorded

_SHOWN = 20


def proposal(what: BaselineProposal) -> list[str]:
    """Return what a person is asked to accept."""
    found = what.baseline
    return [
        f"{what.sprint}: {_counted(found)} on its base {found.base[:7]}",
        *(f"  {_entry(each)}" for each in found.entries),
        *(f"  no longer: {name}" for name in what.removed),
        f"reason: {found.reason}",
        f"until {found.expires}; a strict workflow refuses it, and any other fault closes the gate",
    ]


def recorded(done: BaselineRecorded) -> list[str]:
    """Return what was recorded, and what comes next."""
    found = done.baseline
    lines = [f"{done.done.state.id}: {_counted(found)} accepted until {found.expires}, in {found.kind.path}"]
    if found.kind is BaselineKind.TRACE:
        return [*lines, "next: vfcc check trace"]
    return [*lines, "next: vfcc evidence run"]


def baselines(found: Mapping[BaselineKind, BaselineStatus]) -> str:
    """Return all baselines of a project."""
    if not found:
        return "there is no baseline"
    return "\n".join(line for kind, each in found.items() for line in _status(kind, each))


def _status(kind: BaselineKind, status: BaselineStatus) -> list[str]:
    found = status.baseline
    if found is None:
        return [f"{kind}: does not count: {status.problem}"]
    lines = [
        f"{kind}: {_counted(found)} on {found.base[:7]}, until {found.expires}, by {found.by.removeprefix('human:')}",
        f"  reason: {found.reason}",
    ]
    if status.problem:
        lines.append(f"  does not count: {status.problem}")
    shown = [f"  {_entry(each)}" for each in found.entries[:_SHOWN]]
    more = len(found.entries) - len(shown)
    return [*lines, *shown, *([f"  and {more} more: {kind.path}"] if more else [])]


def _entry(entry: BaselineEntry) -> str:
    if entry.text:
        return f"{entry.text} ({entry.count} times)" if entry.count > 1 else entry.text
    return f"{entry.name} ({'flaky' if entry.is_flaky else 'failed'})"


def _counted(found: Baseline) -> str:
    flaky = sum(each.is_flaky for each in found.entries)
    count = len(found.entries)
    noun = {"tests": "failing test", "lint": "finding", "trace": "finding"}[str(found.kind)]
    runs = f", seen in {found.runs} runs" if found.kind is BaselineKind.TESTS else ""
    return f"{count} {noun}{'' if count == 1 else 's'}{f' ({flaky} flaky)' if flaky else ''}{runs}"
