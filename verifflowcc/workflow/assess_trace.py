"""What the trace checks say to a gate: the findings that a criterion asks about, if there was anything to ask."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.baselines import BaselineStatus
from verifflowcc.domain.catalogue import MissingResults, missing_results
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Assessment, Criterion, Kind, Mode, Verdict
from verifflowcc.domain.sprints import Leg, Stage, Workflow
from verifflowcc.domain.trace import RED, Finding, TraceReport
from verifflowcc.domain.trace_codes import needs_among, selected
from verifflowcc.text.canonical import digest_text
from verifflowcc.workflow.baseline_rules import baseline_for

MOST = 3
CHECK = "vfcc check trace"


def assess_trace(criterion: Criterion, _stage_id: str, facts: Facts) -> Assessment:
    """Return what became of a trace criterion: it is met where nothing it asks about is an error or a warning.

    With no item of the types that it names, or with all of them only planned, it is not evaluable. `subject` is the
    digest of what was found, so that a waiver holds for these findings alone.
    """
    report = facts.trace
    if report is None:
        return Assessment(criterion, Verdict.NOT_EVALUABLE, "the trace was not looked at", CHECK)
    kinds = criterion.items or tuple(report.counts)
    count = sum(report.counts.get(kind, 0) for kind in kinds)
    planned = sum(report.planned.get(kind, 0) for kind in kinds)
    if count == planned:
        return _nothing(criterion, count)
    unknown = _unknown(criterion, facts.sprint.workflow)
    if unknown:
        reason = f"there is no check {', '.join(unknown)}"
        return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, "vfcc check workflow", subject=digest_text(reason))
    findings, asked = selected(report, criterion.checks, criterion.items)
    red = [each for each in findings if each.severity in RED]
    notes = tuple(_notes(findings, red, planned, report, baseline_for(criterion, facts)))
    subject = digest_text("".join(f"{each.key}\0{each.message}\n" for each in red))
    counted = f"{count} {_plural(criterion.items, count)}"
    if not any(each.asked for each in asked):
        reason = f"its checks ({', '.join(criterion.checks) or 'all'}) had nothing to look at"
        return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, CHECK, subject=subject, notes=notes)
    if red:
        reason, step = f"{_findings(len(red))} in {counted}: {_told(red)}", red[0].step
        missing = missing_results(red, report.asked)
        if missing is not None and (missing.nothing or len(red) > MOST):
            reason, step = _without_results(missing), facts.results_command
        return Assessment(criterion, Verdict.FAIL, reason, step or CHECK, subject=subject, notes=notes)
    return Assessment(criterion, Verdict.PASS, f"{counted}, nothing found", subject=subject, notes=notes)


def waits_for_items(criterion: Criterion, facts: Facts) -> bool:
    """Whether a criterion waits for the project's first trace item: a soft one is not asked before there is any.

    So a light sprint of a project that keeps no items is told nothing of them; a hard one closes its gate.
    """
    soft = criterion.kind is Kind.TRACE and criterion.mode is Mode.SOFT
    return soft and facts.trace is not None and not sum(facts.trace.counts.values())


def specified(stage: Stage, facts: Facts) -> Mapping[str, str]:
    """Return the types of trace items that a stage specifies, each with the digest of all of them as they are now.

    They are those that the trace criteria of a left stage's exit name, so that a change of them later is a change of
    what the stage handed over. Tests' specifications are named after what they verify and do not count by themselves.
    """
    return {kind: facts.traced[kind] for kind in specified_types(stage, facts.sprint.workflow) if kind in facts.traced}


def specified_types(stage: Stage, workflow: Workflow | None) -> tuple[str, ...]:
    """Return the types of trace items that a stage specifies, by name; none on the right leg and at the apex."""
    if stage.leg is not Leg.LEFT or workflow is None:
        return ()
    named = {kind for each in stage.exit if _asks(each) for kind in each.items}
    rules = workflow.trace.types
    return tuple(sorted(kind for kind in named if kind in rules and rules[kind].level is not None))


def asks_trace(workflow: Workflow | None) -> bool:
    """Whether any gate of a workflow looks at the trace."""
    stages = workflow.stages if workflow else ()
    return any(_asks(each) for stage in stages for each in (*stage.enter, *stage.exit))


def _asks(criterion: Criterion) -> bool:
    return criterion.kind is Kind.TRACE and criterion.mode is not Mode.OFF


def _unknown(criterion: Criterion, workflow: Workflow | None) -> tuple[str, ...]:
    """Return the checks that are none: a name that selects nothing would find nothing, and be green."""
    known = {need.id for need in workflow.trace.needs} if workflow else set()
    return tuple(name for name in needs_among(criterion.checks) if name not in known)


def _nothing(criterion: Criterion, planned: int) -> Assessment:
    kinds = criterion.items
    reason = f"there is no {' or '.join(kinds) or 'trace item'}"
    if planned:
        reason = f"each of the {planned} {_plural(kinds, planned)} is only planned"
    step = f'vfcc trace add {kinds[0] if kinds else "requirement"} "…"'
    return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, step, subject=digest_text(reason))


def _notes(
    findings: Sequence[Finding], red: Sequence[Finding], planned: int, report: TraceReport, status: BaselineStatus
) -> Sequence[str]:
    told = []
    if len(findings) > len(red):
        told.append(f"{len(findings) - len(red)} more on record, none of them an error or a warning")
    if planned:
        told.append(f"{planned} planned, not asked for results")
    if report.known:
        told.append(f"{_findings(len(report.known))} known before, not counted{_accepted(status)}")
    return told


def _accepted(status: BaselineStatus) -> str:
    return f": {status.baseline.acceptance}" if status.baseline else ""


def _without_results(missing: MissingResults) -> str:
    """Return what is missing, why reports do not count, and the first of what is wrong beside it."""
    parts = [missing.sentence()]
    if missing.stale:
        parts.append(_told(missing.stale))
    if missing.others:
        parts.append(f"and {_findings(len(missing.others))} beside it: {_told(missing.others)}")
    return "; ".join(parts)


def _told(red: Sequence[Finding]) -> str:
    more = f"; and {len(red) - MOST} more" if len(red) > MOST else ""
    return "; ".join(each.message for each in red[:MOST]) + more


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count} findings"


def _plural(kinds: Sequence[str], count: int) -> str:
    name = kinds[0] if len(kinds) == 1 else "item"
    return name if count == 1 else f"{name}s"
