"""`vfcc memory export` and `vfcc memory import`: items from elsewhere, and ours for other machines."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import DryRunFlag, JsonFlag, OutputOption, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.memory.importing import Imported
    from verifflowcc.services.memory.incoming import Incoming

FINDINGS = 1
CONFLICTS = 5
_MOST = 40
_USER = "user"


class ExportFormat(StrEnum):
    """What is exported: items as vfcc reads them byte for byte, or records for other stores."""

    ITEMS = "items"
    RECORDS = "records"


class Format(StrEnum):
    """What is imported."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


def export(
    scopes: Annotated[
        list[str] | None, typer.Option("--scope", metavar="SCOPE", help="Items of this scope (default: the project's).")
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only these types; may be repeated.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All scopes that are open here, yours too.")] = False,
    form: Annotated[
        ExportFormat,
        typer.Option("--format", help="items: byte for byte; records: id, type, status, content … in camel case."),
    ] = ExportFormat.ITEMS,
    output: OutputOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Export items as lines of JSON.

    Importing them on another machine gives the same bytes. The default is the project's items, outside of one yours.
    Records are for other stores; importing them gives the same statuses, links, counts and dates.

    Exits with 1 where something could not be read.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import close_user_memory
    from verifflowcc.services.memory.exporting import export_memory
    from verifflowcc.services.memory.here import workspace_for

    close_user_memory()
    only_user = scopes is not None and set(scopes) == {_USER}
    found = export_memory(
        workspace_for(_USER if only_user or not scopes else scopes[0]),
        scopes or (),
        types or (),
        everything=everything,
        records=form is ExportFormat.RECORDS,
    )
    for problem in found.problems:
        out.warn(f"not exported: {problem}")
    if output is not None:
        from verifflowcc.adapters.files.text_file import write_given

        write_given(output, found.text)
    if as_json:
        out.emit_json({"counts": found.counts, "number": found.number, "problems": found.problems})
    elif output is None and found.text:
        out.emit(found.text, withheld=True)
    if not as_json:
        each = ", ".join(f"{number:,} of {scope}" for scope, number in sorted(found.counts.items()))
        out.say(f"exported: {each}")
    if found.problems:
        raise typer.Exit(FINDINGS)


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE|FOLDER|-", help="Lines of JSON, or Markdown files.")],
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="SCOPE", help="Scope for the items (default: the one that each names)."),
    ] = None,
    type_: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="The type of what says none of ours.")
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="Format of the file (default: by the file's name).")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take what comes where an item differs.")] = False,
    skip_broken: Annotated[bool, typer.Option("--skip-broken", help="Take the sound lines alone.")] = False,
    dry_run: DryRunFlag = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Import items from lines of JSON or Markdown.

    The lines are of an export or an older store. The second run changes nothing.

    Exits with 5 where an item that is there differs and was left as it is, with 1 where lines were skipped.
    """
    from verifflowcc.adapters.actor import actor_here
    from verifflowcc.adapters.clock import SystemClock
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import close_user_memory
    from verifflowcc.services.memory.here import workspace_for
    from verifflowcc.services.memory.importing import Choices, Fate, import_memory
    from verifflowcc.services.workspace import current_folder

    close_user_memory()
    workspace = workspace_for(_USER)
    root = workspace.root if workspace else current_folder()
    actor = actor_here(root).name
    choices = Choices(scope, type_, str(form) if form else None, replace, skip_broken, dry_run)
    done = import_memory(
        workspace,
        source,
        choices,
        actor=actor,
        confirm=lambda asked: _confirm(asked, yes=yes),
        today=f"{SystemClock().now():%Y-%m-%d}",
    )
    for problem in done.problems:
        out.warn(f"skipped: {problem}")
    out.emit_json(done) if as_json else out.emit(_page(done))
    if done.count(Fate.CONFLICT):
        raise typer.Exit(CONFLICTS)
    if done.problems:
        raise typer.Exit(FINDINGS)


def _confirm(asked: "Sequence[Incoming]", *, yes: bool) -> None:
    from verifflowcc.cli.moves import confirm, listed

    lines = listed([f"  {each.stored.item.title}" for each in asked])
    told = [f"preferences that would steer every prompt in every project: {len(asked)}", *lines]
    confirm(told, "Remember them?", yes=yes)


def _page(done: "Imported") -> str:
    from verifflowcc.services.memory.importing import Fate
    from verifflowcc.text.invisible import printable

    told = [each for each in done.items if each.fate is not Fate.UNCHANGED]
    lines = []
    for each in told[:_MOST]:
        what = f"{each.id} ({each.type}, {each.scope})" if each.id else each.where
        lines.append(f"{each.fate}: {what}" + (f": {each.why}" if each.why else ""))
    if len(told) > _MOST:
        lines.append(f"and {len(told) - _MOST:,} more")
    counts = ", ".join(f"{done.count(fate):,} {fate}" for fate in Fate if done.count(fate))
    lines.append(f"{'would be ' if done.dry_run else ''}{counts or 'nothing to import'}")
    if done.fields:
        listed = ", ".join(f"{name} ({number:,})" for name, number in done.fields.items())
        lines.append(f"not understood, kept under imported: {listed}")
    if done.count(Fate.PROPOSED) and not done.dry_run:
        lines.append("what is proposed waits for a person: vfcc memory promote ID")
    return printable("\n".join(lines))
