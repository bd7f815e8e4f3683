"""Make evidence: run what the gates ask for, and put what it shows on record."""

from collections.abc import Callable, Sequence

from verifflowcc.adapters.clock import step
from verifflowcc.adapters.files.evidence import read_blob
from verifflowcc.domain.evidence import Run
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Kind, Verdict
from verifflowcc.errors import UsageError, WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.allow import ensure_allowed
from verifflowcc.services.evidence_running import CommandRun, Made, last_lines, log_path, now, run_for, running
from verifflowcc.services.evidence_single import SINGLE, make_single
from verifflowcc.services.evidence_writing import Standing, standing, write_evidence
from verifflowcc.services.facts import gather_facts
from verifflowcc.services.finding import find_stage, one_line
from verifflowcc.services.gates import sound_facts
from verifflowcc.services.people_acting import require_person
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_recorded import assess_recorded
from verifflowcc.workflow.evidence_wanted import Wanted, due, everything, named, of_stage
from verifflowcc.workflow.idle import without_idle
from verifflowcc.workflow.measured_verdict import filled


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A criterion after the run: what the gate says of it now, and on what evidence.

    `evidence` is None where none was made: `ran` then says whether its command ran at all. `duration_ms` is that of the
    command.
    """

    stage: str
    criterion: str
    kind: Kind
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
class CommandDone:
    """A command that ran: `argv` as it ran, `lines` the last of its output, `evidence` the ids of what it left."""

    run: Run
    argv: tuple[str, ...]
    lines: tuple[str, ...]
    """The last lines of its output."""
    evidence: tuple[str, ...]
    """Ids of the new evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceRun:
    """What became of a run: a row for each criterion, in the order of the workflow, and the commands that ran."""

    sprint: str
    rows: tuple[EvidenceRow, ...]
    commands: tuple[CommandDone, ...]

    @property
    def all_met(self) -> bool:
        """Whether every criterion is met now."""
        return all(row.met for row in self.rows)


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
    """Make evidence for the criteria or commands named; without names, for what stands in the way now.

    Each command runs once. `progress` gets a line for each.

    Raises CommandsNotAllowed, with nothing run and nothing
    written, where the commands are not allowed on this machine; WorkspaceError where nothing of what is wanted can be
    run; ConflictError while another process runs commands here; UsageError for names that mean nothing; NotAllowed for
    a `refactoring` (its reason) that no person states.
    """
    at = standing(workspace, sprint_id)
    facts = sound_facts(workspace, at.state)
    chosen = _chosen(facts, wanted, stage, every)
    reason = _stated(chosen, refactoring, actor) if refactoring else ""
    groups, singles = _by_command(chosen, facts), _singles(chosen, facts)
    if groups or any(one.criterion.command for one in singles):
        ensure_allowed(workspace, facts.commands)
    if not groups and not singles:
        raise _nothing_to_run(chosen, facts)
    runs: list[CommandRun] = []
    made: list[Made] = []
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


def end_of_output(workspace: Workspace, done: CommandDone, count: int) -> tuple[str, ...]:
    """Return the last lines that a command wrote, more than its result keeps."""
    output = read_blob(workspace.local, done.run.output)
    return done.lines if output is None else last_lines(output, count)


def _chosen(facts: Facts, names: Sequence[str], stage: str | None, every: bool) -> tuple[Wanted, ...]:
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


def _by_command(chosen: Sequence[Wanted], facts: Facts) -> dict[str, list[Wanted]]:
    groups: dict[str, list[Wanted]] = {}
    for one in chosen:
        name = one.criterion.command
        if one.criterion.kind not in SINGLE and name in facts.commands and name is not None:
            groups.setdefault(name, []).append(one)
    return groups


def _singles(chosen: Sequence[Wanted], facts: Facts) -> list[Wanted]:
    """Return what is made by itself; of proofs those whose command is configured."""
    return [
        one
        for one in chosen
        if one.criterion.kind in SINGLE and (one.criterion.command is None or one.criterion.command in facts.commands)
    ]


def _stated(chosen: Sequence[Wanted], refactoring: str, actor: str) -> str:
    """Return the reason of a person who states that behaviour stays. Raises NotAllowed, UsageError."""
    hint = 'vfcc evidence run red-first --refactoring "why behaviour stays"'
    if all(one.criterion.kind is not Kind.RED_FIRST for one in chosen):
        raise UsageError("--refactoring is for a criterion of the kind red-first", hint=hint)
    require_person(actor, "stating a refactoring", hint=f"{hint}  # at a terminal of your own")
    reason = one_line(refactoring, "the reason")
    if not reason:
        raise UsageError("a refactoring needs a reason", hint=hint)
    return reason


def _nothing_to_run(chosen: Sequence[Wanted], facts: Facts) -> WorkspaceError:
    asked = [assess_recorded(one.criterion, one.stage, facts) for one in chosen]
    lines = [f"{one}: {found.reason}" for one, found in zip(chosen, asked, strict=True)]
    return WorkspaceError("\n".join(lines), hint=next((found.step for found in asked if found.step), "vfcc check gate"))


def _write(workspace: Workspace, at: Standing, made: Sequence[Made], actor: str) -> Standing:
    for one in made:
        if one.evidence:
            at = write_evidence(workspace, at, one.evidence, actor=actor)
    return at


def _done(ran: CommandRun) -> CommandDone:
    return CommandDone(ran.run, ran.argv, ran.lines, tuple(one.evidence.id for one in ran.made if one.evidence))


def _row(one: Wanted, made: Made | None, facts: Facts, durations: dict[str, int]) -> EvidenceRow:
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


def _duration(one: Wanted, made: Made | None, durations: dict[str, int]) -> int | None:
    if made is None:
        return None
    if one.criterion.kind in SINGLE:
        return made.evidence.run.duration_ms if made.evidence and made.evidence.run else None
    return durations.get(one.criterion.command or "")
