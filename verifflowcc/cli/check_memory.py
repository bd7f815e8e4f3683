"""`vfcc check memory`: everything that is wrong with remembered items; it writes nothing but what is derived."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from verifflowcc.services.memory.checking import CheckedMemory

FINDINGS = 1
NOTHING = 3
_USER = "user"


class Format(StrEnum):
    """What the findings are written as."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def memory(
    as_json: JsonFlag = False,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="Only these items: user, project, sprint/ID …")
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="How to write them.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write them to FILE; the verdict to stderr.")
    ] = None,
) -> None:
    """Ask everything that there is to ask of the memory.

    Of all items of the project, or with --scope user of your own. Exits with 1 where anything is an error or a warning,
    with 3 where there is nothing to read.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_check_views import verdict
    from verifflowcc.services.memory.checking import check_memory
    from verifflowcc.services.memory.here import workspace_for

    if as_json and form not in {None, Format.JSON}:
        raise typer.TyperException(f"--json and --format {form} are two formats; give one")
    wanted = Format.JSON if as_json else form or Format.TEXT
    checked = check_memory(workspace_for(scope), scope)
    for notice in checked.notices:
        out.warn(notice)
    text = _written(checked, wanted)
    if output is not None:
        from verifflowcc.adapters.files.text_file import write_given

        write_given(output, text)
    elif text:
        out.emit(text)
    if output is not None or wanted not in {Format.TEXT, Format.JSON}:
        out.say(verdict(checked))
    if code := exit_code(checked):
        raise typer.Exit(code)


def exit_code(checked: "CheckedMemory") -> int:
    """Return 3 where there was nothing to read, 1 where anything is an error or a warning, else 0."""
    if not checked.anything:
        return NOTHING
    return FINDINGS if checked.report.red else 0


def _written(checked: "CheckedMemory", wanted: Format) -> str:
    from verifflowcc import __version__
    from verifflowcc.cli import output as out

    if wanted is Format.JSON:
        return out.json_text(checked) + "\n"
    if wanted is Format.TEXT:
        from verifflowcc.cli.memory_check_views import findings_page

        return findings_page(checked) + "\n"
    from verifflowcc.domain.memory_codes import CATALOGUE

    if wanted is Format.SARIF:
        from verifflowcc.formats.sarif_write import sarif_text

        return sarif_text(checked.report, __version__, checked.prefix, CATALOGUE)
    if wanted is Format.JUNIT:
        from verifflowcc.formats.junit_write import junit_text

        return junit_text(checked.report, CATALOGUE)
    from verifflowcc.formats.github_annotations import annotations

    return annotations(checked.report.findings, checked.prefix, CATALOGUE)
