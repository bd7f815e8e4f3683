"""A secret gets into memory by no path, and is withheld wherever memory that holds one is shown."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.remembered_world import AGENT, LATER, ME, TODAY, add, find, keep, texts, world, yes
from tests.secret_samples import PASSWORD, SAMPLES, TOKEN
from tests.tree.backend_items import make
from verifflowcc.base.errors import SecretError
from verifflowcc.base.model.config_values import BackendKind
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.memory_checking import check_memory
from verifflowcc.memory.rules.tasks import TaskStatus
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.copying import CopyOptions, copy_items, export_memory
from verifflowcc.memory.use.editing import ItemEdits, edit_item, replace_text
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.importing import MemoryImportOptions, import_memory
from verifflowcc.memory.use.inbox import open_inbox, reject_item
from verifflowcc.memory.use.memory_listing import ListQuery, list_items, show_item
from verifflowcc.memory.use.moving import move_item, promote_item
from verifflowcc.memory.use.task_ending import end_task
from verifflowcc.memory.use.task_filling import (
    GlobalMemoryStore,
    Note,
    ProjectMemoryStore,
    TaskMemoryStore,
    note_in_task,
    start_task,
)
from verifflowcc.prompt.use.prompt_use import compile_context
from verifflowcc.trace.use.trace_edits import TraceItemRequest, add_item

SAYS = f"The deploy bot signs in with {TOKEN} on staging."
AT = "at 1:30"


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project in files."""
    made = world(tmp_path, "files", monkeypatch, request).project("one")
    add(made, "fact", "The deploy bot is called Bo", id="bot")
    add(made, "goal", "Ship in May", scope="user", id="ship")
    add(made, "fact", "Proposed", id="proposed", actor=AGENT)
    return made


def held(item_id: str, scope: str = "project", text: str = SAYS, **fields: str) -> StoredItem:
    """Return an item that holds a secret, as somebody has put it there by hand."""
    item = make(item_id, scope, **fields)
    return stored_item(item.item.path, (item.text.rstrip("\n") + f"\n{text}\n").encode())


def _note(here: Workspace, **more: str) -> None:
    start_task(here, "Find the bot", actor=ME)
    note_in_task(here, Note(**{"text": "Said", **more}), actor=ME)


def _imported(here: Workspace, actor: str, name: str, text: str) -> None:
    path = here.root.parent / "given" / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    import_memory(here, str(path), MemoryImportOptions(type="fact"), actor=actor, confirm=yes, today="2026-11-21")


def _end(here: Workspace) -> None:
    task = start_task(here, "Find the bot", actor=ME)
    end_task(here, task.id, TaskStatus.COMPLETED, actor=ME, outcome=f"It was {TOKEN}")


def _trace(here: Workspace, **said: str) -> None:
    wanted = {"type": "requirement", "title": "Sign in", "text": "The bot shall sign in.", **said}
    add_item(here, TraceItemRequest(**wanted), actor=ME)  # type: ignore[arg-type]


def _edit(here: Workspace, changes: ItemEdits, name: str = "bot") -> None:
    edit_item(here, find(here, name), changes, actor=ME, today=LATER, confirm=yes)


def _text(here: Workspace) -> None:
    found = find(here, "bot")
    replace_text(here, found, found.stored.text + SAYS, actor=ME, today=LATER, confirm=yes)


def _planted(here: Workspace, **fields: str) -> None:
    keep(here, "project", held("planted", **fields))


def _task_item(here: Workspace) -> None:
    task = start_task(here, "Find the bot", actor=ME)
    scope = f"task/{task.id}"
    keep(here, scope, held("planted", scope, type="reasoning"))
    end_task(here, task.id, TaskStatus.COMPLETED, actor=ME, promote=["planted"])


def _promote(here: Workspace) -> None:
    _planted(here, status="pending")
    promote_item(here, find(here, "planted"), None, actor=ME, today=LATER, confirm=yes)


def _move(here: Workspace) -> None:
    _planted(here)
    move_item(here, find(here, "planted"), "user", actor=ME, confirm=yes, type_name="goal")


def _copy(here: Workspace) -> None:
    _planted(here)
    copy_items(here, "project", BackendKind.FILES, BackendKind.SQLITE, CopyOptions(), actor=ME)


PATHS: dict[str, tuple[Callable[[Workspace], object], str]] = {
    "add": (lambda here: add(here, "fact", SAYS), f"the text holds .* {AT};"),
    "add as an agent": (lambda here: add(here, "fact", SAYS, actor=AGENT), f"the text holds .* {AT};"),
    "add to the user": (lambda here: add(here, "goal", SAYS, scope="user"), f"the text holds .* {AT};"),
    "add without writing": (lambda here: add(here, "fact", SAYS, dry_run=True), f"the text holds .* {AT};"),
    "say anew": (lambda here: add(here, "fact", SAYS, id="bot"), f"the text holds .* {AT};"),
    "the title": (lambda here: add(here, "fact", "Said", title=SAYS), f"the title holds .* {AT};"),
    "the key": (lambda here: add(here, "fact", "Said", key=TOKEN), "the key holds .* at 1:1;"),
    "the id": (lambda here: add(here, "fact", "Said", id=TOKEN), "the id holds .* at 1:1;"),
    "a tag": (lambda here: add(here, "fact", "Said", tags=(TOKEN,)), "a tag holds .* at 1:1;"),
    "a detail": (
        lambda here: add(here, "fact", "Said", details=(f"password={PASSWORD}",)),
        "the detail password holds .*password or key beside its name",
    ),
    "a ref": (lambda here: add(here, "fact", "Said", refs=(f"src/{TOKEN}.py",)), "a ref holds"),
    "edit the text": (lambda here: _edit(here, ItemEdits(text=SAYS)), f"the text holds .* {AT};"),
    "edit the title": (lambda here: _edit(here, ItemEdits(title=SAYS)), f"the title holds .* {AT};"),
    "edit the key": (lambda here: _edit(here, ItemEdits(key=TOKEN)), "the key holds"),
    "edit a tag": (lambda here: _edit(here, ItemEdits(tag=(TOKEN,))), "a tag holds"),
    "edit in an editor": (_text, "the text holds"),
    "import lines": (
        lambda here: _imported(here, ME, "a.jsonl", json.dumps({"content": SAYS, "type": "fact"})),
        r"a\.jsonl:1: .* holds",
    ),
    "import Markdown": (lambda here: _imported(here, AGENT, "a.md", f"# Bot\n\n{SAYS}\n"), r"a\.md: a holds"),
    "promote": (_promote, "planted holds"),
    "move": (_move, "planted holds"),
    "copy": (_copy, "planted holds"),
    "start a task": (lambda here: start_task(here, SAYS, actor=AGENT), "what the task is about holds"),
    "note": (lambda here: _note(here, text=SAYS), f"the text holds .* {AT};"),
    "note a tool": (lambda here: _note(here, type="tool_output", tool=f"curl {TOKEN}"), "--tool holds"),
    "note a key": (lambda here: _note(here, key=TOKEN), "--key holds"),
    "end a task": (_end, "--outcome holds"),
    "keep of a task": (_task_item, "planted holds"),
    "reject": (
        lambda here: reject_item(here, find(here, "proposed"), actor=ME, today=LATER, reason=SAYS),
        f"--reason holds .* {AT};",
    ),
    "trace add": (lambda here: _trace(here, text=SAYS), f"the text holds .* {AT};"),
    "trace add, the rationale": (lambda here: _trace(here, rationale=SAYS), "the rationale holds"),
    "trace add, the title": (lambda here: _trace(here, title=SAYS), "the title holds"),
}


@pytest.mark.points(13)
@pytest.mark.vfcc("REQ-SECRETS")
@pytest.mark.parametrize("path", PATHS)
def test_no_path_lets_a_secret_in(here: Workspace, path: str) -> None:
    do, told = PATHS[path]
    before = files(here)

    with pytest.raises(SecretError, match=told) as raised:
        do(here)

    assert raised.value.exit_code == 2
    assert TOKEN not in f"{raised.value.message}{raised.value.hint}"
    assert PASSWORD not in f"{raised.value.message}{raised.value.hint}"
    assert "nothing was written" in raised.value.message
    new = {name: data for name, data in files(here).items() if before.get(name) != data and "planted" not in name}
    assert not [name for name, data in new.items() if TOKEN.encode() in data or PASSWORD.encode() in data]


def files(here: Workspace) -> dict[str, bytes]:
    """Return all files of the project and the person, but for what is imported."""
    folder = here.root.parent
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and "given" not in path.parts}


STORES: dict[str, Callable[[str], object]] = {
    "a thought": lambda text: TaskMemoryStore("t").add_reasoning(text),
    "an output": lambda text: TaskMemoryStore("t").add_tool_output("curl", text),
    "a tool": lambda text: TaskMemoryStore("t").add_tool_output(text, "said"),
    "a decision": lambda text: ProjectMemoryStore("p", InMemoryBackend("project")).add_decision(text),
    "a tag of a decision": lambda text: ProjectMemoryStore("p", InMemoryBackend("project")).add_decision("x", [text]),
    "a convention": lambda text: ProjectMemoryStore("p", InMemoryBackend("project")).add_convention(text, "all"),
    "a failure": lambda text: ProjectMemoryStore("p", InMemoryBackend("project")).add_failure("E1", text),
    "the key of a failure": lambda text: ProjectMemoryStore("p", InMemoryBackend("project")).add_failure(
        "E1", "x", key=text
    ),
    "a preference": lambda text: GlobalMemoryStore(InMemoryBackend("user"), lambda _: True).add_preference(text, "a"),
    "a pattern": lambda text: GlobalMemoryStore(InMemoryBackend("user")).add_pattern(text, "all"),
}


@pytest.mark.vfcc("REQ-SECRETS")
@pytest.mark.parametrize("store", STORES)
def test_no_store_lets_a_secret_in(store: str) -> None:
    with pytest.raises(SecretError) as raised:
        STORES[store](TOKEN)

    assert TOKEN not in raised.value.message


@pytest.mark.vfcc("REQ-SECRETS")
def test_a_preference_that_is_changed_into_a_secret_stays_as_it_was() -> None:
    store = GlobalMemoryStore(InMemoryBackend("user"), lambda _: True)
    kept = store.add_preference("Tabs", "style")
    assert kept is not None

    with pytest.raises(SecretError):
        store.change_preference(kept.item.id, TOKEN)

    assert [each.body for each in store.preferences()] == [kept.body]


@pytest.mark.vfcc("REQ-SECRETS")
def test_what_is_there_already_is_shown_without_its_secret(here: Workspace) -> None:
    block = SAMPLES["OpenSSH private key"]
    keep(here, "project", held("planted", text=f"{SAYS}\n\n{block}", title=f"Bot {TOKEN}", status="pending"))
    keep(here, "project", held("open", text=f"{SAYS}\n\n{block}"))
    scopes = ("project", "user")
    question = Question("coder", None, None, "What does the deploy bot sign in with?")

    package = compile_context(here, question)
    shown = (
        repr(list_items(here, scopes, ListQuery(everything=True))),
        repr(show_item(here, find(here, "planted"), scopes)),
        repr(open_inbox(here, scopes)),
        repr(check_memory(here)),
        repr(export_memory(here)),
        repr(asdict(package)),
    )

    for text in shown:
        assert TOKEN not in text
        assert block.splitlines()[2] not in text
    assert "[secret withheld: GitHub token]" in package.text
    assert "[secret withheld: private key]" in package.text
    assert any("open.md holds what looks like a secret, a GitHub token at" in each for each in package.prompt.notices)
    assert TOKEN not in repr(forget_item(here, find(here, "planted"), actor=ME))


@pytest.mark.vfcc("REQ-SECRETS")
def test_an_export_tells_what_it_withholds_and_leaves_out_what_it_cannot(here: Workspace) -> None:
    keep(here, "project", held("in-text"))
    keep(here, "project", held("in-title", title=f"Bot {TOKEN}"))

    exported = export_memory(here)

    ids = [json.loads(line)["id"] for line in exported.text.splitlines()]
    assert sorted(ids) == ["bot", "in-text", "proposed"]
    assert exported.counts == {"project": 3}
    assert len(exported.problems) == 2
    assert any("in-text.md" in each and each.endswith("that is withheld") for each in exported.problems)
    assert any("in-title.md" in each and each.endswith("it is left out") for each in exported.problems)


@pytest.mark.vfcc("REQ-SECRETS")
def test_the_check_names_kind_and_place_of_each_secret(here: Workspace) -> None:
    keep(here, "project", held("planted"))

    (found,) = [each for each in check_memory(here).report.findings if each.code == "secret"]

    line = find(here, "planted").stored.text[: find(here, "planted").stored.text.index(TOKEN)].count("\n") + 1
    assert (found.item, found.line) == ("planted", line)
    assert found.message == "planted holds what looks like a secret, a GitHub token, in column 30"


@pytest.mark.vfcc("REQ-SECRETS")
def test_sound_lines_are_imported_where_those_with_secrets_are_skipped(here: Workspace) -> None:
    path = here.root.parent / "rows.jsonl"
    rows = [{"content": "Sound", "type": "fact"}, {"content": SAYS, "type": "fact"}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    done = import_memory(
        here, str(path), MemoryImportOptions(skip_broken=True), actor=ME, confirm=yes, today="2026-11-21"
    )

    assert [str(each.outcome) for each in done.items] == ["added"]
    assert len(done.problems) == 1
    assert not [text for text in texts(here).values() if TOKEN in text]


@pytest.mark.vfcc("REQ-SECRETS")
def test_a_secret_that_is_there_is_no_reason_to_keep_it(here: Workspace) -> None:
    keep(here, "project", held("planted"))
    keep(here, "project", held("waiting", status="pending"))

    reject_item(here, find(here, "waiting"), actor=ME, today=TODAY)
    _edit(here, ItemEdits(text="Where the token of the bot is: the vault of the team"), "planted")

    assert TOKEN not in find(here, "planted").stored.text
