"""`vfcc stage`: show, list, advance and reopen the stages of a sprint."""

from typing import Annotated

import typer

from verifflowcc.cli.options import CommitFlag, JsonFlag, SprintOption

app = typer.Typer(help="Show, list, advance and reopen the stages of a sprint.", no_args_is_help=True)

StageArgument = Annotated[str | None, typer.Argument(metavar="STAGE", help="Its id; else the one in work.")]


@app.command()
def show(stage: StageArgument = None, sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """Show a stage and what it still needs before it can be left."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli import sprint_views
    from verifflowcc.services.sprints import active_sprint
    from verifflowcc.services.stages import show_stage
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    view = show_stage(workspace, active_sprint(workspace, sprint).id, stage)
    if as_json:
        out.emit_json(view)
    else:
        out.emit(sprint_views.one_stage(view))


@app.command("list")
def list_(sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """List the stages of a sprint in order."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli import sprint_views
    from verifflowcc.services.sprints import active_sprint
    from verifflowcc.services.workspace import open_workspace

    state = active_sprint(open_workspace(), sprint)
    if as_json:
        out.emit_json(state.stages)
    else:
        out.emit(sprint_views.stages(state))


@app.command()
def advance(
    sprint: Annotated[str | None, typer.Argument(metavar="SPRINT", help="Its id; else the open one.")] = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Leave the stage in work and enter the next.

    Exits with 4, and says what is missing, where the stage's exit check is not met.
    """
    from verifflowcc.cli import moves
    from verifflowcc.services.sprints import active_sprint
    from verifflowcc.services.stages import advance_stage

    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    done = advance_stage(acting.workspace, wanted, actor=acting.actor, commit=acting.commits(commit))
    moves.show(done, acting.workspace, as_json=as_json)


@app.command()
def reopen(
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage to go back to.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the ledger.")],
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Go back to a stage that was left; what was done stays on record."""
    from verifflowcc.cli import moves
    from verifflowcc.services.sprints import active_sprint
    from verifflowcc.services.stages import reopen_stage

    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    commits = acting.commits(commit)
    done = reopen_stage(acting.workspace, wanted, stage, reason, actor=acting.actor, commit=commits)
    moves.show(done, acting.workspace, as_json=as_json)
