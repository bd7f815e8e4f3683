"""`vfcc memory maintain`: what time does to items, when somebody asks for it."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import DryRunOnly, JsonFlag, StoreScope

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


def maintain(
    scope: Annotated[
        StoreScope | None,
        typer.Option("--scope", help="Only the user's items, or only the project's (default: both)."),
    ] = None,
    dry_run: DryRunOnly = False,
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
