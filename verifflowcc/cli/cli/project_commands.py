"""`vfcc init`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import DryRunFlag, JsonFlag, QuietFlag, YesFlag, one_output

if TYPE_CHECKING:
    from verifflowcc.cli.cli.init_questions import InitAnswers
    from verifflowcc.cli.use.initialise import InitResult
    from verifflowcc.sprint.use.configuration import ConfigReport
    from verifflowcc.sprint.use.repairing import RepairPlan


NOT_ALLOWED = 1


def allow(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. A CI job needs it.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only say whether they are allowed; exit 1 if not.")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take back what was allowed.")] = False,
    pin: Annotated[
        list[str] | None, typer.Option("--pin", metavar="FILE", help="Allow them only while FILE stays as it is.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the project's commands and allow them here.

    Hooks and filters that the repository has git run at a commit are among them. A change of any needs allowing again.
    What is allowed is kept outside of the project.
    """
    from verifflowcc.base.errors import CommandsNotAllowed, UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.cli import allow_output as allow_views
    from verifflowcc.sprint.use.allow_use import allow_commands, show_commands, withdraw_commands

    if yes + check + withdraw > 1:
        raise UsageError("only one of --yes, --check and --withdraw makes sense", hint="vfcc allow --help")
    workspace = open_workspace()
    if withdraw:
        gone = withdraw_commands(workspace)
        if as_json:
            out.emit_json({"withdrawn": gone})
        else:
            out.emit("nothing of this project is allowed to run any more" if gone else "nothing was allowed")
        return
    table = show_commands(workspace)
    if table.problem:
        out.warn(table.problem)
    asks = not ((table.allowed and not pin) or check or yes)
    if asks and not sys.stdin.isatty():
        names = ", ".join(table.names)
        raise CommandsNotAllowed(
            f"not allowed on this machine: {names}; there is no terminal to ask at", hint="vfcc allow --yes"
        )
    if not as_json:
        out.emit(allow_views.table(table))
    if (asks and allow_views.agreed(table)) or (yes and (pin or not table.allowed)):
        table = allow_commands(workspace, table, pin or ())
    if as_json:
        out.emit_json(table)
    else:
        out.emit(allow_views.verdict(table))
    if not table.allowed:
        raise typer.Exit(NOT_ALLOWED)


# `vfcc config`: show and describe the configuration; and `vfcc check config`.

app = typer.Typer(help="Show and describe .memory/config.yaml.", no_args_is_help=True)


def check(quiet: QuietFlag = False, as_json: JsonFlag = False) -> None:
    """Say everything that is wrong with config.yaml.

    Exits with 1 if anything is.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.plain_words import counted
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.configuration import check_config

    one_output(quiet=quiet, more=as_json)
    report = check_config(open_workspace())
    if quiet:
        out.emit(f"config: {counted(len(report.problems), 'problem')}")
    else:
        out.emit_json(report) if as_json else tell(report)
    if report.problems:
        raise typer.Exit(1)


def tell(report: "ConfigReport") -> None:
    """Print what is wrong, or that nothing is."""
    from verifflowcc.base.terminal import output as out

    for problem in report.problems:
        out.emit(problem)
    for notice in report.notices:
        out.warn(notice)
    if not report.problems:
        out.emit("config.yaml is valid")


@app.command()
def show(as_json: JsonFlag = False) -> None:
    """Print the settings in force, each with where it comes from."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.table import table
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.configuration import show_config

    settings = show_config(open_workspace())
    if as_json:
        out.emit_json(settings)
    else:
        rows = [(one.name, one.origin, _value(one.value)) for one in settings]
        out.emit(table(("setting", "from", "value"), rows))


@app.command()
def schema() -> None:
    """Print the JSON Schema of config.yaml, for editors."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.use.configuration import config_schema

    out.emit(config_schema())


def _value(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(str(one) for one in value) or "–"
    return "–" if value is None else str(value)


FINDINGS = 1
RepairFlag = Annotated[
    bool, typer.Option("--repair", help="Move files that vfcc did not write out of the ledgers. It takes a person.")
]


def doctor(repair: RepairFlag = False, yes: YesFlag = False, as_json: JsonFlag = False) -> None:
    """Check this machine, the configuration, ledgers and evidence.

    Nothing is changed without --repair. Exits with 1 if there is something to mend.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.use.doctor import diagnose

    if repair:
        _repair(yes=yes, as_json=as_json)
        return
    found = diagnose()
    if as_json:
        out.emit_json({"remarks": found.remarks, "findings": len(found.findings)})
    else:
        width = max(len(each.subject) for each in found.remarks)
        for each in found.remarks:
            out.emit(f"{each.health:7}  {each.subject:{width}}  {each.text}")
            if each.step:
                out.emit(f"{'':7}  {'':{width}}  {each.step}")
    if found.findings:
        raise typer.Exit(FINDINGS)


def _repair(*, yes: bool, as_json: bool) -> None:
    """Show what would be moved, ask, and move it to `.memory/local/quarantine/`."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.use import repairing
    from verifflowcc.sprint.use.people_acting import require_person

    acting = moves.acting_here()
    plan = repairing.plan_repair(acting.workspace)
    require_person(acting.actor, "moving files out of a ledger", hint="vfcc doctor --repair  # at a terminal")
    if plan.strays:
        asking.confirm(_lines(plan), "Move them to .memory/local/quarantine/?", yes=yes)
    moved = repairing.repair(acting.workspace, plan, actor=acting.actor)
    if as_json:
        out.emit_json({"moved": moved, "restorable": plan.restorable})
        return
    for each in moved:
        out.emit(f"moved: {each.stray.path} to {each.to}")
    for left in plan.restorable:
        out.emit(f"left: {left.path}: {left.reason}")
        out.emit(f"  {left.step}")
    if not moved:
        out.emit("no file was moved")


def _lines(plan: "RepairPlan") -> list[str]:
    from verifflowcc.sprint.cli import move_output as asking

    lines = []
    for each in plan.strays:
        by = f", by {each.actor} as it says" if each.actor else ""
        lines.append(f"- {each.path} ({each.what}{by}): {each.reason}")
    return asking.listed(lines)


def migrate(
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Upgrade .memory/ to the current format.

    Nothing is overwritten; an interrupted migration continues.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.cli.use.migrating import migrate as migrate_memory

    done = migrate_memory(open_workspace(), dry_run=dry_run)
    for notice in done.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(done)
    elif not done.steps:
        out.emit(f"nothing to migrate: the memory has format {done.format_after}")
    else:
        lines = [f"{'would do' if dry_run else 'done'}: {step.action}" for step in done.steps]
        out.emit(printable("\n".join(lines)))


# `vfcc status`: a board at a terminal, text elsewhere; `fast/` prints the text again while nothing has changed.

UNSOUND = 1
WatchFlag = Annotated[
    bool, typer.Option("--watch", help="Draw the board again whenever .memory/ changes, until Ctrl-C.")
]
LineFlag = Annotated[bool, typer.Option("--line", help="One line: sprint, stage, gate, evidence.")]


def status(watch: WatchFlag = False, line: LineFlag = False, as_json: JsonFlag = False) -> None:
    """Show the open sprints, their stages, and the next step.

    At a terminal it is a board: the V, what blocks the active stage, evidence, memory to review, and recent agents.
    Exits with 1 where a ledger is damaged.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.terminal import wants_color
    from verifflowcc.base.use.document_form import Problem
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.sprint.use.sprint_status import remember_status

    if line and not as_json:
        from verifflowcc.base.text.hidden_text import printable
        from verifflowcc.gates.use.board_record import status_line

        out.emit(printable(status_line(open_workspace())))
        return
    if watch:
        from verifflowcc.cli.cli.board import watch_board

        watch_board(open_workspace(), as_json=as_json)
        return
    shown = remember_status(open_workspace())
    if as_json:
        out.emit_json(shown.status)
    elif wants_color():
        from verifflowcc.cli.cli.board import show_board

        show_board()
    else:
        out.emit(shown.text)
    if broken := shown.status.damaged:
        problem = f"the ledger of {', '.join(broken)} is damaged"
        out.explain(Problem("ledger_unsound", problem, f"vfcc sprint show {broken[0]}"))
        raise typer.Exit(UNSOUND)


START = 'vfcc sprint start "Title" --goal "What it must achieve"'


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's root.")] = Path(),
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="A workflow that comes with vfcc (default: light).")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Create a small project with a sprint whose tests ran.")
    ] = False,
    worked_example: Annotated[
        bool, typer.Option("--worked-example", help="Create a larger memory, without code.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask no questions.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Create .memory/, the memory of a project.

    At a terminal it asks four questions at most; Enter takes the default. A memory that exists is never touched.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import current_folder
    from verifflowcc.cli.use.initialise import initialise

    root = current_folder() / folder
    if example:
        _example(root, workflow, worked_example=worked_example, as_json=as_json)
        return
    if not (yes or worked_example or as_json) and _person_at_terminal(root):
        _by_answers(root, workflow)
        return
    done = initialise(root, workflow=workflow, example=worked_example)
    if as_json:
        out.emit_json(done)
        return
    _show(done)
    out.emit("next: vfcc status" if worked_example else f"next: {START}")


def _example(root: Path, workflow: str | None, *, worked_example: bool, as_json: bool) -> None:
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.use.initialise import LOOK_AT, create_example

    if workflow or worked_example:
        other = "--worked-example" if worked_example else "--workflow"
        raise UsageError(f"--example goes without {other}: it has its own workflow", hint="vfcc init --example")
    done = create_example(root)
    if as_json:
        out.emit_json(done)
        return
    _show(done)
    width = max(len(command) for command, _ in LOOK_AT)
    out.emit("\n".join(("look at:", *(f"  {command:<{width}}  {shows}" for command, shows in LOOK_AT))))
    out.emit(f"next: {LOOK_AT[0][0]}")


def _person_at_terminal(root: Path) -> bool:
    """Whether a person can be asked: an agent, a job and a script are not, even where they have a terminal."""
    from verifflowcc.base.process.acting import actor_here

    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and actor_here(root).name.startswith("human:")


def _show(done: "InitResult") -> None:
    from verifflowcc.base.terminal import output as out

    out.emit(f"created .memory/ with {len(done.created)} files in {done.root}")
    for notice in done.notices:
        out.note(notice)


def _by_answers(root: Path, workflow: str | None) -> None:
    """Ask first and write afterwards: the memory tree, then the permission, the hooks, and the sprint."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.cli.cli import init_questions
    from verifflowcc.cli.use.initialise import ensure_free, initialise, project_facts

    ensure_free(root, workflow)
    answers = init_questions.ask(root, project_facts(root), workflow)
    done = initialise(root, workflow=answers.workflow, commands=answers.commands)
    _show(done)
    out.emit(f"next: {_carry_out(root, answers)}")


def _carry_out(root: Path, answers: "InitAnswers") -> str:
    """Do what the person agreed to beside the memory tree; return the command to continue with."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.gates.use.sprints import start_sprint
    from verifflowcc.history.cli import integrate_command as integrate_views
    from verifflowcc.history.use.integrating import integrate, targets
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.sprint.cli.allow_output import verdict
    from verifflowcc.sprint.use.allow_use import allow_commands

    workspace = Workspace(root)
    if answers.allowed:
        out.emit(verdict(allow_commands(workspace, answers.allowed)))
    if answers.clients:
        out.emit(integrate_views.lines(integrate(workspace, targets(answers.clients))))
    if not answers.title:
        return START
    acting = moves.acting_in(workspace)
    moves.show(
        start_sprint(
            workspace,
            answers.title,
            workflow=answers.workflow,
            actor=acting.actor,
            commit=acting.commits(False),
        ),
        workspace,
        as_json=False,
    )
    return "vfcc context show"
