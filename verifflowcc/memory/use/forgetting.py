"""Forget an item, or all that is remembered of a person."""

from collections.abc import Sequence

from verifflowcc.base.errors import FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.guarding import withheld_item
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.consolidating import MaintenanceStep, StepKind
from verifflowcc.memory.use.editing import demand_same
from verifflowcc.memory.use.item_scope import require_change, require_person
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.recording import with_source
from verifflowcc.memory.use.stores import backend_of, open_for_reading, open_store
from verifflowcc.sprint.use.people_acting import require_person as people_acting_require_person

# Take a project that is there no more off as the source of user items; the items stay.


def forget_project(name: str, *, actor: str, dry_run: bool = False) -> list[MaintenanceStep]:
    """Take the project called `name` off every user item that names it as its source; return what was done.

    A project is named by its whole identity (`shop@1a2b3c4d5e6f`), or by the part before the @ where that is of one.
    Raises UsageError where no user item names such a project, NotAllowed where no person acts.
    """
    if not dry_run:
        people_acting_require_person(
            actor, "taking a project off user items", hint=f"vfcc memory maintain --forget-project {name} --dry-run"
        )
    with (open_for_reading if dry_run else open_store)(None, USER) as store:
        project = _meant(name, store.items())
        mine = [item.id for item in store.items() if item.source.project == project]
        if dry_run:
            return [_step(item, project) for item in mine]
        with store.writing():
            steps = []
            for item_id in mine:
                stored = store.get(item_id)
                if stored is not None and stored.item.source.project == project:
                    try:
                        store.add(with_source(stored, project=None))
                    except FormatError as error:
                        steps.append(
                            MaintenanceStep(StepKind.NOT_DONE, USER, item_id, f"its source stays: {error.message}")
                        )
                    else:
                        steps.append(_step(item_id, project))
        return steps


def _step(item_id: str, project: str) -> MaintenanceStep:
    return MaintenanceStep(StepKind.FORGOTTEN, USER, item_id, f"{project} is not its source any more")


def _meant(name: str, items: list[Item]) -> str:
    known = sorted({item.source.project for item in items if item.source.project})
    found = [each for each in known if each == name] or [each for each in known if each.rpartition("@")[0] == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{name} can be any of {len(found)} projects: {', '.join(found)}",
            hint=f"vfcc memory maintain --forget-project {found[0]}",
        )
    near = nearest(name, [*known, *(each.rpartition("@")[0] for each in known)])
    choice = f"did you mean {near}?" if near else f"they name {', '.join(known) or 'none'}"
    raise UsageError(f"no user item is from the project {name}; {choice}", hint="vfcc memory list --scope user")


@dataclass(frozen=True, slots=True)
class ForgottenItem:
    """An item that is gone; `linked_by` are ids of items that still link to it, `in_git` says that git keeps it."""

    item: Item
    scope: str
    linked_by: tuple[str, ...]
    """Ids of items that still link to it."""
    in_git: bool
    """Whether a commit has its file."""


@dataclass(frozen=True, slots=True)
class ClearScopeResult:
    """How many items of a scope are gone."""

    scope: str
    items: int
    """How many items were removed."""


def forget_item(
    workspace: Workspace | None, found: ScopedItem, *, actor: str, scopes: Sequence[str] | None = None
) -> ForgottenItem:
    """Remove an item. `scopes` are those in which is looked for links to it; its own where none are given.

    Raises NotAllowed where an agent forgets what the person or the project remembers, ConflictError where it changed
    meanwhile.
    """
    demand_may_forget(found, actor)
    name = found.item.id
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(name), found)
        store.delete(name)
    return ForgottenItem(
        withheld_item(found.item),
        found.scope,
        linked_by(workspace, found, scopes or (found.scope,)),
        _in_git(workspace, found),
    )


def demand_may_forget(found: ScopedItem, actor: str) -> None:
    """Raise NotAllowed where an item is not for this actor to forget."""
    name = found.item.id
    hint = f'vfcc memory add {found.item.type} "…" --supersedes {name}'
    require_change(found.item, found.scope, actor, "forgetting", hint=hint)


def linked_by(workspace: Workspace | None, found: ScopedItem, scopes: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of items that link to one, in the scopes given."""
    ids = set()
    for scope in scopes:
        with open_store(workspace, scope) as store:
            ids |= {
                item.id
                for item in store.linked()
                if any(link.to in (found.item.id, found.item.key) for link in item.links)
                and (scope, item.id) != (found.scope, found.item.id)
            }
    return tuple(sorted(ids))


def count_user(workspace: Workspace | None) -> int:
    """Return how many items are remembered of the person."""
    with open_store(workspace, USER) as store:
        return store.count()


def clear_user(workspace: Workspace | None, *, actor: str) -> ClearScopeResult:
    """Forget all that is remembered of the person. Raises NotAllowed unless a person acts."""
    require_person(actor, "forgetting all that is remembered of a person", hint="vfcc memory forget --all --scope user")
    with open_store(workspace, USER) as store, store.writing():
        number = store.count()
        store.clear()
    return ClearScopeResult(USER, number)


def _in_git(workspace: Workspace | None, found: ScopedItem) -> bool:
    """Whether a commit has the item's file, from which it can be had again."""
    if workspace is None or found.scope == USER or backend_of(workspace, found.scope) is not BackendKind.FILES:
        return False

    try:
        listed = ask_git(workspace.root, "ls-tree", "--name-only", "HEAD", "--", found.item.path)
    except WorkspaceError:  # no git here: then it keeps nothing
        return False
    return listed.code == 0 and bool(listed.out.strip())
