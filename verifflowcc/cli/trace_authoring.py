"""`vfcc trace add|link|unlink|retire`: the commands that write what items say."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag, NewIdOption, StdinFlag, TagsOption

if TYPE_CHECKING:
    from verifflowcc.services.trace_adding import Added
    from verifflowcc.services.trace_linking import Linked

ToArgument = Annotated[str, typer.Argument(metavar="TO", help="The item that it links to, mostly its parent.")]
RelationOption = Annotated[
    str | None, typer.Option("--relation", metavar="NAME", help="Which relation, where several fit.")
]


def add(
    type_: Annotated[str, typer.Argument(metavar="TYPE", help="need, requirement, …: a type of the workflow.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Title on one line.")],
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="Full text.")] = "",
    stdin: StdinFlag = False,
    verification: Annotated[
        str | None, typer.Option("--verification", metavar="METHOD", help="How it is verified: test, review, …")
    ] = None,
    parent: Annotated[
        list[str] | None, typer.Option("--parent", metavar="ID", help="An item above it; may be repeated.")
    ] = None,
    relation: RelationOption = None,
    derived: Annotated[bool, typer.Option("--derived", help="It has no parent; needs --rationale.")] = False,
    rationale: Annotated[str, typer.Option("--rationale", metavar="TEXT", help="Why it is there.")] = "",
    planned: Annotated[
        str | None, typer.Option("--planned", metavar="WHEN", help="It is agreed, and will be built then.")
    ] = None,
    integrity: Annotated[str | None, typer.Option("--integrity", metavar="LEVEL", help="Its integrity level.")] = None,
    id_: NewIdOption = None,
    tag: TagsOption = None,
    ref: Annotated[
        list[str] | None,
        typer.Option("--ref", metavar="PATH[:SYMBOL]", help="Code that it speaks of; may be repeated."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Add an item.

    Its links have no stamp until somebody reviews it.
    """
    from verifflowcc.cli import moves
    from verifflowcc.cli import output as out
    from verifflowcc.cli.output import read_stdin
    from verifflowcc.errors import UsageError
    from verifflowcc.services.trace_adding import Wanted, add_item

    if text and stdin:
        raise UsageError("say --text or --stdin, not both", hint="vfcc trace add --help")
    wanted = Wanted(
        type_,
        title,
        read_stdin() if stdin else text,
        verification,
        tuple(parent or ()),
        relation,
        derived,
        rationale,
        planned,
        integrity,
        id_,
        tuple(tag or ()),
        tuple(ref or ()),
    )
    acting = moves.acting_here()
    added = add_item(acting.workspace, wanted, actor=acting.actor)
    out.emit_json(added) if as_json else tell_added(added)


def link(from_: IdArgument, to: ToArgument, relation: RelationOption = None, as_json: JsonFlag = False) -> None:
    """Link an item to another, mostly to its parent.

    The relation follows from the two types where only one fits. The link has no stamp until somebody reviews it.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_linking import link_items
    from verifflowcc.services.workspace import open_workspace

    done = link_items(open_workspace(), from_, to, relation)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(f"{_said(done)}\nnext: vfcc trace review {done.item}")


def unlink(from_: IdArgument, to: ToArgument, relation: RelationOption = None, as_json: JsonFlag = False) -> None:
    """Remove the links from an item to another."""
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_linking import unlink_items
    from verifflowcc.services.workspace import open_workspace

    done = unlink_items(open_workspace(), from_, to, relation)
    out.emit_json(done) if as_json else out.emit(_said(done, " no more"))


def retire(
    item: IdArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the file.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Retire an item.

    Its file stays, it counts no more, and its id is not used again. References that remain are listed.
    """
    from verifflowcc.cli import moves
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_retiring import retire_item
    from verifflowcc.text.invisible import printable

    acting = moves.acting_here()
    done = retire_item(acting.workspace, item, reason, actor=acting.actor)
    if as_json:
        out.emit_json(done)
        return
    lines = [f"{done.item}: retired"]
    lines += [f"  {child} still links to it: vfcc trace unlink {child} {done.item}" for child in done.linked_by]
    lines += [f"  {place} still names it" for place in done.marked_in]
    out.emit(printable("\n".join(lines)))


def tell_added(added: "Added") -> None:
    """Print a trace item that was added, and what it lacks."""
    from verifflowcc.cli import output as out
    from verifflowcc.text.invisible import printable

    links = "".join(f", {link.relation} {link.to}" for link in added.item.links)
    out.emit(printable(f"{added.item.id}: {added.item.title}{links}\n  in {_here(added.item.path)}"))
    for lack in added.lacks:
        out.note(lack)


def _said(done: "Linked", more: str = "") -> str:
    from verifflowcc.text.invisible import printable

    return printable(f"{done.item} {' and '.join(done.relations)} {done.to}{more}")


def _here(path: str) -> str:
    """Return a path below the project's root as it is from the current folder, where that is below it too."""
    from verifflowcc.services.workspace import open_workspace

    root = open_workspace().root
    return path if Path.cwd() == root else str(root / path)
