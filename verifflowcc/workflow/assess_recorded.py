"""Ask a criterion that rests on evidence files: choose the evidence, see that it is fresh and trusted, judge it."""

from verifflowcc.domain.baselines import NO_BASELINE, OF_KIND, BaselineStatus
from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Facts, Recorded
from verifflowcc.domain.gates import COMPUTED, Assessment, Criterion, Kind, Trust, Verdict
from verifflowcc.text.canonical import canonical, digest_bytes
from verifflowcc.text.glob import select
from verifflowcc.workflow.baseline_rules import baseline_for, baseline_notes, baseline_step
from verifflowcc.workflow.evidence_choice import chosen, id_of
from verifflowcc.workflow.measured_verdict import REFACTORING, Shown, shown_by
from verifflowcc.workflow.moves import pin_criterion
from verifflowcc.workflow.staleness import inputs_now, stale_reasons

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
        what = "--value NUMBER" if criterion.kind is Kind.METRIC else "FILE"
        return f"vfcc evidence add {what} --criterion {criterion.id}{stage}"
    return f"vfcc evidence run {criterion.id}{stage}"


def _is_imported(criterion: Criterion, facts: Facts) -> bool:
    """Whether nothing here makes evidence for the criterion, and the word of others is enough for it."""
    if criterion.kind in COMPUTED or criterion.command in facts.commands:
        return False
    return criterion.command is None or criterion.trust is not Trust.RAN_BY_VFCC


def _none_yet(criterion: Criterion, stage_id: str, facts: Facts) -> Shown:
    name = criterion.command
    if criterion.kind not in COMPUTED and name not in facts.commands and not _is_imported(criterion, facts):
        reason = f"gates.commands.{name} is not in .memory/config.yaml"
        return Shown(Verdict.NOT_EVALUABLE, reason, "vfcc allow  # says what to write there")
    return Shown(Verdict.NOT_EVALUABLE, "there is no evidence yet", run_step(criterion, stage_id, facts))


def _asked(criterion: Criterion, stage_id: str, facts: Facts, recorded: Recorded) -> Shown:
    evidence = recorded.evidence
    if recorded.problem or evidence is None:
        return Shown(Verdict.NOT_EVALUABLE, f"{recorded.path}: {recorded.problem or 'it was not read'}")
    stale = stale_reasons(evidence, facts, criterion)
    if stale:
        return Shown(
            Verdict.NOT_EVALUABLE, f"its evidence is stale: {', '.join(stale)}", _step_if_stale(criterion, facts)
        )
    if evidence.trust.rank < criterion.trust.rank:
        return Shown(Verdict.FAIL, f"{_whose(evidence, recorded)}, {criterion.trust} is needed")
    if (
        criterion.kind is Kind.RED_FIRST
        and evidence.measures.get(REFACTORING)
        and not recorded.actor.startswith("human:")
    ):
        return Shown(Verdict.NOT_EVALUABLE, f"a refactoring is stated by a person, and not by {recorded.actor}")
    shown = shown_by(criterion, evidence, baseline_for(criterion, facts))
    if shown.verdict is Verdict.PASS and criterion.kind is Kind.BASELINE and criterion.tagged:
        return _still_tagged(shown, criterion, facts)
    return shown


def _step_if_stale(criterion: Criterion, facts: Facts) -> str:
    gone = criterion.command is not None and criterion.command not in facts.commands
    return f"add gates.commands.{criterion.command} to .memory/config.yaml, then: vfcc allow" if gone else ""


def _whose(evidence: Evidence, recorded: Recorded) -> str:
    if evidence.trust is Trust.ASSERTED:
        return f"asserted by {recorded.actor}"
    return f"{evidence.trust}, by {recorded.actor}"


def _still_tagged(shown: Shown, criterion: Criterion, facts: Facts) -> Shown:
    """Return what a frozen content is worth: a tag points at what is committed, and at nothing else."""
    history = facts.history
    if history is None or history.problem:
        why = history.problem if history else "git was not asked"
        return Shown(Verdict.NOT_EVALUABLE, f"whether the commit is tagged is not known: {why}", "git tag NAME")
    if not history.tags:
        return Shown(Verdict.FAIL, "no tag points at the present commit", "git tag NAME")
    reports = {path for each in facts.commands.values() for path in each.reports.values()}
    loose = [path for path in select(history.uncommitted, criterion.files) if criterion.files and path not in reports]
    if loose:
        more = f" and {len(loose) - 1} more" if len(loose) > 1 else ""
        reason = f"{loose[0]}{more} is not in the tagged commit as it is now"
        return Shown(Verdict.FAIL, reason, "git add --all && git commit  # then: git tag NAME")
    return Shown(Verdict.PASS, f"{shown.reason}, tagged {', '.join(history.tags)}")


def _subject(criterion: Criterion, stage_id: str, facts: Facts, latest: tuple[Recorded, ...]) -> str:
    reports = {one.evidence.report for one in latest if one.evidence and one.evidence.run is None}
    report = next(iter(sorted(path for path in reports if path)), None)
    outcomes = sorted(one.evidence.outcome if one.evidence else one.problem for one in latest)
    inputs = inputs_now(criterion, stage_id, facts, report).digest
    if criterion.kind is Kind.TESTS_KEPT and {one.evidence and one.evidence.inputs.digest for one in latest} == {
        inputs
    }:
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
    criterion: Criterion, latest: tuple[Recorded, ...], earlier: tuple[Evidence, ...], facts: Facts
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
