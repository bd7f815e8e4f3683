"""`vfcc trace list|show`: the items as a table, and one of them as a page."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag

if TYPE_CHECKING:
    from verifflowcc.services.trace_narrowing import Row


def list_(
    type_: Annotated[str | None, typer.Option("--type", metavar="NAME", help="Only items of a type.")] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="WORD", help="Only active, draft, planned or retired ones.")
    ] = None,
    without: Annotated[
        str | None,
        typer.Option("--without", metavar="WORD", help="Only those without parent, child, review, test, result, …"),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the items, by type and id.

    Retired ones only where that status is asked for.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_narrowing import list_items
    from verifflowcc.services.workspace import open_workspace

    listing = list_items(open_workspace(), type_, status, without)
    for notice in listing.notices:
        out.warn(notice)
    rows = listing.rows
    if as_json:
        out.emit_json(rows)
    else:
        out.emit(_table(rows) if rows else _nothing(type_, status, without))


def show(item: IdArgument, as_json: JsonFlag = False) -> None:
    """Show an item and all that is around it.

    What it says, where its links lead, who links to it, its code, its tests and its review.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.trace_item_views import page
    from verifflowcc.services.trace_narrowing import show_item
    from verifflowcc.services.workspace import open_workspace

    shown = show_item(open_workspace(), item)
    out.emit_json(shown) if as_json else out.emit(page(shown))


def _table(rows: "tuple[Row, ...]") -> str:
    from verifflowcc.cli.table import table

    several = len({row.status for row in rows}) > 1
    headings = ("item", *(("is",) if several else ()), "parents", "below", "review", "title")
    cells = [_cells(row, several=several) for row in rows]
    return table(headings, cells, right=(headings.index("below"),))


def _cells(row: "Row", *, several: bool) -> tuple[str, ...]:
    status = (row.status,) if several else ()
    return (row.id, *status, " ".join(row.parents) or "–", str(row.children), row.review, row.title)


def _nothing(type_: str | None, status: str | None, without: str | None) -> str:
    if type_ or status or without:
        words = f"{f' {status}' if status else ''} {type_ or 'item'}{f' without {without}' if without else ''}"
        return f"there is no{words}"
    return 'there is no item yet\nnext: vfcc trace add need "What is needed"'
