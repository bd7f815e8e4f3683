"""The backends and the values that they keep, for programs that choose one themselves.

A project's own backend is opened by `open_store`, which knows the settings; PostgreSQL is opened by it alone.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from verifflowcc.base.model.item_values import Item, Source, Status
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.memory.store.file_backend import FilesBackend
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.store.sqlite_backend import SqliteBackend
from verifflowcc.memory.use.adding import ItemRequest, new_item, refuse_secrets_in
from verifflowcc.memory.use.new_item_words import checked_type
from verifflowcc.memory.use.recording import title_of

# A new item for a program that keeps it in a backend itself.

PROGRAM = "tool:program"


class ItemFields(TypedDict, total=False):
    """What a new item has beside its type and text; `importance` and `confidence` are from 0 to 1."""

    scope: str
    title: str
    key: str
    tags: Sequence[str]
    details: Mapping[str, str]
    importance: float
    confidence: float
    id: str
    actor: str


def create_item(type_name: str, text: str, **fields: Unpack[ItemFields]) -> StoredItem:
    """Return a new item with nothing written; `backend.add(item)` keeps it.

    What is left out has the default of its type; the scope is the project. Raises UsageError for an unknown type,
    SecretError where any of its words holds a secret.
    """
    scope, actor, title = fields.get("scope", "project"), fields.get("actor", PROGRAM), fields.get("title")
    wanted = ItemRequest(
        scope=scope,
        type=checked_type(type_name, scope, None),
        title=title or title_of(text, type_name),
        text=text,
        source=Source(actor=actor),
        title_given=title is not None,
        key=fields.get("key"),
        importance=_thousandths(fields.get("importance")),
        confidence=_thousandths(fields.get("confidence")),
        tags=tuple(fields.get("tags", ())),
        details=tuple(fields.get("details", {}).items()),
        id=fields.get("id"),
    )
    refuse_secrets_in(wanted)
    return new_item(wanted, actor, f"{SystemClock().now():%Y-%m-%d}", Status.ACTIVE)


def _thousandths(share: float | None) -> int | None:
    return None if share is None else round(share * 1000)


__all__ = ["FilesBackend", "InMemoryBackend", "Item", "MemoryBackend", "Source", "SqliteBackend", "StoredItem"]
