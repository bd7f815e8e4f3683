"""Run a command for evidence: once, for all criteria that it shows, on content that stays as it is meanwhile."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from verifflowcc.adapters.files.evidence import put_blob, remove_reports
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.git.protected import head_commit, read_history
from verifflowcc.adapters.process.run import Ran, live_log, run_command
from verifflowcc.adapters.project.content import memory_content, project_content, read_project_file
from verifflowcc.domain.evidence import Command, Evidence, Inputs, Measured, Run
from verifflowcc.domain.facts import Facts, History
from verifflowcc.domain.gates import Kind, Trust
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.proving.run_progress import running_test, without_stacks
from verifflowcc.proving.runners import Runner, runner_of
from verifflowcc.records import dataclass, replace
from verifflowcc.services.evidence_making import Report, Source, evidence_of
from verifflowcc.services.evidence_measuring import Project, measure_baseline, measure_report
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.evidence_wanted import Wanted
from verifflowcc.workflow.measured_verdict import filled, report_paths
from verifflowcc.workflow.staleness import differences, inputs_now, report_kind

LAST_LINES = 15
WAIT_S = 5.0
LOG_FOLDER = ".memory/local/logs"
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one criterion: its evidence, or the `problem` because of which there is none."""

    wanted: Wanted
    evidence: Evidence | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that ran: `argv` as it ran, `made` what it shows, `lines` the last of its output."""

    run: Run
    argv: tuple[str, ...]
    made: tuple[Made, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """All that is known once a command has ended."""

    run: Run
    reports: Mapping[str, Report]
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


def run_for(workspace: Workspace, command: Command, wanted: Sequence[Wanted], facts: Facts) -> CommandRun:
    """Run a command that is allowed, and return what it shows of each criterion; nothing goes on record yet.

    The file at `log_path` gets its output while it runs.

    A run that changes its own inputs speaks neither of the old content nor of the new: that is no evidence. Raises
    WorkspaceError where an old report cannot be removed, or is a file that git keeps.
    """
    paths = report_paths(command)
    remove_reports(workspace.root, paths.values())
    before, tree = now(workspace, facts), head_commit(workspace.root)
    argv = filled(command)
    ran = _logged(workspace, command, argv)
    output = put_blob(workspace.local, ran.output)
    limits = command.argv, command.timeout_s
    run = Run(command.name, *limits, ran.exit_code, ran.failure, output, len(ran.output), ran.duration_ms)
    reports = {kind: _read(workspace, path) for kind, path in paths.items()}
    if Kind.LINT not in reports:  # most linters write to their output
        reports[Kind.LINT] = Report(None, ran.output)
    project = Project(workspace.root, before.content, _history(workspace, facts, wanted))
    attempt = _Attempt(run, reports, before, now(workspace, facts), project, tree)
    made = tuple(_made(workspace, one, attempt) for one in wanted)
    return CommandRun(run, argv, made, last_lines(ran.output))


def last_lines(output: bytes, count: int = LAST_LINES) -> tuple[str, ...]:
    """Return the last lines of an output, up to the stacks of a run that was ended."""
    return tuple(without_stacks(output.decode("utf-8", "replace")).splitlines()[-count:])


def _logged(workspace: Workspace, command: Command, argv: Sequence[str]) -> Ran:
    """Run a command with a live log; one whose time is over says which test ran then, as far as it is known."""
    with live_log(workspace.root / log_path(command)) as log:
        trace = signal.SIGABRT if runner_of(command.argv) is Runner.PYTEST else None
        ran = run_command(workspace.root, argv, command.timeout_s, on_output=log, trace_signal=trace)
    return replace(ran, failure=f"{ran.failure}; {_place(ran, workspace)}") if ran.timed_out else ran


def _place(ran: Ran, workspace: Workspace) -> str:
    text = ran.output.decode("utf-8", "replace")
    test = running_test(text, str(workspace.root.resolve()))
    if test:
        return f"it was at {test}"
    last = without_stacks(text).strip().rpartition("\n")[2].strip()[:_LONGEST_LINE]
    return f"its last line: {last}" if last else "it wrote nothing"


def take_baseline(workspace: Workspace, wanted: Wanted, facts: Facts) -> Made:
    """Return the evidence that freezes a criterion's files as they are now."""
    inputs = inputs_now(wanted.criterion, wanted.stage, facts)
    measured = measure_baseline(wanted.criterion, facts, inputs.digest)
    return kept(
        workspace, wanted, inputs, measured, Source(facts.sprint.id, Trust.RAN_BY_VFCC, head_commit(workspace.root))
    )


def now(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the files as they are now."""
    content = project_content(workspace.root, workspace.local)
    return replace(facts, content=content, memory=memory_content(workspace.root))


def _history(workspace: Workspace, facts: Facts, wanted: Sequence[Wanted]) -> History | None:
    asked = any(one.criterion.kind is Kind.COVERAGE for one in wanted)
    return read_history(workspace.root, facts.sprint.base) if asked else None


def _read(workspace: Workspace, path: str) -> Report:
    try:
        data = read_project_file(workspace.root, path)
    except WorkspaceError as error:
        return Report(path, None, error.message)
    return Report(path, data, "" if data is not None else f"it left no report at {path}")


def _made(workspace: Workspace, one: Wanted, attempt: _Attempt) -> Made:
    inputs = inputs_now(one.criterion, one.stage, attempt.before)
    moved = differences(inputs, inputs_now(one.criterion, one.stage, attempt.after))
    if moved:
        return Made(one, None, wrote(attempt.run.command, moved))
    report = _report_for(one, attempt)
    measured = _measured(one, report, attempt.project)
    source = Source(attempt.before.sprint.id, Trust.RAN_BY_VFCC, attempt.tree, attempt.run, report)
    return kept(workspace, one, inputs, measured, source)


def _report_for(one: Wanted, attempt: _Attempt) -> Report:
    kind = report_kind(one.criterion)
    if one.criterion.kind is Kind.COMMAND:
        return Report(None, None)
    lacks = (
        f"the command {attempt.run.command} writes no {kind} report: put {{{kind}}} into its words, "
        f"or its path into gates.commands.{attempt.run.command}.reports"
    )
    return attempt.reports.get(kind, Report(None, None, lacks))


def _measured(one: Wanted, report: Report, project: Project) -> Measured:
    if report.data is not None:
        return measure_report(one.criterion, report.data, project)
    return Measured({}, "", problem=report.problem)


def wrote(command: str, moved: Sequence[str]) -> str:
    """Say that a run changed its own inputs."""
    return (
        f"while {command} ran, its inputs changed ({', '.join(moved)}): "
        "ignore what it writes in .gitignore, or narrow its inputs"
    )


def kept(workspace: Workspace, one: Wanted, inputs: Inputs, measured: Measured, source: Source) -> Made:
    """Return the evidence of what was measured, or why it cannot be kept."""
    try:
        return Made(one, evidence_of(workspace, one, inputs, measured, source))
    except FormatError as error:
        return Made(one, None, str(error))
