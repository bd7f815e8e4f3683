"""Options that several commands share."""

from typing import Annotated

import typer

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
FullFlag = Annotated[bool, typer.Option("--full", help="Show whole ids (default: their last characters).")]
SprintOption = Annotated[
    str | None, typer.Option("--sprint", metavar="ID", help="Sprint id (default: the current sprint).")
]
SprintArgument = Annotated[
    str | None, typer.Argument(metavar="SPRINT", help="Sprint id (default: the current sprint).")
]
StageOption = Annotated[str | None, typer.Option("--stage", metavar="ID", help="The stage; else the one in work.")]
ExpiresOption = Annotated[
    str | None, typer.Option("--expires", metavar="DAY", help="The last day on which it holds, as in 2026-12-31.")
]
YesFlag = Annotated[bool, typer.Option("--yes", help="Do not ask; it still takes a person at a terminal.")]
CommitFlag = Annotated[
    bool, typer.Option("--commit", help="Commit the move to git. `git.commit: always` makes it the default.")
]


def sprint_of(argument: str | None, option: str | None) -> str | None:
    """Return the sprint that a command names, as its argument or by `--sprint`. Raises BadParameter for two of them."""
    if argument and option and argument != option:
        raise typer.BadParameter(f"{argument} and --sprint {option} name two sprints; give one")
    return argument or option


def tokens(text: str) -> int:
    """Return a number of tokens. Raises BadParameter where `text` is no whole number, 1 or more."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 12 or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is no number of tokens; give a whole number from 1 up")
    return int(text)
