"""A project whose items grow old, are consolidated and brought back, in whatever backend, and their bytes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.trees import write_memory
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item
from verifflowcc.memory.use.consolidating import MaintenanceStep, RestoreResult, restore
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.stores import open_store

YOU, CODER = "human:You", "agent:coder"
TODAY = "2026-11-21"
CACHE = (
    "The parser cache is cold at start",
    "At start the parser cache is cold, and slow",
    "A cold parser cache makes the start slow",
    "The parser cache is cold at the start of a run",
)
FOUND = """\
---
id: {id}
type: {type}
title: {text}
{more}source: {{kind: extracted, actor: agent:coder}}
details: {{promoted_by: "human:You", promoted_on: 2026-11-01}}
created: {created}
---

{text}.
"""


class Days:
    """A clock that stands still until days are let pass."""

    def __init__(self, day: str = TODAY) -> None:
        self.at = datetime.fromisoformat(f"{day}T14:00:00").replace(tzinfo=UTC)

    def now(self) -> datetime:
        """Return the present."""
        return self.at

    def pass_by(self, days: int) -> None:
        """Let days pass."""
        self.at += timedelta(days=days)


def project(folder: Path, backend: str = "files", memory: str = "") -> Workspace:
    """Make a project with settings of its memory, each a line below `memory:`."""
    lines = f"format: 1\nmemory:\n  backends: {{project: {backend}, task: {backend}}}\n{memory}"
    return Workspace(write_memory(folder / "project", {"config.yaml": lines}), Days())


def found(
    item_id: str, text: str, type_name: str = "fact", *, created: str = "2026-11-01", more: str = "", of: str = ""
) -> str:
    """Return the file of an item that an agent found out and a person promoted."""
    return FOUND.format(id=item_id, text=text or of, type=type_name, created=created, more=more)


def cache(type_name: str = "fact", *, created: str = "2026-11-01", more: str = "") -> list[str]:
    """Return four items that say much the same."""
    return [
        found(f"c{place}", text, type_name, created=created, more=more) for place, text in enumerate(CACHE, start=1)
    ]


def put(here: Workspace, *texts: str, scope: str = "project") -> None:
    """Put items into a scope, byte for byte."""
    with open_store(here, scope) as store:
        for text in texts:
            item = stored_item(".memory/project/x.md", text.encode()).item
            path = home_path(folder_of(scope), item.type, item.id)
            store.add(stored_item(path, text.encode()))


def items(here: Workspace, scope: str = "project") -> dict[str, StoredItem]:
    """Return the items of a scope by id."""
    with open_store(here, scope) as store:
        return {each.item.id: each for each in store.list_all()}


def texts(here: Workspace, scope: str = "project") -> dict[str, str]:
    """Return id → the whole text of each item of a scope."""
    return {item_id: each.text for item_id, each in items(here, scope).items()}


def keep_up(here: Workspace, *, dry: bool = False) -> tuple[MaintenanceStep, ...]:
    """Maintain the project's items as `vfcc memory maintain --scope project` does."""
    return maintain(here, "project", actor=YOU, dry_run=dry).steps


def bring_back(
    here: Workspace, item_id: str, scope: str = "project", *, actor: str = YOU, dry: bool = False
) -> RestoreResult:
    """Restore an item as `vfcc memory restore` does."""
    return restore(here, find_item(here, item_id, (scope,)), actor=actor, today=here.today(), dry_run=dry)
