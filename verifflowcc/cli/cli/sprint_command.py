"""`vfcc sprint`: start, list, show, resolve, report and close sprints."""

from pathlib import Path
from typing import Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    CommitFlag,
    JsonFlag,
    OutputOption,
    SprintArgument,
    SprintOption,
    sprint_of,
)

app = typer.Typer(help="Start, list, show, resolve, report and close sprints.", no_args_is_help=True)


@app.command()
def start(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Title of the sprint.")],
    goal: Annotated[
        list[str] | None, typer.Option("--goal", metavar="TEXT", help="A goal; may be given several times.")
    ] = None,
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="Workflow (default: the one in config.yaml).")
    ] = None,
    sprint_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Sprint id (default: made from the title).")
    ] = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Start a sprint and enter its first stage."""
    from verifflowcc.gates.use.sprints import start_sprint
    from verifflowcc.sprint.cli import move_output as moves

    acting = moves.acting_here()
    done = start_sprint(
        acting.workspace,
        title,
        goals=tuple(goal or ()),
        workflow=workflow or acting.config.workflow,
        actor=acting.actor,
        sprint_id=sprint_id,
        with_roles=workflow is not None,
        commit=acting.commits(commit),
    )
    moves.show(done, acting.workspace, as_json=as_json)


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the sprints."""
    from verifflowcc.base.model.sprint_state import with_gaps
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.sprint_reading import list_sprints

    lines = list_sprints(open_workspace())
    if as_json:
        out.emit_json(lines)
    elif not lines:
        out.emit('no sprint yet; start one: vfcc sprint start "Title"')
    else:
        rows = [
            (one.id, str(one.status), one.current or "–", f"{one.done}/{one.total}{with_gaps(one.gaps)}", one.title)
            for one in lines
        ]
        out.emit(table(("sprint", "status", "stage", "passed", "title"), rows))


@app.command()
def show(sprint: SprintArgument = None, named: SprintOption = None, as_json: JsonFlag = False) -> None:
    """Show a sprint: its goals and its stages.

    And what is wrong with its ledger, if anything is: exit 1 for event files that cannot be trusted, 5 for a fork.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.cli import sprint_output as sprint_views
    from verifflowcc.sprint.cli import move_output as fork_views
    from verifflowcc.sprint.use.sprint_reading import active_sprint
    from verifflowcc.sprint.use.sprint_status import people_lines, people_opinions

    workspace = open_workspace()
    state = active_sprint(workspace, sprint_of(sprint, named))
    if as_json:
        out.emit_json(state)
    else:
        statements = people_opinions(workspace, state, workspace.today())
        out.emit(sprint_views.whole(state, people_lines(statements, state.id)))
    fork_views.leave_if_troubled(state)


@app.command()
def resolve(
    sprint: SprintArgument = None,
    named: SprintOption = None,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep", metavar="EVENT", help="The first move of the side to keep: its id, its beginning or its end."
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the ledger.")
    ] = None,
    commit: CommitFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Choose the side of a fork to go on with.

    The others stay on record and count no more. Without --keep it lists the sides and exits with 5.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.use.approvals import forked_sprint, resolve_fork
    from verifflowcc.sprint.cli import move_output as fork_views
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    if keep is None:
        here = open_workspace()
        state = forked_sprint(here, active_sprint(here, sprint_of(sprint, named)).id)
        out.emit_json(state.fork) if as_json else out.emit("\n".join(fork_views.sides(state)))
        raise typer.Exit(fork_views.FORKED)
    acting = moves.acting_here()
    wanted = active_sprint(acting.workspace, sprint_of(sprint, named)).id
    done = resolve_fork(
        acting.workspace, wanted, keep, actor=acting.actor, reason=reason, commit=acting.commits(commit)
    )
    moves.show(done, acting.workspace, as_json=as_json, sentence=fork_views.resolved(done))


@app.command()
def report(
    sprint: SprintArgument = None,
    named: SprintOption = None,
    output: OutputOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Print a whole sprint as a page, after its end too.

    As Markdown; into a file whose name ends with .html, as HTML that needs no other file. Without a sprint it takes the
    current one; where all are closed, the last. Goals, verdicts, evidence, approvals, waivers, what was reopened or
    skipped, comments, deviations, metrics. Exits with 1 where an event or evidence file cannot be trusted, with 5 for a
    fork; the page shows that too.
    """
    from verifflowcc.base.files.text_files import write_given
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.gates.rules.report_page import report_page
    from verifflowcc.gates.use.sprint_metrics import report_sprint
    from verifflowcc.sprint.cli import move_output as fork_views
    from verifflowcc.sprint.use.sprint_reading import active_sprint, current_or_last

    as_html = _is_html(output, as_json=as_json)
    workspace = open_workspace()
    state = active_sprint(workspace, current_or_last(workspace, sprint_of(sprint, named)))
    found = report_sprint(workspace, state.id)
    if as_json:
        out.emit_json(found, output)
    elif output is None:
        out.emit(report_page(found))
    elif as_html:
        from verifflowcc.report.use.report_pages import sprint_page

        write_given(output, sprint_page(workspace, state, found))
    else:
        write_given(output, out.without_secrets(report_page(found)))
    fork_views.leave_if_troubled(state)
    if found.problems:
        raise typer.Exit(1)


def _is_html(output: Path | None, *, as_json: bool) -> bool:
    """Whether the name of a report's file asks for HTML. Raises UsageError for a format that a report does not have."""
    from verifflowcc.base.errors import UsageError

    suffix = output.suffix.lower() if output else ""
    if suffix not in ("", ".md", ".markdown", ".html", ".htm") and not as_json:
        hint = "vfcc sprint report --json -o report.json" if suffix == ".json" else "vfcc sprint report -o report.html"
        raise UsageError(f"a report is Markdown (.md) or HTML (.html), and not {suffix}", hint=hint)
    return suffix in (".html", ".htm") and not as_json


@app.command()
def close(
    sprint: SprintArgument = None,
    named: SprintOption = None,
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
    from verifflowcc.base.files.text_files import read_given
    from verifflowcc.gates.use.sprints import close_sprint
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use.sprint_reading import active_sprint

    acting = moves.acting_here()
    done = close_sprint(
        acting.workspace,
        active_sprint(acting.workspace, sprint_of(sprint, named)).id,
        learnings=read_given(learnings) if learnings else None,
        actor=acting.actor,
        unfinished_reason=unfinished,
        commit=acting.commits(commit),
    )
    moves.show(done, acting.workspace, as_json=as_json)
