"""Violations to plant before a criterion, to prove that it can close its gate.

Each canary is the facts with one thing made wrong. A criterion that is met all the same cannot fail, and that is a
defect of the workflow: a limit that everything keeps to, a pattern that matches every message. Waivers are left out, so
that the criterion itself answers.
"""

from collections.abc import Iterator, Mapping

from verifflowcc.base.model.evidence_values import Command, Evidence, Inputs, Run
from verifflowcc.base.model.gate_input import Change, CommitNote, Facts, History, RecordedEvidence, RuleChange
from verifflowcc.base.model.gate_values import KINDS, Criterion, CriterionKind, EvidenceTrust
from verifflowcc.base.model.lazy import load
from verifflowcc.base.model.people import Feedback, Opinion, Review
from verifflowcc.base.model.testcases import Loss
from verifflowcc.base.model.trace_codes import CHECKS, MISSING_CHILD, needs_among, selected
from verifflowcc.base.model.trace_values import RED, Finding, TraceReport
from verifflowcc.base.records import dataclass, replace
from verifflowcc.gates.rules.artifact_criteria import subject_of
from verifflowcc.gates.rules.gate_check import rules_subject
from verifflowcc.gates.rules.staleness import inputs_now

MANY = 1_000_000
"""So many failed tests or findings keep to no limit that means anything."""
FAR = 10**15
FAR_NUMBERS = ("a number far above any limit", "a number far below any limit")
"""A metric has a limit above or below and need not have both: one of these must close."""
_ID = "0" * 26
_SHA = "0" * 40
_OTHER = "sha256:" + "0" * 64
_PLACE = "src/canary.py"


@dataclass(frozen=True, slots=True)
class Canary:
    """What is planted, in words, and the facts with it."""

    planted: str
    facts: Facts


def canaries(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[Canary, ...]:
    """Return the violations for a criterion; there is at least one for every kind but `upstream` in a first stage."""
    return tuple(load(KINDS[criterion.kind].plant)(criterion, stage_id, replace(facts, waivers=())))


def plant_findings(criterion: Criterion, _stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant findings of the trace."""
    report = facts.trace or TraceReport((), (), {})
    yield Canary("no trace item", replace(facts, trace=replace(report, counts={}, planned={})))
    kind = criterion.items[0] if criterion.items else "requirement"
    some = replace(report, findings=(), counts={kind: 1}, planned={})
    for asked in selected(report, criterion.checks, criterion.items)[1]:
        if asked.severity in RED:
            check = CHECKS[asked.code]
            needs = needs_among(criterion.checks)
            about = needs[0] if needs and asked.code == MISSING_CHILD else ""
            finding = Finding(check.code, check.family, asked.severity, "canary", kind, _PLACE, 1, "", about=about)
            yield Canary(f"an item with {check.code}", replace(facts, trace=replace(some, findings=(finding,))))


def plant_comment(_criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant a comment that is open."""
    comment = Feedback(_ID, facts.sprint.id, stage_id, "canary", "human:canary", "")
    yield Canary("a comment without triage", replace(facts, feedback=(*facts.feedback, comment)))


def plant_artifacts(_criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant artifacts that are missing or empty."""
    yield Canary("no artifact", replace(facts, artifacts={**facts.artifacts, stage_id: ()}))
    blank = tuple(replace(one, text="TODO\n") for one in facts.artifacts.get(stage_id, ()))
    if blank:
        yield Canary("artifacts that say TODO", replace(facts, artifacts={**facts.artifacts, stage_id: blank}))


def plant_history(criterion: Criterion, _stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant a history without changes, and a commit without a purpose."""
    yield Canary("no change and no commit", replace(facts, history=History(base=_SHA)))
    if criterion.kind is CriterionKind.COMMIT:
        note = CommitNote(_SHA, "canary", "canary", "", (_PLACE,))
        changed = History(base=_SHA, changes=(Change(_PLACE, (1,)),), commits=(note,))
        yield Canary("a commit that names nothing", replace(facts, history=changed))


def plant_reviews(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant approvals that do not count."""
    subject = subject_of(criterion, stage_id, facts)
    statement = "canary" if criterion.kind is CriterionKind.ATTESTATION else ""
    base = replace(facts, reviews=(), history=replace(facts.history or History(), authors={}))

    def review_by(opinion: Opinion, actor: str, of: str = subject, place: int = 0) -> Review:
        name = f"{place:026d}"
        return Review(name, stage_id, criterion.id, opinion, actor, "", of, statement=statement)

    asked = review_by(Opinion.REQUESTED, "agent:canary")
    agents = (asked, *(review_by(Opinion.APPROVED, f"agent:other{n}", place=n) for n in range(1, 4)))
    stale = (asked, *(review_by(Opinion.APPROVED, f"human:Other{n}", _OTHER, n) for n in range(1, 4)))
    own = (review_by(Opinion.REQUESTED, "human:Canary"), review_by(Opinion.APPROVED, "human:Canary", place=1))
    yield Canary("no word of anybody", base)
    yield Canary("approval by agents alone", replace(base, reviews=agents))
    yield Canary("approval of other content", replace(base, reviews=stale))
    if criterion.kind is CriterionKind.REVIEW:
        yield Canary("approval by its author", replace(base, reviews=own))


def plant_rules(criterion: Criterion, _stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant a protected file that changed."""
    changed = replace(facts, rules=(RuleChange(".memory/config.yaml", _OTHER),), rules_problem="", reviews=())
    subject = rules_subject(changed)

    def approved(actor: str, of: str = subject) -> Review:
        return Review(_ID, "", criterion.id, Opinion.APPROVED, actor, "", of)

    yield Canary("a protected file that changed", changed)
    yield Canary("approval by agents alone", replace(changed, reviews=(approved("agent:canary"),)))
    yield Canary("approval of other content", replace(changed, reviews=(approved("human:Canary", _OTHER),)))


def plant_earlier(_criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant the loss of the artifacts of a stage before."""
    for each in facts.sprint.stages:
        if each.stage.id == stage_id:
            return
        if each.artifacts:
            gone = {**facts.artifacts, each.stage.id: ()}
            yield Canary(f"the artifacts of {each.stage.id} are gone", replace(facts, artifacts=gone))
            return


def plant_measures(criterion: Criterion, stage_id: str, facts: Facts) -> Iterator[Canary]:
    """Plant no evidence, evidence of faults, and evidence of other content."""
    yield Canary("no evidence", replace(facts, recorded=()))
    ready = _with_command(criterion, facts)
    inputs = inputs_now(criterion, stage_id, ready)
    fine = replace(inputs, count=max(inputs.count, 1))
    for planted, measures, code in _BAD.get(criterion.kind) or _beyond(criterion):
        named = {criterion.metric or "value": measures["value"]} if criterion.kind is CriterionKind.METRIC else measures
        bad = _evidence(criterion, stage_id, ready, fine, named, code)
        yield Canary(planted, replace(ready, recorded=(_record(bad),)))
    moved = replace(fine, digest=_OTHER)
    good = _evidence(
        criterion,
        stage_id,
        ready,
        moved,
        _GOOD.get(criterion.kind, dict.fromkeys(KINDS[criterion.kind].measures or (), 0)),
        0,
    )
    yield Canary("evidence of other content", replace(ready, recorded=(_record(good),)))


_TESTS = {"tests": 1, "passed": 0, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0, "unknown": 0}
_LINES = {
    "lines": 1000,
    "lines_hit": 0,
    "branches": 1000,
    "branches_hit": 0,
    "changed": 1000,
    "changed_hit": 0,
    "files": 1,
    "unknown_files": 0,
    "missing_files": 0,
}
_NEW = {"new_error": MANY, "new_warning": MANY, "new_note": MANY}
_SCAN = {"runs": 1, "error": MANY, "warning": MANY, "note": MANY, "suppressed": 0, **_NEW}
_PROOF = {
    "product": 1,
    "tests": 1,
    "proven": 0,
    "not_discriminating": 0,
    "inconclusive": 0,
    "broken": 0,
    "unguarded": 0,
}
_NO_LOSS = {"files": 1, **{str(loss): 0 for loss in Loss}}
_BAD: Mapping[CriterionKind, tuple[tuple[str, Mapping[str, int], int], ...]] = {
    CriterionKind.COMMAND: (("a command that fails", {}, 1),),
    CriterionKind.JUNIT: (
        ("no test at all", {**_TESTS, "tests": 0}, 0),
        ("tests that all fail, and exit code 0", {**_TESTS, "tests": MANY, "failed": MANY}, 0),
        ("tests that are all skipped", {**_TESTS, "tests": MANY, "skipped": MANY}, 0),
    ),
    CriterionKind.COVERAGE: (("nothing covered", _LINES, 0),),
    CriterionKind.SARIF: (("a million findings, and exit code 0", _SCAN, 0),),
    CriterionKind.LINT: (("a million findings, and exit code 0", {"findings": MANY}, 0),),
    CriterionKind.METRIC: ((FAR_NUMBERS[0], {"value": FAR}, 0), (FAR_NUMBERS[1], {"value": -FAR}, 0)),
    CriterionKind.RED_FIRST: (
        ("tests that pass without the change", {**_PROOF, "not_discriminating": 1}, 0),
        ("a test that fails with the change", {**_PROOF, "broken": 1}, 0),
        ("a test that shows only that a name is missing", {**_PROOF, "inconclusive": 1}, 0),
        ("a change without a test", {**_PROOF, "tests": 0}, 0),
        ("a refactoring that fails a test", {**_PROOF, "proven": 1, "refactoring": 1}, 0),
    ),
    CriterionKind.TESTS_KEPT: tuple(
        (f"tests that lost something: {loss}", {**_NO_LOSS, str(loss): MANY}, 0) for loss in Loss
    ),
}
_GOOD: Mapping[CriterionKind, Mapping[str, int]] = {
    CriterionKind.JUNIT: {**_TESTS, "passed": 1},
    CriterionKind.COVERAGE: {**_LINES, "lines_hit": 1000, "branches_hit": 1000, "changed_hit": 1000},
    CriterionKind.SARIF: {"runs": 1, "error": 0, "warning": 0, "note": 0, "suppressed": 0},
    CriterionKind.LINT: {"findings": 0},
    CriterionKind.BASELINE: {"tags": 1},
    CriterionKind.RED_FIRST: {**_PROOF, "proven": 1},
    CriterionKind.TESTS_KEPT: _NO_LOSS,
}


def _beyond(criterion: Criterion) -> Iterator[tuple[str, Mapping[str, int], int]]:
    """Yield measures of a kind without a table of its own that break each of its limits."""
    names = KINDS[criterion.kind].measures or ()
    if criterion.at_most:
        yield "counts above each limit", dict.fromkeys(names, MANY), 0
    if criterion.at_least:
        yield "counts below each limit", dict.fromkeys(names, 0), 0


def _with_command(criterion: Criterion, facts: Facts) -> Facts:
    name = criterion.command
    if name is None or name in facts.commands:
        return facts
    return replace(facts, commands={**facts.commands, name: Command(name, ("canary",), 1, {})})


def _evidence(
    criterion: Criterion, stage_id: str, facts: Facts, inputs: Inputs, measures: Mapping[str, int], code: int
) -> Evidence:
    command = facts.commands.get(criterion.command) if criterion.command else None
    run = Run(command.name, command.argv, command.timeout_s, code) if command else None
    return Evidence(
        id=_ID,
        sprint=facts.sprint.id,
        stage=stage_id,
        criterion=criterion.id,
        kind=criterion.kind,
        trust=EvidenceTrust.RAN_BY_VFCC,
        producer="canary",
        time="",
        inputs=inputs,
        measures=measures,
        outcome=_OTHER,
        run=run,
    )


def _record(evidence: Evidence) -> RecordedEvidence:
    return RecordedEvidence(
        evidence,
        f"{evidence.id}.json",
        order=0,
        actor="tool:vfcc",
        event=_ID,
        criterion=evidence.criterion,
        stage=evidence.stage,
        latest=True,
    )
