"""How `vfcc check` shows all that it found on one screen: what blocks first, then the most useful findings."""

from collections.abc import Callable, Iterator, Mapping

from verifflowcc.base.model.baselines import Baseline, BaselineEntry, BaselineStatus
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.trace_values import Finding, Severity
from verifflowcc.base.terminal.output import folded, height
from verifflowcc.base.text.plain_words import counted
from verifflowcc.cli.cli import findings_output as memory_check_views
from verifflowcc.cli.cli import trace_findings_output as trace_findings_views
from verifflowcc.cli.cli.findings_output import overview
from verifflowcc.cli.use.checking import AllChecks
from verifflowcc.gates.cli import gate_output as gate_views
from verifflowcc.gates.use.baseline_making import BaselineProposal, RecordedBaseline
from verifflowcc.gates.use.gates_now import StageGates

# How baselines are shown to a person.

_BASELINE_VIEWS_SHOWN = 20


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


def recorded(done: RecordedBaseline) -> list[str]:
    """Return what was recorded, and what comes next."""
    found = done.baseline
    lines = [f"{done.move.state.id}: {_counted(found)} accepted until {found.expires}, in {found.kind.path}"]
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
    shown = [f"  {_entry(each)}" for each in found.entries[:_BASELINE_VIEWS_SHOWN]]
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


ALL = "vfcc check --all"
_CRITERIA = 3
_TALL = 30
"""Lines of a screen that has room for more than one criterion of a gate."""
_GATES = 3
_PROBLEMS = 5
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
Command = Callable[[StageGates], str]
"""Returns the next command in a sprint."""


def short_page(found: AllChecks, next_of: Command, hint: str, room: int) -> str:
    """Return everything in about `room` lines; `hint` says how test results get here."""
    head = "\n".join((*_problems(found, _PROBLEMS), *_gates(found, next_of, room), *_setup(found)))
    missing, findings = trace_findings_views.parted(found.trace) if found.trace else (None, ())
    results = (
        "\n".join(trace_findings_views.missing_lines(missing, hint, found.trace)) if missing and found.trace else ""
    )
    tail = "\n".join(_verdicts(found))
    left = room - sum(height(part) + 1 for part in (head, results, tail) if part)
    listed = "\n".join(overview((*findings, *_of_memory(found)), ALL, left))
    return "\n\n".join(part for part in (head, results, listed, tail) if part)


def whole_page(found: AllChecks, next_of: Command) -> str:
    """Return everything, each finding and each criterion."""
    parts = ["\n".join(_problems(found, None)), *(gate_views.both(each, next_of(each)) for each in found.gates)]
    parts += ["\n".join(_setup(found)), _sound(found)]
    if found.trace:
        parts.append(trace_findings_views.whole_page(found.trace))
    if found.memory:
        parts.append(memory_check_views.whole_page(found.memory))
    return "\n\n".join(part for part in parts if part)


def count_line(found: AllChecks) -> str:
    """Return how much was found, on one line."""
    findings = _findings(found)
    weights = {one: sum(each.severity is one for each in findings) for one in _SHOWN}
    weights[Severity.ERROR] += len(found.config.problems) + len(found.workflow.problems)
    parts = [counted(weights[one], str(one)) for one in _SHOWN if weights[one]] or ["nothing found"]
    if found.gates:
        closed = sum(not each.is_open for each in found.gates)
        parts.append(f"{closed} of {counted(len(found.gates), 'gate')} closed")
    if found.not_checked:
        parts.append(f"{counted(len(found.not_checked), 'part')} not checked")
    return f"check: {', '.join(parts)}"


def _problems(found: AllChecks, most: int | None) -> Iterator[str]:
    """Yield what is wrong with the configuration and the workflow."""
    for problems in (found.config.problems, found.workflow.problems):
        yield from problems[:most]
        if most is not None and len(problems) > most:
            yield f"and {len(problems) - most:,} more: {ALL}"


def _sound(found: AllChecks) -> str:
    """Return what is right about the configuration and the workflow, "" where nothing is."""
    parts = [] if found.config.problems else ["config.yaml is valid"]
    if found.workflow.present and not found.workflow.problems:
        parts.append(f"workflow.yaml is sound: {found.workflow.name}")
    return "; ".join(parts)


def _gates(found: AllChecks, next_of: Command, room: int) -> Iterator[str]:
    """Yield the gates of the first sprints with what blocks them, and how many more there are."""
    criteria = _CRITERIA if len(found.gates) == 1 and room > _TALL else 1
    for each in found.gates[:_GATES]:
        yield gate_views.short(each, next_of(each), criteria)
    if len(found.gates) > _GATES:
        closed = sum(not each.is_open for each in found.gates[_GATES:])
        yield f"and {counted(len(found.gates) - _GATES, 'more sprint')}, {closed:,} with a closed gate: {ALL}"


def _setup(found: AllChecks) -> Iterator[str]:
    """Yield that no sprint is open, and what a first one lacks, each with its next step."""
    if not found.gates and not any(one.sprint for one in found.not_checked):
        yield 'no sprint is open → vfcc sprint start "Title"'
    for each in found.setup:
        yield folded(f"note {each.subject}: {each.text}{f' → {each.step}' if each.step else ''}", 2)


def _verdicts(found: AllChecks) -> Iterator[str]:
    if sound := _sound(found):
        yield folded(sound, 2)
    if found.trace:
        yield from trace_findings_views.about_lines(found.trace)
    if found.memory:
        yield memory_check_views.verdict(found.memory)


def _of_memory(found: AllChecks) -> tuple[Finding, ...]:
    return found.memory.report.findings if found.memory else ()


def _findings(found: AllChecks) -> tuple[Finding, ...]:
    return (*(found.trace.report.findings if found.trace else ()), *_of_memory(found))
