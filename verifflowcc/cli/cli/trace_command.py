"""`vfcc trace`: items from need to test, their links, and reviews of them.

The commands are in files by kind, and registered here, one line each.
"""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import IdArgument, JsonFlag, JunitOption, TypesOption

if TYPE_CHECKING:
    from verifflowcc.trace.rules.matrix import CoverageGroup, CoverageShare, Statistics
    from verifflowcc.trace.use.trace_narrowing import TraceListRow


# `vfcc trace coverage`: how much of the trace is answered and shown, with what it is a part of.


def coverage(
    types: TypesOption = None,
    junit: JunitOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how much is answered, and how much is shown.

    Per type and per verification method, on this content, right below and all the way down. Exits with 3 where there
    is no item.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.stage_words import one_of
    from verifflowcc.trace.cli.matrix_output import see
    from verifflowcc.trace.rules.matrix import statistics

    seen = see(junit)
    known = tuple(seen.view.policy.types)
    found = statistics(seen.view, [one_of(each, known, "type", "vfcc trace coverage --type …") for each in types or ()])
    out.emit_json(found) if as_json else out.emit(_page(found))


def _page(found: "Statistics") -> str:
    groups = (*found.types, found.total)
    parts = [_table("type", groups), _table("method", found.methods), _legend(found)]
    return "\n\n".join(part for part in parts if part)


def _table(what: str, groups: "tuple[CoverageGroup, ...]") -> str:
    from verifflowcc.base.terminal.table import table

    if not groups:
        return ""
    columns = (what, "items", "answered", "in depth", "verified", "proven", "planned")
    rows = [
        (
            each.name,
            str(each.items),
            *map(_share, (each.shallow, each.deep, each.verified, each.proven)),
            str(each.planned) if each.planned else "–",
        )
        for each in groups
    ]
    return table(columns, rows, right=(1, 2, 3, 4, 5, 6))


def _share(share: "CoverageShare") -> str:
    """Return `3/4 75 %`; the percentage is rounded down, so that only all is 100."""
    if share.per_mille is None:
        return "–"
    return f"{share.met}/{share.total} {share.per_mille // 10:3} %"


def _legend(found: "Statistics") -> str:
    total = found.total
    lines = [
        "answered: has right below what its type needs, and something that could show it; in depth: so does all below",
        "verified: shown by its declared method on this content; proven: holds, and so does all below",
        "planned items are in no share; – is nothing to evaluate",
    ]
    if total.waiting:
        lines.append(f"{total.waiting} of {total.items} lack depth only because of what is planned below")
    if total.drafts:
        lines.append(f"{total.drafts} of {total.items} are drafts")
    if found.retired:
        lines.append(f"{found.retired} retired items are not counted")
    from verifflowcc.base.terminal.output import folded

    return "\n".join(folded(line, 2) for line in lines)


# `vfcc trace list|show`: the items as a table, and one of them as a page.


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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_narrowing import list_items

    listing = list_items(open_workspace(), type_, status, without)
    for notice in listing.notices:
        out.warn(notice)
    rows = listing.rows
    if as_json:
        out.emit_json(rows)
    else:
        out.emit(_trace_listing_table(rows) if rows else _nothing(type_, status, without))


def show(item: IdArgument, as_json: JsonFlag = False) -> None:
    """Show an item and all that is around it.

    What it says, where its links lead, who links to it, its code, its tests and its review.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.cli.trace_item_output import page
    from verifflowcc.trace.use.trace_narrowing import show_item

    shown = show_item(open_workspace(), item)
    out.emit_json(shown) if as_json else out.emit(page(shown))


def _trace_listing_table(rows: "tuple[TraceListRow, ...]") -> str:
    from verifflowcc.base.terminal.table import table

    several = len({row.status for row in rows}) > 1
    headings = ("item", *(("is",) if several else ()), "parents", "below", "review", "title")
    cells = [_cells(row, several=several) for row in rows]
    return table(headings, cells, right=(headings.index("below"),))


def _cells(row: "TraceListRow", *, several: bool) -> tuple[str, ...]:
    status = (row.status,) if several else ()
    return (row.id, *status, " ".join(row.parents) or "–", str(row.children), row.review, row.title)


def _nothing(type_: str | None, status: str | None, without: str | None) -> str:
    if type_ or status or without:
        words = f"{f' {status}' if status else ''} {type_ or 'item'}{f' without {without}' if without else ''}"
        return f"there is no{words}"
    return 'there is no item yet\nnext: vfcc trace add need "What is needed"'


app = typer.Typer(help="Add, link, review and follow the items from need to test.", no_args_is_help=True)
_PEOPLE, _EXCHANGE = "verifflowcc.trace.cli.trace_people", "verifflowcc.trace.cli.trace_exchange"
_MATRIX = "verifflowcc.cli.cli.trace_why"
typer.add_later(app, "add", f"{_PEOPLE}:add")
app.command("list")(list_)
app.command("show")(show)
typer.add_later(app, "link", f"{_PEOPLE}:link")
typer.add_later(app, "unlink", f"{_PEOPLE}:unlink")
typer.add_later(app, "retire", f"{_PEOPLE}:retire")
typer.add_later(app, "review", f"{_PEOPLE}:review")
typer.add_later(app, "verify", f"{_PEOPLE}:verify")
typer.add_later(app, "baseline", f"{_EXCHANGE}:app")
typer.add_later(app, "import", f"{_EXCHANGE}:import_")
typer.add_later(app, "export", f"{_EXCHANGE}:export")
typer.add_later(app, "matrix", f"{_MATRIX}:matrix")
typer.add_later(app, "impact", f"{_EXCHANGE}:impact")
app.command("coverage")(coverage)
typer.add_later(app, "why", f"{_MATRIX}:why")
