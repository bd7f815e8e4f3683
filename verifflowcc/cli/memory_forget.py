"""`vfcc memory forget`: remove an item, all that came from one source, or all that is remembered of a person."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, ScopeOption, YesFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifflowcc.cli.memory_here import Here
    from verifflowcc.services.memory.finding import Found
    from verifflowcc.services.memory.forgetting import Forgotten
    from verifflowcc.services.memory.purging import Purged, PurgedItem


_MOST = 40


def forget(
    item: Annotated[
        str | None, typer.Argument(metavar="ID", help="The item's id, or the beginning of it.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is remembered of you; with --scope user.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="SOURCE", help="All that came from a session, or from a file: its name is enough."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --source: show what would go, and change nothing.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove an item, or all that came from one source.

    It asks first. With --source, summaries made of those items go too, and what they had replaced is in force again.
    For trace items: `vfcc trace retire`. For a proposal: `vfcc memory reject`.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here
    from verifflowcc.errors import UsageError
    from verifflowcc.services.memory.forgetting import demand_may_forget, forget_item

    if sum((item is not None, everything, source is not None)) != 1:
        raise UsageError("vfcc memory forget needs one of ID, --source and --all", hint="vfcc memory list")
    if dry_run and source is None:
        raise UsageError("--dry-run goes with --source", hint="vfcc memory forget --source talk.md --dry-run")
    here = acting_here()
    if source is not None:
        _forget_source(here, source, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    if item is None:
        _forget_all(here, scope, yes=yes, as_json=as_json)
        return
    found = here.find(item, scope)
    demand_may_forget(found, here.actor)
    _ask_to_forget(here, found, yes=yes)
    done = forget_item(here.workspace, found, actor=here.actor, scopes=here.scopes(None))
    out.emit_json(done) if as_json else _tell_forgotten(done)


def _forget_all(here: "Here", scope: str | None, *, yes: bool, as_json: bool) -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import tell
    from verifflowcc.errors import UsageError
    from verifflowcc.services.memory.forgetting import clear_user, count_user
    from verifflowcc.services.memory.permission import require_person

    if scope != "user":
        raise UsageError("only user memory is cleared as a whole", hint="vfcc memory forget --all --scope user")
    require_person(here.actor, "clearing user memory", hint="vfcc memory list --scope user")
    number = count_user(here.workspace)
    out.say(f"This forgets all {number:,} items of your memory, in every project. It cannot be undone.")
    if not (yes or _is_sure()):
        raise typer.Abort
    done = clear_user(here.workspace, actor=here.actor)
    out.emit_json(done) if as_json else tell([f"forgotten: {done.items:,} items of user memory"])


def _is_sure() -> bool:
    from verifflowcc.adapters.clock import terminal_in_use

    with terminal_in_use():
        return str(typer.prompt("Type yes to go on", default="", show_default=False, err=True)).strip() == "yes"


def _ask_to_forget(here: "Here", found: "Found", *, yes: bool) -> None:
    """A person is asked; what an agent may forget at all, it forgets."""
    from verifflowcc.cli.memory_views import before_and_after
    from verifflowcc.cli.moves import confirm
    from verifflowcc.services.memory.permission import is_person

    if is_person(here.actor):
        confirm(before_and_after(None, found.stored), f"Forget {found.item.id}?", yes=yes)


def _tell_forgotten(done: "Forgotten") -> None:
    from verifflowcc.cli.memory_here import tell

    lines = [f"{done.item.id}: forgotten"]
    if done.in_git:
        lines.append(f"  git keeps it: git checkout HEAD -- {done.item.path}")
    lines += [f"  {other} still links to it" for other in done.linked_by]
    tell(lines)


def _forget_source(here: "Here", source: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import tell
    from verifflowcc.cli.moves import confirm
    from verifflowcc.services.memory.purging import purge

    done = purge(
        here.workspace,
        source,
        here.scopes(None),
        actor=here.actor,
        confirm=lambda asked: confirm(_purged(asked), f"Remove what came from {asked.source}?", yes=yes),
        dry_run=dry_run,
    )
    out.emit_json(done) if as_json else tell(_purged(done))


def _purged(done: "Purged") -> list[str]:
    would = "would be " if done.dry_run else ""
    lines = [*_rows(done.gone, f"{would}gone"), *_rows(done.back, f"{would}back, since the summary of it is gone")]
    lines += _rows(done.stand, f"{would}in force again")
    lines += [f"{other} still links to what is {would}gone" for other in done.linked_by]
    lines += [f"{session} contains some of it too; ingest it again to keep that" for session in done.said_too]
    items = f"{len(done.gone):,} {'item' if len(done.gone) == 1 else 'items'}"
    return [*lines, f"{items} {would}gone that came from {done.source}"]


def _rows(items: "Sequence[PurgedItem]", what: str) -> list[str]:
    rows = [f"{each.id} ({each.type}, {each.scope}): {what}" for each in items[:_MOST]]
    return rows if len(items) <= _MOST else [*rows, f"and {len(items) - _MOST:,} more {what}"]
