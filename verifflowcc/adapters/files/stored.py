"""Texts as stored items, and the place of an item's file in the folder of its scope."""

import hashlib
import re

from verifflowcc.domain.items import item_type
from verifflowcc.domain.memory import StoredItem
from verifflowcc.text.slug import slug

_FILE_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,118}[a-z0-9_-])?")


def stored_item(path: str, data: bytes) -> StoredItem:
    """Return the bytes of an item's file as a stored item. Raises FormatError where they are not UTF-8."""
    from verifflowcc.adapters.files.items import parse_item  # what reads texts costs more than a whole question

    parsed = parse_item(path, data)
    return StoredItem(parsed.item, data.decode("utf-8"), parsed.body)


def home_path(folder: str, type_name: str, item_id: str) -> str:
    """Return the path of a new item's file: one folder for each type, and a name that follows from the id.

    Ids that differ in case or Unicode form alone, or that no file can have as its name, get files of different names.

    >>> home_path(".memory/project", "fact", "client-is-acme-k3f9"), home_path("user", "decision", "a")
    ('.memory/project/items/fact/client-is-acme-k3f9.md', 'user/decisions/a.md')
    >>> home_path("user", "fact", "Client/A")
    'user/items/fact/client-a-4d4a8bba.md'
    """
    below = item_type(type_name).folder or f"items/{_name(type_name, 'other')}"
    return f"{folder}/{below}/{_name(item_id, 'item')}.md"


def _name(text: str, instead: str) -> str:
    if _FILE_NAME.fullmatch(text):
        return text
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug(text, instead)}-{mark}"
