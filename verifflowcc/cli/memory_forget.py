"""`vfcc memory forget`: take an item away, or all that is remembered of a person."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.memory_add import ScopeOption, YesOption
from verifflowcc.cli.options import JsonFlag

if TYPE_CHECKING:
    from verifflowcc.cli.memory_here import Here
    from verifflowcc.services.memory.finding import Found
    from verifflowcc.services.memory.forgetting import Forgotten


def forget(
    item: Annotated[
        str | None, typer.Argument(metavar="ID", help="The item's id, or the beginning of it.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is remembered of you; with --scope user.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesOption = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove an item, after a question."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here
    from verifflowcc.errors import UsageError
    from verifflowcc.services.memory.forgetting import demand_may_forget, forget_item

    here = acting_here()
    if everything:
        if item is not None:
            raise UsageError("say an ID or --all, not both", hint="vfcc memory forget --all --scope user")
        _forget_all(here, scope, yes=yes, as_json=as_json)
        return
    if item is None:
        raise UsageError("vfcc memory forget needs ID", hint="vfcc memory list")
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
    from verifflowcc.adapters.observer import terminal_in_use

    with terminal_in_use():
        return str(typer.prompt("Type yes to go on", default="", show_default=False, err=True)).strip() == "yes"


def _ask_to_forget(here: "Here", found: "Found", *, yes: bool) -> None:
    """A person is asked; what an agent may forget at all, it forgets."""
    from verifflowcc.cli.asking import confirm
    from verifflowcc.cli.memory_views import before_and_after
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
