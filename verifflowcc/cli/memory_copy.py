"""`vfcc memory copy` and `vfcc memory schema`: from one backend to another, and what PostgreSQL needs for it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, StoreScope, counted

if TYPE_CHECKING:
    from verifflowcc.services.memory.copying import Copied


class Kept(StrEnum):
    """How items are kept."""

    FILES = "files"
    SQLITE = "sqlite"
    POSTGRES = "postgres"


def copy(
    scope: Annotated[StoreScope, typer.Option("--scope", help="Scope to copy.")],
    source: Annotated[Kept, typer.Option("--from", help="Backend to copy from.")],
    target: Annotated[Kept, typer.Option("--to", help="Backend to copy to.")],
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
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here
    from verifflowcc.domain.config import BackendKind
    from verifflowcc.services.memory.copying import How, copy_items

    here = acting_here()
    ends = BackendKind(source.value), BackendKind(target.value)
    done = copy_items(here.workspace, scope.value, *ends, How(replace, move, dry_run), actor=here.actor)
    for problem in done.unreadable:
        out.warn(f"not copied: {problem}")
    _refuse_conflicts(done, as_json=as_json)
    out.emit_json(done) if as_json else out.emit(_page(done))


def schema() -> None:
    """Print the script that prepares a PostgreSQL database.

    An administrator of the database runs it: vfcc memory schema | psql -v ON_ERROR_STOP=1 -d NAME
    """
    from verifflowcc.cli import output as out
    from verifflowcc.services.memory.schema import schema_script

    out.emit(schema_script())


def _refuse_conflicts(done: "Copied", *, as_json: bool) -> None:
    if not done.conflicts:
        return
    from verifflowcc.cli import output as out
    from verifflowcc.errors import ConflictError

    if as_json:
        out.emit_json(done)
    shown = ", ".join(done.conflicts[:5]) + (", …" if len(done.conflicts) > 5 else "")
    raise ConflictError(
        f"nothing was copied: {done.target} has {counted(len(done.conflicts), 'item')} of the same id "
        f"and another text: {shown}",
        hint="--replace puts those of --from in their place",
    )


def _page(done: "Copied") -> str:
    from verifflowcc.text.invisible import printable

    verb = "would be copied" if done.dry_run else "moved" if done.moved else "copied"
    lines = [f"{counted(len(done.copied), 'item')} {verb} from {done.source} to {done.target}"]
    lines += [f"  replaced: {name}" for name in done.replaced]
    if done.same:
        lines.append(f"  {counted(len(done.same), 'item')} there already")
    if done.setting:
        lines.append(f"to use {done.target} from now on: {done.setting}")
    return printable("\n".join(lines))
