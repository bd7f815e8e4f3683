"""Run a command once, as evidence for all its criteria, on unchanged content."""

import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from verifflowcc import __version__
from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.project_content import memory_content, project_content, read_project_file
from verifflowcc.base.git.git_protected import head_commit, read_history
from verifflowcc.base.model.baselines import OF_KIND, Baseline, BaselineEntry
from verifflowcc.base.model.evidence_values import Command, Evidence, Inputs, Measurement, Run
from verifflowcc.base.model.gate_input import Facts, History
from verifflowcc.base.model.gate_values import KINDS, Criterion, CriterionKind, EvidenceTrust
from verifflowcc.base.model.lazy import load
from verifflowcc.base.process.command_run import CommandResult, live_log, run_command
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.hidden_text import withhold_words
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.baseline_files import load_baseline
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_wanted import EvidenceRequest
from verifflowcc.gates.rules.run_outcomes import running_test, without_stacks
from verifflowcc.gates.rules.runners import Runner, runner_of
from verifflowcc.gates.rules.staleness import differences, inputs_now, report_kind
from verifflowcc.gates.store.scratch_tree import known_words
from verifflowcc.gates.use.gates_now import keep_results
from verifflowcc.sprint.rules.cobertura import measure_coverage
from verifflowcc.sprint.rules.evidence_files import make_evidence
from verifflowcc.sprint.rules.junit_tests import ProjectNames, measure_junit
from verifflowcc.sprint.rules.measured_verdict import filled, report_paths
from verifflowcc.sprint.rules.metric_json import measure_metrics
from verifflowcc.sprint.rules.sarif import measure_lint, measure_sarif
from verifflowcc.sprint.store.evidence_store import put_blob, remove_reports

# Measure what a criterion asks for in a report, with what the project holds.


@dataclass(slots=True)
class Project:
    """What reports are compared with. The words in its files are read once, when a test report asks for them."""

    root: Path
    content: Mapping[str, str]
    history: History | None
    _known: ProjectNames | None = field(default=None, init=False)

    def known(self) -> ProjectNames:
        """Return the paths and identifiers of the project's files."""
        if self._known is None:
            self._known = ProjectNames(frozenset(self.content), known_words(self.root, self.content))
        return self._known

    def length(self, path: str) -> int:
        """Return how many lines a file has at most, however they end."""
        data = read_project_file(self.root, path) or b""
        return 1 + sum(map(data.count, (b"\n", b"\r", b"\x0c", b"\xe2\x80\xa8", b"\xe2\x80\xa9")))

    def tests(self, criterion: Criterion) -> tuple[BaselineEntry, ...]:
        """Return the old faults of tests that the baseline lists for the criterion's command."""
        found = self._baseline(criterion)
        return found.of(criterion.command) if found else ()

    def findings(self, criterion: Criterion) -> Counter[str]:
        """Return how often the baseline lists each old finding of the criterion's command."""
        found = self._baseline(criterion)
        return found.counts(criterion.command) if found else Counter()

    def _baseline(self, criterion: Criterion) -> Baseline | None:
        """Return the baseline that a criterion is compared with; whether it counts is not asked."""
        kind = OF_KIND.get(criterion.kind)
        try:
            return load_baseline(self.root, kind) if kind else None
        except FormatError:
            return None  # the gate reports it


def measure_report(criterion: Criterion, data: bytes, project: Project) -> Measurement:
    """Return what a report says for the criterion; `problem` says why where it says nothing."""
    report = KINDS[criterion.kind].report
    if report is None:
        return Measurement({}, "", problem=f"a {criterion.kind} has no report")
    measured: Measurement = load(report.measure)(criterion, data, project)
    return measured


def measure_tests(criterion: Criterion, data: bytes, project: Project) -> Measurement:
    """Return the results in a JUnit file."""
    return measure_junit(data, known=project.known(), baseline=project.tests(criterion))


def measure_scan(criterion: Criterion, data: bytes, project: Project) -> Measurement:
    """Return the findings in a SARIF file."""
    return measure_sarif(data, baseline=project.findings(criterion), paths=frozenset(project.content))


def measure_lines(criterion: Criterion, data: bytes, project: Project) -> Measurement:
    """Return the findings in lines of text."""
    return measure_lint(data.decode("utf-8", "replace"), project.findings(criterion))


def measure_numbers(_criterion: Criterion, data: bytes, _project: Project) -> Measurement:
    """Return the numbers in a JSON object."""
    return measure_metrics(data)


def measure_baseline(criterion: Criterion, facts: Facts, digest: str) -> Measurement:
    """Return what a baseline holds: the number of tags at the present commit; `digest` is that of its files."""
    history = facts.history
    tags = history.tags if history else ()
    examples = tuple(f"tag: {tag}" for tag in tags)
    if criterion.tagged and (history is None or history.problem):
        examples = (f"tags not known: {history.problem if history else 'git was not asked'}",)
    return Measurement({"tags": len(tags)}, digest, examples)


def outcome_of(measured: Measurement, exit_code: int | None) -> str:
    """Return the digest of all that a second run must reproduce: how it ended, and what its report says."""
    ended = "none" if exit_code is None else str(exit_code)
    return digest_text(f"exit {ended}\n{measured.problem}\n{measured.outcome}\n")


def measure_cobertura(criterion: Criterion, data: bytes, project: Project) -> Measurement:
    """Return the coverage in a Cobertura file, of the lines that changed too."""
    history = project.history
    problem = history.problem if history else "git was not asked"
    changed = (
        None
        if problem or history is None
        else {each.path: None if each.whole else each.lines for each in history.changes}
    )
    found = measure_coverage(
        data, paths=frozenset(project.content), files=criterion.files, changed=changed, length=project.length
    )
    if changed is None and not found.problem:
        return replace(found, examples=(f"changes not known: {problem}", *found.examples))
    return found


# Make a piece of evidence of what was run or read; it counts once it is on record.

PRODUCER = f"vfcc {__version__}"


@dataclass(frozen=True, slots=True)
class RunReport:
    """A report that was read: its path (None: the output of the command), its bytes, or why there are none."""

    path: str | None = None
    data: bytes | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """Where evidence comes from; `tree` is the commit that is checked out.

    `results` is the digest of what is kept of single tests, where it is not read from the report.
    """

    sprint: str
    trust: EvidenceTrust
    tree: str | None
    run: Run | None = None
    report: RunReport = RunReport()
    results: str | None = None


def evidence_of(
    workspace: Workspace, wanted: EvidenceRequest, inputs: Inputs, measured: Measurement, source: EvidenceSource
) -> Evidence:
    """Return the evidence; its report, and what that says of single tests, are kept below `local/blobs/`.

    Evidence is committed, and a ledger keeps what it once held: secrets in its texts are withheld first.

    Raises FormatError where it does not fit into an evidence file.
    """
    report, run = source.report, source.run
    kept = report.path is not None and report.data is not None
    return make_evidence(
        sprint=source.sprint,
        stage=wanted.stage,
        criterion=wanted.criterion.id,
        kind=wanted.criterion.kind,
        trust=source.trust,
        producer=PRODUCER,
        at=workspace.clock.now(),
        inputs=inputs,
        measures={withhold(name): number for name, number in measured.measures.items()},
        outcome=outcome_of(measured, run.exit_code if run else None),
        run=replace(run, argv=withhold_words(run.argv), failure=withhold(run.failure)) if run else None,
        report=report.path,
        report_digest=put_blob(workspace.local, report.data) if kept and report.data is not None else None,
        tree=source.tree,
        problem=withhold(measured.problem),
        examples=tuple(map(withhold, measured.examples)),
        results=None if measured.problem else source.results or keep_results(workspace, wanted.criterion, report.data),
    )


LAST_LINES = 15
WAIT_S = 5.0
LOG_FOLDER = ".memory/local/logs"
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """What became of one criterion: its evidence, or the `problem` because of which there is none."""

    wanted: EvidenceRequest
    evidence: Evidence | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that ran: `argv` as it ran, `made` what it shows, `lines` the last of its output.

    `failed` are the tests that failed by its report, where it left no evidence of them.
    """

    run: Run
    argv: tuple[str, ...]
    made: tuple[EvidenceResult, ...]
    lines: tuple[str, ...]
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _RunAttempt:
    """All that is known once a command has ended."""

    run: Run
    reports: Mapping[str, RunReport]
    before: Facts
    after: Facts
    project: Project
    tree: str | None


@contextmanager
def running(workspace: Workspace) -> Iterator[None]:
    """Be the only one who runs commands in this project. Raises ConflictError where another process does."""
    with locked(workspace.local / "running", WAIT_S):
        yield


def log_path(command: Command) -> str:
    """Return where the output of a command can be read while it runs, below the project's root.

    >>> log_path(Command("test", ("pytest",), 600, {}))
    '.memory/local/logs/test.log'
    """
    return f"{LOG_FOLDER}/{command.name}.log"


def run_for(workspace: Workspace, command: Command, wanted: Sequence[EvidenceRequest], facts: Facts) -> CommandRun:
    """Run an allowed command, and return its evidence for each criterion, unrecorded.

    The file at `log_path` gets its output while it runs.

    A run that changes its own inputs speaks neither of the old content nor of the new: that is no evidence. Raises
    WorkspaceError where an old report cannot be removed, or is a file that git keeps.
    """
    paths = report_paths(command)
    remove_reports(workspace.root, paths.values())
    before, tree = now(workspace, facts), head_commit(workspace.root)
    argv = filled(command)
    ran = _logged(workspace, command, argv)
    run = _run(workspace, command, ran)
    reports = {kind: _read(workspace, path) for kind, path in paths.items()}
    if CriterionKind.LINT not in reports:  # most linters write to their output
        reports[CriterionKind.LINT] = RunReport(None, ran.output)
    project = Project(workspace.root, before.content, _history(workspace, facts, wanted))
    attempt = _RunAttempt(run, reports, before, now(workspace, facts), project, tree)
    made = tuple(_made(workspace, one, attempt) for one in wanted)
    return CommandRun(run, argv, made, last_lines(ran.output))


def run_alone(workspace: Workspace, command: Command, argv: Sequence[str]) -> CommandRun:
    """Run an allowed command with other words, for nothing that a gate asks: it leaves no evidence."""
    paths = report_paths(command)
    remove_reports(workspace.root, paths.values())
    ran = _logged(workspace, command, argv)
    report = _read(workspace, paths[CriterionKind.JUNIT]).data if CriterionKind.JUNIT in paths else None
    listed = measure_junit(report, known=None).examples if report and ran.exit_code else ()
    failed = tuple(each for each in listed if not each.startswith("skipped: "))
    return CommandRun(_run(workspace, command, ran), tuple(argv), (), last_lines(ran.output), failed)


def _run(workspace: Workspace, command: Command, ran: CommandResult) -> Run:
    output = put_blob(workspace.local, ran.output)
    limits = command.argv, command.timeout_s
    return Run(command.name, *limits, ran.exit_code, ran.failure, output, len(ran.output), ran.duration_ms)


def last_lines(output: bytes, count: int = LAST_LINES) -> tuple[str, ...]:
    """Return the last lines of an output, up to the stacks of a run that was ended."""
    return tuple(without_stacks(output.decode("utf-8", "replace")).splitlines()[-count:])


def _logged(workspace: Workspace, command: Command, argv: Sequence[str]) -> CommandResult:
    """Run a command with a live log; one whose time is over says which test ran then, as far as it is known."""
    with live_log(workspace.root / log_path(command)) as log:
        trace = signal.SIGABRT if runner_of(command.argv) is Runner.PYTEST else None
        ran = run_command(workspace.root, argv, command.timeout_s, on_output=log, trace_signal=trace)
    return replace(ran, failure=f"{ran.failure}; {_place(ran, workspace)}") if ran.timed_out else ran


def _place(ran: CommandResult, workspace: Workspace) -> str:
    text = ran.output.decode("utf-8", "replace")
    test = running_test(text, str(workspace.root.resolve()))
    if test:
        return f"it was at {test}"
    last = without_stacks(text).strip().rpartition("\n")[2].strip()[:_LONGEST_LINE]
    return f"its last line: {last}" if last else "it wrote nothing"


def take_baseline(workspace: Workspace, wanted: EvidenceRequest, facts: Facts) -> EvidenceResult:
    """Return the evidence that freezes a criterion's files as they are now."""
    inputs = inputs_now(wanted.criterion, wanted.stage, facts)
    measured = measure_baseline(wanted.criterion, facts, inputs.digest)
    return kept(
        workspace,
        wanted,
        inputs,
        measured,
        EvidenceSource(facts.sprint.id, EvidenceTrust.RAN_BY_VFCC, head_commit(workspace.root)),
    )


def now(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the files as they are now."""
    content = project_content(workspace.root, workspace.local)
    return replace(facts, content=content, memory=memory_content(workspace.root))


def _history(workspace: Workspace, facts: Facts, wanted: Sequence[EvidenceRequest]) -> History | None:
    asked = any(one.criterion.kind is CriterionKind.COVERAGE for one in wanted)
    return read_history(workspace.root, facts.sprint.base) if asked else None


def _read(workspace: Workspace, path: str) -> RunReport:
    try:
        data = read_project_file(workspace.root, path)
    except WorkspaceError as error:
        return RunReport(path, None, error.message)
    return RunReport(path, data, "" if data is not None else f"it left no report at {path}")


def _made(workspace: Workspace, one: EvidenceRequest, attempt: _RunAttempt) -> EvidenceResult:
    inputs = inputs_now(one.criterion, one.stage, attempt.before)
    moved = differences(inputs, inputs_now(one.criterion, one.stage, attempt.after))
    if moved:
        return EvidenceResult(one, None, wrote(attempt.run.command, moved))
    report = _report_for(one, attempt)
    measured = _measured(one, report, attempt.project)
    source = EvidenceSource(attempt.before.sprint.id, EvidenceTrust.RAN_BY_VFCC, attempt.tree, attempt.run, report)
    return kept(workspace, one, inputs, measured, source)


def _report_for(one: EvidenceRequest, attempt: _RunAttempt) -> RunReport:
    kind = report_kind(one.criterion)
    if one.criterion.kind is CriterionKind.COMMAND:
        return RunReport(None, None)
    lacks = (
        f"the command {attempt.run.command} writes no {kind} report: put {{{kind}}} into its words, "
        f"or its path into gates.commands.{attempt.run.command}.reports"
    )
    return attempt.reports.get(kind, RunReport(None, None, lacks))


def _measured(one: EvidenceRequest, report: RunReport, project: Project) -> Measurement:
    if report.data is not None:
        return measure_report(one.criterion, report.data, project)
    return Measurement({}, "", problem=report.problem)


def wrote(command: str, moved: Sequence[str]) -> str:
    """Say that a run changed its own inputs."""
    return (
        f"while {command} ran, its inputs changed ({', '.join(moved)}): "
        "ignore what it writes in .gitignore, or narrow its inputs"
    )


def kept(
    workspace: Workspace, one: EvidenceRequest, inputs: Inputs, measured: Measurement, source: EvidenceSource
) -> EvidenceResult:
    """Return the evidence of what was measured, or why it cannot be kept."""
    try:
        return EvidenceResult(one, evidence_of(workspace, one, inputs, measured, source))
    except FormatError as error:
        return EvidenceResult(one, None, str(error))
