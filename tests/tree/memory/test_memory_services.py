"""What is remembered is added, changed and promoted by those who may, once, and as it was asked for."""

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.remembered_world import (
    AGENT,
    BACKENDS,
    CI,
    LATER,
    ME,
    TODAY,
    World,
    add,
    find,
    keep,
    texts,
    unasked,
    world,
    yes,
)
from tests.tree.backend_items import make
from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.model.item_values import Item, Link, Relation, Status, Trust
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.adding import AddOutcome, AddPlan
from verifflowcc.memory.use.editing import ItemEdits, edit_item, link_items, replace_text, unlink_items
from verifflowcc.memory.use.forgetting import clear_user, forget_item
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.moving import move_item, promote_item

KEYS = 6


@pytest.fixture(params=BACKENDS)
def of_each(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world for each backend."""
    return world(tmp_path, request.param, monkeypatch, request)


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project in files."""
    return world(tmp_path, "files", monkeypatch, request).project("one")


def _at_once(work: Callable[..., None], *arguments: object) -> None:
    spawning = get_context("spawn")  # which takes this test's environment along
    start = spawning.Barrier(2)
    processes = [spawning.Process(target=work, args=(start, *arguments)) for _ in range(2)]
    for each in processes:
        each.start()
    for each in processes:
        each.join(120)
    assert [each.exitcode for each in processes] == [0, 0]


def _add_all(start: Any, root: Path, actor: str) -> None:
    start.wait(60)
    for number in range(KEYS):
        add(Workspace(root), "fact", f"{number} says {actor}", actor=actor, key=f"k{number}")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WHOLE-WRITES")
@pytest.mark.parametrize("who", [ME, AGENT])
def test_of_two_processes_that_add_one_key_at_once_one_item_comes(of_each: World, who: str) -> None:
    project = of_each.project("one")
    assert texts(project) == {}
    _at_once(_add_all, project.root, who)

    assert sorted(find(project, name).item.key or "" for _, name in texts(project)) == [f"k{n}" for n in range(KEYS)]
    assert {find(project, name).item.status for _, name in texts(project)} == {
        Status.ACTIVE if who == ME else Status.PENDING
    }


def _open_all(start: Any, folder: Path) -> None:
    from verifflowcc.memory.store.sqlite_backend import SqliteBackend

    for number in range(60):
        start.wait(60)
        SqliteBackend(folder / f"{number}.db", "project").close()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_two_processes_may_be_the_first_to_open_a_database(tmp_path: Path) -> None:
    _at_once(_open_all, tmp_path)


def _added_anew(project: Workspace, confirm: Callable[[object], None]) -> None:
    add(project, "preference", "Spaces", key="indent", confirm=confirm)


def _edited(project: Workspace, confirm: Callable[[object], None]) -> None:
    edit_item(project, find(project, "mine", "user"), ItemEdits(importance=100), actor=ME, today=LATER, confirm=confirm)


def _replaced(project: Workspace, confirm: Callable[[object], None]) -> None:
    found = find(project, "mine", "user")
    replace_text(project, found, found.stored.text.replace("Tabs", "Spaces"), actor=ME, today=LATER, confirm=confirm)


def _moved(project: Workspace, confirm: Callable[[object], None]) -> None:
    move_item(project, find(project, "ours", "project"), "user", actor=ME, confirm=confirm)


def _promoted(project: Workspace, confirm: Callable[[object], None]) -> None:
    promote_item(project, find(project, "said", "user"), None, actor=ME, today=LATER, confirm=confirm)


ASKED = {
    "add": (_added_anew, "user", "mine"),
    "edit": (_edited, "user", "mine"),
    "replace": (_replaced, "user", "mine"),
    "move": (_moved, "project", "ours"),
    "promote": (_promoted, "user", "said"),
}


@pytest.mark.points(3)
@pytest.mark.vfcc("REQ-CONFIRM")
@pytest.mark.parametrize("name", ASKED)
def test_what_changed_while_a_person_was_asked_is_told_and_nothing_is_written(of_each: World, name: str) -> None:
    do, scope, touched = ASKED[name]
    project = of_each.project("one")
    add(project, "preference", "Tabs", key="indent", id="mine")
    add(project, "preference", "Short", id="said", actor=AGENT)
    keep(project, "project", make("ours", type="preference", body="Long.\n"))
    after: dict[tuple[str, str], str] = {}

    def meanwhile(_: object) -> None:
        found = find(project, touched, scope)
        changed = found.stored.text.replace("---\n", "---\n# changed by somebody\n", 1)
        keep(project, scope, stored_item(found.item.path, changed.encode()))
        after.update(texts(project))

    with pytest.raises(ConflictError, match=f"{touched} changed since it was read; nothing was written"):
        do(project, meanwhile)

    assert texts(project) == after
    do(project, yes)
    assert texts(project) != after


@pytest.mark.points(4)
@pytest.mark.vfcc("REQ-CONFIRM")
@pytest.mark.parametrize("name", ASKED)
def test_without_a_yes_nothing_is_written(here: Workspace, name: str) -> None:
    add(here, "preference", "Tabs", key="indent", id="mine")
    add(here, "preference", "Short", id="said", actor=AGENT)
    keep(here, "project", make("ours", type="preference", body="Long.\n"))
    before = texts(here)

    with pytest.raises(AssertionError):
        ASKED[name][0](here, unasked)

    assert texts(here) == before


def test_of_a_key_that_came_to_be_while_a_person_was_asked_there_is_still_one_item(here: Workspace) -> None:
    def meanwhile(planned: AddPlan) -> None:
        assert planned.before is None
        add(here, "preference", "Spaces", key="indent", id="first")

    with pytest.raises(ConflictError, match="first changed since it was read"):
        add(here, "preference", "Tabs", key="indent", confirm=meanwhile)

    assert [name for _, name in texts(here)] == ["first"]


def test_a_rehearsal_asks_nobody_and_writes_nothing(here: Workspace) -> None:
    planned = add(here, "preference", "Tabs", dry_run=True, confirm=unasked)

    assert (planned.outcome, planned.written) == (AddOutcome.ADDED, False)
    assert texts(here) == {}


@pytest.mark.vfcc("REQ-USER-UPSERT", "REQ-ITEM-LOSSLESS")
def test_what_is_said_anew_keeps_its_file_its_day_of_making_and_every_line_that_still_holds(of_each: World) -> None:
    project = of_each.project("one")
    old = (
        "---\r\n# mine\r\nid: held\r\ntype: fact\r\ntitle: Old.\r\nkey: k   # the key\r\nodd: {x: [1, 2]}\r\n"
        "created: 2026-01-02\r\n"
        "tags: [a]\r\ntrust: human\r\nsource: {kind: explicit, actor: 'human:You', by: hand}\r\n---\r\n\r\nOld.\r\n"
    )
    keep(project, "project", stored_item(".memory/project/items/fact/held.md", old.encode()))

    done = add(project, "fact", "New.", key="k", tags=("b",))

    assert (done.item.id, done.outcome) == ("held", AddOutcome.UPDATED)
    changed = {"tags: [a]": "tags: [a, b]", "Old.": "New.", "title: Old.": "title: New."}
    kept = [changed.get(line, line) for line in old.split("\r\n")]
    kept.insert(kept.index("---", 1), f"updated: {TODAY}")
    assert [line for line in done.text.split("\r\n") if not line.startswith("source")] == [
        line for line in kept if not line.startswith("source")
    ]
    assert "by: hand" in done.text
    assert texts(project) == {("project", "held"): done.text}
    assert add(project, "fact", "New.", key="k", today=LATER).outcome is AddOutcome.UNCHANGED
    assert texts(project) == {("project", "held"): done.text}


@pytest.mark.parametrize(("who", "trust"), [(AGENT, Trust.AGENT), (CI, Trust.TOOL), ("agent:unknown", Trust.AGENT)])
def test_the_guarded_scopes_take_only_proposals_from_others_and_all_else_is_open(
    here: Workspace, who: str, trust: Trust
) -> None:
    (here.memory / "agent/coder").mkdir(parents=True)
    for scope, type_name in (("user", "goal"), ("project", "fact"), ("agent/coder", "fact")):
        item = add(here, type_name, f"In {scope}", scope=scope, actor=who).item
        assert item.status is (Status.ACTIVE if scope.startswith("agent") else Status.PENDING)
        assert item.trust is trust
        assert item.source.actor == who
        assert item.created == TODAY


def test_an_agents_proposal_of_a_preference_asks_nobody_and_a_persons_does(here: Workspace) -> None:
    assert add(here, "preference", "Tabs", actor=AGENT, confirm=unasked).pending
    for type_name, asks in (("preference", True), ("goal", False), ("pattern", False)):
        asked: list[AddPlan] = []
        add(here, type_name, "Said", scope="user", confirm=asked.append)
        assert bool(asked) is asks
    asked = []
    add(here, "preference", "Spaces", key="indent")
    add(here, "preference", "Tabs", key="indent", confirm=asked.append)
    assert [each.before.body.strip() for each in asked if each.before] == ["Spaces"]


def test_a_proposal_supersedes_what_holds_and_holds_nothing_itself(here: Workspace) -> None:
    add(here, "fact", "Acme", key="client", id="old")
    before = texts(here)

    proposed = add(here, "fact", "Beta", key="client", actor=AGENT)

    assert proposed.item.links == (Link("old", Relation.SUPERSEDES),)
    assert (proposed.outcome, proposed.pending) == (AddOutcome.PROPOSED, True)
    assert texts(here)["project", "old"] == before["project", "old"]
    with pytest.raises(UsageError, match=r"there is an item old already"):
        add(here, "fact", "Acme", id="OLD")
    told = add(here, "fact", "Gamma", key="client")
    assert told.item.id == "old"
    with pytest.raises(NotAllowed):
        promote_item(here, find(here, proposed.item.id), None, actor=AGENT, today=TODAY, confirm=unasked)
    assert promote_item(
        here, find(here, proposed.item.id), None, actor=ME, today=TODAY, confirm=unasked
    ).supersedes == ("old",)
    assert add(here, "fact", "Delta", key="client").item.id == proposed.item.id


def test_a_key_of_another_item_is_neither_taken_by_an_edit_nor_by_a_promotion(here: Workspace) -> None:
    add(here, "fact", "One", key="k", id="one")
    add(here, "fact", "Two", id="two")
    keep(here, "project", make("late", key="k", status="pending"))
    keep(here, "project", make("gone", key="k", status="archived"))
    before = texts(here)

    for name, changes in (("two", ItemEdits(key="k")), ("gone", ItemEdits(status=Status.ACTIVE))):
        with pytest.raises(UsageError, match="the key k is that of one already"):
            edit_item(here, find(here, name), changes, actor=ME, today=TODAY, confirm=unasked)
    two = find(here, "two")
    text = two.stored.text.replace("id: two\n", "id: two\nkey: k\n")
    with pytest.raises(UsageError, match="the key k is that of one already"):
        replace_text(here, two, text, actor=ME, today=TODAY, confirm=unasked)
    with pytest.raises(UsageError, match="the key k is that of one, which late does not supersede"):
        promote_item(here, find(here, "late"), None, actor=ME, today=TODAY, confirm=unasked)

    assert texts(here) == before


def _of_agent(here: Workspace, name: str, do: str) -> None:
    found = find(here, name)
    if do == "edit":
        edit_item(here, found, ItemEdits(title="X"), actor=AGENT, today=TODAY, confirm=unasked)
    elif do == "replace":
        replace_text(here, found, f"{found.stored.text}more\n", actor=AGENT, today=TODAY, confirm=unasked)
    elif do == "link":
        link_items(here, found, Relation.DEPENDS_ON, find(here, "other"), actor=AGENT)
    elif do == "unlink":
        unlink_items(here, found, Relation.CONTRADICTS, "other", actor=AGENT)
    elif do == "forget":
        forget_item(here, found, actor=AGENT)
    else:
        move_item(here, found, "project" if found.scope == "user" else "user", actor=AGENT, confirm=unasked)


@pytest.mark.points(4)
@pytest.mark.parametrize("status", ["active", "archived"])
@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("do", ["edit", "replace", "link", "unlink", "forget", "move"])
def test_an_agent_changes_nothing_that_a_person_or_a_project_remembers(
    here: Workspace, do: str, scope: str, status: str
) -> None:
    keep(here, "project", make("other"))
    link = "[{to: other, relation: contradicts}]"
    keep(here, scope, make("held", scope, type="pattern", status=status, links=link))
    keep(here, scope, make("said", scope, type="pattern", status="pending", links=link))
    before = texts(here)

    with pytest.raises(NotAllowed):
        _of_agent(here, "held", do)

    assert texts(here) == before
    _of_agent(here, "said", do)
    assert texts(here) != before
    assert texts(here)[scope, "held"] == before[scope, "held"]


def test_an_agent_makes_nothing_hold_and_vouches_for_no_person(here: Workspace) -> None:
    keep(here, "project", make("said", status="pending"))
    keep(here, "user", make("mine", "user", type="goal"))
    before = texts(here)

    for changes, who in (
        (ItemEdits(status=Status.ACTIVE), AGENT),
        (ItemEdits(trust=Trust.HUMAN), AGENT),
        (ItemEdits(trust=Trust.HUMAN), CI),
        (ItemEdits(status=Status.ACTIVE, title="X"), CI),
    ):
        with pytest.raises(NotAllowed):
            edit_item(here, find(here, "said"), changes, actor=who, today=TODAY, confirm=unasked)
    for who in (AGENT, CI):
        with pytest.raises(NotAllowed):
            clear_user(here, actor=who)

    assert texts(here) == before
    assert (
        edit_item(
            here, find(here, "said"), ItemEdits(text="Other"), actor=AGENT, today=TODAY, confirm=unasked
        ).item.trust
        is Trust.AGENT
    )
    assert clear_user(here, actor=ME).items == 1
    assert list(texts(here)) == [("project", "said")]


@pytest.mark.parametrize("scope", ["project", "user", "agent/coder"])
def test_no_text_that_another_writes_holds_by_itself_or_vouches_for_a_person(here: Workspace, scope: str) -> None:
    (here.memory / "agent/coder").mkdir(parents=True)
    kept = {"status": "pending", "trust": "agent", "source": "{kind: explicit, actor: agent:coder}"}
    keep(here, scope, make("said", scope, type="pattern", **kept))
    found = find(here, "said", scope)
    text = found.stored.text.replace("agent:coder", "human:You").replace("trust: agent", "trust: human")

    def written(text: str, actor: str = AGENT) -> Item:
        now = find(here, "said", scope)
        return replace_text(here, now, text, actor=actor, today=TODAY, confirm=unasked).item

    if scope != "agent/coder":
        with pytest.raises(NotAllowed, match="said is promoted by a person at a terminal"):
            written(text.replace("pending", "active"))
        assert find(here, "said", scope).stored.text == found.stored.text
    item = written(text)
    assert (item.status, item.trust, item.source.actor) == (Status.PENDING, Trust.AGENT, AGENT)
    mine = written(text.replace("pending", "active"), ME)
    assert (mine.status, mine.trust, mine.source.actor) == (Status.ACTIVE, Trust.HUMAN, ME)


def test_what_an_agent_changes_of_a_persons_item_is_trusted_as_the_agents(here: Workspace) -> None:
    (here.memory / "agent/coder").mkdir(parents=True)
    keep(here, "agent/coder", make("said", "agent/coder", trust="human"))

    def edited(changes: ItemEdits, actor: str) -> Trust:
        return edit_item(
            here, find(here, "said", "agent/coder"), changes, actor=actor, today=TODAY, confirm=unasked
        ).item.trust

    assert edited(ItemEdits(title="X"), ME) is Trust.HUMAN
    assert edited(ItemEdits(title="Y"), CI) is Trust.TOOL
    assert edited(ItemEdits(importance=100), AGENT) is Trust.AGENT
    assert edited(ItemEdits(status=Status.ARCHIVED), CI) is Trust.AGENT
    assert edited(ItemEdits(text="Z"), CI) is Trust.TOOL


def _gone(do: str, here: Workspace, found: ScopedItem) -> None:
    if do == "link":
        link_items(here, found, Relation.DEPENDS_ON, find(here, "other"), actor=ME)
    elif do == "unlink":
        unlink_items(here, found, Relation.CONTRADICTS, "other", actor=ME)
    elif do == "forget":
        forget_item(here, found, actor=ME)
    elif do == "edit":
        edit_item(here, found, ItemEdits(title="X"), actor=ME, today=TODAY, confirm=unasked)
    else:
        move_item(here, found, "user", actor=ME, confirm=unasked)


@pytest.mark.parametrize("do", ["link", "unlink", "forget", "edit", "move"])
def test_what_changed_since_it_was_read_is_neither_changed_nor_forgotten(here: Workspace, do: str) -> None:
    for name in ("held", "other"):
        keep(here, "project", make(name, type="pattern", links="[{to: other, relation: contradicts}]"))
    found = find(here, "held")
    keep(here, "project", make("held", type="pattern", body="Somebody was faster.\n"))
    before = texts(here)

    with pytest.raises(ConflictError, match="held changed since it was read; nothing was written"):
        _gone(do, here, found)

    assert texts(here) == before
