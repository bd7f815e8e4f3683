"""Where the stores that are measured lie: a project of its own and a home of its own, on the disk that is measured."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory_items import FOLDER
from verifflowcc.base.model.memory_protocol import MemoryBackend

SCOPE = "project"
SERVER_ABSENT = "postgres: left out, PostgreSQL's server programs or psycopg are not installed"


@dataclass(frozen=True)
class Place:
    """A backend's name and its folder; a server's URL where it has one; `project` keeps the rows of a server apart."""

    kind: str
    folder: Path
    url: str = ""
    project: str = "measured"


def open_place(place: Place) -> MemoryBackend:
    """Open the store of a place, made where it is not there yet."""
    if place.kind == "memory":
        from verifflowcc.memory.store.in_memory import InMemoryBackend

        return InMemoryBackend(SCOPE)
    if place.kind == "sqlite":
        from verifflowcc.memory.store.sqlite_backend import SqliteBackend

        return SqliteBackend(place.folder / "items.db", SCOPE)
    if place.kind == "postgres":
        from verifflowcc.memory.store.postgres import PostgresBackend

        return PostgresBackend(place.url, SCOPE, place.project)
    from verifflowcc.memory.store.file_backend import FilesBackend

    return FilesBackend(place.folder, FOLDER, SCOPE, place.folder / ".memory" / "local")


def own_home(folder: Path) -> Mapping[str, str]:
    """Return the variables that keep a process away from the person's own memory and settings."""
    return {
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


@contextmanager
def server_url(*projects: str) -> Iterator[str | None]:
    """Start a server on loopback and return the URL of a member of these projects; None where it cannot be."""
    try:
        import psycopg  # noqa: F401 - whether it is there

        from tests.tree.postgres_server import programs, running
    except ImportError:
        yield None
        return
    found = programs()
    if found is None:
        yield None
        return
    with running(found) as server:
        yield server.person("writer", *projects).url


def environment(folder: Path) -> dict[str, str]:
    """Return this process's variables with a home in `folder`."""
    return {**os.environ, **own_home(folder)}
