"""Change what an item says, in its own text: the lines of what changes, and every other byte as it was."""

from collections.abc import Mapping

from verifflowcc.adapters.files.items import edit_item, edit_item_list, read_block
from verifflowcc.adapters.files.stored import stored_item
from verifflowcc.domain.items import MEMORY_KEYS, Item, Link, Status
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.front_matter_list import ListEdit, entry
from verifflowcc.formats.front_matter_read import Scalar, Sequence, Table, Value, texts_of
from verifflowcc.formats.item_render import render_item
from verifflowcc.records import replace

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
    made = _edited(stored, {key: values.get(key) for key in differing}, body)
    # A default that followed from what was changed, as importance does from the type, has to be written out.
    moved = [key for key in _KEYS if key not in differing and getattr(item, key) != getattr(made.item, key)]
    if moved:
        made = _edited(stored, {key: values.get(key) for key in (*differing, *moved)}, body)
    says = replace(made.item, recency=item.recency, decision=item.decision, links=item.links, source=item.source)
    if says != item or (body is not None and made.body.strip("\n") != body):
        raise FormatError(f"{path}:1: cannot be changed by lines", hint=f"edit {path} by hand")
    return made


def _edited(stored: StoredItem, changes: Mapping[str, str | None], body: str | None) -> StoredItem:
    path = stored.item.path
    data = edit_item(path, stored.text.encode("utf-8"), changes)
    if body is not None and body != stored.body.strip("\n"):
        data = _with_body(data.decode("utf-8"), body).encode("utf-8")
    return stored_item(path, data)


def with_id(stored: StoredItem, item_id: str) -> StoredItem:
    """Return a stored item whose text says this id. Raises FormatError."""
    values = values_of(replace(stored.item, id=item_id))
    return stored_item(stored.item.path, edit_item(stored.item.path, stored.text.encode("utf-8"), {"id": values["id"]}))


def with_source(stored: StoredItem, **texts: str | None) -> StoredItem:
    """Return a stored item with members of its source set; those that are not named stay. Raises FormatError."""
    path, text = stored.item.path, stored.text
    value = _value(text, "source")
    now: dict[str, Value] = dict(value.pairs) if isinstance(value, Table) else {"kind": Scalar("explicit", True, 1)}
    now |= {name: Scalar(each, False, 1) for name, each in texts.items() if each is not None}
    for name in [name for name, each in texts.items() if each is None]:
        now.pop(name, None)
    line = entry(Table(tuple(now.items()), 1))
    return stored_item(path, edit_item(path, text.encode("utf-8"), {"source": line}))


def with_link(stored: StoredItem, link: Link) -> StoredItem:
    """Return a stored item with one more link. Raises FormatError."""
    path, data = stored.item.path, stored.text.encode("utf-8")
    if split(stored.text.replace("\r\n", "\n")).block is None:
        line = entry(Sequence((_entry(link),), 1))
        return stored_item(path, edit_item(path, data, {"links": line}))
    return stored_item(path, edit_item_list(path, data, "links", lambda _: ListEdit({}, (_entry(link),))))


def without_link(stored: StoredItem, to: str, relation: str) -> StoredItem:
    """Return a stored item without its links of a relation to an item. Raises FormatError."""

    meant = {"to": to, "relation": str(relation)}.items()

    def drop(values: tuple[Value, ...]) -> ListEdit:
        return ListEdit(dict.fromkeys(place for place, value in enumerate(values) if meant <= texts_of(value).items()))

    path = stored.item.path
    return stored_item(path, edit_item_list(path, stored.text.encode("utf-8"), "links", drop))


def values_of(item: Item) -> dict[str, str]:
    """Return each key that a new file would have, as one line of YAML."""
    block = split(render_item(item, "")).block or ""
    parted = (line.partition(": ") for line in block.splitlines())
    return {key: value for key, _, value in parted}


def _entry(link: Link) -> Table:
    return Table((("to", Scalar(link.to, False, 1)), ("relation", Scalar(str(link.relation), True, 1))), 1)


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
