"""Test results: the current sprint's recorded evidence, and the reports given."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FormatError, VfccError
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, EvidenceTrust, Mode, Verdict
from verifflowcc.base.model.people import Waiver
from verifflowcc.base.model.sprint_state import (
    Leg,
    SprintState,
    StageState,
    StageStatus,
    artifacts_folder,
    drifted,
)
from verifflowcc.base.model.trace_values import (
    CodeFile,
    CriterionState,
    Outcome,
    ProcessFact,
    ResultReport,
    Results,
    TestResult,
    TraceItem,
)
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import event_file
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_movable, open_sprints

if TYPE_CHECKING:
    from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
    from verifflowcc.base.model.sprint_state import ArtifactText
    from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest
    from verifflowcc.sprint.rules.junit_tests import JUnitTests
    from verifflowcc.trace.rules.join_tests import MarkedTests

# What a ledger tells the trace checks: artifacts that are gone, a left side that moved, waivers that lapsed.


_Present = Mapping[str, "tuple[ArtifactText, ...]"]
"""A stage → what lies in its `artifacts/` now."""


def _of_course(
    state: SprintState, present: _Present, facts: "Facts | None", traced: Callable[[], Mapping[str, str]]
) -> Iterator[ProcessFact]:
    """Yield what is wrong with the course of a sprint; `traced` gives the digests of trace items by type, as of now.

    Without facts there is no criterion to be assessed. They hold no trace, since these are among what the trace is made
    from: waivers of trace criteria are left to the gate, which sees both.
    """
    for stage in state.stages:
        yield from _missing(stage, state, present)
        yield from _left_changed(stage, state, present, traced)
        if facts is not None:
            yield from _low_coverage(stage, facts)
    if facts is not None:
        for waiver in facts.waivers:
            yield from _waiver(waiver, facts)


def _missing(stage: StageState, state: SprintState, present: _Present) -> Iterator[ProcessFact]:
    if stage.status is not StageStatus.PASSED:
        return
    name = stage.stage.id
    folder = artifacts_folder(state.id, name)
    there = [one.artifact for one in present.get(name, ())]
    for path, gone in drifted(stage.artifacts, there):
        if gone:
            message = f"{name} of {state.id} was passed with {path}, which is gone"
            step = f'vfcc stage reopen {name} --reason "{path} is gone"'
            yield ProcessFact("missing-artifact", f"{state.id}/{name}/{path}", message, f"{folder}/{path}", step)


def _left_changed(
    stage: StageState, state: SprintState, present: _Present, traced: Callable[[], Mapping[str, str]]
) -> Iterator[ProcessFact]:
    left = state.stage(stage.stage.pair) if stage.stage.pair else None
    if stage.stage.leg is not Leg.RIGHT or stage.status is not StageStatus.PASSED or left is None:
        return
    there = [one.artifact for one in present.get(left.stage.id, ())]
    what = [path for path, _ in drifted(left.artifacts, there)]
    if left.traced:
        now = traced()
        what += [f"items of type {kind}" for kind in sorted(left.traced) if now.get(kind) != left.traced[kind]]
    if what:
        name, pair = stage.stage.id, left.stage.id
        message = f"{name} of {state.id} passed, and what {pair} handed over changed since: {', '.join(what)}"
        step = f'vfcc stage reopen {pair} --reason "it changed"'
        path = artifacts_folder(state.id, pair)
        yield ProcessFact("left-changed", f"{state.id}/{name}", message, path, step)


def _low_coverage(stage: StageState, facts: "Facts") -> Iterator[ProcessFact]:
    name = stage.stage.id
    for criterion in stage.stage.exit:
        if criterion.kind is not CriterionKind.COVERAGE or criterion.mode is Mode.OFF:
            continue
        from verifflowcc.gates.rules.evidence_criteria import assess_recorded

        asked = assess_recorded(criterion, name, facts)
        if asked.used and asked.verdict is Verdict.FAIL:
            where = f".memory/stage/{facts.sprint.id}/{name}/evidence/{asked.used[0]}.json"
            message = f"{name}/{criterion.id} of {facts.sprint.id}: {asked.reason}"
            yield ProcessFact("low-coverage", f"{facts.sprint.id}/{name}/{criterion.id}", message, where, asked.step)


def _waiver(waiver: Waiver, facts: "Facts") -> Iterator[ProcessFact]:
    found = _fault(waiver, facts)
    if found is not None:
        code, why = found
        where = f"{facts.sprint.id}/{waiver.stage}/{waiver.criterion}"
        step = f'vfcc waive {waiver.criterion} --stage {waiver.stage} --reason "…"'
        if code == "waiver-orphaned":
            step = f"vfcc check gate --sprint {facts.sprint.id}"
        message = f"the waiver of {where} by {waiver.actor} {why}"
        path = event_file(facts.sprint.id, waiver.event, facts.sprint.packed)
        yield ProcessFact(code, f"{where}/{waiver.event}", message, path, step)


def _fault(waiver: Waiver, facts: "Facts") -> tuple[str, str] | None:
    """Return what is wrong with a waiver that is still needed; a criterion that is met needs none."""
    stage = facts.sprint.stage(waiver.stage)
    every = (*stage.stage.enter, *stage.stage.exit) if stage else ()
    criterion = next((each for each in every if each.id == waiver.criterion), None)
    if stage is None or criterion is None:
        return "waiver-orphaned", "speaks of what the workflow does not have"
    if not waiver.actor.startswith("human:"):
        return "waiver-unapproved", "counts for nothing: only people waive"
    if criterion.kind in {CriterionKind.TRACE, CriterionKind.UPSTREAM} or _superseded(waiver, facts):
        return None
    return _lapsed(waiver, criterion, facts)


def _lapsed(waiver: Waiver, criterion: Criterion, facts: "Facts") -> tuple[str, str] | None:
    from verifflowcc.gates.rules.gate_check import assess
    from verifflowcc.gates.rules.people_criteria import waived_subject
    from verifflowcc.sprint.rules.sprint_people import expired

    asked = assess(criterion, waiver.stage, replace(facts, waivers=()))
    if asked.met:
        return None
    if expired(waiver.expires, facts.today):
        return "waiver-expired", f"expired on {waiver.expires}, and it is not met: {asked.reason}"
    if waiver.subject != waived_subject(asked):
        return "waiver-orphaned", "was for other content than lies there now"
    return None


def _superseded(waiver: Waiver, facts: "Facts") -> bool:
    """Whether the same person waived it again later, so that this word is history."""
    same = [each for each in facts.waivers if (each.stage, each.criterion) == (waiver.stage, waiver.criterion)]
    later = same[same.index(waiver) + 1 :]
    return any(each.actor == waiver.actor for each in later)


# What the open sprints tell the trace checks of their course.


def process_facts(
    workspace: Workspace, traced: Callable[[], Mapping[str, str]], content: Mapping[str, str]
) -> tuple[tuple[ProcessFact, ...], tuple[str, ...]]:
    """Return what is wrong with the course of the open sprints, and a notice for each that could not be read.

    `content` is the project's (`project_content`). `traced` gives the digests of trace items by type, as of now
    (`TraceReport.digests`).
    """
    found: list[ProcessFact] = []
    notices = []
    for sprint_id in [each.id for each in open_sprints(workspace)]:
        try:
            state = load_movable(workspace, sprint_id)[1]
        except VfccError as error:
            notices.append(f"{sprint_id} was not looked at: {error.message}")
            continue
        facts = _facts_to_assess(workspace, state, content)
        found += _of_course(state, facts.artifacts if facts else _artifacts(workspace, state), facts, traced)
    return tuple(found), tuple(notices)


def _facts_to_assess(workspace: Workspace, state: SprintState, content: Mapping[str, str]) -> "Facts | None":
    """Return what criteria of a sprint's course are assessed by; None where none is to be."""
    criteria = (each for stage in state.stages for each in stage.stage.exit)
    asks_coverage = any(each.kind is CriterionKind.COVERAGE and each.mode is not Mode.OFF for each in criteria)
    if not asks_coverage and all(each.type is not EventType.WAIVED for each in state.notes):
        return None
    from verifflowcc.gates.use.gates_now import gather_facts

    return gather_facts(workspace, state, content=content, only_asks=True)


def _artifacts(workspace: Workspace, state: SprintState) -> _Present:
    from verifflowcc.sprint.store.evidence_store import read_artifact_texts

    folders = {each.stage.id: workspace.root / artifacts_folder(state.id, each.stage.id) for each in state.stages}
    return {name: read_artifact_texts(folder, workspace.memory) for name, folder in folders.items()}


UNBOUND = "it does not say on which content the tests ran: it has no property vfcc.content"
OTHER = "the project's files are not those on which the tests ran"
_PLUGIN = "install verifflowcc where the tests run: its pytest plugin writes vfcc.content with --junitxml"
_REMEDIES = {
    UNBOUND: f"{_PLUGIN}; for other frameworks: vfcc evidence run",
    OTHER: "run the tests on the same commit with the same uncommitted files as here (git status), or here",
}
_WRITES = "list in .gitignore what the tests write, then run them again"


@dataclass(frozen=True, slots=True)
class _ReadReport:
    """The content of one report; `waived` are its skipped tests with a waived criterion.

    A proof is no report of results: it has `proofs`, the verdicts on single tests.
    """

    report: ResultReport | None
    tests: tuple[TestResult, ...] = ()
    waived: frozenset[str] = frozenset()
    proofs: Mapping[str, str] = field(default_factory=dict)


def read_results(
    workspace: Workspace,
    items: Sequence[TraceItem],
    code: Sequence[CodeFile],
    content: Mapping[str, str],
    junit: Sequence[str | Path] = (),
) -> Results:
    """Return what is known of tests, each test once for each report, with the ids that marks and properties name.

    The sprints are those that are open, else the one that was closed last; of each criterion the latest evidence
    counts. `junit` are reports as paths from where vfcc runs; such a one is fresh only where it says that its tests ran
    on the content that is there now, reports left out. Unreadable reports are listed, never left out.
    """
    reports = list(_recorded(workspace, content))
    if junit:
        from verifflowcc.trace.rules.join_tests import MarkedTests

        marked = MarkedTests(code)
        reports += [_given(workspace, Path(path), content, marked, junit) for path in junit]
    criteria = tuple(_criteria(workspace, items, content))
    return Results(
        tuple(result for each in reports for result in each.tests),
        tuple(each.report for each in reports if each.report),
        criteria,
        waived_skips=frozenset(test for each in reports for test in each.waived),
        proofs={test: verdict for each in reports for test, verdict in each.proofs.items()},
    )


def _recorded(workspace: Workspace, content: Mapping[str, str]) -> Iterator[_ReadReport]:
    for sprint_id in _sprints(workspace):
        try:
            state = load_movable(workspace, sprint_id)[1]
            asked = _asked_of_tests(state)
            facts = _facts(workspace, state, content) if asked else None
        except VfccError as error:
            yield _ReadReport(ResultReport(f"sprint {sprint_id}", EvidenceTrust.ASSERTED, problem=error.message))
            continue
        if facts is not None:
            from verifflowcc.gates.rules.staleness import chosen

            for wanted in asked:
                latest = chosen(wanted.criterion, wanted.stage, facts).latest
                yield from (_READERS[wanted.criterion.kind](workspace, wanted, one, facts) for one in latest)


def _asked_of_tests(state: SprintState) -> "list[EvidenceRequest]":
    """Return the criteria whose evidence has results of tests."""
    criteria = (each for stage in state.stages for each in (*stage.stage.enter, *stage.stage.exit))
    if not any(each.kind in _READERS for each in criteria):
        return []
    from verifflowcc.gates.rules.evidence_wanted import everything

    return [wanted for wanted in everything(state) if wanted.criterion.kind in _READERS]


def _sprints(workspace: Workspace) -> tuple[str, ...]:
    """Return the sprints that are not closed, else the one that was closed last; none before the first."""
    going = tuple(state.id for state in open_sprints(workspace))
    ledger = ledger_of(workspace)
    ids = () if going else ledger.sprint_ids()
    return going or ((max(ids, key=lambda sprint: ledger.names(sprint)[-1]),) if ids else ())


def _facts(workspace: Workspace, state: SprintState, content: Mapping[str, str]) -> "Facts":
    """Return what evidence of tests is compared with; git and the people are not asked."""
    from verifflowcc.base.files.project_content import MemoryDigests
    from verifflowcc.base.model.gate_input import Facts
    from verifflowcc.base.use.baseline_files import baseline_statuses
    from verifflowcc.sprint.rules.sprint_people import waivers
    from verifflowcc.sprint.use.configuration import effective_config
    from verifflowcc.sprint.use.evidence_reading import read_recorded

    return Facts(
        state,
        workspace.today(),
        content=content,
        recorded=read_recorded(workspace, state),
        commands=effective_config(workspace).config.gates.commands,
        waivers=waivers(state.notes),
        memory=MemoryDigests(workspace.root),
        baselines=baseline_statuses(workspace.root, state, workspace.today()),
    )


def _of_evidence(
    workspace: Workspace, wanted: "EvidenceRequest", one: "RecordedEvidence", facts: "Facts"
) -> _ReadReport:
    from verifflowcc.base.formats.result_lines import parse_results
    from verifflowcc.gates.rules.gate_check import assess
    from verifflowcc.gates.rules.staleness import id_of, stale_reasons
    from verifflowcc.gates.use.gates_now import read_results_file

    evidence = one.evidence
    report = ResultReport(id_of(one), EvidenceTrust.ASSERTED, stage=wanted.stage, criterion=wanted.criterion.id)
    if evidence is None:
        return _ReadReport(replace(report, problem=f"{one.path}: {one.problem or 'it was not read'}"))
    stale = ", ".join(stale_reasons(evidence, facts, wanted.criterion))
    report = replace(report, trust=evidence.trust, tests=evidence.measures.get("tests", 0), stale=stale)
    if evidence.problem or evidence.results is None:
        return _ReadReport(replace(report, problem=evidence.problem))
    try:
        lines = parse_results(read_results_file(workspace, evidence), evidence.results, evidence.id)
    except FormatError as error:
        return _ReadReport(replace(report, problem=error.message))
    skipped = frozenset(each.test for each in lines.results if each.outcome is Outcome.SKIPPED)
    waived = skipped and assess(wanted.criterion, wanted.stage, facts).verdict is Verdict.WAIVED
    return _ReadReport(report, lines.results, skipped if waived else frozenset())


def _of_proof(workspace: Workspace, wanted: "EvidenceRequest", one: "RecordedEvidence", facts: "Facts") -> _ReadReport:
    """Return the verdicts of a proof; none of one that is stale, or whose file is not what the evidence names.

    The gate of its own criterion has the reason.
    """
    from verifflowcc.base.formats.result_lines import parse_proof
    from verifflowcc.gates.rules.staleness import stale_reasons
    from verifflowcc.gates.use.gates_now import read_results_file

    evidence = one.evidence
    if evidence is None or evidence.results is None or stale_reasons(evidence, facts, wanted.criterion):
        return _ReadReport(None)
    try:
        lines = parse_proof(read_results_file(workspace, evidence), evidence.results)
    except FormatError:
        return _ReadReport(None)
    return _ReadReport(None, proofs={each.test: each.verdict for each in lines})


_READERS = {CriterionKind.JUNIT: _of_evidence, CriterionKind.RED_FIRST: _of_proof}


def _given(
    workspace: Workspace, path: Path, content: Mapping[str, str], marked: "MarkedTests", junit: Sequence[str | Path]
) -> _ReadReport:
    from verifflowcc.base.model.findings import NO_FILE
    from verifflowcc.sprint.rules.junit_claims import LARGEST_REPORT_BYTES
    from verifflowcc.sprint.rules.junit_tests import read_tests
    from verifflowcc.trace.rules.join_tests import ReportTests, results_of

    name = _within(workspace, path) or str(path)
    try:
        if not path.is_file():  # a pipe would be waited for
            return _ReadReport(ResultReport(name, EvidenceTrust.ASSERTED, problem=NO_FILE))
        with path.open("rb") as file:
            read = read_tests(file.read(LARGEST_REPORT_BYTES + 1))
    except OSError as error:
        problem = f"it cannot be read: {error.strerror or error}"
        return _ReadReport(ResultReport(name, EvidenceTrust.ASSERTED, problem=problem))
    except FormatError as error:
        return _ReadReport(ResultReport(name, EvidenceTrust.ASSERTED, problem=error.message))
    stale = _stale(workspace, read, path, content, junit)
    trust = EvidenceTrust.ASSERTED if stale else EvidenceTrust.IMPORTED_CI
    remedy = _REMEDIES.get(stale, _WRITES) if stale else ""
    report = ResultReport(name, trust, len(read.tests), stale, remedy=remedy)
    return _ReadReport(report, results_of(ReportTests(name, read.tests), marked))


def _stale(
    workspace: Workspace, read: "JUnitTests", path: Path, content: Mapping[str, str], junit: Sequence[str | Path]
) -> str:
    """Return why a report does not speak of today's content; "" where it does.

    A report is no input of itself. Those of several runs may lie there together: they are none of each other's either.
    """
    if read.content is None:
        return read.unsure or UNBOUND
    from verifflowcc.sprint.rules.evidence_files import inputs_digest

    own = {_within(workspace, path)}
    for left_out in (own, {_within(workspace, Path(each)) for each in junit}):
        now = {name: digest for name, digest in content.items() if name not in left_out}
        if inputs_digest(now, ()).digest == read.content:
            return ""
    return OTHER


def _within(workspace: Workspace, path: Path) -> str:
    """Return a path below the project's root, as its content names it; "" for one that lies elsewhere."""
    place, root = path.absolute().parent.resolve() / path.name, workspace.root.resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else ""


def _criteria(workspace: Workspace, items: Sequence[TraceItem], content: Mapping[str, str]) -> Iterator[CriterionState]:
    """Yield the criteria that items name, as the gates see them now; nothing is asked where no item names any.

    Criteria of the kind trace are left out: their answer would rest on this one. A criterion that is waived is not met.
    """
    names = {name for item in items for name in item.evidence}
    if not names:
        return
    from verifflowcc.gates.rules.gate_check import assess
    from verifflowcc.gates.use.gates_now import gather_facts

    for sprint_id in _sprints(workspace):
        try:
            state = load_movable(workspace, sprint_id)[1]
        except VfccError:
            continue  # told by `_recorded`, as a report that cannot be read
        facts = gather_facts(workspace, state, only_asks=True)
        for stage in facts.sprint.stages:
            for criterion in (*stage.stage.enter, *stage.stage.exit):
                full = f"{stage.stage.id}/{criterion.id}"
                if not names.isdisjoint({full, criterion.id}) and criterion.kind is not CriterionKind.TRACE:
                    asked = assess(criterion, stage.stage.id, facts)
                    used = [one.evidence for one in facts.recorded if one.evidence and one.evidence.id in asked.used]
                    trust = min((one.trust for one in used), key=lambda each: each.rank, default=None)
                    yield CriterionState(full, asked.verdict is Verdict.PASS, _reason(asked), trust)


def _reason(asked: Assessment) -> str:
    """Return why a criterion is met or not; what is waived is let pass, and shows nothing."""
    return f"{asked.reason} (waived)" if asked.verdict is Verdict.WAIVED else asked.reason
