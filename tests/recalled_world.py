"""A project and a person whose memory is searched, in whatever backend, and what was found in few words."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.life_world import TODAY, Days
from tests.trees import write_memory
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import RecallQuery, RecallResult
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import folder_of, home_path, stored_item
from verifflowcc.memory.use.searching import search
from verifflowcc.memory.use.stores import open_store

SCOPES = ("project", "user")
Answer = list[tuple[str, str, int, str]]


def home(folder: Path, patch: pytest.MonkeyPatch, backend: str = "files") -> None:
    """Give the person a home below `folder`."""
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        patch.setenv(variable, str(folder / variable.lower()))
    settings = folder / "xdg_config_home/vfcc/config.yaml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f"format: 1\nmemory: {{backend: {backend}}}\n", encoding="utf-8")


def project(folder: Path, backend: str = "files", memory: str = "") -> Workspace:
    """Make a project with settings of its memory, each a line below `memory:`."""
    lines = f"format: 1\nmemory:\n  backends: {{project: {backend}, task: {backend}}}\n{memory}"
    return Workspace(write_memory(folder / "project", {"config.yaml": lines}), Days(TODAY))


def made(name: str, text: str, type_name: str = "fact", scope: str = "project", **fields: str) -> StoredItem:
    """Return an item whose file says these fields, each as written."""
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    whole = f"---\nid: {name}\ntype: {type_name}\n{lines}---\n{text}\n"
    return stored_item(home_path(folder_of(scope), type_name, name), whole.encode())


def keep(here: Workspace | None, *items: StoredItem, scope: str = "project") -> None:
    """Put items into a scope, as somebody else does who knows nothing of rules."""
    with open_store(here, scope) as store:
        for each in items:
            store.add(each)


def remember(
    here: Workspace | None, name: str, text: str, type_name: str = "fact", *, scope: str = "project", **fields: str
) -> None:
    """Put one item into a scope."""
    keep(here, made(name, text, type_name, scope, **fields), scope=scope)


def asked(here: Workspace | None, text: str, *scopes: str, **more: object) -> RecallResult:
    """Search in scopes, else in the project's and the person's."""
    return search(here, scopes or SCOPES, RecallQuery(text, **more))  # type: ignore[arg-type]


def found(here: Workspace | None, text: str, *scopes: str, **more: object) -> list[str]:
    """Return the ids of the hits in order."""
    return [hit.item.id for hit in asked(here, text, *scopes, **more).hits]


def answer(here: Workspace | None, text: str, *scopes: str, **more: object) -> Answer:
    """Return (scope, id, score, why it does not stand) of the hits in order."""
    hits = asked(here, text, *scopes, **more).hits
    return [(hit.scope, hit.item.id, hit.score, hit.invalid_reason) for hit in hits]


def indexes(here: Workspace) -> list[Path]:
    """Return the files of the project's index, and of the person's."""
    folders = [here.local, *here.root.parent.glob("xdg_data_home/**/local")]
    return sorted(path for folder in folders for path in folder.glob("index.db*"))


def lose_index(here: Workspace) -> None:
    """Remove all that was derived."""
    for path in indexes(here):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def anew(here: Workspace, questions: Sequence[str], *scopes: str, **more: object) -> list[Answer]:
    """Return the answers of an index that is built from nothing, and leave the one that is there as it is."""
    kept = {path: path.read_bytes() for path in indexes(here)}
    lose_index(here)
    answers = [answer(here, text, *scopes, **more) for text in questions]
    lose_index(here)
    for path, data in kept.items():
        path.write_bytes(data)
    return answers
