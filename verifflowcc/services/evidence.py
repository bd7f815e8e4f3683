"""Make evidence: run what the gates ask for, and put what it shows on record."""

from collections.abc import Callable, Sequence

from verifflowcc.domain.evidence import Run
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Kind, Verdict
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.allow import ensure_allowed
from verifflowcc.services.evidence_running import CommandRun, Made, now, run_for, running, take_baseline
from verifflowcc.services.evidence_writing import Standing, standing, write_evidence
from verifflowcc.services.facts import gather_facts
from verifflowcc.services.finding import find_stage
from verifflowcc.services.gates import sound_facts
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_recorded import assess_recorded
from verifflowcc.workflow.command_reports import filled
from verifflowcc.workflow.evidence_wanted import Wanted, due, everything, named, of_stage


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
    evidence: str | None = None
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
    evidence: tuple[str, ...]


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


def run_evidence(
    workspace: Workspace,
    sprint_id: str,
    wanted: Sequence[str] = (),
    *,
    stage: str | None = None,
    every: bool = False,
    actor: str,
    progress: Callable[[str], None],
) -> EvidenceRun:
    """Make evidence for the criteria or commands named; without names, for what stands in the way now.

    Each command runs once. `progress` is told what runs. Raises CommandsNotAllowed, with nothing run and nothing
    written, where the commands are not allowed on this machine; WorkspaceError where nothing of what is wanted can be
    run; ConflictError while another process runs commands here; UsageError for names that mean nothing.
    """
    at = standing(workspace, sprint_id)
    facts = sound_facts(workspace, at.state)
    chosen = _chosen(facts, wanted, stage, every)
    groups = _by_command(chosen, facts)
    if groups:
        ensure_allowed(workspace, facts.commands)
    baselines = [one for one in chosen if one.criterion.kind is Kind.BASELINE]
    if not groups and not baselines:
        raise _nothing_to_run(chosen, facts)
    runs: list[CommandRun] = []
    made: list[Made] = []
    with running(workspace):
        for name, criteria in groups.items():
            command = facts.commands[name]
            progress(f"{name}: {' '.join(filled(command))}")
            done = run_for(workspace, command, criteria, facts)
            at = _write(workspace, at, done.made, actor)
            runs.append(done)
            made += done.made
        for one in baselines:
            frozen = take_baseline(workspace, one, now(workspace, facts))
            at = _write(workspace, at, [frozen], actor)
            made.append(frozen)
    after = gather_facts(workspace, at.state)
    durations = {done.run.command: done.run.duration_ms for done in runs}
    by_wanted = {(one.wanted.stage, one.wanted.criterion.id): one for one in made}
    rows = [_row(one, by_wanted.get((one.stage, one.criterion.id)), after, durations) for one in chosen]
    return EvidenceRun(sprint_id, tuple(rows), tuple(map(_done, runs)))


def _chosen(facts: Facts, names: Sequence[str], stage: str | None, every: bool) -> tuple[Wanted, ...]:
    if stage is not None:
        find_stage(facts.sprint, stage)
    if names:
        return named(facts, names, stage)
    if stage is not None:
        found = of_stage(find_stage(facts.sprint, stage))
        where = f"{facts.sprint.id}/{stage}"
    else:
        found = everything(facts.sprint) if every else due(facts)
        where = facts.sprint.id
    if not found:
        raise WorkspaceError(f"no gate of {where} that is still to be passed asks for evidence", hint="vfcc check gate")
    return found


def _by_command(chosen: Sequence[Wanted], facts: Facts) -> dict[str, list[Wanted]]:
    groups: dict[str, list[Wanted]] = {}
    for one in chosen:
        name = one.criterion.command
        if one.criterion.kind is not Kind.BASELINE and name in facts.commands and name is not None:
            groups.setdefault(name, []).append(one)
    return groups


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
        duration_ms=durations.get(one.criterion.command or "") if made else None,
        notes=asked.notes,
    )
