"""`vfcc memory list|show|stats`: what is remembered, as a table, as a page, and in numbers."""

import sys
from typing import Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag, ScopeOption, TypesOption

AT_TERMINAL = 50
"""Rows of a scope at a terminal, where the newest would be gone from view behind more; a pipe gets them all."""

AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DAY", help="Show items as of a day, by the dates in them."),
]


def list_(
    scope: ScopeOption = None,
    type_: TypesOption = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="Only items with a tag; may be repeated.")
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="WORD", help="Only active, pending, superseded or archived ones.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show superseded, archived and trace items and plain pages too.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="CONDITION", help="As in 'importance>=0.7'; may be repeated."),
    ] = None,
    order: Annotated[
        str | None, typer.Option("--order", metavar="FIELD", help="Highest or newest first; -FIELD the other way.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="NUMBER", help="Most items to list (default: all; at a terminal 50 per scope)."
        ),
    ] = None,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List what is remembered here.

    Items of the project, of what is open in it, and of the user: these by importance, the others newest first.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.cli.memory_views import items_table
    from verifflowcc.services.memory.listing import Asked, list_items
    from verifflowcc.services.memory.scopes import scopes_listed

    here = acting_here()
    scopes = here.scopes(scope) if scope else scopes_listed(here.workspace)
    most = AT_TERMINAL if limit is None and not as_json and sys.stdout.isatty() else None
    where_ = tuple(where or ())
    asked = Asked(tuple(type_ or ()), tuple(tag or ()), status, everything, where_, order, limit, most, as_of)
    listing = list_items(here.workspace, scopes, asked)
    for notice in listing.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(listing)
        return
    tell(items_table(listing, scopes, by_scope=order is None and len(scopes) > 1))
    if listing.more:
        out.say(f"{listing.more:,} more are left out: --limit {len(listing.rows) + listing.more}")


def show(
    item: IdArgument,
    scope: ScopeOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every field, and whom it came from.")] = False,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show an item and all that is around it.

    What it says, where its links lead, who links to it, and what is newer. It counts as a use, but for a look at the
    past.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.cli.memory_views import page
    from verifflowcc.services.memory.access import note_uses
    from verifflowcc.services.memory.listing import show_item

    here = acting_here()
    found = here.find(item, scope)
    shown = show_item(here.workspace, found, here.scopes(None), as_of=as_of)
    used = {} if as_of else {found.scope: [found.item.id]}
    for notice in note_uses(here.workspace, used, "show"):
        out.warn(notice)
    out.emit_json(shown) if as_json else tell(page(shown, explain=explain))


def stats(scope: ScopeOption = None, as_json: JsonFlag = False) -> None:
    """Show what is remembered in numbers.

    Items by type and status, tokens, bytes, uses, and the project's identity; what memory did here; and what a model
    took today, beside its caps.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.cli.memory_metrics_views import metrics
    from verifflowcc.cli.memory_views import numbers
    from verifflowcc.services.memory.statistics import numbers_of

    here = acting_here()
    found = numbers_of(here.workspace, here.scopes(scope))
    for notice in found.notices:
        out.warn(notice)
    out.emit_json(found) if as_json else tell([*numbers(found), *metrics(found)])
