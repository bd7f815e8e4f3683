"""The command `vfcc`: its groups, in the order in which `--help` shows them."""

from pathlib import Path
from typing import Annotated

import typer
from typer._completion_shared import _completion_scripts

from verifflowcc.cli import (
    allow,
    approve,
    baseline,
    check,
    code,
    config,
    context,
    doctor,
    evidence,
    feedback,
    help,
    history,
    hook_line,
    init,
    integrate,
    mcp,
    memory,
    migrate,
    report,
    sprint,
    stage,
    status,
    task,
    trace,
    waive,
    who_may,
    window,
    workflow,
)
from verifflowcc.cli import (
    evidence as metrics,
)
from verifflowcc.cli import (
    evidence as next_step,
)
from verifflowcc.cli import (
    evidence as prove,
)
from verifflowcc.cli.completion_scripts import SCRIPTS
from verifflowcc.cli.daily import Daily, hide_the_rest

_completion_scripts.update(SCRIPTS)  # what --show-completion prints and --install-completion writes

app = typer.Typer(
    cls=Daily,
    help="V-Model sprints and one committed memory, for teams that work with agents.",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("init")(init.init)
app.command("status")(status.status)
app.command("next")(next_step.next_)
app.add_typer(sprint.app, name="sprint")
app.add_typer(stage.app, name="stage")
app.add_typer(context.app, name="context")
app.add_typer(evidence.app, name="evidence")
app.command("allow")(allow.allow)
app.command("approve")(approve.approve)
app.command("waive")(waive.waive)
app.add_typer(baseline.app, name="baseline")
app.add_typer(feedback.app, name="feedback")
app.add_typer(task.app, name="task")
app.add_typer(window.app, name="window")
app.add_typer(memory.app, name="memory")
app.add_typer(check.app, name="check")
app.command("prove")(prove.prove)
app.add_typer(code.app, name="code")
app.add_typer(history.app, name="history")
app.command("hook")(hook_line.hook)
app.add_typer(trace.app, name="trace")
app.command("integrate")(integrate.integrate)
app.command("mcp")(mcp.mcp)
app.command("metrics")(metrics.metrics)
app.command("report")(report.report)
app.add_typer(workflow.app, name="workflow")
app.add_typer(config.app, name="config")
app.command("doctor")(doctor.doctor)
app.command("migrate")(migrate.migrate)
app.command("help")(help.help_)
who_may.guard(app)
hide_the_rest(app)


def _version(asked: bool) -> None:
    if asked:
        from verifflowcc import __version__
        from verifflowcc.cli.output import emit

        emit(f"vfcc {__version__}")
        raise typer.Exit


def _folder(given: str | None) -> None:
    """Refuse a folder that was not entered: `fast` enters it before anything is parsed, where it can."""
    if given is None:
        return
    if Path(given).is_dir():
        raise typer.BadParameter(f"write it as two words, before the command: vfcc -C {given}")
    raise typer.BadParameter(f"there is no folder {given!r}")


def _flag(given: bool, parameter: typer.CallbackParam) -> bool:
    """Apply a flag that came in one word with others, as in -qv."""
    if given:
        from verifflowcc.cli.options import apply

        apply(parameter.opts)
    return given


@app.callback()
def vfcc(
    folder: Annotated[
        str | None, typer.Option("-C", metavar="FOLDER", help="Run as if started in FOLDER.", callback=_folder)
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Write no notes and no progress.", callback=_flag)
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Write what ran, where, and for how long.", callback=_flag)
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Use no color; sets NO_COLOR.", callback=_flag)] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """V-Model sprints and one committed memory, for teams that work with agents."""
