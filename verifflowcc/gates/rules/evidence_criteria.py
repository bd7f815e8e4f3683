"""Ask a criterion that rests on evidence files: choose the evidence, see that it is fresh and trusted, judge it."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.model.baseline_rules import baseline_for, baseline_notes, baseline_step
from verifflowcc.base.model.baselines import NO_BASELINE, OF_KIND, BaselineStatus
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.findings import MissingResults, missing_results
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import (
    COMPUTED,
    Assessment,
    Criterion,
    CriterionKind,
    EvidenceTrust,
    Mode,
    Verdict,
)
from verifflowcc.base.model.sprint_state import Leg, Stage, Workflow
from verifflowcc.base.model.trace_codes import needs_among, selected
from verifflowcc.base.model.trace_values import RED, Finding, TraceReport
from verifflowcc.base.text.canonical import canonical, digest_bytes, digest_text
from verifflowcc.base.text.glob import select
from verifflowcc.gates.rules.staleness import chosen, id_of, inputs_now, stale_reasons
from verifflowcc.sprint.rules.measured_verdict import REFACTORING, MeasuredVerdict, shown_by
from verifflowcc.sprint.rules.stage_moves import pin_criterion

# What the trace checks say to a gate: the findings that a criterion asks about, if there was anything to ask.

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
    notes = tuple(_assess_trace_notes(findings, red, planned, report, baseline_for(criterion, facts)))
    subject = digest_text("".join(f"{each.key}\0{each.message}\n" for each in red))
    counted = f"{count} {_plural(criterion.items, count)}"
    if not any(each.examined for each in asked):
        reason = f"its checks ({', '.join(criterion.checks) or 'all'}) had nothing to look at"
        return Assessment(criterion, Verdict.NOT_EVALUABLE, reason, CHECK, subject=subject, notes=notes)
    if red:
        reason, step = f"{_findings(len(red))} in {counted}: {_first_messages(red)}", red[0].step
        missing = missing_results(red, report.checks)
        if missing is not None and (missing.nothing or len(red) > MOST):
            reason, step = _without_results(missing), facts.results_command
        return Assessment(criterion, Verdict.FAIL, reason, step or CHECK, subject=subject, notes=notes)
    return Assessment(criterion, Verdict.PASS, f"{counted}, nothing found", subject=subject, notes=notes)


def waits_for_items(criterion: Criterion, facts: Facts) -> bool:
    """Whether a criterion waits for the project's first trace item: a soft one is not asked before there is any.

    So a light sprint of a project that keeps no items is told nothing of them; a hard one closes its gate.
    """
    soft = criterion.kind is CriterionKind.TRACE and criterion.mode is Mode.SOFT
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


def asks_trace(stages: Iterable[Stage]) -> bool:
    """Whether any gate of these stages looks at the trace."""
    return any(_asks(each) for stage in stages for each in (*stage.enter, *stage.exit))


def _asks(criterion: Criterion) -> bool:
    return criterion.kind is CriterionKind.TRACE and criterion.mode is not Mode.OFF


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


def _assess_trace_notes(
    findings: Sequence[Finding], red: Sequence[Finding], planned: int, report: TraceReport, status: BaselineStatus
) -> Sequence[str]:
    notes = []
    if len(findings) > len(red):
        notes.append(f"{len(findings) - len(red)} more on record, none of them an error or a warning")
    if planned:
        notes.append(f"{planned} planned, not asked for results")
    if report.known:
        notes.append(f"{_findings(len(report.known))} known before, not counted{_accepted(status)}")
    return notes


def _accepted(status: BaselineStatus) -> str:
    return f": {status.baseline.acceptance}" if status.baseline else ""


def _without_results(missing: MissingResults) -> str:
    """Return what is missing, why reports do not count, and the first of what is wrong beside it."""
    parts = [missing.sentence()]
    if missing.stale:
        parts.append(_first_messages(missing.stale))
    if missing.others:
        parts.append(f"and {_findings(len(missing.others))} beside it: {_first_messages(missing.others)}")
    return "; ".join(parts)


def _first_messages(red: Sequence[Finding]) -> str:
    more = f"; and {len(red) - MOST} more" if len(red) > MOST else ""
    return "; ".join(each.message for each in red[:MOST]) + more


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count} findings"


def _plural(kinds: Sequence[str], count: int) -> str:
    name = kinds[0] if len(kinds) == 1 else "item"
    return name if count == 1 else f"{name}s"


_WORST_FIRST = (Verdict.FAIL, Verdict.NOT_EVALUABLE, Verdict.PASS)


def assess_recorded(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return what the latest evidence of the criterion shows now; of several on merged branches, the worst counts.

    None, and such as speaks of other content, is `not_evaluable`; the word of somebody trusted less than the criterion
    asks is `fail`. The subject holds the criterion, the inputs as they are now, and the outcome.
    """
    of_it = chosen(criterion, stage_id, facts)
    subject = _subject(criterion, stage_id, facts, of_it.latest)
    if not of_it.latest:
        shown = _none_yet(criterion, stage_id, facts)
        return Assessment(criterion, shown.verdict, shown.reason, shown.step, subject=subject)
    asked = [(one, _asked(criterion, stage_id, facts, one)) for one in of_it.latest]
    worst = min((shown for _, shown in asked), key=lambda shown: _WORST_FIRST.index(shown.verdict))
    step = worst.step or run_step(criterion, stage_id, facts)
    if worst.verdict is Verdict.FAIL and not worst.step:
        step = _with_baseline(step, criterion, facts)
    return Assessment(
        criterion,
        worst.verdict,
        worst.reason,
        "" if worst.verdict is Verdict.PASS else step,
        used=tuple(id_of(one) for one, _ in asked),
        subject=subject,
        notes=_notes(criterion, of_it.latest, of_it.earlier, facts),
    )


def _with_baseline(step: str, criterion: Criterion, facts: Facts) -> str:
    """Return the step of a run that failed: to run it again alone mends nothing."""
    kind = OF_KIND.get(criterion.kind)
    strict = bool(facts.sprint.workflow and facts.sprint.workflow.strict)
    if kind is None or strict or not facts.sprint.base or criterion.command not in facts.commands:
        return step
    if baseline_for(criterion, facts).holds:
        return f"{step}  # once mended"
    return f"{step}  # once mended; for faults older than the sprint, a person: {baseline_step(kind)}"


def judge(criterion: Criterion, evidence: Evidence, status: BaselineStatus = NO_BASELINE) -> Assessment:
    """Return what one piece of evidence shows of the criterion, whether or not it is stale or trusted.

    `status` is the baseline that it is compared with.
    """
    shown = shown_by(criterion, evidence, status)
    return Assessment(criterion, shown.verdict, shown.reason, shown.step, used=(evidence.id,))


def run_step(criterion: Criterion, stage_id: str, facts: Facts) -> str:
    """Return the command that makes new evidence for the criterion."""
    stage = "" if stage_id == facts.sprint.current else f" --stage {stage_id}"
    if _is_imported(criterion, facts):
        what = "--value NUMBER" if criterion.kind is CriterionKind.METRIC else "FILE"
        return f"vfcc evidence add {what} --criterion {criterion.id}{stage}"
    return f"vfcc evidence run {criterion.id}{stage}"


def _is_imported(criterion: Criterion, facts: Facts) -> bool:
    """Whether nothing here makes evidence for the criterion, and the word of others is enough for it."""
    if criterion.kind in COMPUTED or criterion.command in facts.commands:
        return False
    return criterion.command is None or criterion.trust is not EvidenceTrust.RAN_BY_VFCC


def _none_yet(criterion: Criterion, stage_id: str, facts: Facts) -> MeasuredVerdict:
    name = criterion.command
    if criterion.kind not in COMPUTED and name not in facts.commands and not _is_imported(criterion, facts):
        reason = f"gates.commands.{name} is not in .memory/config.yaml"
        return MeasuredVerdict(Verdict.NOT_EVALUABLE, reason, "vfcc allow  # says what to write there")
    return MeasuredVerdict(Verdict.NOT_EVALUABLE, "there is no evidence yet", run_step(criterion, stage_id, facts))


def _asked(criterion: Criterion, stage_id: str, facts: Facts, recorded: RecordedEvidence) -> MeasuredVerdict:
    evidence = recorded.evidence
    if recorded.problem or evidence is None:
        return MeasuredVerdict(Verdict.NOT_EVALUABLE, f"{recorded.path}: {recorded.problem or 'it was not read'}")
    stale = stale_reasons(evidence, facts, criterion)
    if stale:
        return MeasuredVerdict(
            Verdict.NOT_EVALUABLE, f"its evidence is stale: {', '.join(stale)}", _step_if_stale(criterion, facts)
        )
    if evidence.trust.rank < criterion.trust.rank:
        return MeasuredVerdict(Verdict.FAIL, f"{_whose(evidence, recorded)}, {criterion.trust} is needed")
    if (
        criterion.kind is CriterionKind.RED_FIRST
        and evidence.measures.get(REFACTORING)
        and not recorded.actor.startswith("human:")
    ):
        return MeasuredVerdict(
            Verdict.NOT_EVALUABLE, f"a refactoring is stated by a person, and not by {recorded.actor}"
        )
    shown = shown_by(criterion, evidence, baseline_for(criterion, facts))
    if shown.verdict is Verdict.PASS and criterion.kind is CriterionKind.BASELINE and criterion.tagged:
        return _still_tagged(shown, criterion, facts)
    return shown


def _step_if_stale(criterion: Criterion, facts: Facts) -> str:
    gone = criterion.command is not None and criterion.command not in facts.commands
    return f"add gates.commands.{criterion.command} to .memory/config.yaml, then: vfcc allow" if gone else ""


def _whose(evidence: Evidence, recorded: RecordedEvidence) -> str:
    if evidence.trust is EvidenceTrust.ASSERTED:
        return f"asserted by {recorded.actor}"
    return f"{evidence.trust}, by {recorded.actor}"


def _still_tagged(shown: MeasuredVerdict, criterion: Criterion, facts: Facts) -> MeasuredVerdict:
    """Return what a frozen content is worth: a tag points at what is committed, and at nothing else."""
    history = facts.history
    if history is None or history.problem:
        why = history.problem if history else "git was not asked"
        return MeasuredVerdict(
            Verdict.NOT_EVALUABLE, f"whether the commit is tagged is not known: {why}", "git tag NAME"
        )
    if not history.tags:
        return MeasuredVerdict(Verdict.FAIL, "no tag points at the present commit", "git tag NAME")
    reports = {path for each in facts.commands.values() for path in each.reports.values()}
    loose = [path for path in select(history.uncommitted, criterion.files) if criterion.files and path not in reports]
    if loose:
        more = f" and {len(loose) - 1} more" if len(loose) > 1 else ""
        reason = f"{loose[0]}{more} is not in the tagged commit as it is now"
        return MeasuredVerdict(Verdict.FAIL, reason, "git add --all && git commit  # then: git tag NAME")
    return MeasuredVerdict(Verdict.PASS, f"{shown.reason}, tagged {', '.join(history.tags)}")


def _subject(criterion: Criterion, stage_id: str, facts: Facts, latest: tuple[RecordedEvidence, ...]) -> str:
    reports = {one.evidence.report for one in latest if one.evidence and one.evidence.run is None}
    report = next(iter(sorted(path for path in reports if path)), None)
    outcomes = sorted(one.evidence.outcome if one.evidence else one.problem for one in latest)
    inputs = inputs_now(criterion, stage_id, facts, report).digest
    if criterion.kind is CriterionKind.TESTS_KEPT and {
        one.evidence and one.evidence.inputs.digest for one in latest
    } == {inputs}:
        inputs = ""  # what is accepted are these losses: it holds while later files bring no other
    return digest_bytes(
        canonical(
            {
                "stage": stage_id,
                "criterion": pin_criterion(criterion),
                "inputs": inputs,
                "outcomes": outcomes,
            }
        )
    )


def _notes(
    criterion: Criterion, latest: tuple[RecordedEvidence, ...], earlier: tuple[Evidence, ...], facts: Facts
) -> tuple[str, ...]:
    status = baseline_for(criterion, facts)
    content = {one.evidence.inputs.digest for one in latest if one.evidence}
    failed = sum(
        one.inputs.digest in content and shown_by(criterion, one, status).verdict is Verdict.FAIL for one in earlier
    )
    notes = [note for one in latest if one.evidence for note in baseline_notes(one.evidence, status)]
    if failed:
        notes.append(f"failed {'once' if failed == 1 else f'{failed} times'} before on the same content")
    if len(latest) > 1:
        notes.append(f"{len(latest)} pieces of evidence from branches apart; all of them must pass")
    return tuple(notes)
