"""`vfcc trace matrix`: from need to test and back, as a table, as CSV, as JSON, or as a page for a browser."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, JunitOption, OutputOption, TypesOption
from verifflowcc.cli.terminal import switch_color_off

if TYPE_CHECKING:
    from verifflowcc.services.trace_narrowing import TraceSeen
    from verifflowcc.trace.matrix import Matrix


class Format(StrEnum):
    """What the matrix is written as."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


def matrix(
    form: Annotated[
        Format | None,
        typer.Option("--format", help="Format of the output (default: by the output file's name, or text)."),
    ] = None,
    output: OutputOption = None,
    types: TypesOption = None,
    states: Annotated[
        list[str] | None,
        typer.Option("--state", metavar="WORD", help="Only items in a state (failed, untested, …); may be repeated."),
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option("--item", metavar="ID", help="Only an item, or a pattern of ids (REQ-*); may be repeated."),
    ] = None,
    tests: Annotated[bool, typer.Option("--tests", help="From the tests back to the needs, in text and CSV.")] = False,
    junit: JunitOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the state of each item, from need to test and back.

    As html it is one file that needs no network, with filters and search, in both directions, readable on paper. Exits
    with 3 where there is no item.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.trace_matrix_views import see
    from verifflowcc.services.trace_narrowing import narrow_matrix

    wanted = _format(form, output, as_json=as_json)
    seen = see(junit)
    shown = narrow_matrix(seen, types or (), states or (), items or ())
    if wanted is Format.JSON:
        out.emit_json(shown, output)
        if output is not None:
            out.say(f"written: {output}")
        return
    if output is not None:
        switch_color_off()  # a file holds plain text
    text = _written(seen, shown, wanted, tests=tests)
    if output is None:
        out.emit(text)
    else:
        from verifflowcc.adapters.files.text_file import write_given

        write_given(output, text if wanted is Format.HTML else out.without_secrets(text))
        out.say(f"written: {output}")


def _format(given: Format | None, output: Path | None, *, as_json: bool) -> Format:
    if as_json and given not in {None, Format.JSON}:
        raise typer.TyperException(f"--json and --format {given} are two formats; give one")
    if as_json:
        return Format.JSON
    suffix = output.suffix.lower().removeprefix(".") if output else ""
    return given or next((each for each in Format if each == suffix), Format.TEXT)


def _written(seen: "TraceSeen", shown: "Matrix", wanted: Format, *, tests: bool) -> str:
    if wanted is Format.CSV:
        from verifflowcc.trace.matrix import csv_of_items, csv_of_tests

        return csv_of_tests(shown) if tests else csv_of_items(shown)
    if wanted is Format.HTML:
        from verifflowcc.report.pages import matrix_page
        from verifflowcc.services.workspace import open_workspace

        return matrix_page(open_workspace(), shown)
    from verifflowcc.cli.trace_matrix_views import items_table, tests_table

    return (tests_table(shown) if tests else items_table(shown)) + "\n"
