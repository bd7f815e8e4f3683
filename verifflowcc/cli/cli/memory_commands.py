"""`vfcc memory`: typed items about the user, the project and open sprints.

Each command is in a file of its own kind and is registered here, by one line.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, ScopeOption

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


# `vfcc memory eval`: how well questions whose answers are known are answered, in numbers.

FINDINGS = 1
LARGEST_K = 100
USUAL_K = 3
"""Recall at this k counts where no other is named."""

_SHARE = lazy_pattern(r"(?:0?\.[0-9]{1,6}|[01](?:\.0{1,6})?)")


def _k(text: str, option: str = "--at") -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 3 or not 1 <= int(text) <= LARGEST_K:
        raise typer.BadParameter(
            f"{text!r} is no k; give whole numbers from 1 to {LARGEST_K}, as in 1,3,5,10", param_hint=option
        )
    return int(text)


def _share(text: str) -> "Fraction":
    if not _SHARE.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no share; give a number from 0 to 1, as in 0.8")
    from fractions import Fraction

    return Fraction(text if text[0] != "." else f"0{text}")


def evaluate(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Questions with their answers, as YAML.")],
    scope: ScopeOption = None,
    k: Annotated[
        str, typer.Option("--k", metavar="NUMBERS", help="The sizes of the best that are looked at.")
    ] = "1,3,5,10",
    least: Annotated[
        Any,
        typer.Option("--min", metavar="SHARE", parser=_share, help="Exit with 1 where recall is below, as in 0.8."),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="K", parser=_k, help="The k of recall@k to which --min applies (default: 3)."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how well memory answers questions, in numbers.

    FILE is a list in YAML: question, expect (ids, keys, paths or files of items), and scope, type, as_of, all or files,
    as in memory search. Recall@k is the share of the expected items among the best k; what links bring in does not
    count.

    Exits with 1 where recall is below --min, and with 3 where the file expects what is not there.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, below, evaluation_page, tell
    from verifflowcc.memory.store.ingested_turns import read_labelled_file
    from verifflowcc.memory.use.access_counts import note_recall
    from verifflowcc.memory.use.recall_evaluating import evaluate as measure
    from verifflowcc.memory.use.scopes import agent_of, scopes_recalled

    here = acting_here()
    elsewhere = here.scopes(scope) if scope else scopes_recalled(here.workspace, agent=agent_of(here.actor))

    def scopes(name: str | None) -> "Sequence[str]":
        return here.scopes(name) if name else elsewhere

    ks, counts = _chosen(k, at)
    queries = read_labelled_file(Path(file), file)
    found = measure(here.workspace, queries, scopes, file=file, ks=ks, at=counts, least=least)
    of = found.measured
    for notice in (*found.notices, *note_recall(here.workspace, of.k, of.recall, len(found.questions))):
        out.warn(notice)
    out.emit_json(found) if as_json else tell(evaluation_page(found))
    if not found.reached:
        out.say(below(found))
        raise typer.Exit(FINDINGS)


def _chosen(text: str, at: int | None) -> tuple[tuple[int, ...], int]:
    """Each k that is measured, ascending, and the one that counts."""
    given = sorted({_k(each.strip(), "--k") for each in text.split(",")})
    counts = at or (USUAL_K if USUAL_K in given else given[0])
    return tuple(sorted({*given, counts})), counts


app = typer.Typer(help="Add, find and change what is remembered.", no_args_is_help=True)
_ADD, _INBOX = "verifflowcc.cli.cli.memory_add", "verifflowcc.memory.cli.memory_inbox"
_EDIT, _COPY = "verifflowcc.memory.cli.memory_edit", "verifflowcc.memory.cli.memory_copy"
typer.add_later(app, "add", f"{_ADD}:add")
typer.add_later(app, "list", f"{_INBOX}:list_")
typer.add_later(app, "show", f"{_INBOX}:show")
typer.add_later(app, "search", f"{_INBOX}:search")
app.command("eval")(evaluate)
typer.add_later(app, "edit", f"{_EDIT}:edit")
typer.add_later(app, "link", f"{_EDIT}:link")
typer.add_later(app, "forget", f"{_EDIT}:forget")
typer.add_later(app, "move", f"{_EDIT}:move")
typer.add_later(app, "inbox", f"{_INBOX}:inbox")
typer.add_later(app, "promote", f"{_INBOX}:promote")
typer.add_later(app, "reject", f"{_INBOX}:reject")
typer.add_later(app, "stats", f"{_INBOX}:stats")
typer.add_later(app, "export", f"{_COPY}:export")
typer.add_later(app, "import", f"{_COPY}:import_")
typer.add_later(app, "copy", f"{_COPY}:copy")
typer.add_later(app, "schema", f"{_COPY}:schema")
typer.add_later(app, "maintain", f"{_COPY}:maintain")
typer.add_later(app, "restore", f"{_COPY}:restore")
typer.add_later(app, "ingest", f"{_INBOX}:ingest")
