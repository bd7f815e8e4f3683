"""Make evidence: run what the gates ask for, and put what it shows on record."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.git.git_protected import head_commit, read_history
from verifflowcc.base.model.events import EventType, Json, LedgerRead
from verifflowcc.base.model.evidence_values import Command, Evidence, Measurement, Run
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import REPORTS, Assessment, CriterionKind, EvidenceTrust, Verdict
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import counted
from verifflowcc.base.use.guarding import refuse_secrets
from verifflowcc.base.use.stage_words import find_stage, one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_criteria import assess_recorded
from verifflowcc.gates.rules.evidence_wanted import (
    EvidenceRequest,
    due,
    everything,
    named,
    of_stage,
    one_named,
    without_idle,
)
from verifflowcc.gates.rules.runners import Runner, narrowed, not_collected, runner_of
from verifflowcc.gates.rules.staleness import inputs_now
from verifflowcc.gates.use.evidence_running import (
    CommandRun,
    EvidenceResult,
    EvidenceSource,
    Project,
    RunReport,
    evidence_of,
    last_lines,
    log_path,
    measure_report,
    now,
    run_alone,
    run_for,
    running,
)
from verifflowcc.gates.use.evidence_single import SINGLE, make_single
from verifflowcc.gates.use.gates_now import gather_facts, sound_facts, write_results
from verifflowcc.sprint.rules.evidence_files import encode_evidence
from verifflowcc.sprint.rules.measured_verdict import filled
from verifflowcc.sprint.store.evidence_store import (
    evidence_path,
    is_from_the_future,
    newest_after,
    place_evidence,
    put_evidence,
    read_blob,
    read_report,
)
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.people_acting import WAIT_S, record, require_open, require_person
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_movable

if TYPE_CHECKING:
    from verifflowcc.code.rules.code_views import AffectedTest

# Put evidence on record: its file, and the event that makes it count.


@dataclass(frozen=True, slots=True)
class LedgerView:
    """A sprint's ledger as it was last seen; each writing returns the next one, so that nothing is read twice."""

    seen: LedgerRead
    state: SprintState


def open_ledger(workspace: Workspace, sprint_id: str) -> LedgerView:
    """Return a sprint to which evidence can be added.

    Raises as `load_movable` does, and UsageError where the sprint is closed.
    """
    seen, state = load_movable(workspace, sprint_id)
    require_open(state)
    return LedgerView(seen, state)


def write_evidence(workspace: Workspace, at: LedgerView, evidence: Evidence, *, actor: str) -> LedgerView:
    """Put a piece of evidence on record; where somebody else writes at the same time, it is added after theirs.

    The event is what counts: after a crash before it nothing has happened, after it the evidence is there.
    """
    data = encode_evidence(evidence)
    path = evidence_path(evidence.sprint, evidence.stage, evidence.id)
    payload: Mapping[str, Json] = {
        "stage": evidence.stage,
        "kind": str(evidence.kind),
        "criterion": evidence.criterion,
        "evidence": evidence.id,
        "digest": digest_text(data),
    }

    def prepare(writer: LedgerWriter) -> tuple[str, ...]:
        put_evidence(writer.memory, path, data)
        return (path, *write_results(workspace, evidence))

    move = (EventType.EVIDENCE_ADDED, payload)
    try:
        done = record(workspace, at.seen, at.state, move, actor=actor, prepare=prepare)
    except ConflictError:
        with ledger_of(workspace).held(WAIT_S):
            at = open_ledger(workspace, evidence.sprint)
            done = record(workspace, at.seen, at.state, move, actor=actor, prepare=prepare, held=True)
    with suppress(WorkspaceError):  # it is on record, and counts under its hidden name as well
        place_evidence(workspace.memory, path)
    names = tuple(sorted((*at.seen.names, f"{done.event.id}.json")))
    seen = LedgerRead(at.seen.sprint, (*at.seen.events, done.event), at.seen.problems, names)
    return LedgerView(seen, done.state)


# Take in a report that was made elsewhere: by a CI job, a device under test, a person.

_VALUE = lazy_pattern(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,6})?")
OUTSIDE = "…/"


@dataclass(frozen=True, slots=True)
class EvidenceAddition:
    """Evidence that was taken in, and what the gate says of its criterion now."""

    evidence: Evidence
    assessment: Assessment


def add_evidence(
    workspace: Workspace,
    sprint_id: str,
    criterion_id: str,
    file: Path | None = None,
    *,
    value: str | None = None,
    stage: str | None = None,
    actor: str,
) -> EvidenceAddition:
    """Put a report, or the value of a metric, on record as the word of `actor`.

    Raises FormatError for a report that is empty, cannot be read, or is older than a file that it speaks of; UsageError
    for an unknown criterion, and one whose evidence is not a report.
    """
    at = open_ledger(workspace, sprint_id)
    facts = sound_facts(workspace, at.state)
    if stage is not None:
        find_stage(facts.sprint, stage)
    wanted = one_named(facts, criterion_id, stage)
    _check_kind(wanted, value)
    if value is not None:
        report, measured = RunReport(), _evidence_adding_stated(wanted, value)
        inputs = inputs_now(wanted.criterion, wanted.stage, facts)
    elif file is not None:
        refuse_secrets(("the report's name", file.name))
        report = RunReport(_name(workspace, file), read_report(file))
        inputs = inputs_now(wanted.criterion, wanted.stage, facts, report.path)
        _check_age(workspace, file, inputs.digests)
        measured = _measured(workspace, wanted, file, report, facts)
    else:
        raise UsageError("a report or a value is needed", hint=f"vfcc evidence add FILE --criterion {criterion_id}")
    trust = EvidenceTrust.IMPORTED_CI if actor == "ci" else EvidenceTrust.ASSERTED
    source = EvidenceSource(sprint_id, trust, head_commit(workspace.root), None, report)
    evidence = evidence_of(workspace, wanted, inputs, measured, source)
    at = write_evidence(workspace, at, evidence, actor=actor)
    after = gather_facts(workspace, at.state)
    return EvidenceAddition(evidence, assess_recorded(wanted.criterion, wanted.stage, after))


def _check_kind(wanted: EvidenceRequest, value: str | None) -> None:
    kind, name = wanted.criterion.kind, wanted.criterion.id
    if kind not in REPORTS:
        raise UsageError(f"evidence of the kind {kind} is not imported, it is made", hint=f"vfcc evidence run {name}")
    if value is not None and kind is not CriterionKind.METRIC:
        raise UsageError(f"{name} is of the kind {kind}; --value is for a metric", hint="vfcc evidence add FILE …")


def _evidence_adding_stated(wanted: EvidenceRequest, value: str) -> Measurement:
    if not _VALUE.fullmatch(value):
        raise UsageError(f"the value {value!r} is no number with at most nine digits and six decimals, as 12.5")
    name = wanted.criterion.metric or wanted.criterion.id
    millionths = int(Decimal(value).scaleb(6))
    return Measurement({name: millionths}, digest_text(f"{name}\0{millionths}\n"))


def _name(workspace: Workspace, file: Path) -> str:
    """Return the report's path below the project's root; of one that lies elsewhere, its name alone."""
    place = file.absolute().parent.resolve() / file.name
    root = workspace.root.resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else f"{OUTSIDE}{file.name}"


def _check_age(workspace: Workspace, file: Path, inputs: Mapping[str, str]) -> None:
    if is_from_the_future(file):
        raise FormatError(
            f"{file} is dated in the future, so that nothing says how old it is",
            hint="make the report again, then add it again",
        )
    newer = newest_after(workspace.root, file, inputs)
    if newer is not None:
        raise FormatError(
            f"{file} is older than {newer}, of which it is to speak", hint="make the report again, then add it again"
        )


def _measured(
    workspace: Workspace, wanted: EvidenceRequest, file: Path, report: RunReport, facts: Facts
) -> Measurement:
    history = (
        read_history(workspace.root, facts.sprint.base) if wanted.criterion.kind is CriterionKind.COVERAGE else None
    )
    project = Project(workspace.root, facts.content, history)
    found = measure_report(wanted.criterion, report.data or b"", project)
    if found.problem:
        raise FormatError(f"{file}: {found.problem}", hint=f"a {wanted.criterion.kind} report is expected")
    return found


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A criterion after the run: what the gate says of it now, and on what evidence.

    `evidence` is None where none was made: `ran` then says whether its command ran at all. `duration_ms` is that of the
    command.
    """

    stage: str
    criterion: str
    kind: CriterionKind
    command: str | None
    verdict: Verdict
    reason: str
    step: str
    ran: bool
    """Whether anything was run for it."""
    evidence: str | None = None
    """The id of the new evidence, or null."""
    duration_ms: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether nothing is left to be done for it."""
        return self.verdict is Verdict.PASS


@dataclass(frozen=True, slots=True)
class FinishedCommand:
    """A command that ran: `argv` as it ran, `lines` the last of its output, `evidence` the ids of what it left."""

    run: Run
    argv: tuple[str, ...]
    lines: tuple[str, ...]
    """The last lines of its output."""
    evidence: tuple[str, ...]
    """Ids of the new evidence."""
    failed: tuple[str, ...] = ()
    """The affected tests that failed, by the report."""

    @property
    def passed(self) -> bool:
        """Whether it ended by itself, and well."""
        return not self.run.failure and self.run.exit_code == 0


@dataclass(frozen=True, slots=True)
class EvidenceRun:
    """What became of a run: a row for each criterion, in the order of the workflow, and the commands that ran."""

    sprint: str
    rows: tuple[EvidenceRow, ...]
    commands: tuple[FinishedCommand, ...]

    @property
    def all_met(self) -> bool:
        """Whether every criterion is met now; where only affected tests ran, whether they passed."""
        return all(row.met for row in self.rows) if self.rows else all(each.passed for each in self.commands)


def run_evidence(  # noqa: PLR0913 - one argument for each option
    workspace: Workspace,
    sprint_id: str,
    wanted: Sequence[str] = (),
    *,
    stage: str | None = None,
    every: bool = False,
    refactoring: str = "",
    actor: str,
    progress: Callable[[str], None],
) -> EvidenceRun:
    """Make evidence for criteria or commands (default: those blocking the gate).

    Each command runs once. `progress` gets a line for each.

    Raises CommandsNotAllowed, with nothing run and nothing written, where the commands are not allowed on this machine;
    WorkspaceError where nothing of what is wanted can be run; ConflictError while another process runs commands here;
    UsageError for names that mean nothing; NotAllowed for a `refactoring` (its reason) that no person states.
    """
    at = open_ledger(workspace, sprint_id)
    facts = sound_facts(workspace, at.state)
    chosen = _chosen(facts, wanted, stage, every)
    reason = _stated(chosen, refactoring, actor) if refactoring else ""
    groups, singles = _by_command(chosen, facts), _singles(chosen, facts)
    if groups or any(one.criterion.command for one in singles):
        ensure_allowed(workspace, facts.commands)
    if not groups and not singles:
        raise _nothing_to_run(chosen, facts)
    runs: list[CommandRun] = []
    made: list[EvidenceResult] = []
    with running(workspace):
        for name, criteria in groups.items():
            command = facts.commands[name]
            progress(f"{name}: {' '.join(filled(command))} (log: {log_path(command)})")
            with step(f"running {name}", past=f"ran {name}"):
                done = run_for(workspace, command, criteria, facts)
            at = _write(workspace, at, done.made, actor)
            runs.append(done)
            made += done.made
        for one in singles:
            if one.criterion.command:
                name = one.criterion.command
                progress(f"{one.criterion.id}: the tests of the change, by {name}, with the change and without it")
            with step(f"making evidence for {one.criterion.id}", past=f"made evidence for {one.criterion.id}"):
                single = make_single(workspace, one, now(workspace, facts), reason)
            at = _write(workspace, at, [single], actor)
            made.append(single)
    after = gather_facts(workspace, at.state)
    durations = {done.run.command: done.run.duration_ms for done in runs}
    by_wanted = {(one.wanted.stage, one.wanted.criterion.id): one for one in made}
    rows = [_row(one, by_wanted.get((one.stage, one.criterion.id)), after, durations) for one in chosen]
    return EvidenceRun(sprint_id, tuple(rows), tuple(map(_done, runs)))


def run_affected(
    workspace: Workspace, sprint_id: str, names: Sequence[str] = (), *, progress: Callable[[str], None]
) -> EvidenceRun:
    """Run the tests that what changed reaches, by the commands of the criteria that ask for tests, or of those named.

    It has no rows: no gate passes on some of the tests. Raises as `run_evidence`, and WorkspaceError where no test is
    reached or no command runs single tests.
    """
    from verifflowcc.code.use.review import ReviewScope, affected_by_diff, base_of

    facts = sound_facts(workspace, open_ledger(workspace, sprint_id).state)
    asked = named(facts, names, None) if names else everything(facts.sprint)
    wanted = dict.fromkeys(one.criterion.command for one in asked if one.criterion.kind is CriterionKind.JUNIT)
    commands = [facts.commands[name] for name in wanted if name and name in facts.commands]
    ensure_allowed(workspace, facts.commands)
    base = base_of(facts.sprint, facts.sprint.current)
    found = affected_by_diff(workspace, ReviewScope(base))
    if not found.tests:
        since = f" since {base[:12]}" if base else ""
        raise WorkspaceError(f"no test is known to reach what changed{since}", hint="vfcc evidence run")
    if not found.whole:
        progress("more code uses what changed than is followed: these are some of the tests that reach it")
    with running(workspace):
        done = [each for command in commands for each in _affected(workspace, command, found.tests, progress)]
    if not done:
        raise WorkspaceError(
            "no command of this project runs single tests of these languages", hint="vfcc code impact --diff"
        )
    return EvidenceRun(sprint_id, (), tuple(done))


def _affected(
    workspace: Workspace, command: Command, tests: "Sequence[AffectedTest]", progress: Callable[[str], None]
) -> list[FinishedCommand]:
    """Run some tests by a command; none where it runs no single tests, or none of these."""
    runner = runner_of(command.argv)
    if runner is None:
        return []
    own = replace(command, name=f"{command.name}-affected")
    done = []
    for argv in narrowed(runner, filled(own), tests, lambda word: (workspace.root / word).exists()):
        progress(f"{own.name}: {counted(len(tests), 'test')} that the change reaches (log: {log_path(own)})")
        with step(f"running {own.name}", past=f"ran {own.name}"):
            done.append(_done(run_alone(workspace, own, argv)))
    if runner is Runner.PYTEST and done and done[0].run.exit_code == _NOT_FOUND:
        unfound = not_collected((read_blob(workspace.local, done[0].run.output) or b"").decode("utf-8", "replace"))
        root = workspace.root.resolve()
        whole = [replace(each, name="") if str(root / each.path) in unfound else each for each in tests]
        return _affected(workspace, command, whole, progress) if whole != list(tests) else done
    return done


_NOT_FOUND = 4
"""pytest ran nothing, since it did not find a test that was named: its module may skip itself."""


def end_of_output(workspace: Workspace, done: FinishedCommand, count: int) -> tuple[str, ...]:
    """Return the last lines that a command wrote, more than its result keeps."""
    output = read_blob(workspace.local, done.run.output)
    return done.lines if output is None else last_lines(output, count)


def _chosen(facts: Facts, names: Sequence[str], stage: str | None, every: bool) -> tuple[EvidenceRequest, ...]:
    if stage is not None:
        find_stage(facts.sprint, stage)
    if names:
        return named(facts, names, stage)
    if stage is not None:
        found = without_idle(of_stage(find_stage(facts.sprint, stage)), facts)
        where = f"{facts.sprint.id}/{stage}"
    else:
        found = without_idle(everything(facts.sprint) if every else due(facts), facts)
        where = facts.sprint.id
    if not found:
        raise WorkspaceError(f"no gate of {where} that is still to be passed asks for evidence", hint="vfcc check gate")
    return found


def _by_command(chosen: Sequence[EvidenceRequest], facts: Facts) -> dict[str, list[EvidenceRequest]]:
    groups: dict[str, list[EvidenceRequest]] = {}
    for one in chosen:
        name = one.criterion.command
        if one.criterion.kind not in SINGLE and name in facts.commands and name is not None:
            groups.setdefault(name, []).append(one)
    return groups


def _singles(chosen: Sequence[EvidenceRequest], facts: Facts) -> list[EvidenceRequest]:
    """Return what is made by itself; of proofs those whose command is configured."""
    return [
        one
        for one in chosen
        if one.criterion.kind in SINGLE and (one.criterion.command is None or one.criterion.command in facts.commands)
    ]


def _stated(chosen: Sequence[EvidenceRequest], refactoring: str, actor: str) -> str:
    """Return the reason of a person who states that behaviour stays. Raises NotAllowed, UsageError."""
    hint = 'vfcc evidence run red-first --refactoring "why behaviour stays"'
    if all(one.criterion.kind is not CriterionKind.RED_FIRST for one in chosen):
        raise UsageError("--refactoring is for a criterion of the kind red-first", hint=hint)
    require_person(actor, "stating a refactoring", hint=f"{hint}  # at a terminal of your own")
    reason = one_line(refactoring, "the reason")
    if not reason:
        raise UsageError("a refactoring needs a reason", hint=hint)
    return reason


def _nothing_to_run(chosen: Sequence[EvidenceRequest], facts: Facts) -> WorkspaceError:
    asked = [assess_recorded(one.criterion, one.stage, facts) for one in chosen]
    lines = [f"{one}: {found.reason}" for one, found in zip(chosen, asked, strict=True)]
    return WorkspaceError("\n".join(lines), hint=next((found.step for found in asked if found.step), "vfcc check gate"))


def _write(workspace: Workspace, at: LedgerView, made: Sequence[EvidenceResult], actor: str) -> LedgerView:
    for one in made:
        if one.evidence:
            at = write_evidence(workspace, at, one.evidence, actor=actor)
    return at


def _done(ran: CommandRun) -> FinishedCommand:
    return FinishedCommand(
        ran.run, ran.argv, ran.lines, tuple(one.evidence.id for one in ran.made if one.evidence), ran.failed
    )


def _row(one: EvidenceRequest, made: EvidenceResult | None, facts: Facts, durations: dict[str, int]) -> EvidenceRow:
    asked = assess_recorded(one.criterion, one.stage, facts)
    problem = made.problem if made else ""
    return EvidenceRow(
        stage=one.stage,
        criterion=one.criterion.id,
        kind=one.criterion.kind,
        command=one.criterion.command,
        verdict=Verdict.NOT_EVALUABLE if problem else asked.verdict,
        reason=problem or asked.reason,
        step=asked.step,
        ran=made is not None,
        evidence=made.evidence.id if made and made.evidence else None,
        duration_ms=_duration(one, made, durations),
        notes=asked.notes,
    )


def _duration(one: EvidenceRequest, made: EvidenceResult | None, durations: dict[str, int]) -> int | None:
    if made is None:
        return None
    if one.criterion.kind in SINGLE:
        return made.evidence.run.duration_ms if made.evidence and made.evidence.run else None
    return durations.get(one.criterion.command or "")
