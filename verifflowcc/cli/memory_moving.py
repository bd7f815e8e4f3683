"""`vfcc memory link|move`: how an item stands to another, and in which memory it is."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag, ScopeOption, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.memory.editing import ItemChange

TypeOption = Annotated[
    str | None, typer.Option("--type", metavar="NAME", help="Its type there, where its own does not fit.")
]


def link(
    item: IdArgument,
    relation: Annotated[
        str,
        typer.Argument(metavar="RELATION", help="supersedes, contradicts, depends_on, caused_by or resolved_by."),
    ],
    to: Annotated[str, typer.Argument(metavar="OTHER", help="The item that it links to.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the link away.")] = False,
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Link an item to another."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.memory.linking import link_items, relation_said, unlink_items

    meant = relation_said(relation)
    here = acting_here()
    found = here.find(item, scope)
    if remove:
        done = unlink_items(here.workspace, found, meant, to, actor=here.actor)
    else:
        done = link_items(here.workspace, found, meant, here.find(to, None), actor=here.actor)
    out.emit_json(done) if as_json else tell([f"{done.item} {done.relation} {done.to}{' no more' if remove else ''}"])


def move(
    item: IdArgument,
    to: Annotated[str, typer.Option("--to", metavar="SCOPE", help="user or project.")],
    type_: TypeOption = None,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Move an item between user and project memory.

    All its fields stay; only one that goes to the user gets this project as its source.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.finding import one_of
    from verifflowcc.services.memory.moving import move_item
    from verifflowcc.services.memory.scopes import PROJECT, read_scope

    here = acting_here()
    target = read_scope(here.workspace, one_of(to, ("user", PROJECT), "memory to move it to", "--to …"))
    found = here.find(item, scope, but=target)
    done = move_item(
        here.workspace, found, target, actor=here.actor, confirm=lambda moving: _ask(moving, yes=yes), type_name=type_
    )
    if as_json:
        out.emit_json(done)
        return
    more = ", as was begun before" if done.finished else ""
    tell([f"{done.item.id}: moved from {done.was} to {done.scope} memory{more}"])


def _ask(moving: "ItemChange", *, yes: bool) -> None:
    from verifflowcc.cli.memory_views import before_and_after
    from verifflowcc.cli.moves import confirm

    confirm(before_and_after(None, moving.after), "Remember this preference in all your projects?", yes=yes)
