"""Move an item to another scope: written there first, then taken away here, so that a crash loses nothing."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.adapters.files.user_home import USER
from verifflowcc.domain.item_types import USER_TYPES
from verifflowcc.domain.items import Item, Status
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import ConflictError, UsageError
from verifflowcc.services.memory.adding import standing_of_key
from verifflowcc.services.memory.editing import demand_same
from verifflowcc.services.memory.finding import Found, has_no_id
from verifflowcc.services.memory.identity import identity_of
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import asks, is_person, require_person
from verifflowcc.services.memory.rewriting import rewritten, with_id, with_source
from verifflowcc.services.memory.words import type_said
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Moved:
    """An item at its new place. `finished` says that it was there already, from a move that was cut off."""

    item: Item
    scope: str
    was: str
    finished: bool


@dataclass(frozen=True, slots=True)
class Moving:
    """A move that a person is asked about."""

    scope: str
    before: StoredItem
    after: StoredItem


Confirm = Callable[[Moving], None]
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
    return transfer(workspace, found, to, actor=actor, confirm=confirm, type_name=type_name)


def transfer(
    workspace: Workspace | None,
    found: Found,
    to: str,
    *,
    actor: str,
    confirm: Confirm,
    type_name: str | None = None,
    activate: bool = False,
) -> Moved:
    """Write the item in the scope `to`, then take it away where it was.

    Raises as `move_item` does, but for permission.
    """
    if to == found.scope:
        raise UsageError(f"{found.item.id} is in {to} memory already", hint=f"vfcc memory show {found.item.id}")
    after = _there(workspace, found, to, type_name, activate=activate)
    if asks(to, after.item.type) and is_person(actor):
        confirm(Moving(to, found.stored, after))
    with open_store(workspace, to) as target, target.writing():
        finished = _is_there(target, after)
        if not finished:
            _demand_room(target, after, to)
            with open_store(workspace, found.scope) as source:
                demand_same(source.get(found.item.id), found)
            target.add(after)
    with open_store(workspace, found.scope) as source, source.writing():
        now = source.get(found.item.id)
        if now is not None and now.text != found.stored.text:
            raise ConflictError(
                f"{found.item.id} has changed meanwhile: it is in {to} as it was, and in {found.scope} as it is now",
                hint=f"vfcc memory show {found.item.id} --scope {found.scope}",
            )
        source.delete(found.item.id)
    return Moved(after.item, to, found.scope, finished)


def _there(workspace: Workspace | None, found: Found, to: str, type_name: str | None, *, activate: bool) -> StoredItem:
    """Return the item as it will be in the scope `to`."""
    stored = _with_type(found, to, type_name)
    if activate and stored.item.status is Status.PENDING:
        stored = rewritten(stored, replace(stored.item, status=Status.ACTIVE))
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


def _is_there(target: MemoryBackend, after: StoredItem) -> bool:
    there = target.get(after.item.id)
    return there is not None and there.text == after.text


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
