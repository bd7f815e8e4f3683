"""A project and a person of a test's own, whose items are kept in whatever backend, and the services in few words."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.adding import AddResult, TypedItem, add_item, wanted_of
from verifflowcc.memory.use.item_scope import identity_of
from verifflowcc.memory.use.item_search import ScopedItem, find_item
from verifflowcc.memory.use.stores import open_store

ME, AGENT, CI = "human:You", "agent:coder", "ci"
TODAY, LATER = "2026-11-21", "2026-11-22"
BACKENDS = ("files", "sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class World:
    """One person on one machine, whose items and projects are all kept in one backend."""

    folder: Path
    backend: str
    admit: Callable[[str], None]

    def project(self, name: str) -> Workspace:
        """Make a project."""
        root = self.folder / name
        (root / ".memory").mkdir(parents=True)
        settings = f"format: 1\nmemory: {{backends: {{project: {self.backend}}}}}\n"
        (root / ".memory/config.yaml").write_text(settings, encoding="utf-8")
        made = Workspace(root)
        self.admit(identity_of(made).text)
        return made


def world(tmp_path: Path, backend: str, patch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> World:
    """Give the person a home and a server of this test's, where one is needed."""
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        patch.setenv(variable, str(tmp_path / variable.lower()))
    settings = tmp_path / "xdg_config_home/vfcc/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"format: 1\nmemory: {{backend: {backend}}}\n", encoding="utf-8")
    if backend != "postgres":
        return World(tmp_path, backend, lambda _: None)
    server = request.getfixturevalue("postgres")
    person = server.person("you")
    patch.setenv("VFCC_POSTGRES_URL", person.url)
    return World(
        tmp_path, backend, lambda identity: server.admin(f"SELECT vfcc.admit('{identity}', '{person.role}')") and None
    )


def yes(_: object) -> None:
    """Answer yes to whatever is asked."""


def unasked(asked: object) -> None:
    """Fail, for nothing was to be asked."""
    raise AssertionError(asked)


def add(
    here: Workspace | None,
    type_name: str,
    text: str,
    *,
    actor: str = ME,
    confirm: Callable[[Any], None] = yes,
    dry_run: bool = False,
    today: str = TODAY,
    **typed: Any,
) -> AddResult:
    """Add an item as `vfcc memory add` does."""
    wanted = wanted_of(here, TypedItem(type_name, text, **typed), actor=actor, today=today)
    with open_store(here, wanted.scope) as store:
        return add_item(store, wanted, actor=actor, today=today, confirm=confirm, dry_run=dry_run)


def find(here: Workspace | None, name: str, *scopes: str) -> ScopedItem:
    """Find an item in the project's and the person's memory, or in the scopes given."""
    return find_item(here, name, scopes or ("project", "user"))


def keep(here: Workspace | None, scope: str, item: StoredItem) -> None:
    """Put an item into a scope, as somebody else does who knows nothing of rules."""
    with open_store(here, scope) as store:
        store.add(item)


def texts(here: Workspace | None, *scopes: str) -> dict[tuple[str, str], str]:
    """Return (scope, id) → the whole text of each item of the project and the person, or of the scopes given."""
    found: dict[tuple[str, str], str] = {}
    for scope in scopes or ("project", "user"):
        with open_store(here, scope) as store:
            found |= {(scope, each.item.id): each.text for each in store.list_all()}
    return found
