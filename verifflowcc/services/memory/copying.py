"""Copy the items of a scope from one backend to another, byte for byte."""

from collections.abc import Mapping
from contextlib import closing

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.files.private import USER, user_settings_file
from verifflowcc.domain.config import BackendKind
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import BackendError, UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.loading import scanned
from verifflowcc.services.memory.guarding import refuse_item
from verifflowcc.services.memory.opening import backend_of, open_kind
from verifflowcc.services.memory.permission import require_person
from verifflowcc.services.workspace import Workspace

SCOPES = (USER, "project")


@dataclass(frozen=True, slots=True)
class How:
    """Whether a copy replaces what differs at the other end, removes what it copied, or only says what it would do."""

    replace: bool = False
    move: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a copy is about to do: the items to bring, those of them that replace another, and the ids of conflicts.

    `same` are the ids that say the same at both ends; `unreadable` says what is there and is no item.
    """

    bring: tuple[StoredItem, ...]
    replaced: tuple[str, ...]
    conflicts: tuple[str, ...]
    same: tuple[str, ...]
    unreadable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied, by id, or would be where `dry_run`. With `conflicts`, nothing was.

    `moved` says that the items are gone from where they were. `setting` is what to write, and where, so that vfcc reads
    from the new place; None where it does already.
    """

    scope: str
    source: BackendKind
    target: BackendKind
    copied: tuple[str, ...]
    replaced: tuple[str, ...]
    same: tuple[str, ...]
    """Ids that the target had already."""
    conflicts: tuple[str, ...]
    """Ids that the target has with another text."""
    unreadable: tuple[str, ...]
    moved: bool
    """Whether the items were removed from the source."""
    dry_run: bool
    setting: str | None
    """The setting that names the new backend."""


def copy_items(
    workspace: Workspace | None,
    scope: str,
    source: BackendKind,
    target: BackendKind,
    how: How,
    *,
    actor: str,
) -> Copied:
    """Copy all items of `user` or `project` from one kind of backend to another, whatever the settings name.

    Nothing is written where an item of the same id says something else at the other end, unless it is to be replaced.
    Each item is read back before it is removed by a move. Raises NotAllowed unless a person acts or it is a dry run,
    UsageError where both ends are one, SecretError where an item holds a secret, which a copy would bring to a second
    place as it is, and BackendError where an item did not arrive as it was.
    """
    if source is target:
        raise UsageError(f"the items are to be copied from {source} to {source}, which is one place")
    if scope not in SCOPES:
        raise UsageError(f"items of {scope} are always files; there are --scope {' and --scope '.join(SCOPES)}")
    if not how.dry_run:
        require_person(actor, f"copying what the {scope} remembers", hint="vfcc memory copy … --dry-run")
    with (
        closing(open_kind(workspace, scope, source)) as old,
        closing(open_kind(workspace, scope, target)) as new,
    ):
        if how.dry_run:
            plan, moved = plan_copy(old, new, replace=how.replace), False
        else:
            plan, moved = copy_store(old, scanned(workspace, new), replace=how.replace, move=how.move)
    setting = None if backend_of(workspace, scope) is target else _setting(scope, target)
    bring = tuple(each.item.id for each in plan.bring)
    told = (plan.replaced, plan.same, plan.conflicts, plan.unreadable)
    return Copied(scope, source, target, bring, *told, moved, how.dry_run, setting)


def copy_store(old: MemoryBackend, new: MemoryBackend, *, replace: bool, move: bool) -> tuple[Plan, bool]:
    """Copy one store to another; return what was done and whether the items are gone from the old one.

    Other writers are kept out of both meanwhile. Raises BackendError where an item did not arrive as it was; nothing is
    removed then.
    """
    with old.writing():
        with new.writing():
            plan = plan_copy(old, new, replace=replace)
            if plan.conflicts:
                return plan, False
            for item in observed("copying items", plan.bring):
                new.add(item)
        _read_back(plan.bring, new)
        if move:
            for name in (*(each.item.id for each in plan.bring), *plan.same):
                old.delete(name)
    return plan, move


def plan_copy(old: MemoryBackend, new: MemoryBackend, *, replace: bool) -> Plan:
    """Return what a copy would do. With conflicts and without `replace`, there is nothing that it would bring."""
    items = old.list_all()
    unreadable = old.problems
    there = _texts(new)
    same = tuple(each.item.id for each in items if there.get(each.item.id) == each.text)
    differing = tuple(each.item.id for each in items if there.get(each.item.id, each.text) != each.text)
    bring = tuple(each for each in items if there.get(each.item.id) != each.text)
    for each in bring:
        refuse_item(each)
    if differing and not replace:
        return Plan((), (), differing, same, unreadable)
    return Plan(bring, differing, (), same, unreadable)


def _read_back(items: tuple[StoredItem, ...], new: MemoryBackend) -> None:
    arrived = _texts(new) if items else {}
    wrong = [each.item.id for each in items if arrived.get(each.item.id) != each.text]
    if wrong:
        raise BackendError(
            f"{len(wrong)} of {len(items)} items did not arrive as they were, {wrong[0]} among them",
            hint="nothing was removed; run the command again",
        )


def _texts(store: MemoryBackend) -> Mapping[str, str]:
    return {each.item.id: each.text for each in store.list_all()}


def _setting(scope: str, target: BackendKind) -> str:
    if scope == USER:
        return f"memory: {{backend: {target}}} in {user_settings_file()}"
    return f"memory: {{backends: {{project: {target}}}}} in .memory/config.yaml"
