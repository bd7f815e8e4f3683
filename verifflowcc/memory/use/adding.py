"""Add or update an item: a person decides, an agent proposes."""

from collections.abc import Callable
from contextlib import nullcontext
from enum import StrEnum

from verifflowcc.base.errors import BackendError, ConflictError, UsageError
from verifflowcc.base.files.item_files import draw_letters
from verifflowcc.base.formats.front_matter_values import read_thousandths
from verifflowcc.base.model.item_values import (
    DEFAULT_CONFIDENCE,
    TYPES,
    Item,
    Link,
    Ref,
    Relation,
    Source,
    SourceKind,
    Status,
    item_type,
    least_trust,
)
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import item_id
from verifflowcc.base.use.guarding import details_read, refuse_secrets
from verifflowcc.base.use.stage_words import LONGEST_TITLE, one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import is_unicode, made_item
from verifflowcc.memory.use.code_refs import parse_refs
from verifflowcc.memory.use.item_scope import asks, identity_of, is_person, proposes, trust_of
from verifflowcc.memory.use.item_search import find_item, refuse_circle, replaced_among
from verifflowcc.memory.use.new_item_words import (
    DETAIL_OF,
    checked_day,
    checked_details,
    checked_id,
    checked_key,
    checked_tags,
    checked_text,
    checked_title,
    checked_type,
    scope_to_add,
)
from verifflowcc.memory.use.recording import rewritten, title_of, with_link, with_source
from verifflowcc.memory.use.scopes import agent_of, read_scope

ATTEMPTS = 200


class AddOutcome(StrEnum):
    """What happened to an added item."""

    ADDED = "added"
    UPDATED = "updated"
    PROPOSED = "proposed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """A checked request to add or update an item.

    What is None or empty keeps its default, or the value that the item had.

    `title_given` says whether the title was chosen, or only follows from the text; numbers are in thousandths.
    """

    scope: str
    type: str
    title: str
    text: str
    source: Source
    title_given: bool = False
    key: str | None = None
    importance: int | None = None
    confidence: int | None = None
    tags: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    refs: tuple[Ref, ...] = ()
    expires: str | None = None
    deadline: str | None = None
    supersedes: str | None = None
    id: str | None = None
    tokens: int | None = None
    """For a task's items alone."""


@dataclass(frozen=True, slots=True)
class AddPlan:
    """What adding would do: the item before (None for a new one) and after.

    `asks` says that a person confirms it first; `notes` are sentences for the person.
    """

    scope: str
    outcome: AddOutcome
    before: StoredItem | None
    after: StoredItem
    asks: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddResult:
    """What was done; `pending` says that a person has to promote the item before it enters a prompt."""

    item: Item
    scope: str
    outcome: AddOutcome
    """`added`, `updated`, `proposed` or `unchanged`."""
    pending: bool
    """Whether a person has to promote it."""
    written: bool
    text: str
    """The whole text of its file."""
    notes: tuple[str, ...] = ()


Letters = Callable[[], str]
"""Four letters for a new id, drawn at random."""
Confirm = Callable[[AddPlan], None]
"""Asks a person; raises where they do not say yes."""


def add_item(
    store: MemoryBackend, wanted: ItemRequest, *, actor: str, today: str, confirm: Confirm, dry_run: bool = False
) -> AddResult:
    """Add an item to its scope's store, or update the active one of its type and key.

    What a person or a project remembers is only proposed by anybody else: as a pending item that supersedes the active
    one. Raises UsageError for an id that is taken, ConflictError where the item changed while a person was asked,
    SecretError where any of its words holds a secret.
    """
    refuse_secrets_in(wanted)
    planned = plan(store, wanted, actor=actor, today=today) if dry_run or asks(wanted.scope, wanted.type) else None
    if planned and not dry_run and planned.asks:
        confirm(planned)
    if planned and dry_run:
        return _added(planned, written=False)
    with nullcontext() if _is_independent(wanted) else store.writing():
        for _ in range(ATTEMPTS):
            now = plan(store, wanted, actor=actor, today=today)
            if planned and (planned.before and planned.before.text) != (now.before and now.before.text):
                raise ConflictError(
                    f"{now.after.item.id} changed since it was read; nothing was written", hint="run the command again"
                )
            if now.outcome is AddOutcome.UNCHANGED:
                return _added(now, written=False)
            if wanted.supersedes is not None and now.before is not None:
                refuse_circle(store, now.after.item)
            if _kept(store, now):
                return _added(now, written=True)
            if wanted.id is not None:
                raise _taken(wanted.id)
    raise UsageError("no id was drawn that is free", hint="--id ID")


def superseding(added: AddResult) -> tuple[str, ...]:
    """Return the ids of what a new item took the place of; none where it is only proposed, or was there before."""
    if added.outcome is not AddOutcome.ADDED or not added.written:
        return ()
    return tuple(link.to for link in added.item.links if link.relation == Relation.SUPERSEDES)


def refuse_secrets_in(wanted: ItemRequest) -> None:
    """Raise SecretError where any text of the request holds a secret."""
    refuse_secrets(
        ("the text", wanted.text),
        ("the title", wanted.title),
        ("the key", wanted.key),
        ("the id", wanted.id),
        *(("a tag", each) for each in wanted.tags),
        *details_read(wanted.details),
        *(("a ref", f"{each.path} {each.symbol or ''}") for each in wanted.refs),
    )


def _is_independent(wanted: ItemRequest) -> bool:
    """Whether the outcome depends on no other item, so that no lock is needed."""
    return wanted.key is None and wanted.id is None and wanted.supersedes is None


def _kept(store: MemoryBackend, planned: AddPlan) -> bool:
    """Write what is planned; return False where the id that was drawn is another item's."""
    if planned.before is None:
        return store.create(planned.after)
    store.add(planned.after)
    return True


def plan(store: MemoryBackend, wanted: ItemRequest, *, actor: str, today: str) -> AddPlan:
    """Return what adding would do, with nothing written. Raises as `add_item` does."""
    pending = proposes(wanted.scope, actor)
    active = active_of_key(store, wanted.type, wanted.key)
    if wanted.id is not None and not (active and active.item.id == wanted.id):
        _demand_free(store, wanted.id)
    if active and not pending:
        return _updated(wanted, active, actor, today)
    if active and _unchanged(wanted, active):
        return AddPlan(wanted.scope, AddOutcome.UNCHANGED, active, active)
    again = _added_before(store, wanted, pending=pending)
    if again:
        return AddPlan(wanted.scope, AddOutcome.UNCHANGED, again, again)
    summarised = None if active else summarised_of_key(store, wanted.type, wanted.key)
    if summarised and _says_again(wanted, summarised):
        note = f"{summarised.item.archived.into} already contains it" if summarised.item.archived else ""
        return AddPlan(wanted.scope, AddOutcome.UNCHANGED, summarised, summarised, notes=(note,))
    known = active or summarised
    supersedes = wanted.supersedes or (known.item.id if known else None)
    asked = replace(wanted, supersedes=supersedes)
    proposal = keyed(store, wanted.type, wanted.key) if pending else None
    if proposal:
        return _updated(asked, proposal, actor, today, AddOutcome.PROPOSED)
    made = new_item(asked, actor, today, Status.PENDING if pending else Status.ACTIVE)
    outcome = AddOutcome.PROPOSED if pending else AddOutcome.ADDED
    asking = asks(wanted.scope, wanted.type) and is_person(actor)
    return AddPlan(wanted.scope, outcome, None, made, asking, _notes(store, wanted, pending=pending))


def _added_before(store: MemoryBackend, wanted: ItemRequest, *, pending: bool) -> StoredItem | None:
    """Return the item without a key that says just this already: in force, or proposed where this would be, too."""
    if wanted.key is not None or wanted.id is not None or wanted.supersedes is not None:
        return None
    found = store.query({"type": wanted.type, "title": wanted.title}, 100)
    statuses = (Status.ACTIVE, Status.PENDING) if pending else (Status.ACTIVE,)
    same = [each for each in found if each.item.status in statuses and each.item.key is None]
    same = [each for each in same if _unchanged(wanted, each)]
    if not same:
        return None

    gone = replaced_among(store, [each.item.id for each in same])
    return next((each for each in same if each.item.path not in gone), None)


def active_of_key(store: MemoryBackend, type_name: str, key: str | None) -> StoredItem | None:
    """Return the active item of a type and key that nothing newer supersedes; of several the newest."""
    if key is None:
        return None
    found = store.query({"type": type_name, "key": key, "status": str(Status.ACTIVE)}, 100)
    if not found:
        return None

    gone = replaced_among(store)
    return next((each for each in found if each.item.path not in gone), None)


def summarised_of_key(store: MemoryBackend, type_name: str, key: str | None) -> StoredItem | None:
    """Return the archived item of a type and key that a summary contains.

    Of several, the first that nothing newer supersedes.
    """
    if key is None:
        return None
    found = store.query({"type": type_name, "key": key, "status": str(Status.ARCHIVED)}, 100)
    into = [each for each in found if each.item.archived and each.item.archived.into]
    if not into:
        return None
    from verifflowcc.memory.rules.consolidate import holds_in_summary

    summaries = {each.item.id: store.get((each.item.archived and each.item.archived.into) or "") for each in into}
    summarised = [
        each for each in into if (summary := summaries[each.item.id]) and holds_in_summary(each.item, summary.item)
    ]
    gone = replaced_among(store, [each.item.id for each in summarised]) if summarised else {}
    return next((each for each in summarised if each.item.path not in gone), None)


def keyed(store: MemoryBackend, type_name: str, key: str | None, status: Status = Status.PENDING) -> StoredItem | None:
    """Return the item of that type, key and status; None where there is none."""
    found = store.query({"type": type_name, "key": key, "status": str(status)}, 1) if key else ()
    return found[0] if found else None


def record(store: MemoryBackend, wanted: ItemRequest, *, today: str, letters: Letters) -> StoredItem:
    """Keep what a program says, unasked: a new item, or the active one of its type and key with what is new in it.

    Returns the item as it is kept. What an agent says of the project or the user waits for a person. Raises UsageError
    where the text says nothing, SecretError where any of it holds a secret, and as the store does.
    """
    if not wanted.text.strip():
        raise UsageError("there is nothing to remember: the text is empty")
    if not is_unicode(wanted.text):
        raise UsageError("the text is no Unicode")
    refuse_secrets_in(wanted)
    actor = wanted.source.actor
    waits = proposes(store.scope, actor) and not actor.startswith("tool:")  # a program that a person runs
    status = Status.PENDING if waits else Status.ACTIVE
    with store.writing():
        active = keyed(store, wanted.type, wanted.key, Status.ACTIVE) if waits else None
        asked = replace(wanted, supersedes=active.item.id) if active else wanted
        known = keyed(store, wanted.type, wanted.key, status)
        if known:
            made = _updated(asked, known, actor, today).after
        else:
            made = new_item(replace(asked, id=_free_id(store, wanted.title, letters)), actor, today, status)
        store.add(made)
        return store.get(made.item.id) or made


def _free_id(store: MemoryBackend, title: str, letters: Letters) -> str:
    names = (item_id(title, letters()) for _ in range(ATTEMPTS))
    free = next((name for name in names if store.get(name) is None), None)
    if free is None:
        raise BackendError("no id was drawn that is free")
    return free


def _updated(
    wanted: ItemRequest, before: StoredItem, actor: str, today: str, outcome: AddOutcome = AddOutcome.UPDATED
) -> AddPlan:
    item = _as_wanted(wanted, before.item)
    new_text = wanted.text != before.body.strip("\n")
    if wanted.title_given or new_text:
        item = replace(item, title=wanted.title)
    linked = _link_of(wanted, item)
    if item == before.item and not new_text and linked is None:
        return AddPlan(wanted.scope, AddOutcome.UNCHANGED, before, before)
    mine = trust_of(actor)
    item = replace(item, updated=today, trust=mine if new_text else least_trust(item.trust, mine))
    after = rewritten(before, item, wanted.text)
    if new_text:
        after = with_source(after, kind=str(wanted.source.kind), actor=wanted.source.actor)
    if linked:
        after = with_link(after, linked)
    return AddPlan(wanted.scope, outcome, before, after, asks(wanted.scope, wanted.type) and is_person(actor))


def _unchanged(wanted: ItemRequest, active: StoredItem) -> bool:
    """Whether a proposal says only what holds already."""
    item = _as_wanted(wanted, active.item)
    titled = replace(item, title=wanted.title) if wanted.title_given else item
    return titled == active.item and wanted.text == active.body.strip("\n") and _link_of(wanted, item) is None


def _says_again(wanted: ItemRequest, summarised: StoredItem) -> bool:
    """Whether a request only repeats a summarised item.

    Case, spaces and a full stop do not count.
    """
    from verifflowcc.memory.use.laid_out import mark_of

    item = _as_wanted(wanted, summarised.item)
    same = mark_of(wanted.type, wanted.text) == mark_of(wanted.type, summarised.body)
    return same and item == summarised.item and _link_of(wanted, item) is None


def _as_wanted(wanted: ItemRequest, item: Item) -> Item:
    details = {**dict(item.details), **dict(wanted.details)}
    old = {value for name, value in item.details if dict(wanted.details).get(name, value) != value}
    refs = {(each.path, each.symbol): each for each in (*item.refs, *wanted.refs)}
    return replace(
        item,
        importance=item.importance if wanted.importance is None else wanted.importance,
        confidence=item.confidence if wanted.confidence is None else wanted.confidence,
        tags=tuple(dict.fromkeys((*(each for each in item.tags if each not in old), *wanted.tags))),
        details=tuple(details.items()),
        refs=tuple(refs.values()),
        expires=wanted.expires or item.expires,
        deadline=wanted.deadline or item.deadline,
        tokens=item.tokens if wanted.tokens is None else wanted.tokens,
    )


def _link_of(wanted: ItemRequest, item: Item) -> Link | None:
    """The link that a new item has to the one that it supersedes; None where it is there, or would be to itself."""
    if wanted.supersedes is None or wanted.supersedes == item.id:
        return None
    link = Link(wanted.supersedes, Relation.SUPERSEDES)
    return None if (link.to, link.relation) in {(each.to, each.relation) for each in item.links} else link


def new_item(wanted: ItemRequest, actor: str, today: str, status: Status) -> StoredItem:
    """Return a new item as it would be stored, with nothing written."""
    item = Item(
        id=wanted.id or item_id(wanted.title, draw_letters()),
        type=wanted.type,
        title=wanted.title,
        path="",
        scope=wanted.scope,
        importance=item_type(wanted.type).importance if wanted.importance is None else wanted.importance,
        confidence=DEFAULT_CONFIDENCE if wanted.confidence is None else wanted.confidence,
        key=wanted.key,
        status=status,
        links=(Link(wanted.supersedes, Relation.SUPERSEDES),) if wanted.supersedes else (),
        source=wanted.source,
        trust=trust_of(actor),
        refs=wanted.refs,
        created=today,
        expires=wanted.expires,
        deadline=wanted.deadline,
        tags=wanted.tags,
        tokens=wanted.tokens,
        details=wanted.details,
    )
    return made_item(item, wanted.text)


def _demand_free(store: MemoryBackend, name: str) -> None:
    taken = next((item.id for item in store.items() if item.id.casefold() == name.casefold()), None)
    if taken is not None:
        raise _taken(taken)


def _taken(name: str) -> UsageError:
    return UsageError(f"there is an item {name} already", hint=f"vfcc memory show {name}")


def _notes(store: MemoryBackend, wanted: ItemRequest, *, pending: bool) -> tuple[str, ...]:
    proposal = None if pending else keyed(store, wanted.type, wanted.key)
    if proposal is None:
        return ()
    return (f"{proposal.item.id} is still proposed under this key: vfcc memory show {proposal.item.id}",)


def _added(planned: AddPlan, *, written: bool) -> AddResult:
    item = planned.after.item
    pending = item.status is Status.PENDING
    return AddResult(item, planned.scope, planned.outcome, pending, written, planned.after.text, planned.notes)


# From what somebody typed for a new item to what is wanted: scope, type and title found, every word checked.

_KINDS = ("explicit", "inferred", "extracted")
_OPTION = {"scope": "--for", "code": "--code", "domain": "--domain", "category": "--category"}


@dataclass(frozen=True, slots=True)
class TypedItem:
    """An item as a person typed it.

    `own` is the detail that its type asks for: a failure's code, a convention's scope …

    `lesson` is what was learned from a failure: then the text is its title.
    """

    type: str
    text: str
    title: str | None = None
    key: str | None = None
    scope: str | None = None
    importance: str | None = None
    confidence: str | None = None
    tags: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    lesson: str | None = None
    refs: tuple[str, ...] = ()
    expires: str | None = None
    deadline: str | None = None
    supersedes: str | None = None
    source: str = "explicit"
    id: str | None = None


def wanted_of(workspace: Workspace | None, typed: TypedItem, *, actor: str, today: str) -> ItemRequest:
    """Return what is wanted. Raises UsageError, in one sentence, for the first word that does not fit."""
    agent = agent_of(actor)
    named = typed.scope or scope_to_add(workspace, typed.type)
    type_name = _type(workspace, typed.type, named)
    scope = read_scope(workspace, named, agent=agent)
    text, title = _text(typed, type_name)
    own = _own(typed, type_name)
    details = checked_details(typed.details, type_name, own)
    tags = (*typed.tags, *(value for name, value in details if name == DETAIL_OF.get(type_name)))
    return ItemRequest(
        scope=scope,
        type=type_name,
        title=title,
        text=text,
        source=_source(workspace, typed.source, scope, actor),
        title_given=typed.title is not None or typed.lesson is not None,
        key=checked_key(typed.key) if typed.key is not None else None,
        importance=thousandths(typed.importance, "importance"),
        confidence=thousandths(typed.confidence, "confidence"),
        tags=checked_tags(tags),
        details=details,
        refs=parse_refs(workspace, typed.refs),
        expires=checked_day(typed.expires, "--expires", today, may_be_over=False),
        deadline=checked_day(typed.deadline, "--deadline", today, may_be_over=True),
        supersedes=None if typed.supersedes is None else find_item(workspace, typed.supersedes, (scope,)).item.id,
        id=checked_id(typed.id) if typed.id is not None else None,
    )


def _type(workspace: Workspace | None, name: str, scope: str) -> str:
    """Return the checked type of a new item.

    An unknown type is refused first, then a scope that the type cannot have.
    """

    wanted = name.strip().casefold().replace("-", "_")
    policy = None
    if workspace is not None and scope != "user" and wanted not in TYPES:
        from verifflowcc.sprint.use.pinned_workflow import policy_of

        policy = policy_of(workspace)
    return checked_type(name, scope, policy)


def _text(typed: TypedItem, type_name: str) -> tuple[str, str]:
    """Return the body and the title."""
    text = checked_text(typed.text, "the text")
    if typed.lesson is None:
        return text, checked_title(typed.title) if typed.title is not None else title_of(text, type_name)
    if type_name != "failure":
        raise UsageError(
            f"a lesson is what was learned from a failure, not of a {type_name}", hint="leave out --lesson"
        )
    lesson = checked_text(typed.lesson, "the lesson")
    if typed.title is not None:
        return f"{text}\n\n{lesson}", checked_title(typed.title)
    return lesson, one_line(text, "the text of a failure with a lesson", LONGEST_TITLE)


def _own(typed: TypedItem, type_name: str) -> str | None:
    """Return the detail that the type asks for. Raises UsageError for that of another type."""
    wrong = next((name for name, _ in typed.own if name != DETAIL_OF.get(type_name)), None)
    if wrong is not None:
        owner = next(each for each, name in DETAIL_OF.items() if name == wrong)
        raise UsageError(
            f"the option {_OPTION[wrong]} is for a {owner}, not for a {type_name}",
            hint=f"--detail {wrong}=… (on any type)",
        )
    value = dict(typed.own).get(DETAIL_OF.get(type_name, ""))
    if value is not None and not value.strip():
        raise UsageError(f"the {DETAIL_OF[type_name]} says nothing", hint=f"{_OPTION[DETAIL_OF[type_name]]} WORD")
    return value


def _source(workspace: Workspace | None, kind: str, scope: str, actor: str) -> Source:
    if kind not in _KINDS:
        raise UsageError(f"there is no source {kind}; there is {', '.join(_KINDS)}", hint="--source explicit")
    project = identity_of(workspace).text if scope == "user" and workspace is not None else None
    return Source(SourceKind(kind), actor, project)


def thousandths(text: str | None, name: str) -> int | None:
    """Return a number from 0 to 1 in thousandths; None for None. Raises UsageError; `name` is that of the option."""
    if text is None:
        return None
    value = read_thousandths(text.strip())
    if value is None:
        raise UsageError(f"the {name} is a number from 0 to 1, not {text!r}", hint=f"--{name} 0.9")
    return value
