"""Link an item to another by one of the relations of memory, or take the link away."""

from verifflowcc.domain.items import MEMORY_RELATIONS, Link, Relation, Status
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.memory.around import refuse_circle
from verifflowcc.services.memory.editing import demand_same
from verifflowcc.services.memory.finding import Found
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.permission import require_change
from verifflowcc.services.memory.rewriting import with_link, without_link
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import nearest

RELATIONS = tuple(sorted(str(each) for each in MEMORY_RELATIONS))
_SHARED = ("project", "sprint", "stage", "agent")


@dataclass(frozen=True, slots=True)
class Linked:
    """Two items and the relation between them that was made or taken away."""

    item: str
    relation: str
    to: str
    scope: str
    path: str


def relation_said(text: str) -> Relation:
    """Return a relation of memory. Raises UsageError with the nearest; those of the trace are made elsewhere."""
    wanted = text.strip().casefold().replace("-", "_")
    if wanted in RELATIONS:
        return Relation(wanted)
    if wanted in set(Relation):
        raise UsageError(f"{wanted} is a relation of the trace", hint=f"vfcc trace link ID TO --relation {wanted}")
    near = nearest(wanted, RELATIONS)
    said = f"did you mean {near}?" if near else f"there is {', '.join(RELATIONS)}"
    raise UsageError(f"there is no relation {text}; {said}", hint=f"vfcc memory link ID {near or RELATIONS[0]} OTHER")


def link_items(workspace: Workspace | None, found: Found, relation: Relation, to: Found, *, actor: str) -> Linked:
    """Add a link to an item's file.

    Raises NotAllowed where an agent links what the person or the project remembers; UsageError where the link is there,
    leads to the item itself, or from what is shared to what is private, where what is archived would supersede, and
    where the two would supersede each other; ConflictError where the item changed in the time between.
    """
    name, target = found.item.id, to.item.id
    _demand_allowed(found, actor)
    if (found.scope, name) == (to.scope, target):
        raise UsageError(f"{name} cannot link to itself", hint=f"vfcc memory show {name}")
    if _shared(found.scope) and not _shared(to.scope):
        raise UsageError(
            f"{name} is shared with the project, and {target} is not: others would not find it",
            hint=f"vfcc memory move {target} --to project",
        )
    if any((link.to, link.relation) == (target, relation) for link in found.item.links):
        raise UsageError(f"{name} {relation} {target} already", hint=f"vfcc memory show {name}")
    if relation is Relation.SUPERSEDES and found.item.status is Status.ARCHIVED:
        raise UsageError(f"{name} is archived and cannot supersede another item", hint=f"vfcc memory restore {name}")
    after = with_link(found.stored, Link(target, relation))
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(name), found)
        if relation is Relation.SUPERSEDES:
            refuse_circle(store, after.item)
        store.add(after)
    return Linked(name, str(relation), target, found.scope, found.item.path)


def unlink_items(workspace: Workspace | None, found: Found, relation: Relation, to: str, *, actor: str) -> Linked:
    """Take a link away; its other end may be gone. Raises as `link_items`, and UsageError where there is none."""
    name = found.item.id
    _demand_allowed(found, actor)
    wanted = to.strip().casefold()
    ends = [link.to for link in found.item.links if link.relation == relation]
    exact = [each for each in ends if each.casefold() == wanted]
    meant = exact or [each for each in ends if wanted and each.casefold().startswith(wanted)]
    if len(set(meant)) != 1:
        there = ", ".join(f"{link.relation} {link.to}" for link in found.item.links) or "nothing"
        raise UsageError(f"{name} has no link {relation} {to}; it has {there}", hint=f"vfcc memory show {name}")
    after = without_link(found.stored, meant[0], relation)
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(name), found)
        store.add(after)
    return Linked(name, str(relation), meant[0], found.scope, found.item.path)


def _demand_allowed(found: Found, actor: str) -> None:
    require_change(
        found.item,
        found.scope,
        actor,
        "linking",
        hint=f'vfcc memory add {found.item.type} "…" --supersedes {found.item.id}',
    )


def _shared(scope: str) -> bool:
    return scope.partition("/")[0] in _SHARED
