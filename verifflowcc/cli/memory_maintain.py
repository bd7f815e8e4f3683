"""`vfcc memory maintain`: what time does to items, when somebody asks for it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from verifflowcc.services.memory.maintained import Maintained


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


class MaintainScope(StrEnum):
    """Whose items are maintained."""

    USER = "user"
    PROJECT = "project"


def maintain(
    scope: Annotated[
        MaintainScope | None,
        typer.Option("--scope", help="Only the user's items, or only the project's (default: both)."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done; nothing is written.")
    ] = False,
    forget_project: Annotated[
        str | None,
        typer.Option(
            "--forget-project", metavar="NAME", help="Take a project that is gone off as a source of user items."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Record uses, and do what time does to items.

    What has ended or faded is archived, what says much the same becomes a summary, and a fix that a check proves is
    surer; each step is told with its reason. Archived items stay in their files; no prompt holds them, and restore
    brings them back.
    """
    from verifflowcc.cli import memory_here
    from verifflowcc.cli import output as out
    from verifflowcc.services.memory.maintaining import maintain as maintain_items

    here = memory_here.acting_here()
    done = maintain_items(
        here.workspace, scope.value if scope else None, actor=here.actor, dry_run=dry_run, gone_project=forget_project
    )
    out.emit_json(done) if as_json else out.emit(_page(done))


def _page(done: "Maintained") -> str:
    from verifflowcc.text.invisible import printable

    if not done.steps:
        return "nothing to do"
    lines = [f"{_WORDS[each.kind]} {each.item or each.scope}: {each.why}" for each in done.steps]
    if done.dry_run:
        lines.append("nothing was written (--dry-run)")
    return printable("\n".join(lines))
