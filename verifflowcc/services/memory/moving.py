"""Move an item to another scope: written there first, then taken away here, so that a crash loses nothing."""

from collections.abc import Callable

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.items import edit_item
from verifflowcc.adapters.files.private import USER
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.domain.items import USER_TYPES, Item, Status, awaits_promotion
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import ConflictError, UsageError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.services.memory.editing import ItemChange, demand_same
from verifflowcc.services.memory.finding import Found, has_no_id
from verifflowcc.services.memory.guarding import refuse_item
from verifflowcc.services.memory.identity import identity_of
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import asks, is_person, require_person
from verifflowcc.services.memory.putting_away import brought_back
from verifflowcc.services.memory.rewriting import rewritten, with_id, with_source
from verifflowcc.services.memory.vouching import promoted
from verifflowcc.services.memory.words import type_said
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Moved:
    """An item at its new place. `finished` says that it was there already, from a move that was cut off."""

    item: Item
    scope: str
    was: str
    finished: bool
    """Whether an interrupted move had put it there already."""


Confirm = Callable[[ItemChange], None]
"""Asks a person; raises where they do not say yes."""


def move_item(
    workspace: Workspace | None, found: Found, to: str, *, actor: str, confirm: Confirm, type_name: str | None = None
) -> Moved:
    """Move an item to user or project memory, with all that its file says; as another type where one is given.

    Raises NotAllowed where an agent moves what is not pending, UsageError where the type, id or key does not fit there
    or is taken, ConflictError where the item changed meanwhile, WorkspaceError.
    """
    name = found.item.id
    if found.item.status is not Status.PENDING:
        fits = (type_name or found.item.type) in USER_TYPES or to != USER
        instead = f'add {type_name or found.item.type} "…" --scope {to}' if fits else f"show {name}"
        require_person(actor, f"moving {name}", hint=f"vfcc memory {instead}")
    if found.scope.startswith("task/"):
        raise UsageError(
            f"{name} ends with its task unless it is promoted", hint=f"vfcc memory promote {name} --to project"
        )
    taken = _taken_over(workspace, found, to, actor)
    return transfer(workspace, found, to, actor=actor, confirm=confirm, type_name=type_name, promoted_as=taken)


def _taken_over(workspace: Workspace | None, found: Found, to: str, actor: str) -> Callable[[Item], Item] | None:
    """Return how a person's move of what a machine wrote elsewhere is recorded: as a promotion; None for all else."""
    item = found.item
    if workspace is None or not is_person(actor) or item.status is not Status.ACTIVE:
        return None
    if not awaits_promotion(replace(item, scope=to)) or awaits_promotion(item):
        return None
    return lambda each: promoted(each, actor, workspace.today(), vouch=False)


def transfer(  # noqa: PLR0913 - a move, and what a promotion adds to it
    workspace: Workspace | None,
    found: Found,
    to: str,
    *,
    actor: str,
    confirm: Confirm,
    type_name: str | None = None,
    promoted_as: Callable[[Item], Item] | None = None,
    always: bool = False,
) -> Moved:
    """Write the item in the scope `to`, then take it away where it was.

    `promoted_as` makes it what it is from then on; `always` says that a person sees it first, whatever it is.

    Raises as `move_item` does, but for permission; SecretError where the item holds a secret.
    """
    if to == found.scope:
        raise UsageError(f"{found.item.id} is in {to} memory already", hint=f"vfcc memory show {found.item.id}")
    refuse_item(found.stored)
    after = _there(workspace, found, to, type_name, promoted_as)
    if always or (asks(to, after.item.type) and is_person(actor)):
        confirm(ItemChange(to, found.stored, after))
    with open_store(workspace, to) as target, target.writing():
        there = target.get(after.item.id)
        finished = there is not None and _same(there, after, but_for_record=promoted_as is not None)
        if not finished:
            _demand_room(target, after, to)
            with open_store(workspace, found.scope) as source:
                demand_same(source.get(found.item.id), found)
            target.add(after)
    with open_store(workspace, found.scope) as source, source.writing():
        now = source.get(found.item.id)
        if now is not None and now.text != found.stored.text:
            raise ConflictError(
                f"{found.item.id} changed during the move: {to} has the old version, {found.scope} the new one",
                hint=f"vfcc memory show {found.item.id} --scope {found.scope}",
            )
        source.delete(found.item.id)
    return Moved(after.item, to, found.scope, finished)


def _there(
    workspace: Workspace | None,
    found: Found,
    to: str,
    type_name: str | None,
    promoted_as: Callable[[Item], Item] | None,
) -> StoredItem:
    """Return the item as it will be in the scope `to`."""
    stored = _with_type(found, to, type_name)
    if promoted_as is not None:
        if stored.item.status is Status.ARCHIVED:
            stored = brought_back(stored)
        stored = rewritten(stored, promoted_as(stored.item))
    if has_no_id(found.item):
        stored = with_id(stored, found.item.id.rpartition("/")[2])
    if to == USER and workspace is not None:
        stored = with_source(stored, project=identity_of(workspace).text)
    path = home_path(folder_of(to), stored.item.type, stored.item.id)
    moved = stored_item(path, stored.text.encode("utf-8"))
    if moved.item.type != stored.item.type:
        lines = replace(moved.item, type=stored.item.type, importance=stored.item.importance)
        moved = rewritten(moved, lines)
    return moved


def _with_type(found: Found, to: str, type_name: str | None) -> StoredItem:
    if type_name is not None:
        name = type_said(type_name, to, None)
        same = name == found.item.type
        return found.stored if same else rewritten(found.stored, replace(found.item, type=name))
    if to == USER and found.item.type not in USER_TYPES:
        raise UsageError(
            f"{found.item.id} is a {found.item.type}, which is no category of what is known of a person",
            hint=f"--type {', --type '.join(USER_TYPES)}",
        )
    return found.stored


def _same(there: StoredItem, after: StoredItem, *, but_for_record: bool) -> bool:
    """Say whether an item is there as it was to be written; a promotion may have been begun on another day."""
    if there.text == after.text or not but_for_record:
        return there.text == after.text
    keys = dict.fromkeys(("details", "trust"))
    texts = [edit_item(each.item.path, each.text.encode("utf-8"), keys) for each in (there, after)]
    return texts[0] == texts[1]


def _demand_room(target: MemoryBackend, after: StoredItem, to: str) -> None:
    wanted = after.item.id.casefold()
    taken = next((item for item in target.items() if item.id.casefold() == wanted), None)
    if taken is not None:
        raise UsageError(
            f"{to} memory has another item {taken.id}: {taken.title}", hint=f"vfcc memory show {taken.id} --scope {to}"
        )
    other = standing_of_key(target, after.item.type, after.item.key) if after.item.status is Status.ACTIVE else None
    if other is not None:
        raise UsageError(
            f"{to} memory has a {other.item.type} of the key {other.item.key} already, {other.item.id}: "
            f"{other.item.title}",
            hint=f"vfcc memory show {other.item.id} --scope {to}",
        )
