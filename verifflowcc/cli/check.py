"""`vfcc check`: one verb that checks and changes nothing, and tells everything in one run."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli import check_gate, check_memory, check_trace, config
from verifflowcc.cli.options import FullFlag, JsonFlag

if TYPE_CHECKING:
    from verifflowcc.services.workflows import WorkflowReport

app = typer.Typer(help="Check configuration, workflow, gates, trace and memory.")
app.command("config")(config.check)
app.command("gate")(check_gate.gate)
app.command("trace")(check_trace.trace)
app.command("memory")(check_memory.memory)


@app.callback(invoke_without_command=True)
def check(
    context: typer.Context,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run recorded commands again: what they do not reproduce is red.")
    ] = False,
    sprint: Annotated[
        str | None,
        typer.Option("--sprint", metavar="ID", help="With --rerun: sprint id (default: the current one, or the last)."),
    ] = None,
    as_json: JsonFlag = False,
    full: FullFlag = False,
) -> None:
    """Check the configuration, the workflow, the gates of all open sprints, the memory, and the trace of items that are
    there; or one of them.

    Exits with the worst of what it found: 3 where a part could not be asked, 5, 1, 4. Only --rerun, and
    --canary of a gate, run anything.
    """
    if context.invoked_subcommand is not None:
        if rerun or sprint:
            raise typer.TyperException(f"--rerun and --sprint go without {context.invoked_subcommand}, or after it")
    elif rerun:
        _rerun(sprint, as_json=as_json)
    elif sprint:
        raise typer.TyperException("--sprint goes with --rerun; for one gate: vfcc check gate --sprint ID")
    else:
        _everything(as_json=as_json)


def _rerun(sprint: str | None, *, as_json: bool) -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.cli.rerun_views import reproduction
    from verifflowcc.services.rerun import reproduce, sprint_to_reproduce
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    found = reproduce(workspace, sprint_to_reproduce(workspace, sprint))
    out.emit_json(found) if as_json else out.emit(reproduction(found))
    if not found.sound:
        raise typer.Exit(1)


def _everything(*, as_json: bool) -> None:
    from verifflowcc.cli import gate_views
    from verifflowcc.cli import output as out
    from verifflowcc.services.checking import check_everything
    from verifflowcc.services.owed import next_command
    from verifflowcc.services.workspace import open_workspace

    workspace = open_workspace()
    found = check_everything(workspace)
    if as_json:
        out.emit_json(found)
    else:
        config.tell(found.config)
        _tell(found.workflow)
        for gates in found.gates:
            out.emit(gate_views.short(gates, next_command(workspace, gates)))
        if not found.gates and not any(one.sprint for one in found.unasked):
            out.emit("no sprint is open")
        if found.trace:
            from verifflowcc.cli.trace_findings_views import short_page
            from verifflowcc.services.results_command import results_hint

            out.emit(short_page(found.trace, results_hint(workspace), families=False))
        if found.memory:
            from verifflowcc.cli import memory_check_views

            out.emit(memory_check_views.short_page(found.memory))
    for notice in found.memory.notices if found.memory else ():
        out.warn(notice)
    for notice in (*found.trace.notices, *found.trace.report.notices) if found.trace else ():
        out.warn(notice)
    for one in found.unasked:
        out.say("\n".join(f"error: {one.sprint or one.part}: {line}" for line in one.message.split("\n")))
        if one.hint:
            out.say(f"hint: {one.hint}")
    if found.code:
        raise typer.Exit(found.code)


@app.command()
def workflow(as_json: JsonFlag = False) -> None:
    """Say everything that is wrong with .memory/workflow.yaml.

    Exits with 1 if anything is.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.workflows import check_workflow
    from verifflowcc.services.workspace import open_workspace

    report = check_workflow(open_workspace())
    if as_json:
        out.emit_json(report)
        for notice in report.notices:
            out.warn(notice)
    else:
        _tell(report)
    if report.problems:
        raise typer.Exit(1)


def _tell(report: "WorkflowReport") -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.cli.folding import folded

    for problem in report.problems:
        out.emit(problem)
    if not report.present:
        out.emit(folded("no .memory/workflow.yaml: sprints follow the workflows that come with vfcc", 2))
    elif not report.problems:
        out.emit(f"workflow.yaml is sound: {report.name}")
    for notice in report.notices:
        out.warn(notice)
