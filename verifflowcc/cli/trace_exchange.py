"""`vfcc trace import` and `vfcc trace export`: items from other tools, and ours for them."""

from pathlib import Path
from typing import Annotated

import typer

from verifflowcc.cli.options import DryRunFlag, JsonFlag, OutputOption
from verifflowcc.domain.importers import IMPORTERS

ONE_OF = ", ".join(IMPORTERS)
Pairs = list[str] | None


def import_(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or the folder of a tree.")],
    format_: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help=f"{ONE_OF} (default: by the content).")
    ] = None,
    type_: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="The type of items that --map-type does not name.")
    ] = None,
    map_type: Annotated[
        Pairs, typer.Option("--map-type", metavar="KIND=TYPE", help="The type of a kind, or of files (a pattern).")
    ] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="NAME", help="The relation of links whose role says none.")
    ] = None,
    verification: Annotated[
        str | None, typer.Option("--verification", metavar="METHOD", help="The method of items that state none.")
    ] = None,
    column: Annotated[
        Pairs, typer.Option("--map", metavar="COLUMN=FIELD", help="Map a column of a CSV file to a field.")
    ] = None,
    pattern: Annotated[
        str | None, typer.Option("--pattern", metavar="REGEX", help="Lines of Markdown that begin items: (?P<id>…).")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse malformed parts instead of skipping them.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Take what the other side changed.")] = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Import items from another tool; the second run changes nothing."""
    from verifflowcc.adapters.foreign.find import Given
    from verifflowcc.cli import moves
    from verifflowcc.cli import output as out
    from verifflowcc.cli.trace_views_import import import_text
    from verifflowcc.services.finding import one_of
    from verifflowcc.services.trace_import import import_items
    from verifflowcc.trace.adopt_words import Choices

    chosen = one_of(format_, tuple(IMPORTERS), "format", "vfcc trace import PATH --format …") if format_ else None
    given = Given(tuple(paths), chosen, pattern, _pairs(column, "--map"))
    choices = Choices(type_, _pairs(map_type, "--map-type"), relation, verification)
    acting = moves.acting_here()
    report = import_items(
        acting.workspace, given, choices, actor=acting.actor, update=update, strict=strict, dry_run=dry_run
    )
    out.emit_json(report) if as_json else out.emit(import_text(report))


def export(
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="csv, json or reqif (default: by the output file's name, or csv)."
        ),
    ] = None,
    output: OutputOption = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Items of this type alone; may be repeated.")
    ] = None,
) -> None:
    """Export all items as CSV, JSON or ReqIF."""
    from verifflowcc.adapters.files.text_file import write_given
    from verifflowcc.cli import output as out
    from verifflowcc.services.trace_export import FORMATS, export_items
    from verifflowcc.services.workspace import open_workspace

    suffix = output.suffix.lower().removeprefix(".") if output else ""
    exported = export_items(open_workspace(), format_ or (suffix if suffix in FORMATS else "csv"), tuple(type_ or ()))
    for notice in exported.notices:
        out.warn(notice)
    if output is None:
        out.emit(exported.text, withheld=True)
        return
    write_given(output, exported.text)
    out.say(f"{exported.items} item{'' if exported.items == 1 else 's'} written to {output}")


def _pairs(given: Pairs, option: str) -> dict[str, str]:
    from verifflowcc.errors import UsageError

    found: dict[str, str] = {}
    for each in given or ():
        name, equals, value = each.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(
                f"{each!r} after {option} is no NAME=VALUE", hint=f"vfcc trace import PATH {option} NAME=VALUE"
            )
        found[name.strip()] = value.strip()
    return found
