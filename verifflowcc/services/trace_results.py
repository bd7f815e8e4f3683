"""The results that are known of tests: recorded evidence of the sprint in work, and reports that are given."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.project.content import memory_content
from verifflowcc.domain.catalogue import NO_FILE
from verifflowcc.domain.facts import Facts, Recorded
from verifflowcc.domain.gates import Assessment, Kind, Trust, Verdict
from verifflowcc.domain.sprints import SprintState, SprintStatus
from verifflowcc.domain.trace import CodeFile, CriterionShown, Outcome, ResultReport, Results, TestResult, TraceItem
from verifflowcc.errors import FormatError, VfccError
from verifflowcc.formats.evidence import inputs_digest
from verifflowcc.formats.junit_claims import LARGEST_REPORT_BYTES
from verifflowcc.formats.junit_tests import JUnitTests, read_tests
from verifflowcc.formats.result_lines import parse_proof, parse_results
from verifflowcc.records import dataclass, field, replace
from verifflowcc.services.baselines import baseline_statuses
from verifflowcc.services.evidence_results import read_results_file
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.join import Marked, Ran, results_of
from verifflowcc.workflow.evidence_choice import chosen, id_of
from verifflowcc.workflow.evidence_wanted import Wanted, everything
from verifflowcc.workflow.gate import assess
from verifflowcc.workflow.people import waivers
from verifflowcc.workflow.staleness import stale_reasons

UNBOUND = "it does not say on which content the tests ran: it has no property vfcc.content"
OTHER = "the project's files are not those on which the tests ran"
_PLUGIN = "install verifflowcc where the tests run: its pytest plugin writes vfcc.content with --junitxml"
_REMEDIES = {
    UNBOUND: f"{_PLUGIN}; for other frameworks: vfcc evidence run",
    OTHER: "run the tests on the same commit with the same uncommitted files as here (git status), or here",
}
_WRITES = "list in .gitignore what the tests write, then run them again"


@dataclass(frozen=True, slots=True)
class _Told:
    """What one report says; `waived` are those of its skipped tests whose criterion is waived.

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
    on the content that is there now, reports left out. What cannot be read is told, never left out.
    """
    told = list(_recorded(workspace, content))
    marked = Marked(code) if junit else None
    for path in junit:
        told.append(_given(workspace, Path(path), content, marked or Marked(code), junit))
    criteria = tuple(_criteria(workspace, items, content))
    return Results(
        tuple(result for each in told for result in each.tests),
        tuple(each.report for each in told if each.report),
        criteria,
        waived_skips=frozenset(test for each in told for test in each.waived),
        proofs={test: verdict for each in told for test, verdict in each.proofs.items()},
    )


def _recorded(workspace: Workspace, content: Mapping[str, str]) -> Iterator[_Told]:
    for sprint_id in _sprints(workspace):
        try:
            facts = _facts(workspace, sprint_id, content)
        except VfccError as error:
            yield _Told(ResultReport(f"sprint {sprint_id}", Trust.ASSERTED, problem=error.message))
            continue
        for wanted in everything(facts.sprint):
            if wanted.criterion.kind is Kind.JUNIT:
                latest = chosen(wanted.criterion, wanted.stage, facts).latest
                yield from (_of_evidence(workspace, wanted, one, facts) for one in latest)
            elif wanted.criterion.kind is Kind.RED_FIRST:
                latest = chosen(wanted.criterion, wanted.stage, facts).latest
                yield from (_of_proof(workspace, wanted, one, facts) for one in latest)


def _sprints(workspace: Workspace) -> tuple[str, ...]:
    """Return the sprints that are not closed, else the one that was closed last; none before the first."""
    from verifflowcc.services.sprint_reading import ledger_of, list_sprints

    lines = list_sprints(workspace)
    going = tuple(line.id for line in lines if line.status is not SprintStatus.CLOSED)
    if going or not lines:
        return going
    ledger = ledger_of(workspace)
    return (max((line.id for line in lines), key=lambda sprint: ledger.names(sprint)[-1]),)


def _facts(workspace: Workspace, sprint_id: str, content: Mapping[str, str]) -> Facts:
    """Return what evidence of tests is compared with; git and the people are not asked. Raises as `load_movable`."""
    from verifflowcc.services.configuration import effective_config
    from verifflowcc.services.evidence_reading import read_recorded
    from verifflowcc.services.sprint_reading import load_movable

    state = load_movable(workspace, sprint_id)[1]
    return Facts(
        state,
        workspace.today(),
        content=content,
        recorded=read_recorded(workspace, state) if _asks_tests(state) else (),
        commands=effective_config(workspace).config.gates.commands,
        waivers=waivers(state.notes),
        memory=memory_content(workspace.root),
        baselines=baseline_statuses(workspace.root, state, workspace.today()),
    )


def _asks_tests(state: SprintState) -> bool:
    return any(wanted.criterion.kind in (Kind.JUNIT, Kind.RED_FIRST) for wanted in everything(state))


def _of_evidence(workspace: Workspace, wanted: Wanted, one: Recorded, facts: Facts) -> _Told:
    evidence = one.evidence
    report = ResultReport(id_of(one), Trust.ASSERTED, stage=wanted.stage, criterion=wanted.criterion.id)
    if evidence is None:
        return _Told(replace(report, problem=f"{one.path}: {one.problem or 'it was not read'}"))
    stale = ", ".join(stale_reasons(evidence, facts, wanted.criterion))
    report = replace(report, trust=evidence.trust, tests=evidence.measures.get("tests", 0), stale=stale)
    if evidence.problem or evidence.results is None:
        return _Told(replace(report, problem=evidence.problem))
    try:
        lines = parse_results(read_results_file(workspace, evidence), evidence.results, evidence.id)
    except FormatError as error:
        return _Told(replace(report, problem=error.message))
    skipped = frozenset(each.test for each in lines.results if each.outcome is Outcome.SKIPPED)
    waived = skipped and assess(wanted.criterion, wanted.stage, facts).verdict is Verdict.WAIVED
    return _Told(report, lines.results, skipped if waived else frozenset())


def _of_proof(workspace: Workspace, wanted: Wanted, one: Recorded, facts: Facts) -> _Told:
    """Return the verdicts of a proof; none of one that is stale, or whose file is not what the evidence names.

    The gate of its own criterion has the reason.
    """
    evidence = one.evidence
    if evidence is None or evidence.results is None or stale_reasons(evidence, facts, wanted.criterion):
        return _Told(None)
    try:
        lines = parse_proof(read_results_file(workspace, evidence), evidence.results)
    except FormatError:
        return _Told(None)
    return _Told(None, proofs={each.test: each.verdict for each in lines})


def _given(
    workspace: Workspace, path: Path, content: Mapping[str, str], marked: Marked, junit: Sequence[str | Path]
) -> _Told:
    name = _within(workspace, path) or str(path)
    try:
        if not path.is_file():  # a pipe would be waited for
            return _Told(ResultReport(name, Trust.ASSERTED, problem=NO_FILE))
        with path.open("rb") as file:
            read = read_tests(file.read(LARGEST_REPORT_BYTES + 1))
    except OSError as error:
        problem = f"it cannot be read: {error.strerror or error}"
        return _Told(ResultReport(name, Trust.ASSERTED, problem=problem))
    except FormatError as error:
        return _Told(ResultReport(name, Trust.ASSERTED, problem=error.message))
    stale = _stale(workspace, read, path, content, junit)
    trust = Trust.ASSERTED if stale else Trust.IMPORTED_CI
    remedy = _REMEDIES.get(stale, _WRITES) if stale else ""
    report = ResultReport(name, trust, len(read.tests), stale, remedy=remedy)
    return _Told(report, results_of(Ran(name, read.tests), marked))


def _stale(
    workspace: Workspace, read: JUnitTests, path: Path, content: Mapping[str, str], junit: Sequence[str | Path]
) -> str:
    """Return why a report does not speak of today's content; "" where it does.

    A report is no input of itself. Those of several runs may lie there together: they are none of each other's either.
    """
    if read.content is None:
        return read.unsure or UNBOUND
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


def _criteria(workspace: Workspace, items: Sequence[TraceItem], content: Mapping[str, str]) -> Iterator[CriterionShown]:
    """Yield the criteria that items name, as the gates see them now; nothing is asked where no item names any.

    Criteria of the kind trace are left out: their answer would rest on this one. A criterion that is waived is not met.
    """
    names = {name for item in items for name in item.evidence}
    if not names:
        return
    from verifflowcc.services.facts import gather_facts
    from verifflowcc.services.sprint_reading import load_movable

    for sprint_id in _sprints(workspace):
        try:
            state = load_movable(workspace, sprint_id)[1]
        except VfccError:
            continue  # told by `_recorded`, as a report that cannot be read
        facts = gather_facts(workspace, state)
        for stage in facts.sprint.stages:
            for criterion in (*stage.stage.enter, *stage.stage.exit):
                full = f"{stage.stage.id}/{criterion.id}"
                if not names.isdisjoint({full, criterion.id}) and criterion.kind is not Kind.TRACE:
                    asked = assess(criterion, stage.stage.id, facts)
                    used = [one.evidence for one in facts.recorded if one.evidence and one.evidence.id in asked.used]
                    trust = min((one.trust for one in used), key=lambda each: each.rank, default=None)
                    yield CriterionShown(full, asked.verdict is Verdict.PASS, _reason(asked), trust)


def _reason(asked: Assessment) -> str:
    """Return why a criterion is met or not; what is waived is let pass, and shows nothing."""
    return f"{asked.reason} (waived)" if asked.verdict is Verdict.WAIVED else asked.reason
