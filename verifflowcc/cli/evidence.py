"""`vfcc evidence`: make, add, list, show and redact what the gates rest on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import CommitFlag, FullFlag, JsonFlag, ShortIdArgument, SprintOption, YesFlag

app = typer.Typer(help="Make, add, list and show the evidence that gates rest on.", no_args_is_help=True)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifflowcc.services.evidence import CommandDone
    from verifflowcc.services.workspace import Workspace

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
    refactoring: Annotated[
        str, typer.Option("--refactoring", metavar="REASON", help="State, as a person, that behaviour stays, and why.")
    ] = "",
    sprint: SprintOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Run the commands that gates ask for, and record what they show.

    Exits with 1 where a criterion is not met, with 3 where nothing could be run.
    """
    from verifflowcc.cli import evidence_views, moves
    from verifflowcc.cli import output as document
    from verifflowcc.cli import output as out
    from verifflowcc.errors import UsageError
    from verifflowcc.services.documents.envelope import Problem
    from verifflowcc.services.evidence import run_evidence
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.status import remember_status

    if every and (names or stage):
        raise UsageError("everything is meant by --all; it goes with no name and no --stage", hint="leave out --all")
    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    done = run_evidence(
        acting.workspace,
        wanted,
        names or (),
        stage=stage,
        every=every,
        refactoring=refactoring,
        actor=acting.actor,
        progress=lambda text: out.progress(f"running {text}"),
    )
    remember_status(acting.workspace)
    for text in evidence_views.outputs(done, _last_lines(acting.workspace)):
        out.say(text)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(evidence_views.ran(done))
    if not done.all_met:
        document.explain(Problem("criteria_unmet", "a criterion is not met by this evidence", "vfcc next"))
        raise typer.Exit(UNMET)


def _last_lines(workspace: "Workspace") -> "Callable[[CommandDone], Sequence[str]]":
    """Return what gives the end of a command's output: more of it where a person looks."""
    from verifflowcc.cli.terminal import can_draw
    from verifflowcc.services.evidence import end_of_output

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
    from verifflowcc.cli import evidence_views, moves
    from verifflowcc.cli import output as document
    from verifflowcc.cli import output as out
    from verifflowcc.errors import UsageError
    from verifflowcc.services.documents.envelope import Problem
    from verifflowcc.services.evidence_adding import add_evidence
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.status import remember_status

    if (file is None) == (value is None):
        raise UsageError("give either a file or --value", hint=f"vfcc evidence add FILE --criterion {criterion}")
    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    done = add_evidence(acting.workspace, wanted, criterion, file, value=value, stage=stage, actor=acting.actor)
    remember_status(acting.workspace)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(evidence_views.added(done))
    if not done.asked.met:
        document.explain(Problem("criteria_unmet", f"{criterion}: {done.asked.reason}", done.asked.step or None))
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
    from verifflowcc.cli import evidence_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.evidence_listing import list_evidence
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

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
    from verifflowcc.cli import evidence_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.evidence_listing import output_of, show_evidence
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

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
    from verifflowcc.cli import evidence_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.evidence_staleness import find_stale
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

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
    from verifflowcc.cli import moves
    from verifflowcc.cli import moves as asking
    from verifflowcc.services.evidence_redacting import redact_evidence, what_to_redact
    from verifflowcc.services.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    wanted = active_sprint(here, sprint).id
    found = what_to_redact(here, wanted, which)
    asking.confirm([f"{found.recorded.path}: {', '.join(found.kinds)}", f"reason: {reason}"], "Redact?", yes=yes)
    commits = acting.commits(commit)
    done = redact_evidence(here, wanted, which, reason, actor=acting.actor, email=acting.email, commit=commits)
    lines = [f"{done.path}: redacted ({', '.join(done.kinds)}); git's history still has it, so change the secret"]
    asking.show_note(done, done.done, lines, here, as_json=as_json)
