"""`vfcc workflow`: list, show and choose the stages and gates that sprints follow."""

from typing import Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag

app = typer.Typer(help="List, show and choose the workflows of sprints.", no_args_is_help=True)


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the workflows that come with vfcc, and the project's own."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.cli import workflow_output as workflow_views
    from verifflowcc.sprint.use.workflow_use import list_workflows

    found = list_workflows(open_workspace())
    for problem in found.problems:
        out.warn(problem)
    if as_json:
        out.emit_json(found)
    else:
        out.emit(workflow_views.listed(found))


@app.command()
def show(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Workflow (default: that of the open sprint).")
    ] = None,
    sprint: Annotated[
        str | None, typer.Option("--sprint", metavar="ID", help="Show the one that this sprint follows.")
    ] = None,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print its file, to be made one of your own.")] = False,
    plain_ascii: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters alone.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show a workflow as a V, and the criteria of its gates."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.terminal import has_unicode
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.cli import workflow_output as workflow_views
    from verifflowcc.sprint.use.workflow_use import show_workflow, workflow_yaml

    workspace = open_workspace()
    if as_yaml:
        if sprint or as_json:
            raise typer.BadParameter("--yaml prints a file; it goes with neither --sprint nor --json")
        out.emit(workflow_yaml(workspace, name))
        return
    view = show_workflow(workspace, name, sprint)
    if as_json:
        out.emit_json(view)
    else:
        out.emit(workflow_views.whole(view, ascii_only=plain_ascii or not has_unicode()))


@app.command()
def use(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of `vfcc workflow list`.")], as_json: JsonFlag = False
) -> None:
    """Set the workflow that new sprints follow.

    Those that run keep theirs.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.cli import workflow_output as workflow_views
    from verifflowcc.sprint.use.workflow_use import use_workflow

    done = use_workflow(open_workspace(), name)
    for notice in done.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(workflow_views.chosen(done))
