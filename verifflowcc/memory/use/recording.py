"""Change what a stored item says: its keys, links, source and text, and who answers for it."""

from collections.abc import Mapping

from verifflowcc.base.errors import FormatError, NotAllowed
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value
from verifflowcc.base.formats.item_render import render_item, scalar
from verifflowcc.base.model.item_values import (
    MEMORY_KEYS,
    PROMOTED_BY,
    PROMOTED_ON,
    VOUCHED_BY,
    VOUCHED_ON,
    Item,
    Link,
    Status,
    Trust,
    may_be_heard,
)
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import provider
from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.rules.front_matter_list import ListEdit, entry, link_entry, with_texts, without_links
from verifflowcc.items.store.item_edits import edit_item, edit_item_list, read_block
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.item_scope import is_person, trust_of

# Requirements that were read out of a conversation: memory, until a person adopts them into the trace.


def awaits_adoption(stored: StoredItem) -> bool:
    """Say whether an item that holds as memory waits for a person to adopt it into the trace."""
    if not may_be_heard(stored.item):
        return False
    unread: bool = provider("trace item")(stored.item.path, stored.text.encode("utf-8")) is None
    return unread


# Change what an item says, in its own text: the lines of what changes, and every other byte as it was.

_KEYS = tuple(row.name for row in MEMORY_KEYS if row.name not in {"id", "links", "source"})


def rewritten(stored: StoredItem, item: Item, body: str | None = None) -> StoredItem:
    """Return a stored item that says what `item` says, with another body where one is given.

    Only the keys whose values differ are written; links and sources are changed by functions of their own. Raises
    FormatError where that cannot be done without risk, and nothing is lost.
    """
    path = stored.item.path
    if item.status is not Status.ARCHIVED:
        item = replace(item, archived=None)
    values = values_of(item)
    differing = [key for key in _KEYS if getattr(item, key) != getattr(stored.item, key)]
    made = changed(stored, {key: values.get(key) for key in differing}, body)
    # A default that followed from what was changed, as importance does from the type, has to be written out.
    moved = [key for key in _KEYS if key not in differing and getattr(item, key) != getattr(made.item, key)]
    if moved:
        made = changed(stored, {key: values.get(key) for key in (*differing, *moved)}, body)
    says = replace(made.item, recency=item.recency, decision=item.decision, links=item.links, source=item.source)
    if says != item or (body is not None and made.body.strip("\n") != body):
        raise FormatError(f"{path}:1: cannot be changed by lines", hint=f"edit {path} by hand")
    return made


def changed(stored: StoredItem, keys: Mapping[str, str | None], body: str | None = None) -> StoredItem:
    """Return an item with keys set to one line of YAML each, or taken out, and another body where one is given.

    Every other byte stays. Raises FormatError where its front matter cannot be edited without risk.
    """
    path = stored.item.path
    data = edit_item(path, stored.text.encode("utf-8"), keys)
    if body is not None and body != stored.body.strip("\n"):
        data = _with_body(data.decode("utf-8"), body).encode("utf-8")
    return stored_item(path, data)


def with_id(stored: StoredItem, item_id: str) -> StoredItem:
    """Return a stored item whose text says this id. Raises FormatError."""
    return changed(stored, {"id": scalar(item_id)})


def with_source(stored: StoredItem, **texts: str | None) -> StoredItem:
    """Return a stored item with members of its source set; those that are not named stay. Raises FormatError."""
    value = _value(stored.text, "source")
    before = value if isinstance(value, FieldTable) else FieldTable((("kind", FieldScalar("explicit", True, 1)),), 1)
    return changed(stored, {"source": entry(with_texts(before, texts))})


def with_link(stored: StoredItem, link: Link) -> StoredItem:
    """Return a stored item with one more link. Raises FormatError."""
    path, data = stored.item.path, stored.text.encode("utf-8")
    if split(stored.text.replace("\r\n", "\n")).block is None:
        return changed(stored, {"links": entry(FieldList((link_entry(link),), 1))})
    return stored_item(path, edit_item_list(path, data, "links", lambda _: ListEdit({}, (link_entry(link),))))


def without_link(stored: StoredItem, to: str, relation: str) -> StoredItem:
    """Return a stored item without its links of a relation to an item. Raises FormatError."""
    path, data = stored.item.path, stored.text.encode("utf-8")
    return stored_item(path, edit_item_list(path, data, "links", lambda values: without_links(values, to, {relation})))


def values_of(item: Item) -> dict[str, str]:
    """Return each key that a new file would have, as one line of YAML."""
    block = split(render_item(item, "")).block or ""
    parted = (line.partition(": ") for line in block.splitlines())
    return {key: value for key, _, value in parted}


def _value(text: str, key: str) -> Value | None:
    block = split(text.replace("\r\n", "\n")).block
    if block is None:
        return None
    return dict(read_block(block).pairs).get(key)


def _with_body(text: str, body: str) -> str:
    """Put a body in the place of the old one, in the newlines of the file, with the same blank lines before it."""
    parts = split(text)
    head = parts.bom + parts.opening + (parts.block or "") + parts.closing
    newline = parts.newline
    if parts.closing and not parts.closing.endswith("\n"):
        head += newline
    before = parts.body[: len(parts.body) - len(parts.body.lstrip("\r\n"))] or (newline if parts.closing else "")
    return head + before + body.replace("\n", newline) + newline


# Who promoted an item, and who vouched for more than it was made from: kept in the item's own details.
#
# Promoting says that an item holds; its trust stays the least of what it was made from. Only a person who vouches for
# it in so many words raises it, and that is recorded. Nobody but vfcc writes these details, and nobody brings them
# along.

RECORDED = (PROMOTED_BY, PROMOTED_ON, VOUCHED_BY, VOUCHED_ON)


def promoted(item: Item, actor: str, today: str, *, vouch: bool) -> Item:
    """Return an item with who promoted it and when; with `vouch` it is trusted as this person is, and says so."""
    done = _with_details(item, {PROMOTED_BY: actor, PROMOTED_ON: today})
    return vouched(done, actor, today) if vouch else done


def vouched(item: Item, actor: str, today: str) -> Item:
    """Return an item with the trust of the actor who vouches for it, and the day."""
    return replace(_with_details(item, {VOUCHED_BY: actor, VOUCHED_ON: today}), trust=trust_of(actor))


def without_vouching(stored: StoredItem) -> StoredItem:
    """Return an item that says nothing of promotions and vouching: what comes from elsewhere proves nothing here."""
    kept = tuple(pair for pair in stored.item.details if pair[0] not in RECORDED)
    return stored if kept == stored.item.details else rewritten(stored, replace(stored.item, details=kept))


def demand_no_rise(before: Item, after: Item, actor: str) -> None:
    """Raise NotAllowed where anybody but a person makes an item trusted more, or says that it was promoted."""
    if is_person(actor):
        return
    order = list(Trust)
    if order.index(after.trust) < min(order.index(before.trust), order.index(trust_of(actor))):
        raise NotAllowed(f"{actor} cannot vouch for {before.id} as {after.trust}", hint=f"vfcc memory show {before.id}")
    if _recorded(after) != _recorded(before):
        raise NotAllowed(f"{' and '.join(RECORDED)} are written by a promotion", hint=f"vfcc memory show {before.id}")


def _recorded(item: Item) -> dict[str, str]:
    return {name: value for name, value in item.details if name in RECORDED}


def _with_details(item: Item, more: dict[str, str]) -> Item:
    return replace(item, details=tuple({**dict(item.details), **more}.items()))


LONGEST_TITLE = 80
_COLOURS = lazy_pattern(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""What a tool writes for a terminal alone; it stays in the text, and says nothing in a title."""


def title_of(text: str, otherwise: str) -> str:
    """Return the first line that says something, in 80 characters at most, without what cannot be shown."""
    for line in _COLOURS.sub("", text).splitlines():
        shown = " ".join("".join(each if each.isprintable() else " " for each in line.lstrip("#")).split())
        if shown:
            return shown if len(shown) <= LONGEST_TITLE else _cut(shown)
    return otherwise


def _cut(line: str) -> str:
    head = line[:LONGEST_TITLE]
    whole = head.rpartition(" ")[0]
    return (whole if len(whole) >= LONGEST_TITLE // 2 else head[:-1]) + "…"
