"""`vfcc memory inbox|reject|promote`: what waits for a person, and what they say to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.memory_moving import TypeOption
from verifflowcc.cli.options import JsonFlag, ScopeOption, YesFlag

if TYPE_CHECKING:
    from verifflowcc.services.memory.finding import Found
    from verifflowcc.services.memory.promoting import Promoted, Promoting
    from verifflowcc.services.workspace import Workspace

IdsArgument = Annotated[list[str], typer.Argument(metavar="ID…", help="The items' ids, or the beginnings of them.")]


def inbox(scope: ScopeOption = None, as_json: JsonFlag = False) -> None:
    """List what waits for a person.

    Who proposed it, why it waits, where it was read, and what it would take the place of. The oldest first.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.cli.memory_inbox_views import inbox_page
    from verifflowcc.services.memory.inbox import open_inbox

    here = acting_here()
    found = open_inbox(here.workspace, here.scopes(scope))
    for notice in found.notices:
        out.warn(notice)
    out.emit_json(found) if as_json else tell(inbox_page(found))


def reject(
    items: IdsArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why not; it is kept with the item.")] = "",
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Reject what was proposed.

    It is archived and marked, so that it is not proposed again. A person rejects anything, an agent its own alone.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.memory.rejecting import demand_may_reject, reject_item

    here = acting_here()
    found = _each_once([here.find(name, scope) for name in items])
    for each in found:
        demand_may_reject(each, here.actor)
    done = [reject_item(here.workspace, each, actor=here.actor, today=here.today, reason=reason) for each in found]
    out.emit_json(done) if as_json else tell([f"{each.item.id}: rejected" for each in done])


def promote(
    items: IdsArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="SCOPE", help="project (from a task …) or user (from the project).")
    ] = None,
    type_: TypeOption = None,
    vouch: Annotated[
        bool, typer.Option("--vouch", help="Answer for it yourself: it is trusted as you are, and says so.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Make proposed items active, or move items up.

    What that changes is shown first. With --to, from a task to the project, or from the project to the user. It takes a
    person at a terminal; who it was and when is kept in the item. Promoting raises no trust: that takes vouching.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.finding import one_of
    from verifflowcc.services.memory.permission import require_person
    from verifflowcc.services.memory.promoting import promote_item
    from verifflowcc.services.memory.scopes import PROJECT, read_scope

    here = acting_here()
    word = one_of(to, ("user", PROJECT), "memory to promote it to", "--to …") if to is not None else None
    target = read_scope(here.workspace, word) if word is not None else None
    found = _each_once([here.find(name, scope, but=target) for name in items])
    require_person(here.actor, f"promoting {found[0].item.id}", hint=f"vfcc memory show {found[0].item.id}")
    done: list[Promoted] = []
    try:
        for each in found:
            done.append(
                promote_item(
                    here.workspace,
                    each,
                    target,
                    actor=here.actor,
                    today=here.today,
                    confirm=lambda promoting: _ask(promoting, yes=yes),
                    show=_show,
                    type_name=type_,
                    vouch=vouch,
                )
            )
    finally:
        _count(here.workspace, found, done)
        if done and not as_json:
            tell([_told(each) for each in done])
        elif done:
            out.emit_json(done)


def _count(workspace: "Workspace | None", found: "Sequence[Found]", done: "Sequence[Promoted]") -> None:
    """Count the items in whose place a proposal came; what held already and moves up comes in the place of none."""
    from verifflowcc.cli import output as out
    from verifflowcc.domain.items import Status
    from verifflowcc.services.memory.counting import SUPERSEDED, note_metrics

    pairs = zip(found, done, strict=False)
    replaced = sum(len(after.supersedes) for before, after in pairs if before.item.status is Status.PENDING)
    for notice in note_metrics(workspace, {SUPERSEDED: replaced}):
        out.warn(notice)


def _each_once(found: "Sequence[Found]") -> "list[Found]":
    return list({(each.scope, each.item.id): each for each in found}.values())


def _told(done: "Promoted") -> str:
    moved = done.scope != done.was
    stands = f", in the place of {', '.join(done.supersedes)}" if done.supersedes and not moved else ""
    return f"{done.item.id}: {f'moved to {done.scope} memory' if moved else 'active'}{stands}"


def _show(promoting: "Promoting") -> None:
    """Show what changes, beside the data and before anything is written."""
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_inbox_views import change_lines
    from verifflowcc.cli.painting import changes

    out.say("\n".join(change_lines(promoting)), paint=changes)


def _ask(promoting: "Promoting", *, yes: bool) -> None:
    from verifflowcc.cli.moves import confirm

    confirm([promoting.after.item.title], "Remember this preference in all your projects?", yes=yes)
