"""`vfcc trace review|verify`: what only a person at a terminal can say of an item."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import IdArgument, JsonFlag, NewIdOption, StdinFlag, TagsOption, YesFlag

if TYPE_CHECKING:
    from verifflowcc.trace.use.trace_edits import LinkChange, NewTraceItem
    from verifflowcc.trace.use.trace_reviews import ReviewPlan, ReviewResult


# `vfcc trace add|link|unlink|retire`: the commands that write what items say.

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
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import read_stdin
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.use.trace_edits import TraceItemRequest, add_item

    if text and stdin:
        raise UsageError("say --text or --stdin, not both", hint="vfcc trace add --help")
    wanted = TraceItemRequest(
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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_edits import link_items

    done = link_items(open_workspace(), from_, to, relation)
    if as_json:
        out.emit_json(done)
    else:
        out.emit(f"{_link_line(done)}\nnext: vfcc trace review {done.item}")


def unlink(from_: IdArgument, to: ToArgument, relation: RelationOption = None, as_json: JsonFlag = False) -> None:
    """Remove the links from an item to another."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_edits import unlink_items

    done = unlink_items(open_workspace(), from_, to, relation)
    out.emit_json(done) if as_json else out.emit(_link_line(done, " no more"))


def retire(
    item: IdArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept in the file.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Retire an item.

    Its file stays, it counts no more, and its id is not used again. References that remain are listed.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.use.trace_edits import retire_item

    acting = moves.acting_here()
    done = retire_item(acting.workspace, item, reason, actor=acting.actor)
    if as_json:
        out.emit_json(done)
        return
    lines = [f"{done.item}: retired"]
    lines += [f"  {child} still links to it: vfcc trace unlink {child} {done.item}" for child in done.linked_by]
    lines += [f"  {place} still names it" for place in done.marked_in]
    out.emit(printable("\n".join(lines)))


def tell_added(added: "NewTraceItem") -> None:
    """Print a trace item that was added, and what it lacks."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable

    links = "".join(f", {link.relation} {link.to}" for link in added.item.links)
    out.emit(printable(f"{added.item.id}: {added.item.title}{links}\n  in {_here(added.item.path)}"))
    for lack in added.missing:
        out.note(lack)


def _link_line(done: "LinkChange", more: str = "") -> str:
    from verifflowcc.base.text.hidden_text import printable

    return printable(f"{done.item} {' and '.join(done.relations)} {done.to}{more}")


def _here(path: str) -> str:
    """Return a path relative to the current folder, or a full path outside of it."""
    from verifflowcc.base.use.workspace import open_workspace

    root = open_workspace().root
    return path if Path.cwd() == root else str(root / path)


def review(
    items: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]…", help="Items, or the beginnings of their ids.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Review all items that changed or have no review yet.")
    ] = False,
    own: Annotated[bool, typer.Option("--own", help="Allow your own work, too; the check reports it.")] = False,
    to: Annotated[
        str | None, typer.Option("--to", metavar="ID", help="Clear only its suspect link to ID, which still holds.")
    ] = None,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="With --to: why the link still holds; required.")
    ] = "",
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Record that you reviewed items as they are now.

    It takes a person at a terminal who did not write them. Their links are stamped, too. A link is suspect once one of
    its ends changed after a review; record why it still holds with --to and --reason.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.cli import trace_item_output as trace_item_views
    from verifflowcc.trace.use.trace_reviews import plan_review, review_items

    if to is not None or reason:
        _clear(items or [], to, reason, others=everything or own, yes=yes, as_json=as_json)
        return
    acting = moves.acting_here()
    what = plan_review(acting.workspace, items or (), everything=everything, own=own, actor=acting.actor)
    if what.changes:
        asking.confirm(asking.listed(trace_item_views.to_review(what)), _question(what), yes=yes)
    done = review_items(acting.workspace, what, actor=acting.actor)
    out.emit_json(done) if as_json else _tell(done)
    if done.skipped:
        raise typer.Exit(1)


def _clear(items: list[str], to: str | None, reason: str, *, others: bool, yes: bool, as_json: bool) -> None:
    """Record why one suspect link holds still."""
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.cli import trace_item_output as trace_item_views
    from verifflowcc.trace.use.trace_reviews import clear_link, plan_clearance

    if to is None or len(items) != 1 or others:
        raise UsageError(
            "a suspect link is one item's: give its ID, --to and --reason, and neither --all nor --own",
            hint='vfcc trace review ID --to PARENT --reason "why it still holds"',
        )
    acting = moves.acting_here()
    what = plan_clearance(acting.workspace, items[0], to, reason, actor=acting.actor)
    asking.confirm(trace_item_views.to_clear(what), "Does it still hold?", yes=yes)
    done = clear_link(acting.workspace, what, actor=acting.actor)
    out.emit_json(done) if as_json else out.emit(f"{done.item}: the link to {done.to} is cleared by {done.by}")


def verify(
    item: IdArgument,
    saw: Annotated[str, typer.Option("--saw", metavar="TEXT", help="Your observation, in your words; required.")] = "",
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="review, inspection, analysis or demonstration."),
    ] = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Record that you saw an item verified.

    By a method that no test shows. It takes a person at a terminal, and holds while the item and its code stay as they
    are.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli import move_output as asking
    from verifflowcc.sprint.cli import move_output as moves
    from verifflowcc.trace.cli import trace_item_output as trace_item_views
    from verifflowcc.trace.use.trace_reviews import plan_verification, verify_item

    acting = moves.acting_here()
    what = plan_verification(acting.workspace, item, method, saw, actor=acting.actor)
    asking.confirm(trace_item_views.to_verify(what), "Did you see that?", yes=yes)
    verify_item(acting.workspace, what)
    if as_json:
        out.emit_json(what.word)
    else:
        out.emit(f"{what.item.id}: verified by {what.word.method}, {what.word.by}")


def _question(what: "ReviewPlan") -> str:
    count = len(what.items)
    return "Reviewed?" if count == 1 else f"Reviewed, all {count}?"


def _tell(done: "ReviewResult") -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.text.hidden_text import printable

    lines: list[str] = []
    for each in done.reviewed:
        links = f", with {len(each.links)} link{'s' if len(each.links) > 1 else ''}" if each.links else ""
        lines.append(f"{each.item}: reviewed by {done.by}{links}" if each.changed else f"{each.item}: nothing to stamp")
        lines += [f"  as of now: {place}" for place in each.refs]
    if lines:
        out.emit(printable("\n".join(lines)))
    elif not done.skipped:
        out.emit("nothing needs a review")
    for each in done.reviewed:
        for note in each.notes:
            out.note(f"{each.item}: {note}")
    for over in done.skipped:
        out.say(f"not reviewed: {over.item} {over.reason}\n  {over.step}")
