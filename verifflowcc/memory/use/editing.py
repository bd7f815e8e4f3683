"""Change an item that is there: only the lines that say something else afterwards."""

from collections.abc import Callable, Sequence
from typing import Any

from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.model.item_values import (
    GUARDED,
    MEMORY_RELATIONS,
    Item,
    Link,
    Ref,
    Relation,
    Status,
    Trust,
    awaits_promotion,
    least_trust,
)
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.guarding import refuse_item, refuse_secrets
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.adding import active_of_key
from verifflowcc.memory.use.item_scope import asks, is_person, require_change, trust_of, would_replace
from verifflowcc.memory.use.item_search import ScopedItem, refuse_circle
from verifflowcc.memory.use.new_item_words import checked_text
from verifflowcc.memory.use.recording import changed as edited
from verifflowcc.memory.use.recording import (
    demand_no_rise,
    promoted,
    rewritten,
    title_of,
    vouched,
    with_link,
    with_source,
    without_link,
)
from verifflowcc.memory.use.stores import open_store


@dataclass(frozen=True, slots=True)
class ItemEdits:
    """What is to change, checked; what is None stays. "" takes an expiry, a deadline or a key away."""

    text: str | None = None
    title: str | None = None
    importance: int | None = None
    confidence: int | None = None
    tag: tuple[str, ...] = ()
    untag: tuple[str, ...] = ()
    status: Status | None = None
    expires: str | None = None
    deadline: str | None = None
    key: str | None = None
    trust: Trust | None = None
    refs: tuple[Ref, ...] | None = None


@dataclass(frozen=True, slots=True)
class EditResult:
    """An item after an edit, the names of the changed fields, and its whole text."""

    item: Item
    scope: str
    changed: tuple[str, ...]
    """Names of the changed fields."""
    text: str


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change that a person is asked about."""

    scope: str
    before: StoredItem
    after: StoredItem


Confirm = Callable[[ItemChange], None]
"""Asks a person; raises where they do not say yes."""
_FIELDS = ("title", "key", "importance", "confidence", "status", "expires", "deadline", "trust", "tags", "refs")


def edit_item(
    workspace: Workspace | None, found: ScopedItem, changes: ItemEdits, *, actor: str, today: str, confirm: Confirm
) -> EditResult:
    """Change an item and set its day of change.

    Raises NotAllowed where an agent changes what the person or the project remembers, UsageError where the key is taken
    or a tag is not there, ConflictError where the item changed meanwhile, FormatError where its front matter cannot be
    edited without risk.
    """
    _demand_allowed(found, changes, actor)
    after, changed = changed_item(found, changes, actor=actor, today=today)
    if not changed:
        return EditResult(found.item, found.scope, (), found.stored.text)
    tags = (("a tag", each) for each in changes.tag)
    refs = (("a ref", f"{each.path} {each.symbol or ''}") for each in changes.refs or ())
    refuse_secrets(("the text", changes.text), ("the title", changes.title), ("the key", changes.key), *tags, *refs)
    if after.item.status is not Status.ARCHIVED:
        refuse_item(after)
    _demand_answer(found.item, after.item)
    if asks(found.scope, found.item.type) and is_person(actor):
        confirm(ItemChange(found.scope, found.stored, after))
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(found.item.id), found)
        if changes.key or changes.status is Status.ACTIVE:
            _demand_free_key(active_of_key(store, after.item.type, after.item.key), after.item)
        store.add(after)
    return EditResult(after.item, found.scope, changed, after.text)


def replace_text(
    workspace: Workspace | None, found: ScopedItem, text: str, *, actor: str, today: str, confirm: Confirm
) -> EditResult:
    """Put a whole text, front matter and all, in the place of an item's: what somebody wrote in their editor.

    Raises as `edit_item` does; UsageError where the text does not read as the same item, or has fields that cannot be
    used.
    """
    if text == found.stored.text:
        return EditResult(found.item, found.scope, (), text)
    require_change(found.item, found.scope, actor, "changing", hint=f"vfcc memory show {found.item.id}")
    path = found.item.path
    parsed = parse_item(path, text.encode("utf-8", "surrogateescape"))
    checked_text(parsed.body, "the text")
    if (parsed.item.id, parsed.item.type) != (found.item.id, found.item.type):
        raise UsageError(f"an edit keeps id and type: {found.item.id}, {found.item.type}", hint="vfcc memory move")
    if parsed.notices and parsed.notices != parse_item(path, found.stored.text.encode("utf-8")).notices:
        raise UsageError(f"{parsed.notices[0]}; nothing was written", hint=f"vfcc memory edit {found.item.id}")
    refuse_secrets(("the text", text))
    after = _on_own_word(found, stored_item(path, text.encode("utf-8")), actor, today)
    demand_no_rise(found.item, after.item, actor)
    _demand_answer(found.item, after.item)
    if asks(found.scope, found.item.type) and is_person(actor):
        confirm(ItemChange(found.scope, found.stored, after))
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(found.item.id), found)
        _demand_free_key(active_of_key(store, after.item.type, after.item.key), after.item)
        store.add(after)
    return EditResult(after.item, found.scope, ("text",), after.text)


def changed_item(
    found: ScopedItem, changes: ItemEdits, *, actor: str, today: str
) -> tuple[StoredItem, tuple[str, ...]]:
    """Return the item as it would be, and the names of what differs. Raises as `edit_item` does."""
    before = found.item
    item = _as_asked(before, changes)
    new_text = changes.text is not None and changes.text != found.stored.body.strip("\n")
    if new_text and changes.title is None and before.title == title_of(found.stored.body, before.type):
        item = replace(item, title=title_of(changes.text or "", before.type))
    changed = tuple(name for name in _FIELDS if getattr(item, name) != getattr(before, name))
    if new_text:
        changed = (*changed, "text")
    if not changed:
        return found.stored, ()
    if changes.trust is None:
        item = replace(item, trust=trust_of(actor) if new_text else least_trust(item.trust, trust_of(actor)))
    if least_trust(item.trust, before.trust) is not item.trust and is_person(actor):
        item = replace(vouched(item, actor, today), trust=item.trust)
    waited = before.status is Status.PENDING or awaits_promotion(replace(before, status=Status.ACTIVE))
    if item.status is Status.ACTIVE and waited and is_person(actor):
        item = promoted(item, actor, today, vouch=False)
    return rewritten(found.stored, replace(item, updated=today), changes.text if new_text else None), changed


def demand_same(now: StoredItem | None, found: ScopedItem) -> None:
    """Raise ConflictError where an item is not as it was read."""
    if now is None or now.text != found.stored.text:
        what = "was removed" if now is None else "changed"
        raise ConflictError(
            f"{found.item.id} {what} since it was read; nothing was written", hint=f"vfcc memory show {found.item.id}"
        )


def _demand_allowed(found: ScopedItem, changes: ItemEdits, actor: str) -> None:
    name = found.item.id
    require_change(
        found.item, found.scope, actor, "changing", hint=f'vfcc memory add {found.item.type} "…" --supersedes {name}'
    )
    if is_person(actor):
        return
    if changes.status is Status.ACTIVE:
        _demand_proposal(found)
    mine = trust_of(actor)
    if changes.trust is not None and least_trust(changes.trust, mine) is not changes.trust:
        raise NotAllowed(f"{actor} cannot vouch for it as {changes.trust}", hint=f"--trust {mine}")


def _demand_proposal(found: ScopedItem) -> None:
    name = found.item.id
    if found.scope in GUARDED:
        raise NotAllowed(f"{name} is promoted by a person at a terminal", hint=f"vfcc memory promote {name}")


def _on_own_word(found: ScopedItem, written: StoredItem, actor: str, today: str) -> StoredItem:
    """Return a whole text as this actor may write it.

    Only a person may make it hold, or vouch for it as a person.

    Raises NotAllowed.
    """
    item, changes = written.item, {"updated": today}
    if is_person(actor):
        done = edited(written, changes)
        if item.status is Status.ACTIVE and found.item.status is Status.PENDING:
            return rewritten(done, promoted(done.item, actor, today, vouch=False))
        return done
    if item.status is Status.ACTIVE:
        _demand_proposal(found)
    changes["trust"] = str(least_trust(item.trust, trust_of(actor)))
    after = edited(written, changes)
    return after if item.source.actor == found.item.source.actor else with_source(after, actor=actor)


def _demand_answer(before: Item, after: Item) -> None:
    """Refuse to archive a proposal that supersedes an item.

    Archived, the proposal would count as having held, and what it supersedes would hold no more. Raises UsageError.
    """
    if before.status is Status.PENDING and after.status is Status.ARCHIVED and would_replace(after):
        raise UsageError(
            f"{before.id} was never accepted, and archived it would supersede another all the same",
            hint=f"vfcc memory reject {before.id}",
        )


def _demand_free_key(other: StoredItem | None, item: Item) -> None:
    if item.status is Status.ACTIVE and other is not None and other.item.id != item.id:
        raise UsageError(
            f"the key {item.key} is that of {other.item.id} already", hint=f"vfcc memory show {other.item.id}"
        )


def _as_asked(item: Item, changes: ItemEdits) -> Item:
    asked = {name: getattr(changes, name) for name in _FIELDS if name != "tags"}
    given: dict[str, Any] = {name: None if value == "" else value for name, value in asked.items() if value is not None}
    return replace(item, tags=_tags(item, changes.tag, changes.untag), **given)


def _tags(item: Item, more: Sequence[str], less: Sequence[str]) -> tuple[str, ...]:
    lacking = next((each for each in less if each not in item.tags), None)
    if lacking is not None:
        there = ", ".join(item.tags) or "none"
        raise UsageError(f"{item.id} has no tag {lacking}; it has {there}", hint=f"vfcc memory show {item.id}")
    return tuple(dict.fromkeys((*(each for each in item.tags if each not in less), *more)))


# Link an item to another by one of the relations of memory, or take the link away.

RELATIONS = tuple(sorted(str(each) for each in MEMORY_RELATIONS))
_SHARED = ("project", "sprint", "stage", "agent")


@dataclass(frozen=True, slots=True)
class ItemLinkResult:
    """Two items and the relation between them that was made or taken away."""

    item: str
    relation: str
    to: str
    scope: str
    path: str


def read_relation(text: str) -> Relation:
    """Return a relation of memory. Raises UsageError with the nearest; those of the trace are made elsewhere."""
    wanted = text.strip().casefold().replace("-", "_")
    if wanted in RELATIONS:
        return Relation(wanted)
    if wanted in set(Relation):
        raise UsageError(f"{wanted} is a relation of the trace", hint=f"vfcc trace link ID TO --relation {wanted}")
    near = nearest(wanted, RELATIONS)
    choice = f"did you mean {near}?" if near else f"there is {', '.join(RELATIONS)}"
    raise UsageError(f"there is no relation {text}; {choice}", hint=f"vfcc memory link ID {near or RELATIONS[0]} OTHER")


def link_items(
    workspace: Workspace | None, found: ScopedItem, relation: Relation, to: ScopedItem, *, actor: str
) -> ItemLinkResult:
    """Add a link to an item's file.

    Raises NotAllowed where an agent links what the person or the project remembers; UsageError where the link is there,
    leads to the item itself, or from what is shared to what is private, where what is archived would supersede, and
    where the two would supersede each other; ConflictError where the item changed in the time between.
    """
    name, target = found.item.id, to.item.id
    _linking_demand_allowed(found, actor)
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
    return ItemLinkResult(name, str(relation), target, found.scope, found.item.path)


def unlink_items(
    workspace: Workspace | None, found: ScopedItem, relation: Relation, to: str, *, actor: str
) -> ItemLinkResult:
    """Take a link away; its other end may be gone. Raises as `link_items`, and UsageError where there is none."""
    name = found.item.id
    _linking_demand_allowed(found, actor)
    wanted = to.strip().casefold()
    ends = [link.to for link in found.item.links if link.relation == relation]
    exact = [each for each in ends if each.casefold() == wanted]
    meant = exact or [each for each in ends if wanted and each.casefold().startswith(wanted)]
    if len(set(meant)) != 1:
        there = ", ".join(link.words for link in found.item.links) or "nothing"
        raise UsageError(f"{name} has no link {relation} {to}; it has {there}", hint=f"vfcc memory show {name}")
    after = without_link(found.stored, meant[0], relation)
    with open_store(workspace, found.scope) as store, store.writing():
        demand_same(store.get(name), found)
        store.add(after)
    return ItemLinkResult(name, str(relation), meant[0], found.scope, found.item.path)


def _linking_demand_allowed(found: ScopedItem, actor: str) -> None:
    require_change(
        found.item,
        found.scope,
        actor,
        "linking",
        hint=f'vfcc memory add {found.item.type} "…" --supersedes {found.item.id}',
    )


def _shared(scope: str) -> bool:
    return scope.partition("/")[0] in _SHARED
