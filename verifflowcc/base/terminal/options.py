"""Options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from verifflowcc.base.terminal import declared as typer

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
QuietFlag = Annotated[bool, typer.Option("-q", "--quiet", help="Print one line: how much was found.")]
AllFlag = Annotated[bool, typer.Option("--all", help="List each finding (default: groups on one screen).")]
NewFlag = Annotated[
    bool, typer.Option("--new", help="Only findings that the sprint's base, the target branch or the last tag has not.")
]
FULL = "Print every key with --json, and whole ids in text."
FullFlag = Annotated[bool, typer.Option("--full", help=FULL)]
SprintOption = Annotated[
    str | None, typer.Option("--sprint", metavar="ID", help="Sprint id (default: the current sprint).")
]
SprintArgument = Annotated[
    str | None, typer.Argument(metavar="SPRINT", help="Sprint id (default: the current sprint).")
]
StageArgument = Annotated[str | None, typer.Argument(metavar="STAGE", help="Stage id (default: the active one).")]
StageOption = Annotated[str | None, typer.Option("--stage", metavar="ID", help="Stage id (default: the active one).")]
ExpiresOption = Annotated[
    str | None, typer.Option("--expires", metavar="DAY", help="The last day on which it holds, as in 2026-12-31.")
]
YesFlag = Annotated[bool, typer.Option("--yes", help="Do not ask; it still takes a person at a terminal.")]
CommitFlag = Annotated[
    bool, typer.Option("--commit", help="Commit the move to git (default: as `git.commit` in config.yaml).")
]
StdinFlag = Annotated[bool, typer.Option("--stdin", help="Read the text from stdin.")]
DryRunFlag = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]
ShortIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Its id, or its beginning, or four or more of its last characters.")
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="May be repeated.")]
NewIdOption = Annotated[str | None, typer.Option("--id", metavar="ID", help="Item id (default: generated).")]
JunitOption = Annotated[
    list[str] | None, typer.Option("--junit", metavar="FILE", help="A report of test results; may be repeated.")
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file (default: stdout).")
]
ReasonOption = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the ledger.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The item's id, or the beginning of it.")]
TypesOption = Annotated[
    list[str] | None, typer.Option("--type", metavar="NAME", help="Only items of a type; may be repeated.")
]


class StoreScope(StrEnum):
    """Whose items a command is about."""

    USER = "user"
    PROJECT = "project"


ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="user, project, sprint, stage, task or agent/NAME; sprint/ID, stage/SPRINT/STAGE and task/ID name one.",
    ),
]


def one_output(*, quiet: bool, more: bool) -> None:
    """Raise TyperException where --quiet is given beside an option that asks for more than one line."""
    if quiet and more:
        raise typer.TyperException("--quiet prints one line, and --json, --format and --all print more; give one")


def sprint_of(argument: str | None, option: str | None) -> str | None:
    """Return the sprint that a command names, as its argument or by `--sprint`. Raises BadParameter for two of them."""
    return one_of(argument, option, "--sprint", "sprints")


def one_of(argument: str | None, option: str | None, name: str, things: str) -> str | None:
    """Return what an argument or the option `name` gives. Raises BadParameter where they name two `things`."""
    if argument and option and argument != option:
        raise typer.BadParameter(f"{argument} and {name} {option} name two {things}; give one")
    return argument or option


def tokens(text: str) -> int:
    """Return a number of tokens; 4k is 4,000. Raises BadParameter where `text` is no whole number, 1 or more."""
    number, thousands = (text[:-1], 1000) if text[-1:] in ("k", "K") else (text, 1)
    if not (number.isascii() and number.isdecimal()) or len(number) > 12 or int(number) < 1:
        raise typer.BadParameter(f"{text!r} is no number of tokens; give a whole number from 1 up, or 4k for 4,000")
    return int(number) * thousands


class FindingsFormat(StrEnum):
    """What the findings are written as."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def chosen(given: FindingsFormat | None, *, as_json: bool) -> FindingsFormat:
    """Return the format that was asked for, text by default.

    Raises TyperException where two were.
    """
    if as_json and given not in {None, FindingsFormat.JSON}:
        raise typer.TyperException(f"--json and --format {given} are two formats; give one")
    return FindingsFormat.JSON if as_json else given or FindingsFormat.TEXT
