"""`vfcc init`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from verifflowcc.cli.init_questions import InitAnswers
    from verifflowcc.services.initialise import Initialised

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
    from verifflowcc.cli import output as out
    from verifflowcc.services.initialise import initialise
    from verifflowcc.services.workspace import current_folder

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
    from verifflowcc.cli import output as out
    from verifflowcc.errors import UsageError
    from verifflowcc.services.example_project import LOOK_AT, create_example

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
    from verifflowcc.adapters.actor import actor_here

    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and actor_here(root).name.startswith("human:")


def _show(done: "Initialised") -> None:
    from verifflowcc.cli import output as out

    out.emit(f"created .memory/ with {len(done.created)} files in {done.root}")
    for notice in done.notices:
        out.note(notice)


def _by_answers(root: Path, workflow: str | None) -> None:
    """Ask first and write afterwards: the memory tree, then the permission, the hooks, and the sprint."""
    from verifflowcc.cli import init_questions
    from verifflowcc.cli import output as out
    from verifflowcc.services.initialise import ensure_free, initialise
    from verifflowcc.services.project_facts import project_facts

    ensure_free(root, workflow)
    answers = init_questions.ask(root, project_facts(root), workflow)
    done = initialise(root, workflow=answers.workflow, commands=answers.commands)
    _show(done)
    out.emit(f"next: {_carry_out(root, answers)}")


def _carry_out(root: Path, answers: "InitAnswers") -> str:
    """Do what the person agreed to beside the memory tree; return the command to continue with."""
    from verifflowcc.cli import integrate_views, moves
    from verifflowcc.cli import output as out
    from verifflowcc.cli.allow_views import verdict
    from verifflowcc.services.allow import allow_commands
    from verifflowcc.services.integrating import integrate, targets
    from verifflowcc.services.sprints import start_sprint
    from verifflowcc.services.workspace import Workspace

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
