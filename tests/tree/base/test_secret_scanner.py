"""A scanner library beside our own patterns, where a project asks for one: `memory.secret_scanner: detect-secrets`."""

import importlib.util
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.remembered_world import ME, TODAY, add, find, texts, world, yes
from tests.secret_samples import SAMPLES, TOKEN
from tests.tree.backend_items import make
from tests.trees import write_memory
from verifflowcc.base.errors import ConfigError, SecretError
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.text.secrets import find_secrets
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.copying import CopyOptions, copy_items
from verifflowcc.memory.use.editing import ItemEdits, edit_item
from verifflowcc.memory.use.importing import MemoryImportOptions, import_memory
from verifflowcc.memory.use.memory_listing import ListQuery, list_items, show_item
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.trace.use.trace_edits import TraceItemRequest, add_item

installed = pytest.mark.skipif(
    importlib.util.find_spec("detect_secrets") is None, reason="pip install detect-secrets, to see what it refuses"
)
KEY = "".join(random.Random(5).choices("0123456789abcdef", k=64))
SAID = f"softlayer_api_key {KEY}"
"""What the library knows as a key and our own patterns do not look for; it is nobody's."""


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project with an item, that asks for the library from then on."""
    made = world(tmp_path, "files", monkeypatch, request).project("one")
    add(made, "fact", "The deploy bot is called Bo", id="bot")
    write_memory(made.root, {"config.yaml": "format: 1\nmemory: {secret_scanner: detect-secrets}\n"})
    return Workspace(made.root)


def _import(here: Workspace) -> None:
    path = here.root.parent / "said.md"
    path.write_text(f"{SAID}\n", encoding="utf-8")
    import_memory(here, str(path), MemoryImportOptions(type="fact"), actor=ME, confirm=yes, today="2026-11-21")


def _note(here: Workspace) -> None:
    start_task(here, "Find the bot", actor=ME)
    note_in_task(here, Note(SAID), actor=ME)


def _planted(here: Workspace) -> None:
    path = ".memory/project/items/fact/planted.md"
    item = stored_item(path, make("planted", "project").text.encode() + SAID.encode())
    (here.root / path).write_text(item.text, encoding="utf-8")


def _copy(here: Workspace) -> None:
    _planted(here)
    copy_items(here, "project", BackendKind.FILES, BackendKind.SQLITE, CopyOptions(), actor=ME)


WAYS: dict[str, Callable[[Workspace], object]] = {
    "add": lambda here: add(here, "fact", SAID),
    "add to the user": lambda here: add(here, "goal", SAID, scope="user"),
    "edit": lambda here: edit_item(here, find(here, "bot"), ItemEdits(text=SAID), actor=ME, today=TODAY, confirm=yes),
    "import": _import,
    "note in a task": _note,
    "copy": _copy,
    "a trace item": lambda here: add_item(here, TraceItemRequest("requirement", "Sign in", text=SAID), actor=ME),
}


@installed
@pytest.mark.parametrize("way", WAYS)
def test_the_library_refuses_on_every_way_what_it_knows(here: Workspace, way: str) -> None:
    assert not find_secrets(SAID)

    with pytest.raises(SecretError, match=r"what looks like a secret, a SoftLayer Credentials, at \d+:\d+") as raised:
        WAYS[way](here)

    assert KEY not in f"{raised.value.message}{raised.value.hint}"
    kept = [text for path, text in texts(here).items() if "planted" not in path]
    assert not [text for text in kept if KEY in text]


@installed
def test_what_is_sound_is_kept_and_what_was_there_is_no_reason_to_refuse_the_rest(here: Workspace) -> None:
    _planted(here)

    assert add(here, "fact", "The bot is on staging").written
    done = edit_item(here, find(here, "planted"), ItemEdits(importance=900), actor=ME, today=TODAY, confirm=yes)

    assert done.item.importance == 900


@installed
def test_the_library_asks_no_server_whether_a_secret_works() -> None:
    """In a process of its own, in which a socket is an error: several plugins could verify what they find."""
    said = "\n".join((*SAMPLES.values(), SAID))
    lines = (
        "import socket, sys",
        "def no(*_, **__): raise SystemExit('a socket was opened')",
        "socket.socket.connect = socket.getaddrinfo = socket.create_connection = no",
        "from verifflowcc.sprint.store.scanned_backend import scan_text",
        "print(len(scan_text(sys.stdin.read())))",
    )

    ran = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], input=said, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) >= 10


def test_where_it_is_not_installed_writing_says_so_and_reading_goes_on(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "detect_secrets"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "detect_secrets", None)
    before = texts(here)

    with pytest.raises(ConfigError) as raised:
        add(here, "fact", "The bot is on staging")

    assert raised.value.exit_code == 3
    told = "memory.secret_scanner is detect-secrets, and that library is not installed; nothing was written"
    assert (raised.value.message, raised.value.hint) == (told, "pip install 'verifflowcc[scanner]'")
    assert texts(here) == before
    assert len(list_items(here, ("project",), ListQuery()).rows) == 1
    assert show_item(here, find(here, "bot"), ("project",)).text == "The deploy bot is called Bo"


@pytest.mark.vfcc("REQ-SECRETS")
def test_our_own_patterns_look_first_whatever_is_set(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "detect_secrets", None)

    with pytest.raises(SecretError, match="a GitHub token, at 1:1"):
        add(here, "fact", TOKEN)


def test_a_project_that_does_not_ask_for_it_never_imports_it(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, "files", monkeypatch, request).project("one")
    monkeypatch.setitem(sys.modules, "detect_secrets", None)

    assert add(made, "fact", SAID).written
