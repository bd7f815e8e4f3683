"""Open a store only to read."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.base.files.private_files import USER, user_home
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.memory.use.stores import backend_of, database_of, open_store

# Open a store to look at it, and leave no trace: no index, no lock, no database where there is none.


@contextmanager
def open_for_reading(workspace: Workspace | None, scope: str) -> Iterator[MemoryBackend]:
    """Open the items of a scope as `open_store` does, for reading alone. Raises the same."""
    kind = backend_of(workspace, scope)
    if kind is BackendKind.FILES and (scope == USER or workspace is not None):
        from verifflowcc.memory.store.file_backend import FilesBackend

        root = user_home() if workspace is None or scope == USER else workspace.root
        with tempfile.TemporaryDirectory(prefix="vfcc-reading-") as local:
            files = FilesBackend(root, folder_of(scope), scope, Path(local))
            try:
                yield files
            finally:
                files.close()
    elif kind is BackendKind.SQLITE and not database_of(workspace, scope).exists():
        from verifflowcc.memory.store.in_memory import InMemoryBackend

        yield InMemoryBackend(scope)
    else:
        with open_store(workspace, scope) as store:
            yield store
