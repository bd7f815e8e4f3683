"""Promote an item, which only a person does: what was proposed holds, and what a task or a project knows moves up."""

from dataclasses import dataclass, replace

from verifflowcc.adapters.files.user_home import USER
from verifflowcc.domain.items import Item, Relation, Status
from verifflowcc.errors import UsageError
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.services.memory.editing import demand_same
from verifflowcc.services.memory.finding import Found
from verifflowcc.services.memory.moving import Confirm, Moving, transfer
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import asks, require_person
from verifflowcc.services.memory.rewriting import rewritten
from verifflowcc.services.memory.scopes import PROJECT
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Promoted:
    """An item after its promotion. `was` is its scope before, `supersedes` what it now stands in the place of."""

    item: Item
    scope: str
    was: str
    supersedes: tuple[str, ...]
    finished: bool = False


def promote_item(
    workspace: Workspace | None,
    found: Found,
    to: str | None,
    *,
    actor: str,
    today: str,
    confirm: Confirm,
    type_name: str | None = None,
) -> Promoted:
    """Make a pending item active, or with `to` (`project` or `user`) move it up.

    Raises NotAllowed unless a person acts; UsageError where there is nothing to promote, the way is no promotion, or
    the key is that of another active item; and as `transfer` does.
    """
    require_person(actor, f"promoting {found.item.id}", hint=f"vfcc memory show {found.item.id}")
    if to is None:
        if type_name is not None:
            raise UsageError("a type goes with --to", hint=f"vfcc memory promote {found.item.id} --to user")
        return _activated(workspace, found, today=today, confirm=confirm)
    _demand_way(found, to)
    done = transfer(workspace, found, to, actor=actor, confirm=confirm, type_name=type_name, activate=True)
    return Promoted(done.item, to, found.scope, _superseded_by(done.item), done.finished)


def _activated(workspace: Workspace | None, found: Found, *, today: str, confirm: Confirm) -> Promoted:
    item = found.item
    if item.status is not Status.PENDING:
        up = _next(found.scope)
        hint = f"vfcc memory promote {item.id} --to {up}" if up else "vfcc memory list --status pending"
        raise UsageError(f"{item.id} is {item.status}; only what is pending becomes active", hint=hint)
    after = rewritten(found.stored, replace(item, status=Status.ACTIVE, updated=today))
    if asks(found.scope, item.type):
        confirm(Moving(found.scope, found.stored, after))
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(item.id), found)
        other = standing_of_key(store, item.type, item.key)
        if other is not None and not _supersedes(item, other.item):
            raise UsageError(
                f"the key {item.key} is that of {other.item.id}, which {item.id} does not supersede",
                hint=f"vfcc memory link {item.id} supersedes {other.item.id}",
            )
        store.add(after)
    return Promoted(after.item, found.scope, found.scope, _superseded_by(after.item))


def _demand_way(found: Found, to: str) -> None:
    name = found.item.id
    if to not in (PROJECT, USER):
        raise UsageError(
            f"an item is promoted to project or user, not to {to}", hint=f"vfcc memory promote {name} --to project"
        )
    if found.scope == to:
        raise UsageError(f"{name} is in {to} memory already", hint=f"vfcc memory show {name}")
    if to == PROJECT and found.scope == USER:
        raise UsageError(
            f"{name} is in user memory, which is above the project's", hint=f"vfcc memory move {name} --to project"
        )
    if to == USER and found.scope != PROJECT:
        raise UsageError(
            f"{name} is in {found.scope}; it becomes the project's first",
            hint=f"vfcc memory promote {name} --to project",
        )


def _next(scope: str) -> str | None:
    return {USER: None, PROJECT: USER}.get(scope, PROJECT)


def _supersedes(item: Item, other: Item) -> bool:
    return any(link.relation is Relation.SUPERSEDES and link.to in (other.id, other.path) for link in item.links)


def _superseded_by(item: Item) -> tuple[str, ...]:
    return tuple(link.to for link in item.links if link.relation is Relation.SUPERSEDES)
