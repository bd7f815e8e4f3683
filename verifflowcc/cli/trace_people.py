"""`vfcc trace review|verify`: what only a person at a terminal can say of an item."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.trace_reviewing import Reviews, ToReview


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
    from verifflowcc.cli import moves, trace_item_views
    from verifflowcc.cli import moves as asking
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_reviewing import review_items, what_to_review

    if to is not None or reason:
        _clear(items or [], to, reason, others=everything or own, yes=yes, as_json=as_json)
        return
    acting = moves.acting_here()
    what = what_to_review(acting.workspace, items or (), everything=everything, own=own, actor=acting.actor)
    if what.changes:
        asking.confirm(asking.listed(trace_item_views.to_review(what)), _question(what), yes=yes)
    done = review_items(acting.workspace, what, actor=acting.actor)
    out.emit_json(done) if as_json else _tell(done)
    if done.passed_over:
        raise typer.Exit(1)


def _clear(items: list[str], to: str | None, reason: str, *, others: bool, yes: bool, as_json: bool) -> None:
    """Record why one suspect link holds still."""
    from verifflowcc.cli import moves, trace_item_views
    from verifflowcc.cli import moves as asking
    from verifflowcc.cli import output as out
    from verifflowcc.errors import UsageError
    from verifflowcc.services.trace_clearing import clear_link, what_to_clear

    if to is None or len(items) != 1 or others:
        raise UsageError(
            "a suspect link is one item's: give its ID, --to and --reason, and neither --all nor --own",
            hint='vfcc trace review ID --to PARENT --reason "why it still holds"',
        )
    acting = moves.acting_here()
    what = what_to_clear(acting.workspace, items[0], to, reason, actor=acting.actor)
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
    from verifflowcc.cli import moves, trace_item_views
    from verifflowcc.cli import moves as asking
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_verifying import verify_item, what_to_verify

    acting = moves.acting_here()
    what = what_to_verify(acting.workspace, item, method, saw, actor=acting.actor)
    asking.confirm(trace_item_views.to_verify(what), "Did you see that?", yes=yes)
    verify_item(acting.workspace, what)
    if as_json:
        out.emit_json(what.word)
    else:
        out.emit(f"{what.item.id}: verified by {what.word.method}, {what.word.by}")


def _question(what: "ToReview") -> str:
    count = len(what.items)
    return "Reviewed?" if count == 1 else f"Reviewed, all {count}?"


def _tell(done: "Reviews") -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.text.invisible import printable

    lines: list[str] = []
    for each in done.reviewed:
        links = f", with {len(each.links)} link{'s' if len(each.links) > 1 else ''}" if each.links else ""
        lines.append(f"{each.item}: reviewed by {done.by}{links}" if each.changed else f"{each.item}: nothing to stamp")
        lines += [f"  as of now: {place}" for place in each.refs]
    if lines:
        out.emit(printable("\n".join(lines)))
    elif not done.passed_over:
        out.emit("nothing needs a review")
    for each in done.reviewed:
        for note in each.notes:
            out.note(f"{each.item}: {note}")
    for over in done.passed_over:
        out.say(f"not reviewed: {over.item} {over.reason}\n  {over.step}")
