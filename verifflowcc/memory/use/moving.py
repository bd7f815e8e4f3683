"""Move an item to another scope: written there first, then taken away here, so that a crash loses nothing."""

from collections.abc import Callable, Iterator

from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.formats.front_matter_values import show_thousandths
from verifflowcc.base.model.item_values import USER_TYPES, Item, Relation, Status, awaits_promotion, trust_held
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import refuse_item
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.store.item_edits import edit_item
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item
from verifflowcc.memory.use.adding import active_of_key
from verifflowcc.memory.use.archiving import restored_item
from verifflowcc.memory.use.editing import ItemChange, demand_same
from verifflowcc.memory.use.item_scope import asks, identity_of, is_person, require_person
from verifflowcc.memory.use.item_search import ScopedItem, has_no_id
from verifflowcc.memory.use.new_item_words import checked_type
from verifflowcc.memory.use.recording import awaits_adoption, promoted, rewritten, with_id, with_source
from verifflowcc.memory.use.scopes import PROJECT
from verifflowcc.memory.use.stores import open_store


@dataclass(frozen=True, slots=True)
class MoveResult:
    """An item at its new place. `finished` says that it was there already, from a move that was cut off."""

    item: Item
    scope: str
    previous_scope: str
    finished: bool
    """Whether an interrupted move had put it there already."""


Confirm = Callable[[ItemChange], None]
"""Asks a person; raises where they do not say yes."""


def move_item(
    workspace: Workspace | None,
    found: ScopedItem,
    to: str,
    *,
    actor: str,
    confirm: Confirm,
    type_name: str | None = None,
) -> MoveResult:
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


def _taken_over(workspace: Workspace | None, found: ScopedItem, to: str, actor: str) -> Callable[[Item], Item] | None:
    """Return how a person's move of what a machine wrote elsewhere is recorded: as a promotion; None for all else."""
    item = found.item
    if workspace is None or not is_person(actor) or item.status is not Status.ACTIVE:
        return None
    if not awaits_promotion(replace(item, scope=to)) or awaits_promotion(item):
        return None
    return lambda each: promoted(each, actor, workspace.today(), vouch=False)


def transfer(  # noqa: PLR0913 - a move, and what a promotion adds to it
    workspace: Workspace | None,
    found: ScopedItem,
    to: str,
    *,
    actor: str,
    confirm: Confirm,
    type_name: str | None = None,
    promoted_as: Callable[[Item], Item] | None = None,
    always: bool = False,
) -> MoveResult:
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
    return MoveResult(after.item, to, found.scope, finished)


def _there(
    workspace: Workspace | None,
    found: ScopedItem,
    to: str,
    type_name: str | None,
    promoted_as: Callable[[Item], Item] | None,
) -> StoredItem:
    """Return the item as it will be in the scope `to`."""
    stored = _with_type(found, to, type_name)
    if promoted_as is not None:
        if stored.item.status is Status.ARCHIVED:
            stored = restored_item(stored)
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


def _with_type(found: ScopedItem, to: str, type_name: str | None) -> StoredItem:
    if type_name is not None:
        name = checked_type(type_name, to, None)
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
    other = active_of_key(target, after.item.type, after.item.key) if after.item.status is Status.ACTIVE else None
    if other is not None:
        raise UsageError(
            f"{to} memory has a {other.item.type} of the key {other.item.key} already, {other.item.id}: "
            f"{other.item.title}",
            hint=f"vfcc memory show {other.item.id} --scope {to}",
        )


# What a promotion changes, line by line, before a person says yes: against the item that it takes the place of.

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class PromotionDiff:
    """The id of the item that is replaced, None where there is none, and the lines of a unified diff without heads."""

    against: str | None
    """The id of the replaced item, or null."""
    lines: tuple[str, ...]
    """Lines of a diff: `+`, `-` or a space, then the text."""


NOTHING = PromotionDiff(None, ())


def change_of(store: MemoryBackend, after: StoredItem) -> PromotionDiff:
    """Return what changes in a store when this item comes to hold; against nothing, each line is a new one."""
    before = _replaced(store, after.item)
    old = [] if before is None else list(_lines_of(before))
    return PromotionDiff(before.item.id if before else None, tuple(_differing(old, list(_lines_of(after)))))


def _replaced(store: MemoryBackend, item: Item) -> StoredItem | None:
    for link in item.links:
        if link.relation == Relation.SUPERSEDES:
            found = store.get(link.to)
            if found is not None and found.item.id != item.id:
                return found
    other = active_of_key(store, item.type, item.key)
    return other if other is not None and other.item.id != item.id else None


def _lines_of(stored: StoredItem) -> Iterator[str]:
    """Yield what an item says, a line each: its fields that matter to a reader, then its text."""
    item = stored.item
    yield f"title: {withhold(item.title)}"
    yield f"type: {item.type}"
    if item.key:
        yield f"key: {withhold(item.key)}"
    yield f"importance: {show_thousandths(item.importance)}"
    yield f"confidence: {show_thousandths(item.confidence)}"
    yield f"trust: {item.trust}"
    yield from (f"tag: {withhold(tag)}" for tag in item.tags)
    yield ""
    yield from withhold(stored.body.strip("\n")).split("\n")


def _differing(old: list[str], new: list[str]) -> Iterator[str]:
    from difflib import unified_diff

    if not old:
        yield from (f"+{line}" for line in new)
        return
    for line in list(unified_diff(old, new, lineterm="", n=CONTEXT_LINES))[2:]:
        if not line.startswith("@@"):
            yield line


# Promote an item, which only a person does: what was proposed holds, and what a task or a project knows moves up.


@dataclass(frozen=True, slots=True)
class Promotion:
    """An item after its promotion.

    `previous_scope` is its former scope, `supersedes` the items that it replaces.

    `change` is what that changed, against the item that it replaced.
    """

    item: Item
    scope: str
    previous_scope: str
    supersedes: tuple[str, ...]
    finished: bool = False
    change: PromotionDiff = NOTHING


@dataclass(frozen=True, slots=True)
class PromotionPlan:
    """A promotion that is about to be made: the scope it goes to, the item then, what changes, and whether it asks."""

    scope: str
    after: StoredItem
    change: PromotionDiff
    asks: bool


Show = Callable[[PromotionPlan], None]
"""Shows a person what would change, or asks them; raises where they do not say yes."""


def promote_item(  # noqa: PLR0913 - one for each word of the command
    workspace: Workspace | None,
    found: ScopedItem,
    to: str | None,
    *,
    actor: str,
    today: str,
    confirm: Show,
    show: Show | None = None,
    type_name: str | None = None,
    vouch: bool = False,
) -> Promotion:
    """Make a pending item active, or with `to` (`project` or `user`) move it up; who did it is kept in the item.

    A requirement that was heard in a conversation is part of the trace from then on. Its trust stays what it was; with
    `vouch` the person answers for it. `show` sees each promotion before it is made, and `confirm` those that steer
    every prompt. Raises NotAllowed unless a person acts; UsageError where there is nothing to promote, the way is no
    promotion, or the key is that of another active item; SecretError where it holds a secret; and as `transfer` does.
    """
    require_person(actor, f"promoting {found.item.id}", hint=f"vfcc memory show {found.item.id}")

    def seen_by_person(promoting: PromotionPlan) -> None:
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
    seen: list[PromotionDiff] = []

    def shown(moving: ItemChange) -> None:
        seen.append(_shown(workspace, to, moving.after, seen_by_person))

    done = transfer(
        workspace, found, to, actor=actor, confirm=shown, type_name=type_name, promoted_as=as_promoted, always=True
    )
    return Promotion(done.item, to, found.scope, _superseded_by(done.item), done.finished, seen[0])


def _activated(
    workspace: Workspace | None, found: ScopedItem, as_promoted: Callable[[Item], Item], show: Show
) -> Promotion:
    item = found.item
    if not awaits_promotion(item) and not awaits_adoption(found.stored):
        up = {USER: None, PROJECT: USER}.get(found.scope, PROJECT)
        hint = f"vfcc memory promote {item.id} --to {up}" if up else "vfcc memory list --status pending"
        raise UsageError(f"{item.id} is {item.status}; only what is pending becomes active", hint=hint)
    refuse_item(found.stored)
    after = rewritten(found.stored, as_promoted(item))
    change = _shown(workspace, found.scope, after, show)
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(item.id), found)
        other = active_of_key(store, item.type, item.key)
        if other is not None and other.item.id != item.id and not _supersedes(item, other.item):
            raise UsageError(
                f"the key {item.key} is that of {other.item.id}, which {item.id} does not supersede",
                hint=f"vfcc memory link {item.id} supersedes {other.item.id}",
            )
        store.add(after)
    return Promotion(after.item, found.scope, found.scope, _superseded_by(after.item), change=change)


def _shown(workspace: Workspace | None, scope: str, after: StoredItem, show: Show) -> PromotionDiff:
    with open_store(workspace, scope) as store:
        change = change_of(store, after)
    show(PromotionPlan(scope, after, change, asks(scope, after.item.type)))
    return change


def _demand_way(found: ScopedItem, to: str) -> None:
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


def _supersedes(item: Item, other: Item) -> bool:
    return any(link.relation == Relation.SUPERSEDES and link.to in (other.id, other.path) for link in item.links)


def _superseded_by(item: Item) -> tuple[str, ...]:
    return tuple(link.to for link in item.links if link.relation == Relation.SUPERSEDES)
