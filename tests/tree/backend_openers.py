"""How the backends without a server are opened in tests; these go to other processes as they are."""

from dataclasses import dataclass, field
from pathlib import Path

from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.memory.store.file_backend import FilesBackend
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.memory.store.sqlite_backend import SqliteBackend


@dataclass
class InMemory:
    """Stores that end with their process: one object for each scope and project."""

    root: Path
    shared_by_processes: bool = False
    stores: dict[tuple[str, str], InMemoryBackend] = field(default_factory=dict)

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend:
        return self.stores.setdefault((scope, project), InMemoryBackend(scope))


@dataclass
class Files:
    """Folders below `root`, one for each project."""

    root: Path
    shared_by_processes: bool = True

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend:
        here = self.root / project
        local = here / ("user/local" if scope == "user" else ".memory/local")
        return FilesBackend(here, folder_of(scope), scope, local)


@dataclass
class Sqlite:
    """Databases below `root`, one for each project."""

    root: Path
    shared_by_processes: bool = True

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend:
        return SqliteBackend(self.root / f"{project}.db", scope)
