"""`vfcc init`."""

from pathlib import Path
from typing import Annotated

import typer

from verifflowcc.cli.options import JsonFlag


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's root.")] = Path(),
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="A workflow that comes with vfcc (default: light).")
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Begin with the worked example.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Create .memory/, the memory of a project.

    One that exists is never touched.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.initialise import initialise
    from verifflowcc.services.workspace import current_folder

    done = initialise(current_folder() / folder, workflow=workflow, example=example)
    if as_json:
        out.emit_json(done)
        return
    out.emit(f"created .memory/ with {len(done.created)} files in {done.root}")
    for notice in done.notices:
        out.note(notice)
    out.emit("next: vfcc status" if example else 'next: vfcc sprint start "Title" --goal "What it must achieve"')
