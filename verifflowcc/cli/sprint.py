"""`vfcc sprint`: start, list, show and close sprints."""

from pathlib import Path
from typing import Annotated

import typer

from verifflowcc.cli.options import CommitFlag, JsonFlag

app = typer.Typer(help="Start, list, show and close sprints.", no_args_is_help=True)

SprintArgument = Annotated[str | None, typer.Argument(metavar="SPRINT", help="Its id; else the open one.")]


@app.command()
def start(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What the sprint is called.")],
    goal: Annotated[
        list[str] | None, typer.Option("--goal", metavar="TEXT", help="A goal; may be given several times.")
    ] = None,
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="Its V; else the one in config.yaml.")
    ] = None,
    sprint_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its id; else made from the title.")
    ] = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Start a sprint and enter its first stage."""
    from verifflowcc.cli import moves
    from verifflowcc.services.sprints import start_sprint

    acting = moves.acting_here()
    done = start_sprint(
        acting.workspace,
        title,
        goals=tuple(goal or ()),
        workflow=workflow or acting.config.workflow,
        actor=acting.actor,
        sprint_id=sprint_id,
        commit=acting.commits(commit),
    )
    moves.show(done, acting.workspace, as_json=as_json)


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the sprints."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.table import table
    from verifflowcc.services.sprints import list_sprints
    from verifflowcc.services.workspace import open_workspace

    lines = list_sprints(open_workspace())
    if as_json:
        out.emit_json(lines)
    elif not lines:
        out.emit('no sprint yet; start one: vfcc sprint start "Title"')
    else:
        rows = [(one.id, str(one.status), one.current or "–", f"{one.done}/{one.total}", one.title) for one in lines]
        out.emit(table(("sprint", "status", "stage", "passed", "title"), rows))


@app.command()
def show(sprint: SprintArgument = None, as_json: JsonFlag = False) -> None:
    """Show a sprint: its goals and its stages.

    And what is wrong with its ledger, if anything is: exit 1 for event files that cannot be trusted, 5 for a fork.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli import sprint_views
    from verifflowcc.services.sprints import active_sprint
    from verifflowcc.services.workspace import open_workspace

    state = active_sprint(open_workspace(), sprint)
    if as_json:
        out.emit_json(state)
    else:
        out.emit(sprint_views.whole(state))
    if state.fork:
        raise typer.Exit(5)
    if state.problems:
        raise typer.Exit(1)


@app.command()
def close(
    sprint: SprintArgument = None,
    learnings: Annotated[
        Path | None,
        typer.Option("--learnings", metavar="FILE", help="A text file; its content is added to knowledge.md."),
    ] = None,
    unfinished: Annotated[
        str | None, typer.Option("--unfinished", metavar="REASON", help="Why it ends before its last stage.")
    ] = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Close a sprint and keep what was learned.

    Exits with 4 while a stage is not passed, unless --unfinished says why it ends all the same.
    """
    from verifflowcc.adapters.files.text_file import read_given
    from verifflowcc.cli import moves
    from verifflowcc.services.sprints import active_sprint, close_sprint

    acting = moves.acting_here()
    done = close_sprint(
        acting.workspace,
        active_sprint(acting.workspace, sprint).id,
        learnings=read_given(learnings) if learnings else None,
        actor=acting.actor,
        unfinished_reason=unfinished,
        commit=acting.commits(commit),
    )
    moves.show(done, acting.workspace, as_json=as_json)
