"""The backends and the values that they keep, for programs that choose one themselves.

A project's own backend is opened by `open_store`, which knows the settings; PostgreSQL is opened by it alone.
"""

from verifflowcc.adapters.backends.files import FilesBackend
from verifflowcc.adapters.backends.in_memory import InMemoryBackend
from verifflowcc.adapters.backends.sqlite import SqliteBackend
from verifflowcc.domain.items import Item, Source
from verifflowcc.domain.memory import MemoryBackend, StoredItem

__all__ = ["FilesBackend", "InMemoryBackend", "Item", "MemoryBackend", "Source", "SqliteBackend", "StoredItem"]
