"""Promote an item, which only a person does: what was proposed holds, and what a task or a project knows moves up."""

from collections.abc import Callable

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.items import Item, Relation, Status, awaits_promotion, trust_held
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.services.memory.editing import ItemChange, demand_same
from verifflowcc.services.memory.finding import Found
from verifflowcc.services.memory.guarding import refuse_item
from verifflowcc.services.memory.heard import awaits_adoption
from verifflowcc.services.memory.moving import transfer
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import asks, require_person
from verifflowcc.services.memory.promotion_diff import NOTHING, Change, change_of
from verifflowcc.services.memory.rewriting import rewritten
from verifflowcc.services.memory.scopes import PROJECT
from verifflowcc.services.memory.vouching import promoted
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Promoted:
    """An item after its promotion. `was` is its scope before, `supersedes` what it now stands in the place of.

    `change` is what that changed, against the item that it replaced.
    """

    item: Item
    scope: str
    was: str
    supersedes: tuple[str, ...]
    finished: bool = False
    change: Change = NOTHING


@dataclass(frozen=True, slots=True)
class Promoting:
    """A promotion that is about to be made: the scope it goes to, the item then, what changes, and whether it asks."""

    scope: str
    after: StoredItem
    change: Change
    asks: bool


Show = Callable[[Promoting], None]
"""Shows a person what would change, or asks them; raises where they do not say yes."""


def promote_item(  # noqa: PLR0913 - one for each word of the command
    workspace: Workspace | None,
    found: Found,
    to: str | None,
    *,
    actor: str,
    today: str,
    confirm: Show,
    show: Show | None = None,
    type_name: str | None = None,
    vouch: bool = False,
) -> Promoted:
    """Make a pending item active, or with `to` (`project` or `user`) move it up; who did it is kept in the item.

    A requirement that was heard in a conversation is part of the trace from then on. Its trust stays what it was; with
    `vouch` the person answers for it. `show` sees each promotion before it is made, and `confirm` those that steer
    every prompt. Raises NotAllowed unless a person acts; UsageError where there is nothing to promote, the way is no
    promotion, or the key is that of another active item; SecretError where it holds a secret; and as `transfer` does.
    """
    require_person(actor, f"promoting {found.item.id}", hint=f"vfcc memory show {found.item.id}")

    def seen_by_person(promoting: Promoting) -> None:
        if show is not None:
            show(promoting)
        if promoting.asks:
            confirm(promoting)

    def as_promoted(item: Item) -> Item:
        done = promoted(replace(item, trust=trust_held(item)), actor, today, vouch=vouch)
        return replace(done, status=Status.ACTIVE) if item.status is Status.PENDING else done

    if to is None:
        if type_name is not None:
            raise UsageError("a type goes with --to", hint=f"vfcc memory promote {found.item.id} --to user")
        return _activated(workspace, found, lambda item: replace(as_promoted(item), updated=today), seen_by_person)
    _demand_way(found, to)
    seen: list[Change] = []

    def shown(moving: ItemChange) -> None:
        seen.append(_shown(workspace, to, moving.after, seen_by_person))

    done = transfer(
        workspace, found, to, actor=actor, confirm=shown, type_name=type_name, promoted_as=as_promoted, always=True
    )
    return Promoted(done.item, to, found.scope, _superseded_by(done.item), done.finished, seen[0])


def _activated(workspace: Workspace | None, found: Found, as_promoted: Callable[[Item], Item], show: Show) -> Promoted:
    item = found.item
    if not awaits_promotion(item) and not awaits_adoption(found.stored):
        up = _next(found.scope)
        hint = f"vfcc memory promote {item.id} --to {up}" if up else "vfcc memory list --status pending"
        raise UsageError(f"{item.id} is {item.status}; only what is pending becomes active", hint=hint)
    refuse_item(found.stored)
    after = rewritten(found.stored, as_promoted(item))
    change = _shown(workspace, found.scope, after, show)
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(item.id), found)
        other = standing_of_key(store, item.type, item.key)
        if other is not None and other.item.id != item.id and not _supersedes(item, other.item):
            raise UsageError(
                f"the key {item.key} is that of {other.item.id}, which {item.id} does not supersede",
                hint=f"vfcc memory link {item.id} supersedes {other.item.id}",
            )
        store.add(after)
    return Promoted(after.item, found.scope, found.scope, _superseded_by(after.item), change=change)


def _shown(workspace: Workspace | None, scope: str, after: StoredItem, show: Show) -> Change:
    with open_store(workspace, scope) as store:
        change = change_of(store, after)
    show(Promoting(scope, after, change, asks(scope, after.item.type)))
    return change


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
    return any(link.relation == Relation.SUPERSEDES and link.to in (other.id, other.path) for link in item.links)


def _superseded_by(item: Item) -> tuple[str, ...]:
    return tuple(link.to for link in item.links if link.relation == Relation.SUPERSEDES)
