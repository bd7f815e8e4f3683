"""Open the store of a scope, in the backend that the settings name for it; or only read it, and leave no trace."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from verifflowcc.base.config.config_load import user_settings
from verifflowcc.base.errors import ConfigError, UsageError, WorkspaceError
from verifflowcc.base.files.private_files import USER, user_home
from verifflowcc.base.model.config_values import BackendKind, MemorySettings, SecretScanner
from verifflowcc.base.model.item_values import ScopeKind
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.use.workspace import Workspace, required
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.sprint.use.configuration import effective_config


@contextmanager
def open_store(workspace: Workspace | None, scope: str) -> Iterator[MemoryBackend]:
    """Open the items of a scope (`user`, `project`, `task/<id>`, `sprint/<id>` …) and close them at the end.

    Raises WorkspaceError where a scope of a project is asked for outside of one, BackendError where its backend cannot
    be opened, ConfigError where the settings are not sound.
    """
    store = _user_store() if scope == USER else _project_store(workspace, scope)
    try:
        yield scanned(workspace, store)
    finally:
        store.close()


def scanned(workspace: Workspace | None, store: MemoryBackend) -> MemoryBackend:
    """Return a store that keeps nothing in which the library finds a new secret; the store itself where none asks.

    What is written to the user's own memory from within a project is looked at as the project says. Settings that are
    not sound stop who writes, and not who reads.
    """
    if workspace is None:
        return store
    with suppress(ConfigError, WorkspaceError):
        if memory_settings(workspace).secret_scanner is SecretScanner.OWN:
            return store
    from verifflowcc.sprint.store.scanned_backend import scanned_store
    from verifflowcc.sprint.use.item_loading import asks_for_scan, refuse_scanned

    def look(item: StoredItem, kept_in: MemoryBackend) -> None:
        if asks_for_scan(workspace):
            before = kept_in.get(item.item.id)
            refuse_scanned(workspace, before.text if before else "", item.text, item.item.id)

    return scanned_store(store, look)


def kind_of(scope: str) -> ScopeKind:
    """Return the kind of a scope.

    >>> kind_of("task/fix-it-k3f9").value
    'task'
    """
    return ScopeKind(scope.partition("/")[0])


def backend_of(workspace: Workspace | None, scope: str) -> BackendKind:
    """Return the kind of backend that the settings name for a scope; files where they cannot name one."""
    if scope == USER:
        return user_settings().backend
    backends = memory_settings(workspace).backends
    return {ScopeKind.PROJECT: backends.project, ScopeKind.TASK: backends.task}.get(kind_of(scope), BackendKind.FILES)


def memory_settings(workspace: Workspace | None) -> MemorySettings:
    """Return the project's settings of typed memory; the defaults outside of a project."""
    return effective_config(workspace).config.memory if workspace else MemorySettings()


def open_kind(workspace: Workspace | None, scope: str, kind: BackendKind) -> MemoryBackend:
    """Open the items of a scope in a backend of this kind, whatever the settings name. Raises as `open_store` does."""
    if kind is BackendKind.MEMORY:
        from verifflowcc.memory.store.in_memory import InMemoryBackend

        return InMemoryBackend(scope)
    if kind is BackendKind.POSTGRES:
        from verifflowcc.memory.store.postgres import PostgresBackend
        from verifflowcc.memory.use.item_scope import identity_of

        project = None if scope == USER else identity_of(required(workspace)).text
        return PostgresBackend(_postgres_url(), scope, project)
    if kind is BackendKind.SQLITE:
        from verifflowcc.memory.store.sqlite_backend import SqliteBackend

        return SqliteBackend(database_of(workspace, scope), scope)
    from verifflowcc.memory.store.file_backend import FilesBackend

    if scope == USER:
        return FilesBackend(user_home(), folder_of(scope), scope, user_home() / USER / "local")
    here = required(workspace)
    return FilesBackend(here.root, folder_of(scope), scope, here.local)


def _user_store() -> MemoryBackend:
    return open_kind(None, USER, user_settings().backend)


def _project_store(workspace: Workspace | None, scope: str) -> MemoryBackend:
    return open_kind(required(workspace), scope, backend_of(workspace, scope))


def database_of(workspace: Workspace | None, scope: str) -> Path:
    """Return the database of a scope: outside of the project, so that deleting `.memory/local/` loses nothing of it.

    A project's is found by its identity, so that a clone in another folder has the same. A task's ends with the task.
    """
    if scope == USER:
        return user_home() / "user.db"
    here = required(workspace)
    if kind_of(scope) is ScopeKind.TASK:
        return here.local / "tasks.db"
    from verifflowcc.memory.use.item_scope import identity_of

    return user_home() / "projects" / identity_of(here).folder / "items.db"


def _postgres_url() -> str:
    url = user_settings().postgres_url
    if url is None:
        raise UsageError(
            "no PostgreSQL server is named for this user",
            hint="export VFCC_POSTGRES_URL=…, or memory.postgres_url in your own settings",
        )
    return url


# Open a store to look at it, and leave no trace: no index, no lock, no database where there is none.


@contextmanager
def open_for_reading(workspace: Workspace | None, scope: str) -> Iterator[MemoryBackend]:
    """Open the items of a scope as `open_store` does, for reading alone. Raises the same."""
    import tempfile  # with random and shutil: a hook that opens a store to write needs none of them

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
