"""`vfcc memory copy` and `vfcc memory schema`: from one backend to another, and what PostgreSQL needs for it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    DryRunFlag,
    JsonFlag,
    OutputOption,
    ScopeOption,
    StoreScope,
    YesFlag,
)
from verifflowcc.base.text.plain_words import counted

if TYPE_CHECKING:
    from verifflowcc.memory.use.consolidating import MaintenanceResult, RestoredItem, RestoreResult
    from verifflowcc.memory.use.copying import CopyResult
    from verifflowcc.memory.use.importing import IncomingItem, MemoryImportResult


# `vfcc memory export` and `vfcc memory import`: items from elsewhere, and ours for other machines.

FINDINGS = 1
CONFLICTS = 5
_MOST = 40
_USER = "user"


class ExportFormat(StrEnum):
    """What is exported: items as vfcc reads them byte for byte, or records for other stores."""

    ITEMS = "items"
    RECORDS = "records"


class MemoryImportFormat(StrEnum):
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
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import close_user_memory
    from verifflowcc.memory.use.copying import export_memory
    from verifflowcc.memory.use.item_scope import workspace_for

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
        from verifflowcc.base.files.text_files import write_given

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
        MemoryImportFormat | None, typer.Option("--format", help="Format of the file (default: by the file's name).")
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
    from verifflowcc.base.process.acting import actor_here
    from verifflowcc.base.process.clock import SystemClock
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import current_folder
    from verifflowcc.memory.cli.memory_output import close_user_memory
    from verifflowcc.memory.use.importing import ImportOutcome, MemoryImportOptions, import_memory
    from verifflowcc.memory.use.item_scope import workspace_for

    close_user_memory()
    workspace = workspace_for(_USER)
    root = workspace.root if workspace else current_folder()
    actor = actor_here(root).name
    choices = MemoryImportOptions(scope, type_, str(form) if form else None, replace, skip_broken, dry_run)
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
    out.emit_json(done) if as_json else out.emit(_memory_exchange_page(done))
    if done.count(ImportOutcome.CONFLICT):
        raise typer.Exit(CONFLICTS)
    if done.problems:
        raise typer.Exit(FINDINGS)


def _confirm(asked: "Sequence[IncomingItem]", *, yes: bool) -> None:
    from verifflowcc.sprint.cli.move_output import confirm, listed

    lines = listed([f"  {each.stored.item.title}" for each in asked])
    message = [f"preferences that would steer every prompt in every project: {len(asked)}", *lines]
    confirm(message, "Remember them?", yes=yes)


def _memory_exchange_page(done: "MemoryImportResult") -> str:
    from verifflowcc.base.text.hidden_text import printable
    from verifflowcc.memory.use.importing import ImportOutcome

    shown = [each for each in done.items if each.outcome is not ImportOutcome.UNCHANGED]
    lines = []
    for each in shown[:_MOST]:
        what = f"{each.id} ({each.type}, {each.scope})" if each.id else each.where
        lines.append(f"{each.outcome}: {what}" + (f": {each.why}" if each.why else ""))
    if len(shown) > _MOST:
        lines.append(f"and {len(shown) - _MOST:,} more")
    counts = ", ".join(f"{done.count(fate):,} {fate}" for fate in ImportOutcome if done.count(fate))
    lines.append(f"{'would be ' if done.dry_run else ''}{counts or 'nothing to import'}")
    if done.fields:
        listed = ", ".join(f"{name} ({number:,})" for name, number in done.fields.items())
        lines.append(f"not understood, kept under imported: {listed}")
    if done.count(ImportOutcome.PROPOSED) and not done.dry_run:
        lines.append("what is proposed waits for a person: vfcc memory promote ID")
    return printable("\n".join(lines))


# `vfcc memory maintain`: what time does to items, when somebody asks for it.

_WORDS = {
    "forgotten": "edit",
    "uses": "count",
    "completed": "complete",
    "restored": "restore",
    "ended": "archive",
    "stage": "archive",
    "decayed": "archive",
    "consolidated": "make",
    "evicted": "archive",
    "raised": "raise",
    "task": "clear",
    "told": "note",
}


def maintain(
    scope: Annotated[
        StoreScope | None,
        typer.Option("--scope", help="Only the user's items, or only the project's (default: both)."),
    ] = None,
    dry_run: DryRunFlag = False,
    forget_project: Annotated[
        str | None,
        typer.Option(
            "--forget-project", metavar="NAME", help="Take a project that is gone off as a source of user items."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Expire, decay and consolidate items; record usage counts.

    Expired and faded items are archived, similar items become a summary, and a fix that a check proves gains
    confidence; each step is shown with its reason. Archived items stay in their files; no prompt holds them, and
    vfcc memory restore brings them back.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli import memory_output as memory_here
    from verifflowcc.memory.use.maintaining import maintain as maintain_items

    here = memory_here.acting_here()
    done = maintain_items(
        here.workspace, scope.value if scope else None, actor=here.actor, dry_run=dry_run, gone_project=forget_project
    )
    out.emit_json(done) if as_json else out.emit(_memory_maintain_page(done))


def _memory_maintain_page(done: "MaintenanceResult") -> str:
    from verifflowcc.base.text.hidden_text import printable

    if not done.steps:
        return "nothing to do"
    lines = [f"{_WORDS[each.kind]} {each.item or each.scope}: {each.why}" for each in done.steps]
    if done.dry_run:
        lines.append("nothing was written (--dry-run)")
    return printable("\n".join(lines))


# `vfcc memory restore`: bring back what was archived, as it was.


def restore(
    item: Annotated[
        str, typer.Argument(metavar="ID", help="A summary's id, or an archived item's, or the beginning of it.")
    ],
    dry_run: DryRunFlag = False,
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Restore what was archived.

    It is an archived item, or all that a summary was made of. They are as they were, byte for byte, and the summary is
    gone. It counts as a use. What the person or the project remembered takes a person at a terminal.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, tell
    from verifflowcc.memory.use.access_counts import note_uses
    from verifflowcc.memory.use.consolidating import restore as restore_item

    here = acting_here()
    found = here.find(item, scope)
    done = restore_item(here.workspace, found, actor=here.actor, today=here.today, dry_run=dry_run)
    if not dry_run:
        for notice in note_uses(here.workspace, {done.scope: [each.id for each in done.items]}, "restore"):
            out.warn(notice)
    out.emit_json(done) if as_json else tell(_memory_restore_page(done))


def _memory_restore_page(done: "RestoreResult") -> list[str]:
    lines = [_line(each, dry_run=done.dry_run) for each in done.items]
    if done.summary:
        lines.append(f"{done.summary}: {'would be ' if done.dry_run else ''}gone")
    lines += [f"  {note}" for note in done.notes]
    return [*lines, "nothing was written (--dry-run)"] if done.dry_run else lines


def _line(back: "RestoredItem", *, dry_run: bool) -> str:
    when = f" on {back.archived}" if back.archived else ""
    why = f", since {back.why}" if back.why else ""
    return f"{back.id}: {'would be ' if dry_run else ''}{back.status} again; it was archived{when}{why}"


class BackendChoice(StrEnum):
    """How items are kept."""

    FILES = "files"
    SQLITE = "sqlite"
    POSTGRES = "postgres"


def copy(
    scope: Annotated[StoreScope, typer.Option("--scope", help="Scope to copy.")],
    source: Annotated[BackendChoice, typer.Option("--from", help="Backend to copy from.")],
    target: Annotated[BackendChoice, typer.Option("--to", help="Backend to copy to.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace items that have the same id and another text.")
    ] = False,
    move: Annotated[
        bool, typer.Option("--move", help="Remove the items where they were, after each was read back.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done; nothing is copied.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Copy all items of a scope to another backend, byte for byte.

    Nothing is copied where an item with the same id says something else at the other end. It takes a person at a
    terminal. Loading strategies read files alone: decisions and conventions of a project are best kept as files.
    """
    from verifflowcc.base.model.config_values import BackendKind
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here
    from verifflowcc.memory.use.copying import CopyOptions, copy_items

    here = acting_here()
    ends = BackendKind(source.value), BackendKind(target.value)
    done = copy_items(here.workspace, scope.value, *ends, CopyOptions(replace, move, dry_run), actor=here.actor)
    for problem in done.unreadable:
        out.warn(f"not copied: {problem}")
    _refuse_conflicts(done, as_json=as_json)
    out.emit_json(done) if as_json else out.emit(_page(done))


def schema() -> None:
    """Print the script that prepares a PostgreSQL database.

    An administrator of the database runs it: vfcc memory schema | psql -v ON_ERROR_STOP=1 -d NAME
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.copying import schema_script

    out.emit(schema_script())


def _refuse_conflicts(done: "CopyResult", *, as_json: bool) -> None:
    if not done.conflicts:
        return
    from verifflowcc.base.errors import ConflictError
    from verifflowcc.base.terminal import output as out

    if as_json:
        out.emit_json(done)
    shown = ", ".join(done.conflicts[:5]) + (", …" if len(done.conflicts) > 5 else "")
    raise ConflictError(
        f"nothing was copied: {done.target} has {counted(len(done.conflicts), 'item')} of the same id "
        f"and another text: {shown}",
        hint="--replace puts those of --from in their place",
    )


def _page(done: "CopyResult") -> str:
    from verifflowcc.base.text.hidden_text import printable

    verb = "would be copied" if done.dry_run else "moved" if done.moved else "copied"
    lines = [f"{counted(len(done.copied), 'item')} {verb} from {done.source} to {done.target}"]
    lines += [f"  replaced: {name}" for name in done.replaced]
    if done.same:
        lines.append(f"  {counted(len(done.same), 'item')} there already")
    if done.setting:
        lines.append(f"to use {done.target} from now on: {done.setting}")
    return printable("\n".join(lines))
