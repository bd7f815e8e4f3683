"""`vfcc stage`: the stages of a sprint and their artifacts."""

from typing import Annotated

import typer

from verifflowcc.cli import stage_artifacts
from verifflowcc.cli.options import (
    CommitFlag,
    ExpiresOption,
    FullFlag,
    JsonFlag,
    ReasonOption,
    SprintOption,
    StageArgument,
    YesFlag,
    one_of,
)

app = typer.Typer(help="Show, fill, advance, skip and reopen the stages of a sprint.", no_args_is_help=True)


@app.command()
def show(
    stage: StageArgument = None, sprint: SprintOption = None, full: FullFlag = False, as_json: JsonFlag = False
) -> None:
    """Show a stage and what it still needs before it can be left.

    Exits with 1 where event files cannot be trusted, with 5 where the sprint is forked.
    """
    from verifflowcc.cli import moves as fork_views
    from verifflowcc.cli import output as out
    from verifflowcc.cli import sprint_views
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.stages import show_stage
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    view = show_stage(workspace, active_sprint(workspace, sprint).id, stage)
    if as_json:
        out.emit_json(view)
    else:
        out.emit(sprint_views.one_stage(view, full=full) + fork_views.trouble(view.sprint))
    fork_views.leave_if_troubled(view.sprint)


@app.command("list")
def list_(sprint: SprintOption = None, as_json: JsonFlag = False) -> None:
    """List the stages of a sprint in order.

    Exits with 1 where event files cannot be trusted, with 5 where the sprint is forked.
    """
    from verifflowcc.cli import moves as fork_views
    from verifflowcc.cli import output as out
    from verifflowcc.cli import sprint_views
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.workspace import open_workspace

    state = active_sprint(open_workspace(), sprint)
    if as_json:
        out.emit_json(state.stages)
    else:
        out.emit(sprint_views.stages(state) + fork_views.trouble(state))
    fork_views.leave_if_troubled(state)


app.command("put")(stage_artifacts.put)
app.command("draft")(stage_artifacts.draft)


@app.command()
def advance(
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="The stage to leave, as --from (default: the active one).")
    ] = None,
    leaving: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STAGE[@EVENT]",
            help="Leave this stage once, however often it is run; @EVENT: the stay that this event began.",
        ),
    ] = None,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Leave the active stage and enter the next.

    Exits with 4, and says what is missing, where a gate on the way is closed. With a stage, and where an advance left
    it already, it changes nothing and exits with 0.
    """
    from verifflowcc.cli import moves
    from verifflowcc.services.sprint_reading import sprint_with_stage
    from verifflowcc.services.stages import advance_stage

    acting = moves.acting_here()
    stay = one_of(stage, leaving, "--from", "stages")
    wanted = sprint_with_stage(acting.workspace, sprint, stay, "vfcc stage advance").id
    done = advance_stage(acting.workspace, wanted, actor=acting.actor, stay=stay, commit=acting.commits(commit))
    moves.show(done, acting.workspace, as_json=as_json)


@app.command()
def skip(
    reason: ReasonOption,
    stage: StageArgument = None,
    expires: ExpiresOption = None,
    yes: YesFlag = False,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Skip the current stage.

    It takes a person at a terminal. A stage with a criterion that cannot be waived cannot be skipped.
    """
    from verifflowcc.cli import moves
    from verifflowcc.cli import moves as asking
    from verifflowcc.services import skipping
    from verifflowcc.services.sprint_reading import active_sprint

    acting = moves.acting_here()
    here = acting.workspace
    what = skipping.what_to_skip(here, active_sprint(here, sprint).id, stage)
    email = acting.email
    skipping.check_skip(here, what, reason, expires, actor=acting.actor, email=email)
    unmet = [f"- {each.criterion.id} ({each.criterion.mode}): {each.reason}" for each in what.unmet]
    head = f"{what.sprint}/{what.stage}, with {len(unmet)} criteria not met; next: {what.following or 'none'}"
    asking.confirm([head, *asking.listed(unmet)], "Skip?", yes=yes)
    done = skipping.skip_stage(
        here, what, reason, expires, actor=acting.actor, email=email, commit=acting.commits(commit)
    )
    moves.show(done, here, as_json=as_json)


@app.command()
def reopen(
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage to go back to.")],
    reason: ReasonOption,
    sprint: SprintOption = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Go back to a stage that was left; what was done stays on record."""
    from verifflowcc.cli import moves
    from verifflowcc.services.sprint_reading import active_sprint
    from verifflowcc.services.stages import reopen_stage

    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint).id
    commits = acting.commits(commit)
    done = reopen_stage(acting.workspace, wanted, stage, reason, actor=acting.actor, commit=commits)
    moves.show(done, acting.workspace, as_json=as_json)
