"""`vfcc evidence`: make, add, list, show and redact what the gates rest on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    CommitFlag,
    FullFlag,
    JsonFlag,
    ShortIdArgument,
    SprintOption,
    StageArgument,
    YesFlag,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.gates.use.evidence_making import EvidenceRun, FinishedCommand
    from verifflowcc.gates.use.next_action import NextStep
    from verifflowcc.gates.use.proof import ChangeProof, Proof
    from verifflowcc.gates.use.proof_input import TestCommand


# `vfcc metrics`: the numbers of stages and sprints side by side.


def metrics(
    sprint: Annotated[
        str | None, typer.Option("--sprint", metavar="ID", help="Sprint id (default: all sprints).")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one row per stage as CSV.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the numbers of stages and sprints.

    Times, failures, rework, findings, waivers, tests and coverage of each stage, with totals per sprint. Exits with 1
    where a stage's metrics.json is missing or damaged: its numbers are then unknown and shown as such.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli import evidence_output as report_views
    from verifflowcc.gates.use.sprint_metrics import gather_metrics
    from verifflowcc.sprint.rules.stage_numbers import csv_text

    if as_csv and as_json:
        raise UsageError("give --csv or --json, not both", hint="vfcc metrics --csv")
    found = gather_metrics(open_workspace(), sprint)
    if as_json:
        out.emit_json(found)
    elif as_csv:
        out.emit(csv_text(found.sprints))
    else:
        out.emit(report_views.all_metrics(found.sprints))
    for problem in found.problems:
        out.warn(problem)
    if found.problems:
        raise typer.Exit(1)


# `vfcc next`: the one most useful action, and its command.


def next_(stage: StageArgument = None, sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """Print the one most useful thing to do now, and its command.

    Of a stage that is named, what it owes.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import folded
    from verifflowcc.base.terminal.terminal import wants_color
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.use.next_action import next_step
    from verifflowcc.sprint.use.sprint_reading import sprint_with_stage

    workspace = open_workspace()
    if stage is not None:
        sprint_with_stage(workspace, sprint, stage, "vfcc next")
    step = next_step(workspace, sprint, stage)
    if as_json:
        out.emit_json(step)
        return
    chosen = [f"sprint {step.sprint} ({step.chosen_by})"] if step.chosen_by else []
    if wants_color():
        out.emit("\n".join([*chosen, *_explained(step), *(folded(line, 4) for line in _more(step))]))
    else:
        out.emit("\n".join([*chosen, step.why, step.command, *_more(step)]))


def _explained(step: "NextStep") -> list[str]:
    """Return the command and, in a sentence, why it is next, for a terminal."""
    from verifflowcc.base.terminal.output import folded
    from verifflowcc.base.terminal.terminal import painted, status_symbol

    why = f"because {step.why}"
    if first := step.first:
        verb = "entered" if first.entering else "left"
        closed = f"because {first.stage} cannot be {verb} yet" if first.mode == "hard" else "because a check is open"
        why = f"{closed}: {first.criterion}: {first.reason}"
    return [f"{status_symbol('active')} {painted(step.command, 'accent')}", folded(f"  {why}", 2)]


def _more(step: "NextStep") -> list[str]:
    """Return who has to run the command, what is owed besides, and what a person may run instead."""
    first = step.first
    lines = ["  only a person can do this, at a terminal"] if first and first.person else []
    others = [f"{each.criterion}{' (by a person)' if each.person else ''}" for each in step.unmet if each is not first]
    lines += [f"  owed too: {', '.join(others)}"] if others else []
    lines += [f"  a person may leave that open: {step.alternative}"] if step.alternative else []
    return [*lines, *(f"  note: {note}" for note in step.notes)]


# `vfcc prove`.

FINDINGS, OPEN = 1, 3


def prove(
    revisions: Annotated[
        str | None,
        typer.Argument(
            metavar="[RANGE]",
            help="A commit, or a range of commits (default: the work tree; HEAD if it is unchanged).",
        ),
    ] = None,
    work_tree: Annotated[bool, typer.Option("--working-tree", help="Prove what is not committed yet.")] = False,
    staged: Annotated[bool, typer.Option("--staged", help="Prove what is staged.")] = False,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="COMMAND", help="How the tests run (default: by the files)."),
    ] = None,
    tests: Annotated[
        list[str] | None, typer.Option("--tests", metavar="GLOB", help="Further files that are tests; repeatable.")
    ] = None,
    refactoring: Annotated[
        bool, typer.Option("--refactoring", help="State that behaviour stays: every test must pass both times.")
    ] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Put the change back as a whole, not also by hunk.")] = False,
    time_s: Annotated[
        int,
        typer.Option(
            "--time", metavar="SECONDS", min=1, show_default=False, help="Start no run after it (default: 600)."
        ),
    ] = 600,
    runs: Annotated[
        int,
        typer.Option(
            "--runs", metavar="N", min=2, show_default=False, help="Runs of the tests for each change (default: 20)."
        ),
    ] = 20,
    fresh: Annotated[bool, typer.Option("--fresh", help="Use no outcome of an earlier proof.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Allow the command without asking; for a person or CI.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF, for code scanning.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check that the tests of a change fail without it.

    The tests that a change adds or alters run with it and without it, in a scratch tree of any git repository.
    Exits with 1 where a change's tests pass without it or fail with it, with 3 where a change could not be judged.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import current_folder
    from verifflowcc.gates.cli import prove_output as prove_views
    from verifflowcc.gates.use.proof import ProofRequest
    from verifflowcc.gates.use.proof import prove as prove_changes
    from verifflowcc.gates.use.proof_input import Choice, repository_top, test_command

    if as_json + markdown + sarif > 1:
        raise UsageError("only one of --json, --markdown and --sarif makes sense", hint="vfcc prove --help")
    folder = current_folder().resolve()
    top = repository_top(folder)
    found = test_command(top, folder, command)
    _allow(top, found, yes=yes)
    wanted = ProofRequest(
        argv=found.argv,
        runner=found.runner,
        folder="" if folder == top else folder.relative_to(top).as_posix(),
        patterns=tuple(tests or ()),
        grain=not whole,
        cached=not fresh,
        refactoring=refactoring,
    )
    proof = prove_changes(
        top, Choice(revisions, work_tree, staged), wanted, time_s=time_s, runs=runs, on_change=_progress()
    )
    if as_json:
        out.emit_json(proof)
    else:
        out.emit(
            prove_views.sarif(proof) if sarif else prove_views.markdown(proof) if markdown else prove_views.text(proof)
        )
    _exit(proof)


def _exit(proof: "Proof") -> None:
    if proof.red:
        raise typer.Exit(FINDINGS)
    if proof.open:
        raise typer.Exit(OPEN)


def _progress() -> "Callable[[ChangeProof], None] | None":
    from verifflowcc.base.terminal import output as out

    def show(done: "ChangeProof") -> None:
        out.say(f"{done.change}: {done.verdict}")

    return show if out.person_is_looking() else None


def _allow(top: "Path", command: "TestCommand", *, yes: bool) -> None:
    """Return where the command may run: allowed before, or now. Raises CommandsNotAllowed, typer.Abort."""
    from verifflowcc.base.errors import CommandsNotAllowed
    from verifflowcc.base.process.acting import actor_here
    from verifflowcc.base.process.clock import SystemClock, terminal_in_use
    from verifflowcc.base.terminal import output as out
    from verifflowcc.gates.use.proof_input import allow_command
    from verifflowcc.sprint.cli.allow_output import quoted

    if command.allowed:
        return
    words = " ".join(map(quoted, command.argv))
    if not yes:
        by_person = actor_here(top).name.startswith("human:")
        if not (by_person and sys.stdin.isatty()):
            raise CommandsNotAllowed(
                f"`{words}` runs the code of {top} and is not allowed on this machine yet",
                hint="vfcc prove --yes  # a person at a terminal, or a CI job",
            )
        out.say(f"vfcc prove runs the code of this repository, in a copy of it:\n  {words}\nin {quoted(str(top))}")
        with terminal_in_use():
            typer.confirm("Allow this command on this machine?", default=False, abort=True, err=True)
    allow_command(top, command, SystemClock())


app = typer.Typer(help="Make, add, list and show the evidence that gates rest on.", no_args_is_help=True)


UNMET = 1
LINES_FOR_PERSON = 20
STALE = 1
StageFilter = Annotated[str | None, typer.Option("--stage", metavar="ID", help="Only this stage.")]


@app.command()
def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CRITERION|COMMAND]…", help="Criteria or commands to run (default: those blocking the gate)."
        ),
    ] = None,
    stage: Annotated[
        str | None, typer.Option("--stage", metavar="ID", help="The criteria of this stage, all or those named.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="For all stages of the sprint.")] = False,
    affected: Annotated[
        bool, typer.Option("--affected", help="Only the tests that the change reaches; this is no evidence.")
    ] = False,
    refactoring: Annotated[
        str, typer.Option("--refactoring", metavar="REASON", help="State, as a person, that behaviour stays, and why.")
    ] = "",
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Run the commands that gates ask for, and record what they show.

    Exits with 1 where a criterion is not met or an affected test fails, with 3 where nothing could be run.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.gates.cli import evidence_output as evidence_views
    from verifflowcc.gates.use.evidence_making import run_affected, run_evidence
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint
    from verifflowcc.sprint.use.sprint_status import leave_status

    if every and (names or stage):
        raise UsageError("everything is meant by --all; it goes with no name and no --stage", hint="leave out --all")
    if affected and (every or stage or refactoring):
        raise UsageError("--affected goes with names of criteria or commands only", hint="vfcc evidence run --affected")
    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id

    def progress(text: str) -> None:
        out.progress(f"running {text}")

    if affected:
        done = run_affected(acting.workspace, wanted, names or (), progress=progress)
        unmet = Problem("criteria_unmet", "an affected test failed", "vfcc evidence run --affected")
        _end(acting.workspace, done, evidence_views.affected(done), unmet, as_json=as_json)
        return
    done = run_evidence(
        acting.workspace,
        wanted,
        names or (),
        stage=stage,
        every=every,
        refactoring=refactoring,
        actor=acting.actor,
        progress=progress,
    )
    leave_status(acting.workspace)
    unmet = Problem("criteria_unmet", "a criterion is not met by this evidence", "vfcc next")
    _end(acting.workspace, done, evidence_views.ran(done), unmet, as_json=as_json)


def _end(workspace: "Workspace", done: "EvidenceRun", text: str, unmet: "Problem", *, as_json: bool) -> None:
    """Show what became of a run. Raises typer.Exit where not all is met."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.gates.cli import evidence_output as evidence_views

    for end in evidence_views.outputs(done, _last_lines(workspace)):
        out.say(end)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(text)
    if not done.all_met:
        out.explain(unmet)
        raise typer.Exit(UNMET)


def _last_lines(workspace: "Workspace") -> "Callable[[FinishedCommand], Sequence[str]]":
    """Return what gives the end of a command's output: more of it where a person looks."""
    from verifflowcc.base.terminal.terminal import can_draw
    from verifflowcc.gates.use.evidence_making import end_of_output

    if can_draw(sys.stderr):
        return lambda done: end_of_output(workspace, done, LINES_FOR_PERSON)
    return lambda done: done.lines


@app.command()
def add(
    criterion: Annotated[str, typer.Option("--criterion", metavar="ID", help="Criterion that the evidence is for.")],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A report that was made elsewhere.")] = None,
    value: Annotated[str | None, typer.Option("--value", metavar="NUMBER", help="Instead: a metric's value.")] = None,
    stage: Annotated[str | None, typer.Option("--stage", metavar="ID", help="The criterion's stage.")] = None,
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Record a report that was made elsewhere.

    It is your word, or that of the CI job. Most criteria want to see vfcc run the command itself, and are not met by
    it. Exits with 1 where that is so.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.gates.cli import evidence_output as evidence_views
    from verifflowcc.gates.use.evidence_making import add_evidence
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint
    from verifflowcc.sprint.use.sprint_status import leave_status

    if (file is None) == (value is None):
        raise UsageError("give either a file or --value", hint=f"vfcc evidence add FILE --criterion {criterion}")
    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    done = add_evidence(acting.workspace, wanted, criterion, file, value=value, stage=stage, actor=acting.actor)
    leave_status(acting.workspace)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(evidence_views.added(done))
    if not done.assessment.met:
        out.explain(Problem("criteria_unmet", f"{criterion}: {done.assessment.reason}", done.assessment.step or None))
        raise typer.Exit(UNMET)


@app.command("list")
def list_(
    stage: StageFilter = None,
    every: Annotated[bool, typer.Option("--all", help="Also what later evidence has replaced.")] = False,
    sprint: SprintOption = None,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """List the evidence of a sprint and what it shows now; runs nothing."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli import evidence_output as evidence_views
    from verifflowcc.gates.use.evidence_listing import list_evidence
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    lines = list_evidence(workspace, active_sprint(workspace, sprint).id, stage=stage, every=every)
    if as_json:
        out.emit_json(lines)
    else:
        out.emit(evidence_views.listed(lines, full=full))


@app.command()
def show(
    which: ShortIdArgument,
    output: Annotated[bool, typer.Option("--output", help="Print only what the command wrote.")] = False,
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show a piece of evidence: what was run, on what, what it measured."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli import evidence_output as evidence_views
    from verifflowcc.gates.use.evidence_listing import output_of, show_evidence
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    view = show_evidence(workspace, active_sprint(workspace, sprint).id, which)
    if output:
        text = output_of(workspace, view.evidence).decode("utf-8", "replace")
        if as_json:
            out.emit_json({"output": text})
        elif text:
            out.emit(text, raw=True)
    elif as_json:
        out.emit_json(view)
    else:
        out.emit(evidence_views.one(view))


@app.command()
def stale(
    why: Annotated[bool, typer.Option("--why", help="Say of each file what changed.")] = False,
    stage: StageFilter = None,
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List stale evidence; runs nothing.

    Exits with 1 where any is stale, with 3 where there is no evidence.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.cli import evidence_output as evidence_views
    from verifflowcc.gates.use.evidence_listing import find_stale
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    workspace = open_workspace()
    found = find_stale(workspace, active_sprint(workspace, sprint).id, stage=stage)
    if as_json:
        out.emit_json(found)
    else:
        out.emit(evidence_views.staleness(found, why=why))
    if found.stale:
        raise typer.Exit(STALE)


@app.command()
def redact(
    which: Annotated[
        str, typer.Argument(metavar="ID", help="Its id, or its beginning, or four or more of its last characters.")
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the ledger.")],
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove secrets from recorded evidence.

    Its numbers stay, and an event says who did it and why. Git's history keeps the old file: change the secret itself,
    too.
    """
    from verifflowcc.gates.use.evidence_redacting import redact_evidence, what_to_redact
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    wanted = active_sprint(here, sprint).id
    found = what_to_redact(here, wanted, which)
    asking.confirm([f"{found.recorded.path}: {', '.join(found.kinds)}", f"reason: {reason}"], "Redact?", yes=yes)
    commits = acting.commits(commit)
    done = redact_evidence(here, wanted, which, reason, actor=acting.actor, email=acting.email, commit=commits)
    lines = [f"{done.path}: redacted ({', '.join(done.kinds)}); git's history still has it, so change the secret"]
    asking.show_note(done, done.move, lines, here, as_json=as_json)
