"""Options that several commands share."""

from typing import Annotated

import typer

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
SprintOption = Annotated[str | None, typer.Option("--sprint", help="Sprint id; the open one if left out.")]
StageOption = Annotated[str | None, typer.Option("--stage", help="Stage id; the current one if left out.")]
CommitFlag = Annotated[
    bool, typer.Option("--commit", help="Commit the transition to git; `git.commit: always` makes it the default.")
]
