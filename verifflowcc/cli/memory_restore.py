"""`vfcc memory restore`: bring back what was archived, as it was."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import DryRunOnly, JsonFlag, ScopeOption

if TYPE_CHECKING:
    from verifflowcc.services.memory.restoring import Back, Restored


def restore(
    item: Annotated[
        str, typer.Argument(metavar="ID", help="A summary's id, or an archived item's, or the beginning of it.")
    ],
    dry_run: DryRunOnly = False,
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Restore what was archived.

    It is an archived item, or all that a summary was made of. They are as they were, byte for byte, and the summary is
    gone. It counts as a use. What the person or the project remembered takes a person at a terminal.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.memory.access import note_uses
    from verifflowcc.services.memory.restoring import restore as restore_item

    here = acting_here()
    found = here.find(item, scope)
    done = restore_item(here.workspace, found, actor=here.actor, today=here.today, dry_run=dry_run)
    if not dry_run:
        for notice in note_uses(here.workspace, {done.scope: [each.id for each in done.items]}, "restore"):
            out.warn(notice)
    out.emit_json(done) if as_json else tell(_page(done))


def _page(done: "Restored") -> list[str]:
    lines = [_line(each, dry_run=done.dry_run) for each in done.items]
    if done.summary:
        lines.append(f"{done.summary}: {'would be ' if done.dry_run else ''}gone")
    lines += [f"  {note}" for note in done.notes]
    return [*lines, "nothing was written (--dry-run)"] if done.dry_run else lines


def _line(back: "Back", *, dry_run: bool) -> str:
    when = f" on {back.archived}" if back.archived else ""
    why = f", since {back.why}" if back.why else ""
    return f"{back.id}: {'would be ' if dry_run else ''}{back.status} again; it was archived{when}{why}"
