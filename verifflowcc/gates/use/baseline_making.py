"""Make a baseline: see the old faults on the content of the sprint's base, and record that a person accepts them."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.base.errors import FormatError, NotAllowed, UsageError, WorkspaceError
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.files.project_content import read_project_file
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.git.git_versions import TreeFile, commit_files
from verifflowcc.base.model.baseline_rules import baseline_payload, baseline_step, baseline_text
from verifflowcc.base.model.baselines import FAILED, OF_KIND, Baseline, BaselineEntry
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import BaselineKind, Criterion, CriterionKind, Mode
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.model.trace_values import Family
from verifflowcc.base.process.clock import step
from verifflowcc.base.process.command_run import CommandResult, run_command
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.baseline_files import load_baseline
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.gates.rules.evidence_wanted import everything
from verifflowcc.gates.rules.new_imports import import_roots, package_folders
from verifflowcc.gates.rules.project_parts import PartRules, ProjectPart, part_of
from verifflowcc.gates.rules.staleness import chosen, report_kind
from verifflowcc.gates.store.scratch_tree import Scratch, scratch_environment, scratch_of
from verifflowcc.gates.use.evidence_running import running
from verifflowcc.gates.use.gates_now import gather_facts
from verifflowcc.gates.use.proof_input import environments, generated, program_of
from verifflowcc.sprint.rules.junit_tests import failing_tests
from verifflowcc.sprint.rules.measured_verdict import filled, report_path, report_paths
from verifflowcc.sprint.rules.sarif import lint_findings, scan_findings
from verifflowcc.sprint.store.evidence_store import read_blob, remove_reports
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.people_acting import Transition, add_note, last_day, require_open, require_person, settle
from verifflowcc.sprint.use.sprint_reading import load_movable

# Run a configured command on the content of a sprint's base, in a scratch tree beside the repository.


@dataclass(frozen=True, slots=True)
class BaseRun:
    """A command that ran on the base content, and the report that it left (None: none)."""

    ran: CommandResult
    report: bytes | None


@dataclass(frozen=True, slots=True)
class BaseTree:
    """The content of a commit in a scratch tree. `root` is the project's folder there."""

    scratch: Scratch
    project: Path
    root: Path
    files: dict[str, TreeFile]

    def run(self, command: Command, kind: str) -> BaseRun:
        """Run a command on exactly the commit's content; `kind` is that of the report to read."""
        self.scratch.become(self.files)
        paths = report_paths(command)
        remove_reports(self.root, paths.values())
        words = filled(command)
        prefix = "".join(f"{part}/" for part in self.root.relative_to(self.scratch.tree).parts)
        below = [path.removeprefix(prefix) for path in self.files if path.startswith(prefix)]
        rules = PartRules(packages=package_folders(below))
        sources = [path for path in below if part_of(path, rules) is ProjectPart.PRODUCT]
        roots = [self.root / each for each in import_roots(sources)]
        env = scratch_environment(os.environ, self.scratch, self.root, roots)
        argv = (program_of(self.project, words[0]), *words[1:])
        ran = run_command(self.root, argv, command.timeout_s, env=env)
        path = paths.get(kind)
        return BaseRun(ran, read_project_file(self.root, path) if path else None)


@contextmanager
def base_tree(project: Path, base: str) -> Iterator[BaseTree]:
    """Give the content of the commit `base` in a scratch tree, with the environments of the project.

    Raises WorkspaceError where the project is in no git repository, or the tree cannot be made.
    """
    top = top_of(project)
    if top is None:
        raise WorkspaceError(f"{project} is in no git repository", hint="git init")
    top, folder = top.resolve(), project.resolve()
    files = commit_files(top, base)
    files = {**generated(top, files), **files}
    with scratch_of(top, base, environments(top, files)) as scratch:
        scratch.become(files)
        yield BaseTree(scratch, folder, scratch.tree / folder.relative_to(top), files)


MOST_RUNS = 100
_LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class BaselineProposal:
    """A baseline that a person may accept: what `removed` names was in the one before, and is not in it."""

    sprint: str
    baseline: Baseline
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedBaseline:
    """A baseline that is on record."""

    baseline: Baseline
    removed: tuple[str, ...]
    """Names in the previous baseline and not in this one."""
    move: Transition


def propose_baseline(  # noqa: PLR0913 - one argument for each option, and who acts
    workspace: Workspace,
    sprint_id: str,
    kind: BaselineKind,
    *,
    reason: str = "",
    expires: str | None = None,
    runs: int = 2,
    actor: str,
    progress: Callable[[str], None],
) -> BaselineProposal:
    """Return the faults that vfcc sees on the base content of a sprint; nothing is recorded.

    `progress` gets a line for each run.

    Without a reason and a day those of the baseline before it hold on. Tests run `runs` times, so that one that fails
    and passes is known as flaky. Raises NotAllowed for anybody but a person and in a strict workflow, UsageError where
    the reason or the day is missing and where there is no fault, WorkspaceError where a command cannot be run there.
    """
    state = _open_sprint(workspace, sprint_id, kind, actor)
    before = _before(workspace, kind)
    reason = one_line(reason, "the reason") or (before.reason if before else "")
    day = last_day(expires or (before.expires if before else None), workspace.today())
    if not reason or day is None:
        raise UsageError("a baseline needs a reason and a last day", hint=baseline_step(kind))
    if not 1 <= runs <= MOST_RUNS:
        raise UsageError(f"--runs {runs}: from 1 to {MOST_RUNS}", hint=f"vfcc baseline {kind} --runs 5")
    base = state.base or ""
    found = Baseline(kind, base, actor, reason, day, (), runs if kind is BaselineKind.TESTS else 1)
    with running(workspace), base_tree(workspace.root, base) as tree:
        if kind is BaselineKind.TRACE:
            found = replace(found, entries=tuple(_trace_faults(workspace, state, tree)))
        else:
            found = _from_commands(workspace, found, gather_facts(workspace, state), tree, progress)
    if not found.entries:
        raise UsageError(f"there is nothing to accept: {base[:7]}, the base of {sprint_id}, has no such fault")
    return BaselineProposal(sprint_id, found, _removed(before, found))


def propose_pruned(workspace: Workspace, sprint_id: str, *, actor: str) -> BaselineProposal:
    """Return the baseline of tests without those that passed in the newest evidence; nothing is recorded.

    Raises UsageError where there is no baseline, or none of its tests passed.
    """
    kind = BaselineKind.TESTS
    state = _open_sprint(workspace, sprint_id, kind, actor)
    before = load_baseline(workspace.root, kind)
    if before is None:
        raise UsageError("there is no baseline of tests", hint=baseline_step(kind))
    passed = dict(_passed(workspace, gather_facts(workspace, state)))
    left = [each for each in before.entries if each.is_flaky or each.name not in passed.get(each.command, ())]
    found = replace(before, by=actor, entries=tuple(left))
    removed = _removed(before, found)
    if not removed:
        raise UsageError("no test of the baseline passed in the newest evidence", hint="vfcc evidence run")
    return BaselineProposal(sprint_id, found, removed)


def record_baseline(
    workspace: Workspace, proposal: BaselineProposal, *, actor: str, email: str = "", commit: bool = False
) -> RecordedBaseline:
    """Write a baseline's file, and record the person's act. Raises NotAllowed for anybody but a named person."""
    baseline = proposal.baseline
    require_person(actor, _ACT, hint=f"{baseline_step(baseline.kind)}  # at a terminal of your own")
    text = baseline_text(baseline)
    inside = baseline.kind.path.removeprefix(f"{MEMORY}/")

    def write(writer: LedgerWriter) -> tuple[str, ...]:
        writer.put(inside, text)
        return (inside,)

    payload = baseline_payload(baseline, digest_text(text), email)
    done = add_note(workspace, proposal.sprint, EventType.BASELINE_SET, lambda _: payload, actor=actor, prepare=write)
    done = settle(workspace, done, f"{proposal.sprint}: baseline of {baseline.kind}", commit=commit)
    return RecordedBaseline(baseline, proposal.removed, done)


_ACT = "accepting old faults"


def _open_sprint(workspace: Workspace, sprint_id: str, kind: BaselineKind, actor: str) -> SprintState:
    require_person(actor, _ACT, hint=f"{baseline_step(kind)}  # at a terminal of your own")
    state = load_movable(workspace, sprint_id)[1]
    require_open(state)
    if state.workflow and state.workflow.strict:
        raise NotAllowed(f"the workflow {state.workflow.name} is strict and accepts no baseline", hint="vfcc next")
    if state.base is None:
        raise UsageError(f"{state.id} began before the first commit, so it has no base to compare with")
    return state


def _before(workspace: Workspace, kind: BaselineKind) -> Baseline | None:
    """Return the baseline that is replaced; one that cannot be read is, too."""
    try:
        return load_baseline(workspace.root, kind)
    except FormatError:
        return None


def _removed(before: Baseline | None, now: Baseline) -> tuple[str, ...]:
    names = {(each.command, each.name) for each in now.entries}
    return tuple(each.name for each in before.entries if (each.command, each.name) not in names) if before else ()


def _from_commands(
    workspace: Workspace, found: Baseline, facts: Facts, tree: BaseTree, progress: Callable[[str], None]
) -> Baseline:
    asked = tuple(_asked(found.kind, facts))
    if not asked:
        raise UsageError(f"no criterion of {facts.sprint.id} has a command that shows {found.kind}")
    ensure_allowed(workspace, facts.commands)
    entries: list[BaselineEntry] = []
    codes: dict[str, tuple[int, ...]] = {}
    for criterion, command in asked:
        made = []
        for number in range(found.runs):
            run = f"{command.name} on {found.base[:7]}, {number + 1} of {found.runs}"
            progress(run)
            with step(f"running {run}", past=f"ran {run}"):
                made.append(tree.run(command, report_kind(criterion)))
        entries += _faults(criterion, command, made, tree)
        codes[command.name] = tuple(sorted({each.ran.exit_code for each in made if each.ran.exit_code}))
    return replace(found, entries=tuple(sorted(entries)), exit_codes=codes)


def _asked(kind: BaselineKind, facts: Facts) -> Iterator[tuple[Criterion, Command]]:
    """Yield one criterion for each report of each command."""
    seen = set()
    for wanted in everything(facts.sprint):
        criterion = wanted.criterion
        command = facts.commands.get(criterion.command or "")
        if OF_KIND.get(criterion.kind) is not kind or command is None or criterion.mode is Mode.OFF:
            continue
        place = (command.name, report_kind(criterion))
        if place not in seen:
            seen.add(place)
            yield criterion, command


def _faults(criterion: Criterion, command: Command, made: list[BaseRun], tree: BaseTree) -> Iterator[BaselineEntry]:
    for each in made:
        if each.ran.exit_code is None:
            raise WorkspaceError(f"on the base content, {command.name} {each.ran.failure}")
    try:
        if criterion.kind is CriterionKind.JUNIT:
            yield from _test_faults(command, [_report(each, criterion, command) for each in made])
            return
        run = made[0]
        if criterion.kind is CriterionKind.SARIF:
            found = list(scan_findings(_report(run, criterion, command), frozenset(tree.files)))
        else:
            data = run.report if run.report is not None else run.ran.output
            found = lint_findings(data.decode("utf-8", "replace"))
    except FormatError as error:
        raise WorkspaceError(f"on the base content, the report of {command.name} cannot be read: {error}") from error
    counts, texts = Counter(key for key, _ in found), dict(found)
    for key, count in counts.items():
        yield BaselineEntry(command.name, key, (FAILED,), count, withhold(texts[key])[:_LONGEST_TEXT])


def _report(run: BaseRun, criterion: Criterion, command: Command) -> bytes:
    if run.report is None:
        path = report_path(command, report_kind(criterion))
        where = f"no report at {path}" if path else "no report"
        output = run.ran.output.decode("utf-8", "replace").strip().rpartition("\n")[2][:_LONGEST_TEXT]
        raise WorkspaceError(f"on the base content, {command.name} left {where}; its last line: {output}")
    return run.report


def _test_faults(command: Command, reports: list[bytes]) -> Iterator[BaselineEntry]:
    """Yield each test that failed in a run, with both of its results where it passed in another."""
    seen: dict[str, set[str]] = {}
    for data in reports:
        for name, results in failing_tests(data).items():
            seen.setdefault(name, set()).update(results)
    for name, results in seen.items():
        if FAILED in results:
            yield BaselineEntry(command.name, name, tuple(sorted(results)))


def _trace_faults(workspace: Workspace, state: SprintState, tree: BaseTree) -> Iterator[BaselineEntry]:
    """Yield what the trace checks find on the base content, but for results of tests: those are no content."""
    from verifflowcc.trace.use.trace_checking import check_trace

    report = check_trace(Workspace(tree.root, workspace.clock), workflow=state.workflow).report
    for each in report.findings:
        if each.family is not Family.RESULTS and not each.key.startswith("nothing-to-evaluate|"):
            yield BaselineEntry("", each.key, (FAILED,), 1, withhold(f"{each.path}: {each.message}")[:_LONGEST_TEXT])


def _passed(workspace: Workspace, facts: Facts) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield, for each command, the tests that passed and did not fail in its newest evidence of the present content."""
    found: Mapping[str, bytes] = {}
    for wanted in everything(facts.sprint):
        criterion = wanted.criterion
        if criterion.kind is not CriterionKind.JUNIT or criterion.command is None:
            continue
        for one in chosen(criterion, wanted.stage, facts).latest:
            digest = one.evidence.report_digest if one.evidence else None
            data = read_blob(workspace.local, digest) if digest else None
            if data is not None:
                found = {**found, criterion.command: data}
    for command, data in found.items():
        results = failing_tests(data)
        yield command, frozenset(name for name, seen in results.items() if FAILED not in seen)
