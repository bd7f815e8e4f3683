"""Keep what somebody says as an item of a store: a new one, or the one of the same key said anew."""

import re
from collections.abc import Callable, Mapping

from verifflowcc.adapters.backends.placing import folder_of
from verifflowcc.adapters.files.items import edit_item
from verifflowcc.adapters.files.stored import home_path, stored_item
from verifflowcc.domain.items import DEFAULT_CONFIDENCE, GUARDED, Item, Link, Relation, Source, Status, item_type
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import BackendError, UsageError
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.item_render import render_details, render_item, render_tags, scalar
from verifflowcc.records import dataclass
from verifflowcc.services.memory.guarding import details_read, refuse_secrets
from verifflowcc.services.memory.permission import trust_of
from verifflowcc.text.slug import item_id

ATTEMPTS = 200
LONGEST_TITLE = 80
Letters = Callable[[], str]
"""Four letters for a new id, drawn at random."""
_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""What a tool writes for a terminal alone; it stays in the text, and says nothing in a title."""
_DECIDES = frozenset({"human", "tool"})
"""Whose word holds at once: a person's, and that of a program that a person runs. What others say waits."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be kept: `details` and `tags` as in an item, `tokens` for a task's items alone."""

    type: str
    text: str
    source: Source
    tags: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    key: str | None = None
    tokens: int | None = None
    title: str | None = None


def record(backend: MemoryBackend, draft: Draft, *, today: str, letters: Letters) -> StoredItem:
    """Add an item, or say anew the active one of the draft's type and key; return it as it is kept.

    What is said anew keeps its id, its file and all lines of it but those that change. What an agent says of the
    project or the user waits for a person. Raises UsageError where the text says nothing, SecretError where any of it
    holds a secret, and as the store does.
    """
    if not draft.text.strip():
        raise UsageError("there is nothing to remember: the text is empty")
    _refuse_secrets(draft)
    waits = backend.scope in GUARDED and draft.source.actor.partition(":")[0] not in _DECIDES
    with backend.writing():
        status = Status.PENDING if waits else Status.ACTIVE
        known = keyed(backend, draft.type, draft.key, status) if draft.key else None
        made = _anew(known, draft, today) if known else _new(backend, draft, today, letters)
        if waits:
            made = _proposed(backend, made, draft)
        backend.add(made)
        return backend.get(made.item.id) or made


def keyed(backend: MemoryBackend, type_name: str, key: str, status: Status = Status.ACTIVE) -> StoredItem | None:
    """Return the item of that type, key and status; None where there is none."""
    found = backend.query({"type": type_name, "key": key, "status": str(status)}, 1)
    return found[0] if found else None


def changed(stored: StoredItem, keys: Mapping[str, str | None], text: str | None = None) -> StoredItem:
    """Return an item with keys set to one line of YAML each, or taken out, and another text where one is given.

    Every other byte stays. Raises FormatError where its front matter cannot be edited without risk.
    """
    path = stored.item.path
    data = edit_item(path, stored.text.encode("utf-8"), keys)
    if text is not None:
        parts = split(data.decode("utf-8"))
        head = parts.bom + parts.opening + (parts.block or "") + parts.closing
        body = text.replace("\r\n", "\n").strip("\n").replace("\n", parts.newline)
        data = f"{head}{parts.newline if head else ''}{body}{parts.newline}".encode()
    return stored_item(path, data)


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


def _new(backend: MemoryBackend, draft: Draft, today: str, letters: Letters) -> StoredItem:
    title = draft.title or title_of(draft.text, draft.type)
    name = _free_id(backend, title, letters)
    path = home_path(folder_of(backend.scope), draft.type, name)
    item = Item(
        id=name,
        type=draft.type,
        title=title,
        path=path,
        scope=backend.scope,
        importance=item_type(draft.type).importance,
        confidence=DEFAULT_CONFIDENCE,
        key=draft.key,
        source=draft.source,
        trust=trust_of(draft.source.actor),
        created=today,
        tags=draft.tags,
        tokens=draft.tokens,
        details=draft.details,
    )
    return stored_item(path, _bytes(render_item(item, draft.text)))


def _anew(known: StoredItem, draft: Draft, today: str) -> StoredItem:
    _bytes(draft.text)
    keys = {"title": scalar(draft.title or title_of(draft.text, draft.type)), "updated": today}
    if draft.text.strip("\n") != known.body.strip("\n") and known.item.trust is not trust_of(draft.source.actor):
        keys["trust"] = str(trust_of(draft.source.actor))
    if draft.tokens is not None:
        keys["tokens"] = str(draft.tokens)
    details = {**dict(known.item.details), **dict(draft.details)}
    if tuple(details.items()) != known.item.details:
        keys["details"] = render_details(details.items())
    left = [word for word in known.item.tags if word not in dict(known.item.details).values()]
    tags = dict.fromkeys((*left, *details.values(), *draft.tags))
    if set(tags) != set(known.item.tags):
        keys["tags"] = render_tags(tags)
    return changed(known, keys, draft.text)


def _proposed(backend: MemoryBackend, made: StoredItem, draft: Draft) -> StoredItem:
    """Return an item that waits for a person, in whose place it would be of the one that holds under its key."""
    from verifflowcc.services.memory.rewriting import with_link

    pending = changed(made, {"status": str(Status.PENDING)})
    active = keyed(backend, draft.type, draft.key) if draft.key else None
    if active is None or any(link.to == active.item.id for link in pending.item.links):
        return pending
    return with_link(pending, Link(active.item.id, Relation.SUPERSEDES))


def _refuse_secrets(draft: Draft) -> None:
    tags = (("a tag", tag) for tag in draft.tags)
    refuse_secrets(
        ("the text", draft.text),
        ("the title", draft.title),
        ("the key", draft.key),
        *tags,
        *details_read(draft.details),
    )


def _free_id(backend: MemoryBackend, title: str, letters: Letters) -> str:
    for _ in range(ATTEMPTS):
        name = item_id(title, letters())
        if backend.get(name) is None:
            return name
    raise BackendError("no id was drawn that is free")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"the text is no Unicode at character {error.start}") from error
